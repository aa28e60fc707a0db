"""The README's figures are those of the published run's files."""

from pathlib import Path

import pytest

from respmark.readme import PICTURE, PUBLISHED, README, files, published_report
from respmark.results.manifest import RunStatus


@pytest.mark.parametrize("path", [README, PICTURE, PUBLISHED / "report.md"], ids=lambda path: path.name)
def test_what_is_published_equals_the_runs_files(path: Path) -> None:
    """`make readme` would change nothing."""
    assert files(published_report())[path] == path.read_text(encoding="utf-8")


def test_the_published_run_is_whole_and_has_evidence() -> None:
    """It ended by itself, and the cells that it shows were measured in every round."""
    report = published_report()
    assert report.manifest.status is RunStatus.COMPLETE
    measured = [cell for cell in report.cells if cell.measured is not None]
    assert measured
    assert {cell.rounds for cell in measured} == {report.manifest.rounds}
