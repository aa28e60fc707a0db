"""The summary of a run."""

import re
from typing import Final

import pytest
from rich.cells import cell_len

from respmark.figures.cells import read_counted
from respmark.paths import RESULTS
from respmark.report.report import LINES, Report, answer, summary
from respmark.report.table import Chapter, Table
from respmark.results.records import Status, TrialRecord
from tests.builders.plan import SHIPPED, make_client, make_trial
from tests.builders.records import laps, make_record, unmeasured
from tests.report.reading import heads, printed, reported, values

MANY: Final = [("a", "Java"), ("b", "PHP"), ("d", "PHP"), ("e", "PHP"), ("f", "PHP"), ("g", "PHP"), ("h", "PHP")]
"""More clients than all have lines of their own, if the suite chose them."""


def answered(*records: TrialRecord, **changes: object) -> tuple[Table, ...]:
    return answer(reported(*records, **changes))[0].tables


def closing(chapters: list[Chapter]) -> list[str]:
    return [line for chapter in chapters if not chapter.title for line in chapter.lines]


def lines(table: Table) -> list[tuple[str, str]]:
    return list(values(table, "RPS ratio").items())


def fastest(table: Table) -> list[str]:
    return [row[0].text for row in table.rows if "best" in row[0].kind]


def many(*rates: int) -> list[TrialRecord]:
    padded = [*rates, *[500] * (len(MANY) - len(rates))]
    return [one for (name, language), rate in zip(MANY, padded, strict=True) for one in laps(name, rate, language)]


@pytest.mark.parametrize("width", [80, 100, 120])
def test_the_published_run_fits_a_terminal(width: int) -> None:
    """Ten shapes of fourteen clients: every scenario in lines of 80 columns, and few lines beside those of figures."""
    report = Report(read_counted(RESULTS / "published" / "quick"), SHIPPED.scenarios)
    shown = printed(summary(report), width).splitlines()
    assert len(shown) <= LINES + 24
    assert max(map(cell_len, shown)) <= width
    for cell in report.cells:
        assert any(line.startswith(cell.scenario) for line in shown)
    assert any(line.split()[:1] == ["language"] for line in shown) == (width > 80)


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
    """Of one language: one below the other with `=`; of several: both are the fastest, with `=`."""
    (use,) = answered(*many(2001, 2000, 2000))
    assert {name.removeprefix("= ") for name in fastest(use)} == {"a", "b", "d"}
    assert all(ratio.endswith(" =") for _, ratio in lines(use))
    assert [name.startswith("= ") for name, _ in lines(use)] == [False, False, True]


def test_named_clients_all_have_lines() -> None:
    """In the order in which they were named, with or without figures; what cannot be measured says why."""
    old = unmeasured(Status.UNSUPPORTED, "it has none", make_trial(client=make_client("old")))
    (use,) = answered(*many(1000, 2000), old, named_clients=[name for name, _ in MANY])
    assert [name for name, _ in lines(use)] == [*(name for name, _ in MANY), "old"]
    assert values(use, "RPS")["old"] == "unsupported"
    assert use.notes == ("old is unsupported: it has none",)


def test_versions_of_a_library_have_a_sentence() -> None:
    """What the new one does and costs, as a ratio to the old one; a ratio that shows nothing is not told as one."""

    def loaded(name: str, version: str, operations: int) -> list[TrialRecord]:
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


def test_of_many_shapes_one_of_each_scenario_is_shown() -> None:
    """The middle one of those that most clients have; the others are named, and stand in the tables."""
    depths = range(1, 42)
    records = [one for depth in depths for one in (*laps("a", 1000, depth=depth), *laps("b", 2000, depth=depth))]
    report = reported(*records, *laps("a", 1000))
    (first, *_) = answer(report)
    assert [use.title for use in first.tables] == ["batching, depth 21", "sync"]
    assert first.notes[-1] == "Not shown here: batching, depth 1; batching, depth 2; batching, depth 3 and 37 more"
    assert len(answer(report, is_whole=True)[0].tables) == 42
