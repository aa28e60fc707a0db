"""The charts' data, and that Vega-Lite takes every spec."""

import json
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from respmark.report.html import vega
from respmark.report.html.charts.chart import Chart, ChartKey
from respmark.report.html.charts.every import charts
from respmark.report.html.charts.forest import forest
from respmark.report.html.charts.laps import DRAWN, drawn_rounds
from respmark.report.html.picture import picture
from respmark.report.html.view import View, make_view
from respmark.results.records import TrialRecord
from respmark.results.store import Run
from respmark.specs.post import PostSpec
from tests.builders.plan import SHIPPED
from tests.builders.records import make_run
from tests.report.html.runs import LAPS, ROUNDS


@pytest.fixture(scope="module")
def every(view: View, published: PostSpec) -> dict[str, Chart]:
    """Return the charts by key."""
    return {chart.key: chart for chart in charts(view, published)}


def values(chart: Chart, **chosen: object) -> list[dict[str, Any]]:
    """Return a chart's data where its fields have these values."""
    rows = (dict(zip(chart.fields, row, strict=True)) for row in chart.rows)
    return [row for row in rows if all(row[name] == value for name, value in chosen.items())]


def test_a_run_that_has_everything_has_every_chart(every: dict[str, Chart]) -> None:
    """In the order of the page."""
    assert list(every) == list(ChartKey)


@pytest.mark.parametrize("key", ChartKey)
def test_vega_lite_draws_it(key: ChartKey, view: View, published: PostSpec) -> None:
    """As SVG that loads nothing."""
    drawn = vega.svg(picture(view, published, key))
    marks = [one for one in ET.fromstring(drawn).iter() if one.tag.endswith("}path")]  # noqa: S314 - our own
    assert len(marks) > 5
    assert "href" not in drawn


def test_a_forest_has_a_ratio_for_each_metric_and_client(every: dict[str, Chart]) -> None:
    """The baseline is 1, and a difference that is shown is told from one that is not."""
    found = values(every["forest"], row=0, metric="RPS")
    assert {one["client"]: one["known"] for one in found} == {
        "redis-py": "baseline",
        "slow": "shown",
        "jedis": "shown",
        "lettuce": "shown",
        "phpredis": "shown",
    }


def test_another_baseline_turns_the_forest(view: View) -> None:
    """Then ties with it are seen."""
    jedis = next(column for column in view.columns if column.name == "jedis")
    found = values(forest(view, jedis), row=0, metric="RPS")
    assert {one["client"]: one["known"] for one in found}["lettuce"] == "not shown"


def test_depths_of_one_scenario_are_one_curve(every: dict[str, Chart]) -> None:
    """With the span of its rounds."""
    found = values(every["depth"], group="batching", client="jedis", metric="commands per second")
    assert [one["depth"] for one in found] == [10, 100]
    assert all(one["low"] <= one["value"] <= one["high"] for one in found)


def test_percentiles_rise_and_end_where_samples_do(every: dict[str, Chart]) -> None:
    """A percentile that fewer than two samples lie beyond is not drawn."""
    found = values(every["latency"], row=0, client="jedis")
    milliseconds = [one["ms"] for one in found]
    assert milliseconds == sorted(milliseconds)
    assert milliseconds[0] == pytest.approx(0.1, rel=0.01)
    assert 99.9 <= found[-1]["percentile"] < 99.999


def test_every_slice_is_a_point(every: dict[str, Chart]) -> None:
    """Three rounds of six laps, the first at 0 s."""
    found = values(every["laps"], row=0, client="jedis")
    assert len(found) == 18
    assert min(one["s"] for one in found) == 0


def test_a_heat_map_has_each_shape_of_a_pool(every: dict[str, Chart]) -> None:
    """Threads by connections."""
    found = values(every["heat"], group="pool", client="jedis")
    assert {(one["threads"], one["connections"]) for one in found} == {(1, 1), (1, 10), (10, 1), (10, 10)}


def test_charts_of_threads_and_of_the_post_have_one_workload_each(run: Run, published: PostSpec) -> None:
    """A pool with another workload is another map; the post's curves stand beside the suite's own workload."""
    again = [
        one.model_copy(update={"workload": "mget", "cell_id": f"{one.cell_id}-m", "block": f"{one.block}-m"})
        for one in run.records
        if isinstance(one, TrialRecord)
    ]
    both = make_run(*(one for one in run.records if isinstance(one, TrialRecord)), *again, rounds=ROUNDS, laps=LAPS)
    view = make_view(both, SHIPPED.scenarios)
    found = {chart.key: chart for chart in charts(view, published)}
    assert len(values(found[ChartKey.HEAT], group="pool, workload mget", client="jedis")) == 4
    assert len(values(found[ChartKey.HEAT], client="jedis")) == 8
    groups = {value["group"] for value in values(found[ChartKey.POST])}
    assert groups
    assert all(group.endswith(", workload tiny") for group in groups)
    assert groups <= {group for row in view.rows for group in row.groups}


def test_published_curves_stand_beside_the_own(every: dict[str, Chart]) -> None:
    """Of what the run has a point of; the published ones are whole."""
    found = values(every["post"])
    tables = {one["table"] for one in found}
    assert any("Jedis" in table for table in tables)
    assert not any("StackExchange" in table for table in tables)
    for table in tables:
        sources = [one["source"] for one in found if one["table"] == table]
        assert sources.count("published") > 2
        assert "this run" in sources


def test_specs_hold_no_data(every: dict[str, Chart]) -> None:
    """The page has it once, beside them."""
    for chart in every.values():
        assert "values" not in json.dumps(chart.spec.get("data"))


def test_of_many_rounds_some_are_drawn() -> None:
    """The first and the last one always; few rounds are drawn whole."""
    assert drawn_rounds(iter([3, 1, 2, 2])) == {1, 2, 3}
    drawn = sorted(drawn_rounds(range(1, 121)))
    assert (len(drawn), drawn[0], drawn[-1]) == (DRAWN, 1, 120)
    assert {later - earlier for earlier, later in pairwise(drawn)} == {14, 15}
    assert drawn_rounds(()) == set()
