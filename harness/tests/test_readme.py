"""The README's figures are those of the published run's files."""

from pathlib import Path

import pytest

from respmark.readme import CHART, PUBLISHED, README, files, published_report
from respmark.results.manifest import RunStatus

MADE = [README, CHART, PUBLISHED / "report.md", PUBLISHED / "report.html"]
MOST_BYTES = 2_000_000
"""Of the page."""


@pytest.fixture(scope="module")
def made() -> dict[Path, str]:
    """Return what `make readme` would write."""
    return files()


@pytest.mark.parametrize("path", MADE, ids=lambda path: path.name)
def test_what_is_published_equals_the_runs_files(path: Path, made: dict[Path, str]) -> None:
    """`make readme` would change nothing."""
    differs = made[path] != path.read_text(encoding="utf-8")
    assert not differs, f"{path.name} is not what the published run's files make: make readme"
    assert made.keys() == set(MADE)


def test_the_published_page_is_small(made: dict[Path, str]) -> None:
    """It opens from a phone's disk."""
    assert len(made[PUBLISHED / "report.html"].encode()) < MOST_BYTES


def test_the_published_run_is_whole_and_has_evidence() -> None:
    """It ended by itself, and the cells that it shows were measured in every round."""
    report = published_report()
    assert report.manifest.status is RunStatus.COMPLETE
    measured = [cell for cell in report.cells if cell.measured is not None]
    assert measured
    assert {cell.rounds for cell in measured} == {report.manifest.rounds}
