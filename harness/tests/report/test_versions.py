"""The table of old and new versions."""

import io

from rich.console import Console

from respmark.contract.trial import Scenario, Shape
from respmark.report.markdown import markdown
from respmark.report.tables import make_report
from respmark.report.terminal import print_report
from respmark.report.versions import TITLE, versions_table
from respmark.statistics.blocks import blocks_of
from respmark.statistics.versions import LoadedClient, version_changes
from tests.builders.plan import SHIPPED
from tests.report.versions import two_versions


def rows(rounds: int = 3) -> dict[str, tuple[str, ...]]:
    """Return the rows by use."""
    table = versions_table(version_changes(blocks_of(two_versions(rounds).records)))
    assert table is not None
    (block,) = table.blocks
    assert block.label == "redis-py 6.4.0 / 3.5.3"
    return {row.subject: row.values for row in block.rows}


def test_a_difference_has_a_word_and_a_tie_is_called_one() -> None:
    """Beside the ratios with their intervals."""
    found = rows()
    assert list(found) == ["new-connection", "sync"]
    outcome, rps, client_cpu, _ = found["sync"]
    assert outcome == "faster"
    assert rps.startswith(("1.9", "2.0"))
    assert ".." in rps
    assert client_cpu.startswith(("0.49", "0.50", "0.51"))
    outcome, rps, *_ = found["new-connection"]
    assert outcome == "tie"
    assert rps.endswith(" =")


def test_of_one_round_nothing_is_claimed() -> None:
    """Its ratio is shown, without an interval."""
    outcome, rps, *_ = rows(rounds=1)["sync"]
    assert outcome == "not claimed: one round"
    assert rps.endswith("(no interval)")


def test_rows_are_in_the_order_of_their_shapes() -> None:
    """Whatever the order of the blocks was; a client whose name says another version than it loaded is named."""
    (change, *_) = version_changes(blocks_of(two_versions().records))
    made = [
        change.model_copy(
            update={
                "scenario": Scenario.BATCHING,
                "shape": Shape(depth=depth),
                "old": LoadedClient(client=client, version="3.5.3"),
            }
        )
        for depth in (1000, 2, 10)
        for client in ("redis-py@3.5.3", "redis-py@distribution")
    ]
    table = versions_table(made)
    assert table is not None
    assert [block.label for block in table.blocks] == [
        "redis-py 6.4.0 / 3.5.3",
        "redis-py 6.4.0 / 3.5.3 (redis-py@distribution)",
    ]
    for block in table.blocks:
        assert [row.subject for row in block.rows] == [f"batching, depth {depth}" for depth in (2, 10, 1000)]


def test_a_run_with_one_version_has_no_table() -> None:
    """There is nothing to say."""
    assert versions_table([]) is None


def test_it_stands_in_the_reports_text_and_markdown() -> None:
    """After the scenarios."""
    report = make_report(two_versions(), SHIPPED.scenarios)
    console = Console(file=io.StringIO(), width=100)
    print_report(console, report)
    assert isinstance(console.file, io.StringIO)
    for text in (markdown(report), console.file.getvalue()):
        assert text.index("redis-py 6.4.0 / 3.5.3") > text.index(TITLE) > text.index("new-connection")
