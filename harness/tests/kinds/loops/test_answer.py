"""The summary of a run."""

import csv
import io
import re
from dataclasses import replace
from typing import Any, Final

import pytest
from rich.cells import cell_len

from respmark.contract.trial import SampleCovers, Scenario, Shape
from respmark.figures.cells import read_figures
from respmark.kinds.loops.answer import LINES, answer, other_uses
from respmark.kinds.loops.kind import LOOPS
from respmark.kinds.loops.record import Latency, LoopRecord
from respmark.paths import CHECKOUT
from respmark.report.data import to_csv
from respmark.report.document import summary
from respmark.report.report import Report
from respmark.report.table import Chapter, Table
from respmark.results.records import Status
from tests.builders.plan import SHIPPED, make_client, make_trial
from tests.builders.records import laps, make_record, make_slice_record, unmeasured
from tests.report.reading import heads, printed, reported, values

MANY: Final = [("a", "Java"), ("b", "PHP"), ("d", "PHP"), ("e", "PHP"), ("f", "PHP"), ("g", "PHP"), ("h", "PHP")]
"""More clients than all have lines of their own, if the suite chose them."""


def answered(*records: LoopRecord, **changes: Any) -> tuple[Table, ...]:  # noqa: ANN401 - a manifest's fields
    return answer(reported(*records, **changes))[0].tables


def closing(chapters: list[Chapter]) -> list[str]:
    return [line for chapter in chapters if not chapter.title for line in chapter.lines]


def lines(table: Table) -> list[tuple[str, str]]:
    return list(values(table, "RPS ratio").items())


def fastest(table: Table) -> list[str]:
    return [row[0].text for row in table.rows if "best" in row[0].style]


def many(*rates: int) -> list[LoopRecord]:
    padded = [*rates, *[500] * (len(MANY) - len(rates))]
    return [one for (name, language), rate in zip(MANY, padded, strict=True) for one in laps(name, rate, language)]


@pytest.mark.parametrize("width", [80, 100, 140])
def test_the_published_run_fits_a_terminal(width: int) -> None:
    """Ten shapes of fourteen clients: every scenario in lines of 80 columns, and few lines beside those of figures."""
    report = Report(read_figures(CHECKOUT / "results" / "published" / "quick", LOOPS), SHIPPED.scenarios)
    shown = printed(summary(report), width).splitlines()
    assert len(shown) <= LINES + 24
    assert max(map(cell_len, shown)) <= width
    for cell in report.cells:
        assert any(line.startswith(cell.scenario) for line in shown)
    assert any("language" in line.split() for line in shown) == (width > 100)


def test_few_clients_have_a_line_each() -> None:
    """The fastest first, with what they cost and the ratio to the baseline, which is the block's first client."""
    (use,) = answered(*laps("a", 1000), *laps("b", 4000), *laps("c", 2000))
    assert [row[0].text for row in use.rows] == ["b", "c", "a"]
    assert fastest(use) == ["b"]
    assert "language" not in heads(use)
    found = dict(zip(heads(use), (cell.text for cell in use.rows[1]), strict=True))
    assert found["RPS"] == "2,000"
    assert re.fullmatch(r"2\.0\d \(1\.9\d\.\.2\.0\d\)", found["RPS ratio"])
    assert found["client CPU ratio"].startswith("0.5")
    assert values(use, "RPS ratio")["a"] == "baseline"


def test_of_many_each_language_has_its_fastest() -> None:
    """And how far it is from the fastest of all; slower clients of the same language are left to the tables."""
    (use,) = answered(*many(4000, 1000, 2000))
    assert use.title == "sync (best of each language)"
    assert lines(use) == [("a", "fastest"), ("d", "0.50 (0.50..0.50)")]
    assert values(use, "language") == {"a": "Java", "d": "PHP"}


def test_ties_are_said_to_be_ties() -> None:
    """Of one language: a row says with whom it is tied; of several: the fastest is tied, and the others have a `=`."""
    (use,) = answered(*many(2001, 2000, 2000))
    assert {name.partition(",")[0] for name in fastest(use)} == {"a", "b", "d"}
    ratios = [ratio for _, ratio in lines(use)]
    assert ratios.count("fastest, tied") == 1
    assert sum(ratio.endswith(" =") for ratio in ratios) == 2
    assert [name.partition(", ")[2] for name, _ in lines(use)] in (["", "", "tied with b"], ["", "", "tied with d"])


def test_named_clients_all_have_lines() -> None:
    """In the order in which they were named, with or without figures; what cannot be measured says why."""
    old = unmeasured(Status.UNSUPPORTED, "it has none", make_trial(client=make_client("old")))
    (use,) = answered(*many(1000, 2000), old, named_clients=[name for name, _ in MANY])
    assert [name for name, _ in lines(use)] == [*(name for name, _ in MANY), "old"]
    assert values(use, "RPS")["old"] == "unsupported"
    assert use.notes == ("old is unsupported: it has none",)


def test_a_version_that_is_not_the_pinned_one_stands_in_the_name() -> None:
    """In every row of the client, measured or not; a name that says its version is left as it is."""
    records = [
        make_record(make_trial(client=make_client("old", library="old")), versions={"old": "1.2.6"}),
        make_record(make_trial(client=make_client("new", library="new")), versions={"new": "8.0.2"}),
        make_record(make_trial(client=make_client("free", library="free")), versions={"free": "5.3.7"}),
        make_record(make_trial(client=make_client("new@7.0", library="new")), versions={"new": "7.0"}),
        unmeasured(Status.UNSUPPORTED, "none", make_trial(Scenario.POOL, client=make_client("old", library="old"))),
    ]
    report = replace(reported(*records), pins={"old": "3.4.35", "new": "8.0.2", "free": ""})
    assert [cell.subject for cell in report.cells] == ["old 1.2.6", "new", "free 5.3.7", "new@7.0", "old 1.2.6"]
    assert [row[0].text for row in answer(report)[0].tables[0].rows] == ["old 1.2.6", "new", "free 5.3.7", "new@7.0"]
    assert {row["client"] for row in csv.DictReader(io.StringIO(to_csv(report.cells)))} == {
        "old",
        "new",
        "free",
        "new@7.0",
    }


def test_the_uses_of_one_client_are_one_table() -> None:
    """Of a block that compares a client with itself: rows name what differs, the heading what does not."""
    sync, deep = laps("a", 1000), laps("a", 5000, depth=10)
    (table,) = answered(*(one.model_copy(update={"block": "a"}) for one in (*sync, *deep)))
    assert table.title == "a"
    assert [row[0].text for row in table.rows] == ["sync", "batching, depth 10"]


def test_clients_that_nothing_took_turns_with_share_a_table() -> None:
    """By their use, each with what nodes sent on; nothing is called not compared where nothing is compared."""
    moved = make_slice_record(
        1000, redirects=20, asks=0, moved_slots=10, rate_due=1000.0, topology_calls={"cluster|slots": 5}
    )
    records = [
        make_record(
            make_trial(Scenario.SYNC, Shape(rate="1000"), client=make_client(name, library=name)), slices=[moved]
        )
        for name in ("a", "b")
    ]
    (table,) = answered(*(one.model_copy(update={"block": f"{one.client.name}-alone"}) for one in records))
    assert values(table, "sent on % per moved slot") == {"a": "2.00 / 2.00", "b": "2.00 / 2.00"}
    assert list(values(table, "asked for nodes per s")) == ["a", "b"]
    assert "p99 ratio" not in heads(table)


def test_a_question_with_two_dimensions_is_answered_in_both() -> None:
    """Clients are compared in each workload, and each client with itself in the first workload."""
    rates = {("a", "one"): 1000, ("b", "one"): 4000, ("a", "two"): 500, ("b", "two"): 500}
    records = [
        record.model_copy(update={"block": "sync"})
        for (client, workload), rate in rates.items()
        for record in laps(client, rate, workload=workload)
    ]
    (first, places, *_) = answer(reported(*records, named_clients=["a", "b"]))
    assert [table.title for table in first.tables] == ["sync, workload one", "sync, workload two"]
    ratios = [values(table, "RPS ratio") for table in first.tables]
    assert [found["a"] for found in ratios] == ["baseline", "baseline"]
    assert [found["b"][:4] for found in ratios] == ["4.00", "1.00"]
    (changes,) = places.tables
    found = values(changes, "RPS ratio")
    assert {name: ratio[:3] for name, ratio in found.items()} == {"a with two": "0.5", "b with two": "0.1"}


def test_rows_of_a_pool_say_what_works_and_over_how_many_connections() -> None:
    """Threads, or tasks that share a thread."""
    shape = Shape(threads=10, max_total=5)
    (table,) = answered(
        *(
            make_record(
                make_trial(Scenario.POOL, shape, client=make_client(name, library="a")),
                language=language,
                slices=[spread],
            )
            for name, language in (("a", "Python"), ("a[api=asyncio]", "Python"), ("b", "JavaScript"))
            for spread in (make_slice_record(connections_open=5),)
        )
    )
    assert list(values(table, "connections").values()) == ["5 (10 threads)", "5 (10 tasks)", "5 (10 tasks)"]


def test_rows_with_a_rate_have_the_lag_beside_response_times() -> None:
    """And the client's CPU; who begins late is named."""
    due = make_slice_record(rate_due=1000.0, is_saturated=False, p50_ns=1e6, p99_ns=2e6)
    lag = Latency(sample_covers=SampleCovers.COMMAND, histogram=[(199_936, 9_000), (999_936, 1_000)], max_ns=999_936)
    trial = make_trial(Scenario.SYNC, Shape(rate="1000"))
    (first, careful, *_) = answer(reported(make_record(trial, slices=[due], lag=lag)))
    assert values(first.tables[0], "p50/p99 ms due to begun") == {"lib": "0.200/1.00"}
    assert values(first.tables[0], "client CPU %") == {"lib": "50"}
    assert any("units began late" in note for note in careful.notes)


def test_versions_of_a_library_have_a_sentence() -> None:
    """What the new one does and costs, as a ratio to the old one; a ratio that shows nothing is not told as one."""

    def loaded(name: str, version: str, operations: int) -> list[LoopRecord]:
        changes = {"client": make_client(name), "versions": {"lib": version}}
        return [one.model_copy(update=changes) for one in laps(name, operations)]

    old = loaded("lib@3.5.3", "3.5.3", 2000)
    (sentence,) = answered(*old, *loaded("lib", "8.1.0", 1000))[0].notes
    assert re.fullmatch(
        r"lib 8\.1\.0 against 3\.5\.3: 0\.50 \(0\.\d+\.\.0\.\d+\) of the throughput, "
        r"2\.00 \([\d.]+\.\.[\d.]+\) of the CPU",
        sentence,
    )
    (sentence,) = answered(*old, *loaded("lib", "8.1.0", 2000))[0].notes
    assert sentence.startswith("lib 8.1.0 against 3.5.3: no difference shown in throughput (1.00, ")


def test_one_round_claims_nothing() -> None:
    """All clients are listed, and it is said that nothing is claimed."""
    records = [
        make_record(make_trial(client=make_client(name, library=name)), rate) for name, rate in (("a", 9), ("b", 90))
    ]
    (first, *_) = chapters = answer(reported(*records))
    assert lines(first.tables[0]) == [("b", "10.0 (no interval)"), ("a", "baseline")]
    assert fastest(first.tables[0]) == []
    assert first.notes == (
        "No differences are claimed: intervals need at least two rounds, with clients that took turns.",
    )
    assert closing(chapters) == []


def test_of_many_in_one_round_each_has_its_ratio_to_the_baseline() -> None:
    """Nothing says which is the fastest of its language."""
    records = [
        make_record(make_trial(client=make_client(name, library=name)), rate)
        for rate, (name, _) in enumerate(MANY, start=1)
    ]
    (use,) = answered(*records)
    assert use.title == "sync"
    assert lines(use)[0] == ("h", "7.00 (no interval)")
    assert lines(use)[-1] == ("a", "baseline")


def test_of_many_shapes_one_of_each_scenario_is_shown() -> None:
    """The middle one of those that most clients have; the others are named, and stand in the tables."""
    depths = range(1, 42)
    records = [one for depth in depths for one in (*laps("a", 1000, depth=depth), *laps("b", 2000, depth=depth))]
    report = reported(*records, *laps("a", 1000))
    (first, *_) = answer(report)
    assert [use.title for use in first.tables] == ["batching, depth 21", "sync"]
    assert first.notes[-1] == "Not shown here: batching, depth 1; batching, depth 2; batching, depth 3 and 37 more"
    assert [len(chapter.tables) for chapter in other_uses(report)] == [40]
