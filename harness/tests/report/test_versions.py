"""The table of old and new versions."""

from respmark.report.table import Table
from respmark.report.versions import version_chapters
from respmark.statistics.versions import version_changes
from tests.report.reading import values
from tests.report.versions import two_versions


def table(rounds: int = 3) -> Table:
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
