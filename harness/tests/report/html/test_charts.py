"""The charts' data, and that Vega-Lite draws every spec, as pictures without a browser."""

from typing import Any
from xml.etree import ElementTree as ET

import pytest

from respmark.errors import InvalidRequestError
from respmark.figures.cells import RunFigures
from respmark.report.html.chart_forms import ChartKey
from respmark.report.html.charts import Chart, chart_of, charts
from respmark.report.html.picture import picture, svg
from respmark.report.html.view import View
from respmark.report.report import Report
from tests.builders.plan import SHIPPED
from tests.builders.records import laps, make_run
from tests.report.html.runs import hosts_run, loaded_run
from tests.report.series import RATES, series_run
from tests.report.versions import two_versions


@pytest.fixture(scope="module")
def every(view: View) -> dict[str, Chart]:
    return {chart.key: chart for chart in charts(view)}


def values(chart: Chart, **chosen: object) -> list[dict[str, Any]]:
    rows = (dict(zip(chart.form.fields, row, strict=True)) for row in chart.rows)
    return [row for row in rows if all(row[name] == value for name, value in chosen.items())]


def drawn(spec: dict[str, Any]) -> ET.Element:
    return ET.fromstring(svg(spec))  # noqa: S314 - our own


def words(spec: dict[str, Any]) -> str:
    return " ".join(text for one in drawn(spec).iter() if one.tag.endswith("}text") for text in one.itertext())


def of(run: RunFigures) -> View:
    return View(Report(run, SHIPPED.scenarios))


@pytest.mark.parametrize("key", ChartKey)
def test_vega_lite_draws_it(key: ChartKey, view: View) -> None:
    """As SVG that loads nothing."""
    has_it = of(loaded_run()) if key in {ChartKey.ROUND_TRIPS, ChartKey.RATES} else view
    has_it = of(series_run()) if key is ChartKey.RELEASES else has_it
    has_it = of(hosts_run()) if key is ChartKey.HOSTS else has_it
    marks = [one for one in drawn(picture(has_it, key)).iter() if one.tag.endswith("}path")]
    assert len(marks) > 5
    assert not any("href" in one.attrib for one in marks)


def test_charts_have_the_figures_of_cells_rounds_slices_and_samples(every: dict[str, Chart]) -> None:
    """Depths are one curve with the span of its rounds; percentiles end where samples do; every slice is a point."""
    depths = values(every["depth"], group="batching", client="jedis", metric="commands per second")
    assert [one["depth"] for one in depths] == [10, 100]
    assert all(one["low"] <= one["value"] <= one["high"] for one in depths)
    latency = values(every["latency"], row=0, client="jedis")
    milliseconds = [one["ms"] for one in latency]
    assert milliseconds == sorted(milliseconds)
    assert milliseconds[0] == pytest.approx(0.1, rel=0.01)
    assert 99.9 <= latency[-1]["percentile"] < 99.999
    laps = values(every["laps"], row=0, client="jedis")
    assert (len(laps), min(one["s"] for one in laps)) == (18, 0)


def test_a_series_has_a_chart_of_its_releases() -> None:
    """From the oldest to the newest, as ratios to the control; steps have their factor, and it is drawn."""
    shown = of(series_run())
    (chart,) = (one for one in charts(shown) if one.key is ChartKey.RELEASES)
    found = values(chart, metric="RPS")
    assert [one["release"] for one in found] == list(RATES)
    assert (found[0]["value"], found[0]["step"]) == (1, None)
    steps = {one["release"]: one["step"] for one in found if one["step"] is not None}
    assert steps == pytest.approx({"5.0.8": 0.8, "8.1.0": 1.12}, rel=0.02)
    text = words(picture(shown, ChartKey.RELEASES))
    assert "redis-py in sync: throughput and client CPU by release" in text
    assert all(version in text for version in RATES)
    assert "0.8" in text


def test_what_load_changes_has_charts() -> None:
    """The depth where deeper stops paying is marked by round trip; saturated slices, the goal and what kept to it."""
    found: dict[str, Chart] = {chart.key: chart for chart in charts(of(loaded_run()))}
    assert ChartKey.FRONTIER in found
    marks = [(one["rtt"], one["depth"]) for one in values(found["round-trips"], client="jedis", mark="stops paying")]
    assert marks == [("0 ms", 100)]
    assert {one["rtt"] for one in values(found["round-trips"])} == {"0 ms", "1 ms"}
    assert [
        one["group"] for one in values(found["depth"], depth=100, client="jedis", metric="commands per second")
    ] == [
        "batching",
        "batching, round trip 1 ms",
    ]
    p99 = values(found["rates"], client="jedis", metric="response p99, ms")
    assert [(one["rate"], one["ms"], one["saturated"], one["goal"]) for one in p99] == [
        (1400, 0.5, 0, 5),
        (1600, 1, 0, 5),
        (3000, 80, 1, 5),
        (2000, None, None, None),
    ]


def test_a_run_on_several_numbers_of_hosts_has_a_chart_of_them() -> None:
    """Throughput with its intervals beside the ideal, whichever number of processes is chosen."""
    shown = of(hosts_run())
    (chart,) = (one for one in charts(shown) if one.key is ChartKey.HOSTS)
    found = values(chart, client="jedis")
    assert [(one["group"], one["hosts"], one["each"]) for one in found] == [("sync", hosts, 1) for hosts in (1, 2, 3)]
    assert all(one["low"] < one["rps"] < one["high"] for one in found)
    assert [one["ideal"] for one in found] == pytest.approx([10_000, 20_000, 30_000], rel=0.01)
    assert "sync: throughput by number of client hosts" in words(picture(shown, ChartKey.HOSTS, "sync"))
    assert ChartKey.HOSTS not in {one.key for one in charts(of(two_versions()))}


def test_a_picture_says_what_it_is_of_and_whose(view: View) -> None:
    """Use, baseline, what a mark means, run and machine; what was lost; only clients that are drawn."""
    said = words(picture(view, ChartKey.FOREST, "batching, depth 100"))
    assert "batching, depth 100: ratios to redis-py" in said
    assert "A hollow point: no difference is shown" in said
    (server,) = view.report.manifest.servers.values()
    assert f"Run {view.report.manifest.run_id}, 3 rounds, {server.version}" in said
    assert "figures are of the others: phpredis." in words(picture(view, ChartKey.FRONTIER, "transaction"))
    assert "are lost" not in words(picture(view, ChartKey.FRONTIER, "sync"))
    assert "slow" not in words(picture(view, ChartKey.LATENCY, "batching, depth 10"))
    assert "slow" in words(picture(view, ChartKey.LATENCY, "sync"))


def test_what_a_run_does_not_have_is_refused(view: View) -> None:
    with pytest.raises(InvalidRequestError, match=r"chart `forest` has nothing of it; .*batching, depth 10"):
        picture(view, ChartKey.FOREST, "threads")
    small = two_versions()
    with pytest.raises(InvalidRequestError, match="chart depth: this run has nothing for it; it has: forest"):
        picture(of(small), ChartKey.DEPTH)


def test_of_a_split_block_every_client_is_compared_with_the_baseline_beside_it() -> None:
    """The baseline is in each part, and has one place in the row."""
    parts = {"a": "bc", "b": "b", "c": "c"}
    rates = {"a": 1000, "b": 2000, "c": 500}
    records = [
        one.model_copy(update={"block": f"sync--part={part}", "cell_id": f"{client}--{part}"})
        for client, of in parts.items()
        for part in of
        for one in laps(client, rates[client])
    ]
    view = of(make_run(*records))
    (row,) = view.rows
    a, b, c = row.places
    ratios = [view.ratio("rps", one, other) for one, other in ((b, a), (a, c), (b, c))]
    assert [one and round(one.value, 1) for one in ratios] == [2.0, 2.0, None]
    assert {one["client"] for one in values(chart_of(view, ChartKey.FOREST))} == {"a", "b", "c"}
