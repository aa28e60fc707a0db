"""docs/clients.md: a language's answers and tables, and what a command costs across languages."""

from collections.abc import Sequence
from dataclasses import replace

from respmark.contract.trial import Fault, Scenario, Shape
from respmark.figures.cells import RunFigures
from respmark.kinds.faults.record import Wait
from respmark.kinds.loops.record import LoopRecord
from respmark.machine.placement import Placement
from respmark.report.report import Report
from respmark.results.records import Status
from tests.builders.plan import SHIPPED, client_spec, make_client, make_trial
from tests.builders.records import laps, make_run, unmeasured
from tests.kinds.faults.builders import fault_run, make_figures, under
from tests.tools.lines import rows
from tools.clients_across import ACROSS, ASLEEP, ASLEEP_NOTE, AWAKE, NO_FLOOR
from tools.clients_page import clients_page

DIFFERENCE = {"setting": "timeout", "installed": "none", "here": "10 s", "why": "for tests"}
SPECS = {"slow": client_spec(library="slow", differs=[DIFFERENCE], versions={})}
"""What this version of the suite says of `slow`; it has no `quick` any more."""


def page(*runs: Report, network: Report | None = None, faults: Sequence[RunFigures] = ()) -> list[str]:
    by_folder = {f"../results/published/run{number}": run for number, run in enumerate(runs)}
    return clients_page(by_folder, SPECS, network or report(*laps("other", 500, language="Other")), faults).splitlines()


def report(*records: LoopRecord, awake: bool = False) -> Report:
    run = make_run(*records)
    manifest = run.manifest.model_copy(update={"placement": Placement(server=None, clients=None, awake=awake)})
    return Report(replace(run, manifest=manifest), SHIPPED.scenarios)


def language_run() -> Report:
    lacking = make_trial(Scenario.BATCHING, Shape(depth=100), 1, make_client("quick", library="quick"))
    return report(
        *laps("slow", 1000, language="Toy"),
        *laps("quick", 2000, language="Toy"),
        *laps("quick[timeout=true]", 9000, language="Toy"),
        *laps("hiredis", 4000, language="reference (C)"),
        *laps("slow", 1000, language="Toy", depth=100),
        *laps("hiredis", 4000, language="reference (C)", depth=100),
        unmeasured(Status.UNSUPPORTED, "it has none", lacking).model_copy(update={"language": "Toy"}),
    )


def answer(lines: list[str], begin: str) -> str:
    """Return the sentence of a language's answers that begins so, without the intervals."""
    (found,) = (line for line in lines if line.startswith(f"- {begin}"))
    return found


def test_the_fastest_is_named_with_what_it_leads_in_and_by_how_much() -> None:
    """Among clients as installed; one that no other can be compared with is measured alone."""
    told = answer(page(language_run()), "Fastest as installed: ")
    assert "`quick` in sync (2.00 (" in told
    assert " times `slow`); `slow` in batching (measured alone)." in told


def test_two_clients_without_a_difference_are_both_named() -> None:
    run = report(*laps("slow", 1000, language="Toy"), *laps("same", 1000, language="Toy"))
    assert "`slow` or `same` in sync." in answer(page(run), "Fastest as installed: ")


def test_a_setting_that_changes_much_is_told() -> None:
    """It is a row of its own, and says if it leads before all clients as installed."""
    lines = page(language_run())
    told = answer(lines, "What defaults cost: ")
    assert told.startswith("- What defaults cost: `quick[timeout=true]` does 4.50 (")
    assert told.endswith(" times the commands of `quick` in sync, and leads there.")
    assert "quick[timeout=true]" in [row[0] for row in rows(lines, "**commands per second**")]
    assert "- Not in this run: `slow[parser=slow]`." in lines


def test_behind_a_round_trip_the_same_clients_are_compared_again() -> None:
    """In a sentence, with what they do without one, and in columns of their own."""
    network = report(
        *laps("slow", 1000, language="Toy", rtt_ms=0.2),
        *laps("quick", 1500, language="Toy", rtt_ms=0.2),
    )
    lines = page(language_run(), network=network)
    told = answer(lines, "Behind 0.2 ms ")
    assert "`quick` does 1.50 (" in told
    assert told.endswith("times the commands of `slow` in sync (2.00).")
    assert [row[-1].partition(" (")[0] for row in rows(lines, "**commands per second**")] == ["1.50", "", "1,000", ""]
    assert "Behind 0.2 ms: no client of this language was measured." in answer(page(language_run()), "Behind 0.2 ms")


def test_clients_are_compared_with_the_first_and_those_that_lead_come_first() -> None:
    """C is the last row."""
    lines = page(language_run())
    quick, _, slow, floor = rows(lines, "**commands per second**")
    assert (quick[0], quick[2], slow) == ("quick", "unsupported", ["slow", "1,000", "1,000"])
    assert quick[1].startswith("2.00 (")
    assert [value.partition(" (")[0] for value in floor] == ["hiredis", "4.00", "4.00"]
    cheap, _, dear, _ = rows(lines, "**client CPU per command**")
    assert cheap[1].startswith("0.50 (")
    assert dear == ["slow", "500 µs", "500 µs"]


def test_what_is_not_as_installed_is_named() -> None:
    found = {name: settings for name, *_, settings in rows(page(language_run()), "**as installed**")}
    assert found == {"quick": "", "slow": "timeout", "hiredis": ""}


def test_rows_name_versions_and_a_library_by_its_usual_name() -> None:
    loaded = [one.model_copy(update={"versions": {"valkey": "6.2.0"}}) for one in laps("valkey", 900, language="Toy")]
    lines = page(report(*laps("slow", 1000, language="Toy"), *loaded))
    assert "valkey 6.2.0 (valkey-py)" in [row[0] for row in rows(lines, "**commands per second**")]


def test_across_languages_c_is_the_floor() -> None:
    """Sorted by batches; a client without them comes last."""
    lines = page(language_run())
    found = rows(lines, f"## {ACROSS}")
    assert [[value.partition(" (")[0] for value in one] for one in found] == [
        ["hiredis", "reference", "125 µs", "125 µs", "", ""],
        ["slow", "Toy", "500 µs", "500 µs", "4.00", "4.00"],
        ["quick", "Toy", "250 µs", "", "2.00", ""],
    ]
    assert f"- {ASLEEP_NOTE}" in lines


def test_a_run_that_kept_cpus_awake_has_a_table_of_its_own() -> None:
    """Nothing is said of sleeping CPUs there."""
    awake = report(*laps("brisk", 5000, language="Mono"), *laps("hiredis", 9000, language="reference (C)"), awake=True)
    lines = page(language_run(), awake)
    assert [row[:3] for row in rows(lines, f"**{AWAKE}**")][1] == ["brisk", "Mono", "100 µs"]
    assert rows(lines, f"**{ASLEEP}**")[1][2] == "500 µs"


def test_what_callers_see_when_a_server_goes_is_told() -> None:
    """Of each library's clients as installed, in the fault in which they waited longest; a failover stands apart."""
    faults = fault_run(
        under(Fault.RESET, "slow", make_figures(0.2)),
        under(Fault.HALF_OPEN, "slow", make_figures(longest_wait=Wait(s=75.0, is_over=False))),
        under(Fault.PAUSE, "quick", make_figures(8.1)),
        under(Fault.PAUSE, "quick[limits=1s]", make_figures(99)),
        under(Fault.PAUSE, "other", make_figures(1)),
    )
    failover = fault_run(
        under(Fault.FAILOVER_KILL, "slow", make_figures(outage=Wait(s=3.0))),
        under(Fault.FAILOVER_STOP, "slow", make_figures(outage=Wait(s=61.0))),
    )
    lines = page(language_run(), faults=(faults, failover))
    assert answer(lines, "When a server goes").endswith(": `quick` 8.10 (pause), `slow` > 75.0 (half-open).")
    assert answer(lines, "When a cluster's primary").endswith(": `slow` 3.00 and 61.0.")


def test_the_first_run_with_a_language_is_that_languages() -> None:
    """A client of a run without the floor has no ratio to it."""
    second = report(*laps("slow", 10, language="Toy"), *laps("lone", 500, language="Mono"))
    lines = page(language_run(), second)
    assert [line for line in lines if line.startswith("## ")] == ["## Mono", "## Toy", f"## {ACROSS}", "## The runs"]
    assert rows(lines, f"## {ACROSS}")[-1] == ["lone", "Mono", "1,000 µs", "", "", ""]
    assert "- Fastest as installed: only `lone` is measured." in lines
    assert f"- {NO_FLOOR}" in page(second)
    assert f"- {NO_FLOOR}" not in lines
