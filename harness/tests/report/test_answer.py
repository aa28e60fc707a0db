"""The summary of a run."""

import io

from rich.cells import cell_len
from rich.console import Console
from syrupy.assertion import SnapshotAssertion

from respmark.paths import RESULTS
from respmark.report.answer import Answer, answer
from respmark.report.tables import Report, make_report
from respmark.report.terminal import print_answer
from respmark.results.manifest import RunStatus
from respmark.results.records import Status
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


def test_the_published_run_fits_a_screen() -> None:
    """Ten shapes of fourteen clients: a summary of at most 48 lines of 100 columns, with every scenario in it."""
    report = make_report(read_run(RESULTS / "published" / "quick"), SHIPPED.scenarios)
    lines = printed(answer(report)).splitlines()
    assert len(lines) <= 48
    assert max(map(cell_len, lines)) <= 100
    assert {best.scenario for best in answer(report).best} == {cell.scenario for cell in report.cells}


def test_each_language_has_its_fastest_with_what_it_costs() -> None:
    """And how far it is from the fastest of all; slower clients of the same language are left to the tables."""
    (best,) = answered(
        *laps("a", 4000, "Java"), *laps("b", 1000, "PHP"), *laps("c", 2000, "PHP"), *laps("d", 500, "PHP")
    ).best
    assert [line.client for line in best.lines] == ["a", "c"]
    language, client, rps, client_us, server_us, to_fastest = best.lines[1].values
    assert (language, client, rps) == ("PHP", "c", "2,000")
    assert float(client_us) > 0
    assert float(server_us) > 0
    assert to_fastest.startswith("0.50 ±")
    assert [line.is_fastest for line in best.lines] == [True, False]


def test_ties_are_said_to_be_ties() -> None:
    """Of one language: one below the other with `=`; of several: both are the fastest, with `=`."""
    (best,) = answered(*laps("a", 2000, "Java"), *laps("b", 2000, "Java"), *laps("c", 2001, "PHP")).best
    assert {line.client for line in best.lines if line.is_fastest} == {"a", "b", "c"}
    assert all(line.values[-1].endswith(" =") for line in best.lines)
    first, second = (line for line in best.lines if line.client != "c")
    assert (first.values[0], first.values[1]) == ("Java", first.client)
    assert (second.values[0], second.values[1]) == ("", f"= {second.client}")
    assert "no difference shown" in answered(*laps("a", 2000), *laps("b", 2000)).legend[0]


def test_of_variants_that_tie_the_fastest_stands_for_its_library() -> None:
    """The others are left to the tables: the first screen is for choosing a library."""
    (best,) = answered(*laps("a", 2000), *laps("a[x=1]", 2001), *laps("b", 2001)).best
    assert sorted(line.client.partition("[")[0] for line in best.lines) == ["a", "b"]


def test_one_round_claims_nothing() -> None:
    """All clients are listed by their estimates, and it is said that nothing is claimed."""
    found = answered(*(make_record(make_trial(client=make_client(name)), done) for name, done in (("a", 9), ("b", 90))))
    (best,) = found.best
    assert [(line.values[-1], line.is_fastest) for line in best.lines] == [("not compared", False)] * 2
    assert found.legend == (
        "No differences are claimed: intervals need at least two rounds, with clients that took turns.",
    )


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
    assert [best.label for best in found.best] == ["batching, depth 21", "sync"]
    assert found.legend[-1] == "Not shown here: batching, depth 1; batching, depth 2; batching, depth 3 and 37 more"


def test_nothing_measured_is_no_table() -> None:
    """What became of the clients is still told."""
    found = answered(unmeasured(Status.MISSING, "no npm"))
    assert found.best == ()
    assert found.careful == ("missing: lib: no npm",)


def test_the_whole_summary(report: Report, snapshot: SnapshotAssertion) -> None:
    """The summary of the run by hand is as it was."""
    assert printed(answer(report)) == snapshot
