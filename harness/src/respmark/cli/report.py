"""`respmark report`: makes tables from the files of runs."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Final

from respmark.errors import ExitCode
from respmark.micro.model import MicroRun
from respmark.micro.store import read_folder
from respmark.report.csv import to_csv
from respmark.report.json import to_json
from respmark.report.markdown import markdown, micro_markdown
from respmark.report.micro import micro_report
from respmark.report.tables import make_report
from respmark.report.terminal import print_report, print_tables, report_console
from respmark.results.store import Run
from respmark.specs.catalogue import Catalogue
from respmark.statistics.cells import cells_of

EXAMPLES: Final = """
respmark report results/20261121T090000Z-quick-seed1
respmark report results/* --format csv > all.csv
respmark report results/published/quick --format markdown
"""


class Format(StrEnum):
    """How tables are written."""

    TERMINAL = "terminal"
    MARKDOWN = "markdown"
    CSV = "csv"
    JSON = "json"


def report(first: Path, /, *others: Path, format: Format = Format.TERMINAL) -> ExitCode:  # noqa: A002 - the option's name
    """Print the tables of runs, from their files alone.

    Args:
        first: Folder of a run, or of micro-benchmarks.
        others: Folders of further runs.
        format: terminal, markdown, csv (one row a cell or micro-benchmark) or json.
    """
    runs = [run for folder in (first, *others) for run in read_folder(folder)]
    if format is Format.TERMINAL:
        _print(runs)
    else:
        sys.stdout.write(render(runs, format))
    return ExitCode.OK


def _print(runs: list[Run | MicroRun]) -> None:
    scenarios, console = Catalogue().scenarios, report_console()
    for number, run in enumerate(runs):
        if number:
            console.print()
        if isinstance(run, Run):
            print_report(console, make_report(run, scenarios))
        else:
            tables = micro_report(run, scenarios)
            print_tables(console, tables.header, tables.tables)


def render(runs: list[Run | MicroRun], written: Format) -> str:
    """Return the report as text."""
    trials = [run for run in runs if isinstance(run, Run)]
    micro = [run for run in runs if isinstance(run, MicroRun)]
    if written is Format.CSV:
        return to_csv([cell for run in trials for cell in cells_of(run)], micro)
    if written is Format.JSON:
        return to_json([(run.manifest, cells_of(run)) for run in trials], micro)
    return "\n".join(_markdown(run) for run in runs)


def _markdown(run: Run | MicroRun) -> str:
    scenarios = Catalogue().scenarios
    if isinstance(run, Run):
        return markdown(make_report(run, scenarios))
    return micro_markdown(micro_report(run, scenarios))
