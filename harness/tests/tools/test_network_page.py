"""docs/network.md: a table for each scenario, a column for each round trip."""

from respmark.contract.trial import Scenario, Shape
from respmark.report.report import Report
from respmark.results.records import Status
from tests.builders.plan import SHIPPED, make_client, make_trial
from tests.builders.records import laps, make_run, unmeasured
from tests.tools.lines import rows
from tools.network_page import network_page


def page() -> list[str]:
    lacking = make_trial(Scenario.BATCHING, Shape(depth=10), 1, make_client("slow", library="slow"))
    run = make_run(
        *laps("slow", 1000), *laps("slow", 100, rtt_ms=1.0), unmeasured(Status.UNSUPPORTED, "it has none", lacking)
    )
    return network_page({"../results/published/network": Report(run, SHIPPED.scenarios)}).splitlines()


def test_a_client_has_a_row_with_its_figures_by_round_trip() -> None:
    lines = page()
    assert [line for line in lines if line.startswith("## ")] == ["## sync", "## batching"]
    ((client, shape, near, far),) = rows(lines, "**commands per second**")
    assert (client, shape, near.partition(" (")[0], far.partition(" (")[0]) == ("slow", "", "1,000", "100")
    heads = next(line for line in lines if "no network" in line)
    assert heads == "|  | shape | no network | 1 ms |"


def test_what_was_measured_behind_one_alone_has_nothing_to_be_compared_with() -> None:
    run = make_run(*laps("slow", 1000), *laps("slow", 100, rtt_ms=1.0), *laps("other", 100, rtt_ms=1.0))
    lines = network_page({"../results/published/network": Report(run, SHIPPED.scenarios)}).splitlines()
    assert [client for client, *_ in rows(lines, "**commands per second**")] == ["slow"]
    assert not [line for line in lines if "`other`" in line]


def test_what_a_client_lacks_stands_in_its_place() -> None:
    lines = page()
    batching = lines[lines.index("## batching") :]
    assert rows(batching, "**commands per second**") == [["slow", "depth 10", "unsupported"]]
