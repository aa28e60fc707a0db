"""What a run has found, on the terminal that measured it."""

from pathlib import Path

from rich.console import Console

from respmark.cli.until import precision_reached
from respmark.figures.cells import RunFigures
from respmark.kinds.reading import read
from respmark.report.document import answer, detailed, summary
from respmark.report.report import Report
from respmark.report.terminal import print_chapters
from respmark.results.store import read_manifest
from respmark.specs.catalogue import Catalogue


def print_provisional(console: Console, folder: Path, catalogue: Catalogue, rounds: int, words: str) -> None:
    """Print the answer of so many rounds under these words, without what only a whole run can say."""
    for run in read(folder, rounds):
        found = answer(Report.of(run, catalogue), words) if run.cell_ids else []
        if any(chapter.tables for chapter in found):
            print_chapters(console, found)


def print_summary(console: Console, folder: Path, catalogue: Catalogue, *, details: bool) -> None:
    """Print the answer of a run, or all of its tables, and where its results are."""
    for run in read(folder):
        if run.cell_ids:
            _print_run(console, run, catalogue, details=details)
    console.print(f"\nresults in {folder}", soft_wrap=True)
    if read_manifest(folder).suite.get("guidance"):
        console.print(f"which claims hold: respmark verdict {folder}", soft_wrap=True)


def _print_run(console: Console, run: RunFigures, catalogue: Catalogue, *, details: bool) -> None:
    report = Report.of(run, catalogue)
    print_chapters(console, summary(report))
    if (until := run.manifest.until) is not None:
        console.print("\n".join(["", *precision_reached(run, until)]), soft_wrap=True, markup=False)
    if details:
        console.print()
        print_chapters(console, detailed(report))
