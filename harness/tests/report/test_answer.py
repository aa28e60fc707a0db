"""The summary of a run."""

import io
import re
from typing import Final

import pytest
from rich.cells import cell_len
from rich.console import Console
from syrupy.assertion import SnapshotAssertion

from respmark.paths import RESULTS
from respmark.report.answer import Answer, answer
from respmark.report.answer_text import print_answer
from respmark.report.tables import Report, make_report
from respmark.results.manifest import RunStatus
from respmark.results.records import Status, TrialRecord
from respmark.results.store import read_run
from tests.builders.plan import SHIPPED, make_client, make_trial
from tests.builders.records import laps, make_record, make_result, make_run, unmeasured


def answered(*records: object, **changes: object) -> Answer:
    """Return the summary of a run of these records."""
    return answer(make_report(make_run(*records, **changes), SHIPPED.scenarios))  # type: ignore[arg-type]


def printed(found: Answer, width: int = 100) -> str:
    """Return what is printed into a file of this width."""
    output = io.StringIO()
    print_answer(Console(file=output, width=width, highlight=False), found)
    return output.getvalue()


def lines(found: Answer) -> list[tuple[str, str]]:
    """Return the clients of the only use, each with its ratio of RPS."""
    (use,) = found.uses
    return [(line.mark + line.client, line.values[4]) for line in use.lines]


MANY: Final = [("a", "Java"), ("b", "PHP"), ("d", "PHP"), ("e", "PHP"), ("f", "PHP"), ("g", "PHP"), ("h", "PHP")]
"""More clients than all have lines of their own, if the suite chose them."""


def many(*rates: int) -> list[TrialRecord]:
    """Return laps of seven clients; those without a rate are slow."""
    padded = [*rates, *[500] * (len(MANY) - len(rates))]
    return [one for (name, language), rate in zip(MANY, padded, strict=True) for one in laps(name, rate, language)]


@pytest.mark.parametrize("width", [80, 100, 120])
def test_the_published_run_fits_a_terminal(width: int) -> None:
    """Ten shapes of fourteen clients: a summary of at most 60 lines of 80 columns, with every scenario in it."""
    report = make_report(read_run(RESULTS / "published" / "quick"), SHIPPED.scenarios)
    found = answer(report)
    printed_lines = printed(found, width).splitlines()
    assert len(printed_lines) <= 60
    assert max(map(cell_len, printed_lines)) <= width
    assert {use.scenario for use in found.uses} == {cell.scenario for cell in report.cells}
    assert ("language" in printed_lines[2]) == (width > 80)
    assert ("client CPU ratio" in printed_lines[2]) == (width > 100)


def test_few_clients_have_a_line_each() -> None:
    """The fastest first, with what they cost and the ratio to the baseline, which is the block's first client."""
    found = answered(*laps("a", 1000), *laps("b", 4000), *laps("c", 2000))
    (use,) = found.uses
    assert [name for name, _ in lines(found)] == ["b", "c", "a"]
    assert [line.is_fastest for line in use.lines] == [True, False, False]
    language, rps, client_us, server_us, ratio, cpu_ratio = use.lines[1].values
    assert (language, rps) == ("Python", "2,000")
    assert float(client_us) > 0
    assert float(server_us) > 0
    assert re.fullmatch(r"2\.0\d \(1\.9\d\.\.2\.0\d\)", ratio)
    assert cpu_ratio.startswith("0.5")
    assert use.lines[2].values[4:] == ("baseline", "")


def test_no_difference_shown_is_marked() -> None:
    """Beside the ratio and the costs."""
    found = answered(*laps("a", 2000), *laps("b", 2001))
    (use,) = found.uses
    _, other = sorted(use.lines, key=lambda line: line.client)
    assert [value.endswith(" =") for value in other.values] == [False, False, True, True, True, True]
    assert "no difference shown" in found.legend[0]


def test_of_many_each_language_has_its_fastest() -> None:
    """And how far it is from the fastest of all; slower clients of the same language are left to the tables."""
    found = answered(*many(4000, 1000, 2000))
    assert found.uses[0].note == "best of each language"
    (first, leads), (second, ratio) = lines(found)
    assert (first, leads, second) == ("a", "fastest", "d")
    assert ratio == "0.50 (0.50..0.50)"


def test_named_clients_all_have_lines() -> None:
    """In the order in which they were named, with or without figures; what cannot be measured says why."""
    records = many(1000, 2000)
    asked = [*records, unmeasured(Status.UNSUPPORTED, "it has none", make_trial(client=make_client("old")))]
    found = answered(*asked, named_clients=[name for name, _ in MANY])
    assert [name for name, _ in lines(found)] == [*(name for name, _ in MANY), "old"]
    assert lines(found)[0] == ("a", "baseline")
    assert found.uses[0].lines[-1].values[1:] == ("unsupported", "", "", "", "")
    assert found.uses[0].sentences == ("old is unsupported: it has none",)


def test_named_clients_without_any_figure_have_lines() -> None:
    """A question has an answer, if only that there is none."""
    gone = unmeasured(Status.MISSING, "npm: not found", make_trial(client=make_client("gone")))
    found = answered(gone, named_clients=["gone"])
    assert lines(found) == [("gone", "")]
    assert found.careful == ("missing: gone: npm: not found",)


def test_every_reason_is_told_of_named_clients() -> None:
    """None is only counted."""
    failed = [unmeasured(Status.FAILED, f"cause {n}", make_trial(client=make_client(f"c{n}"))) for n in range(5)]
    assert len(answered(*failed, named_clients=["c0"]).careful) == 5
    assert len(answered(*failed).careful) == 4


def loaded(name: str, version: str, operations: int) -> list[TrialRecord]:
    """Return laps of a client of the library `lib` that loaded this version."""
    changes = {"client": make_client(name), "results": [make_result(versions={"lib": version})]}
    return [one.model_copy(update=changes) for one in laps(name, operations)]


def test_versions_of_a_library_have_a_sentence() -> None:
    """What the new one does and costs, as a ratio to the old one; a ratio that shows nothing is not told as one."""
    old = loaded("lib@3.5.3", "3.5.3", 2000)
    (sentence,) = answered(*old, *loaded("lib", "8.1.0", 1000)).uses[0].sentences
    assert re.fullmatch(
        r"lib 8\.1\.0 against 3\.5\.3: 0\.50 \(0\.\d+\.\.0\.\d+\) of the throughput, "
        r"2\.00 \([\d.]+\.\.[\d.]+\) of the CPU",
        sentence,
    )
    (sentence,) = answered(*old, *loaded("lib", "8.1.0", 2000)).uses[0].sentences
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
    found = answered(*records)
    assert len(found.uses) == 58
    assert [line.client for line in found.uses[0].lines] == ["a[tls=off]", "a"]
    assert len(found.legend) == 1


def test_a_baseline_in_another_use_is_named() -> None:
    """A block that compares depths: the ratio is to another depth of the same client."""
    both = [
        one.model_copy(update={"block": "depths"}) for depth in (1, 10) for one in laps("a", 1000 * depth, depth=depth)
    ]
    first, second = answered(*both).uses
    assert (first.note, first.lines[0].values[4]) == ("", "baseline")
    assert second.note == "ratios to a batching, depth 1"
    assert second.lines[0].values[4].startswith("10.0 (")


def test_ties_are_said_to_be_ties() -> None:
    """Of one language: one below the other with `=`; of several: both are the fastest, with `=`."""
    found = answered(*many(2001, 2000, 2000))
    (use,) = found.uses
    assert {line.client for line in use.lines if line.is_fastest} == {"a", "b", "d"}
    assert all(ratio.endswith(" =") for _, ratio in lines(found))
    assert [line.mark for line in use.lines if line.client != "a"] == ["", "= "]


def test_of_variants_that_tie_the_fastest_stands_for_its_library() -> None:
    """The others are left to the tables: the first screen is for choosing a library."""
    (use,) = answered(*many(2000), *laps("i", 2001), *laps("i[x=1]", 2000)).uses
    assert len([line.client for line in use.lines if line.client.startswith("i")]) == 1


def test_one_round_claims_nothing() -> None:
    """All clients are listed, and it is said that nothing is claimed."""
    clients = (make_client(name, library=name) for name in ("a", "b"))
    found = answered(*(make_record(make_trial(client=one), done) for one, done in zip(clients, (9, 90), strict=True)))
    (use,) = found.uses
    assert lines(found) == [("b", "10.0 (no interval)"), ("a", "baseline")]
    assert not any(line.is_fastest for line in use.lines)
    assert found.legend == (
        "No differences are claimed: intervals need at least two rounds, with clients that took turns.",
    )
    assert found.closing == ()


def test_it_ends_with_how_far_the_ratios_are_known() -> None:
    """Half of them, and all, or nine in ten if they are ten; a single one is told as such."""
    pattern = r"Half of the throughput ratios are known to ±0\.\d % or better, all to ±0\.\d %; those of client CPU"
    assert re.match(pattern, answered(*laps("a", 1000), *laps("b", 2000), *laps("c", 3000)).closing[-1])
    (single,) = answered(*laps("a", 1000), *laps("b", 2000)).closing
    assert single.startswith("The throughput ratio is known to ±0.")


def test_it_ends_with_how_much_of_its_time_was_measured() -> None:
    """Where the run says so."""
    closing = answered(*laps("a", 1000), wall_s=442.3, measured_s=36.9).closing
    assert closing == ("Measured slices took 37 s of the run's 442 s (8 %)",)


def test_a_provisional_answer_has_a_title() -> None:
    """In place of the run and its machine, which have been told; it does not call missing what is to come."""
    running = make_run(*laps("a", 1000), status=RunStatus.RUNNING)
    found = answer(make_report(running, SHIPPED.scenarios), "after 1 of 3 rounds")
    assert (found.header, found.careful) == (("after 1 of 3 rounds",), ())
    assert "respmark report" not in printed(found)


def test_what_one_must_be_careful_about_is_told(report: Report) -> None:
    """Warnings, clients without figures by what became of them, and what was lost."""
    careful = answer(report).careful
    assert careful[0] == "swap: 12 MB in use"
    assert "failed: other sync: the runner ended with exit code 1 before its result: Error: a | b" in careful
    assert "not measured: other batching (depth 100): the run ended before" in careful
    assert "missing: gone: npm: not found; install Node.js" in careful
    assert "* lost rounds or slices: lib[parser=slow] sync" in careful


def test_replies_that_are_decoded_otherwise_are_told() -> None:
    """Part of a difference is what a client makes of a reply."""
    text = [one.model_copy(update={"results": [make_result(decodes_to="text")]}) for one in laps("b", 2000)]
    told = "decode replies to a different type than the first client: b"
    assert told in answered(*laps("a", 1000), *text).careful
    assert told not in answered(*laps("a", 1000), *laps("b", 2000)).careful


def test_a_run_that_is_not_whole_says_so_first() -> None:
    """Before anything else."""
    found = answered(make_record(), status=RunStatus.INTERRUPTED)
    assert found.careful[0] == "THIS RUN IS INCOMPLETE: interrupted; rounds are missing"


def test_short_lead_ins_are_told() -> None:
    """What came of them, not how."""
    told = "clients that wait for each reply may look up to three times too fast: "
    assert answered(make_record(), lead_in_s=0.02).careful[0].startswith(told)
    assert not any(one.startswith(told) for one in answered(make_record(), lead_in_s=0.08).careful)


def test_many_of_a_kind_are_counted() -> None:
    """A screen is no list."""
    failed = [unmeasured(Status.FAILED, "hung", make_trial(client=make_client(f"c{number}"))) for number in range(9)]
    assert "failed: c0 sync, c1 sync, c2 sync and 6 more: hung" in answered(*failed).careful


def test_of_many_shapes_one_of_each_scenario_is_shown() -> None:
    """The middle one of those that most clients have; the others are named, and stand in the tables."""
    depths = range(1, 42)
    records = [one for depth in depths for one in (*laps("a", 1000, depth=depth), *laps("b", 2000, depth=depth))]
    found = answered(*records, *laps("a", 1000))
    assert [use.label for use in found.uses] == ["batching, depth 21", "sync"]
    assert found.legend[-1] == "Not shown here: batching, depth 1; batching, depth 2; batching, depth 3 and 37 more"


def test_nothing_measured_is_no_table() -> None:
    """What became of the clients is still told."""
    found = answered(unmeasured(Status.MISSING, "no npm"))
    assert found.uses == ()
    assert found.careful == ("missing: lib: no npm",)


def test_the_whole_summary(report: Report, snapshot: SnapshotAssertion) -> None:
    """The summary of the run by hand is as it was."""
    assert printed(answer(report)) == snapshot
