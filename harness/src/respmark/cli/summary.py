"""What a run has found, on the terminal that measured it."""

from pathlib import Path

from rich.console import Console

from respmark.cli.until import precision_reached
from respmark.figures.cells import read_figures
from respmark.report.answer import answer
from respmark.report.document import detailed, summary
from respmark.report.report import Report
from respmark.report.terminal import print_chapters
from respmark.specs.catalogue import Catalogue


def print_provisional(console: Console, folder: Path, catalogue: Catalogue, rounds: int, words: str) -> None:
    """Print the answer of so many rounds under these words, without what only a whole run can say."""
    found = answer(Report.of(read_figures(folder, rounds=rounds), catalogue), words)
    if found[0].tables:
        print_chapters(console, found)


def print_summary(console: Console, folder: Path, catalogue: Catalogue, *, details: bool) -> None:
    """Print the answer of a run, or all of its tables, and where its results are."""
    run = read_figures(folder)
    report = Report.of(run, catalogue)
    print_chapters(console, summary(report))
    if (until := run.manifest.until) is not None:
        console.print("\n".join(["", *precision_reached(run, until)]), soft_wrap=True, markup=False)
    if details:
        console.print()
        print_chapters(console, detailed(report))
    console.print(f"\nresults in {folder}", soft_wrap=True)
    if report.manifest.suite.get("guidance"):
        console.print(f"which claims hold: respmark verdict {folder}", soft_wrap=True)
