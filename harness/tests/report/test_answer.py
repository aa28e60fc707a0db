"""The summary of a run."""

import re
from dataclasses import replace
from typing import Final

import pytest
from rich.cells import cell_len

from respmark.guidance.verdict import verdicts_of
from respmark.paths import RESULTS
from respmark.report.answer import answer
from respmark.report.document import summary
from respmark.report.report import make_report
from respmark.report.table import Chapter, Table
from respmark.results.manifest import RunStatus
from respmark.results.records import Status, TrialRecord
from respmark.statistics.cells import read_counted
from tests.builders.plan import SHIPPED, make_client, make_trial
from tests.builders.records import laps, make_record, make_run, unmeasured
from tests.report.reading import heads, printed, reported, values

MANY: Final = [("a", "Java"), ("b", "PHP"), ("d", "PHP"), ("e", "PHP"), ("f", "PHP"), ("g", "PHP"), ("h", "PHP")]
"""More clients than all have lines of their own, if the suite chose them."""


def answered(*records: TrialRecord, **changes: object) -> tuple[Table, ...]:
    """Return the uses in the answer of a run of these records."""
    return answer(reported(*records, **changes))[0].tables


def careful(*records: TrialRecord, **changes: object) -> tuple[str, ...]:
    """Return what its answer says to be careful about."""
    chapters = answer(reported(*records, **changes))
    return next((chapter.notes for chapter in chapters if chapter.title == "be careful"), ())


def closing(chapters: list[Chapter]) -> list[str]:
    """Return what an answer ends with."""
    return [line for chapter in chapters if not chapter.title for line in chapter.lines]


def lines(table: Table) -> list[tuple[str, str]]:
    """Return the clients of a use, each with its ratio of RPS."""
    return list(values(table, "RPS ratio").items())


def fastest(table: Table) -> list[str]:
    """Return the clients that are shown as the fastest."""
    return [row[0].text for row in table.rows if "best" in row[0].kind]


def many(*rates: int) -> list[TrialRecord]:
    """Return laps of seven clients; those without a rate are slow."""
    padded = [*rates, *[500] * (len(MANY) - len(rates))]
    return [one for (name, language), rate in zip(MANY, padded, strict=True) for one in laps(name, rate, language)]


@pytest.mark.parametrize("width", [80, 100, 120])
def test_the_published_run_fits_a_terminal(width: int) -> None:
    """Ten shapes of fourteen clients: a summary of at most 60 lines of 80 columns, with every scenario in it."""
    report = make_report(read_counted(RESULTS / "published" / "quick"), SHIPPED.scenarios)
    shown = printed(summary(report), width).splitlines()
    assert len(shown) <= 60
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


def test_no_difference_shown_is_marked() -> None:
    """Beside the ratios and the costs."""
    chapters = answer(reported(*laps("a", 2000), *laps("b", 2001)))
    other = next(row for row in chapters[0].tables[0].rows if row[0].text == "b")
    assert [cell.text.endswith(" =") for cell in other] == [False, False, True, True, True, True]
    assert "no difference shown" in chapters[0].notes[0]


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


def test_named_clients_without_any_figure_have_lines_and_every_reason() -> None:
    """A question has an answer, if only that there is none; of others, some reasons are counted."""
    failed = [unmeasured(Status.FAILED, f"cause {n}", make_trial(client=make_client(f"c{n}"))) for n in range(5)]
    (use,) = answered(*failed, named_clients=["c0"])
    assert values(use, "RPS") == {f"c{n}": "failed" for n in range(5)}
    assert len(careful(*failed, named_clients=["c0"])) == 5
    assert careful(*failed)[3:] == ("failed: 2 more for other reasons",)


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


def test_a_suite_that_compares_libraries_with_themselves_shows_every_pair() -> None:
    """However many uses it has, and without a list of what is left out."""
    records = [
        one.model_copy(update={"block": f"{library}-{depth}"})
        for depth in range(1, 30)
        for library in ("a", "b")
        for name in (f"{library}[tls=off]", library)
        for one in laps(name, 1000, depth=depth)
    ]
    uses = answered(*records)
    assert len(uses) == 58
    assert [row[0].text for row in uses[0].rows] == ["a[tls=off]", "a"]


def test_a_baseline_in_another_use_is_named() -> None:
    """A block that compares depths: the ratio is to another depth of the same client."""
    records = (one for depth in (1, 10) for one in laps("a", 1000 * depth, depth=depth))
    first, second = answered(*(one.model_copy(update={"block": "depths"}) for one in records))
    assert (first.title, lines(first)) == ("batching, depth 1", [("a", "baseline")])
    assert second.title == "batching, depth 10 (ratios to a batching (depth 1))"
    assert lines(second)[0][1].startswith("10.0 (")


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


def test_it_ends_with_how_well_the_run_measured() -> None:
    """How far half of its ratios are known, and all, or nine in ten if they are ten; and its share of measured time."""
    pattern = r"Half of the throughput ratios are known to ±0\.\d % or better, all to ±0\.\d %; those of client CPU"
    assert re.match(pattern, closing(answer(reported(*laps("a", 1000), *laps("b", 2000), *laps("c", 3000))))[-1])
    (single,) = closing(answer(reported(*laps("a", 1000), *laps("b", 2000))))
    assert single.startswith("The throughput ratio is known to ±0.")
    timed = reported(*laps("a", 1000), wall_s=442.3, measured_s=36.9)
    assert closing(answer(timed)) == ["Measured slices took 37 s of the run's 442 s (8 %)"]


def test_what_published_advice_comes_to_is_told_unless_clients_were_named() -> None:
    """A question about some clients is not one about advice."""
    run = make_run(*laps("a", 1000))
    report = make_report(run, SHIPPED.scenarios, verdicts=verdicts_of(run, SHIPPED))
    assert closing(answer(report))[0].startswith("Published advice: none of ")
    manifest = report.manifest.model_copy(update={"named_clients": ["a"]})
    named = replace(report, run=replace(report.run, manifest=manifest))
    assert closing(answer(named)) == []


def test_a_provisional_answer_has_a_title_and_nothing_else() -> None:
    """It does not call missing what is to come."""
    (chapter,) = answer(reported(*laps("a", 1000), status=RunStatus.RUNNING), "after 1 of 3 rounds")
    assert chapter.title == "after 1 of 3 rounds"


def test_of_many_shapes_one_of_each_scenario_is_shown() -> None:
    """The middle one of those that most clients have; the others are named, and stand in the tables."""
    depths = range(1, 42)
    records = [one for depth in depths for one in (*laps("a", 1000, depth=depth), *laps("b", 2000, depth=depth))]
    report = reported(*records, *laps("a", 1000))
    (first, *_) = answer(report)
    assert [use.title for use in first.tables] == ["batching, depth 21", "sync"]
    assert first.notes[-1] == "Not shown here: batching, depth 1; batching, depth 2; batching, depth 3 and 37 more"
    assert len(answer(report, is_whole=True)[0].tables) == 42


def test_where_not_all_fit_a_screen_the_suites_own_workload_stands_for_the_others() -> None:
    """The summary says what it leaves out."""
    names = [None, *(f"w{number}" for number in range(40))]
    (first, *_) = answer(reported(*(one for name in reversed(names) for one in laps("a", 1000, workload=name))))
    assert [use.title for use in first.tables] == ["sync, workload tiny"]
    assert "Not shown here: sync, workload w39; sync, workload w38; " in " ".join(first.notes)


def test_a_run_that_is_not_whole_says_so_first() -> None:
    """Before anything else that one must be careful about."""
    assert careful(make_record(), status=RunStatus.STOPPED)[0] == "THIS RUN IS INCOMPLETE: stopped; rounds are missing"


def test_replies_that_are_decoded_otherwise_are_told() -> None:
    """Part of a difference is what a client makes of a reply."""
    text = [one.model_copy(update={"decodes_to": "text"}) for one in laps("b", 2000)]
    told = "decode replies to a different type than the first client: b"
    assert careful(*laps("a", 1000), *text) == (told,)
    assert careful(*laps("a", 1000), *laps("b", 2000)) == ()
