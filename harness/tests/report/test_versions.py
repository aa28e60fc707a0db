"""The table of old and new versions."""

from respmark.contract.trial import Scenario, Shape
from respmark.report.document import detailed
from respmark.report.report import make_report
from respmark.report.table import Table
from respmark.report.versions import TITLE, version_chapters
from respmark.statistics.versions import LoadedClient, version_changes
from tests.builders.plan import SHIPPED
from tests.report.reading import values
from tests.report.versions import two_versions


def table(rounds: int = 3) -> Table:
    """Return the only table of a run of two versions."""
    (chapter,) = version_chapters(version_changes(two_versions(rounds).blocks))
    (found,) = chapter.tables
    assert found.title == "redis-py 6.4.0 / 3.5.3"
    return found


def test_a_difference_has_a_word_and_a_tie_is_called_one() -> None:
    """Beside the ratios with their intervals; of one round nothing is claimed."""
    assert values(table(), "throughput") == {"new-connection": "tie", "sync": "faster"}
    ratios = values(table(), "RPS ratio new / old")
    assert ratios["sync"].startswith(("1.9", "2.0"))
    assert ratios["new-connection"].endswith(" =")
    assert values(table(1), "throughput")["sync"] == "not claimed: one round"


def test_rows_are_in_the_order_of_their_shapes() -> None:
    """Whatever the order of the blocks was; a client whose name says another version than it loaded is named."""
    (change, *_) = version_changes(two_versions().blocks)
    changes = {
        "scenario": Scenario.BATCHING,
        "old": LoadedClient(client="redis-py@distribution", version="3.5.3"),
    }
    made = [change.model_copy(update={**changes, "shape": Shape(depth=depth)}) for depth in (1000, 2, 10)]
    (chapter,) = version_chapters(made)
    (found,) = chapter.tables
    assert found.title == "redis-py 6.4.0 / 3.5.3 (redis-py@distribution)"
    assert list(values(found, "throughput")) == [f"batching, depth {depth}" for depth in (2, 10, 1000)]


def test_it_stands_after_the_scenarios() -> None:
    """A run with one version of each library has none."""
    titles = [chapter.title for chapter in detailed(make_report(two_versions(), SHIPPED.scenarios))]
    assert titles.index(TITLE) > titles.index("new-connection")
    assert version_chapters([]) == []
