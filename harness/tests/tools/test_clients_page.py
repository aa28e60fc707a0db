"""docs/clients.md: rows are sorted, ratios are to a language's first client, and C is the floor where a run has it."""

from respmark.contract.trial import Scenario, Shape
from respmark.report.report import Report
from respmark.results.records import Status
from tests.builders.plan import SHIPPED, client_spec, make_client, make_trial
from tests.builders.records import laps, make_run, unmeasured
from tools.clients_page import ACROSS, NO_FLOOR, clients_page

DIFFERENCE = {"setting": "timeout", "installed": "none", "here": "10 s", "why": "for tests"}
SPECS = {"slow": client_spec(library="slow", differs=[DIFFERENCE])}
"""What this version of the suite says of `slow`; it has no `quick` any more."""


def page(*runs: Report) -> list[str]:
    return clients_page(
        {f"../results/published/run{number}": run for number, run in enumerate(runs)}, SPECS
    ).splitlines()


def language_run() -> Report:
    lacking = make_trial(Scenario.BATCHING, Shape(depth=10), 1, make_client("quick", library="quick"))
    records = [
        *laps("slow", 1000, language="Toy"),
        *laps("quick", 2000, language="Toy"),
        *laps("quick[api=other]", 9000, language="Toy"),
        *laps("hiredis", 4000, language="reference (C)"),
        *laps("slow", 1000, language="Toy", depth=10),
        unmeasured(Status.UNSUPPORTED, "it has none", lacking).model_copy(update={"language": "Toy"}),
    ]
    return Report(make_run(*records), SHIPPED.scenarios)


def rows(lines: list[str], title: str) -> list[list[str]]:
    """Return the rows of the first table after a line, without the links and code marks of names."""
    after = lines[lines.index(title) :]
    begin = next(number for number, line in enumerate(after) if line.startswith("| ---"))
    found = after[begin + 1 : after.index("", begin)]
    return [[value.strip().strip("`") for value in line.strip("|").split("|")] for line in found]


def test_clients_of_a_language_are_compared_with_its_first_and_sorted() -> None:
    lines = page(language_run())
    assert lines.index("## Toy") < lines.index("**client CPU per command**")
    floor, quick, slow = rows(lines, "**commands per second**")
    assert (quick[0], quick[2], slow) == ("quick", "unsupported", ["slow", "1,000", "1,000"])
    assert quick[1].startswith("2.00 (")
    assert (floor[0], floor[1].partition(" (")[0], floor[2]) == ("hiredis", "4.00", "")
    _, cheap, dear = rows(lines, "**client CPU per command**")
    assert cheap[1].startswith("0.50 (")
    assert dear == ["slow", "500 µs", "500 µs"]


def test_what_is_not_as_installed_is_named() -> None:
    found = {name: settings for name, *_, settings in rows(page(language_run()), "**as installed**")}
    assert found == {"quick": "", "slow": "timeout", "hiredis": ""}


def test_across_languages_c_is_the_floor() -> None:
    found = rows(page(language_run()), f"## {ACROSS}")
    assert [[one[0], one[2], one[3].partition(" (")[0]] for one in found] == [
        ["hiredis", "125 µs", ""],
        ["quick", "250 µs", "2.00"],
        ["slow", "500 µs", "4.00"],
    ]


def test_the_first_run_with_a_language_is_that_languages() -> None:
    """A client of a run without the floor has no ratio to it, and a language with one client no tables."""
    second = Report(make_run(*laps("slow", 10, language="Toy"), *laps("lone", 500, language="Mono")), SHIPPED.scenarios)
    lines = page(language_run(), second)
    assert [line for line in lines if line.startswith("## ")] == [f"## {ACROSS}", "## Toy"]
    assert rows(lines, f"## {ACROSS}")[-1] == ["lone", "Mono", "1,000 µs", ""]
    assert f"- {NO_FLOOR}" in page(second)
    assert f"- {NO_FLOOR}" not in lines
