"""`respmark report`: makes tables from the files of runs."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Final

from respmark.errors import ExitCode
from respmark.report.csv import to_csv
from respmark.report.json import to_json
from respmark.report.markdown import markdown
from respmark.report.tables import make_report
from respmark.report.terminal import print_report, report_console
from respmark.results.store import Run, read_run
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
        first: Folder of a run.
        others: Folders of further runs.
        format: terminal, markdown, csv (one row a cell) or json.
    """
    runs = [read_run(folder) for folder in (first, *others)]
    if format is Format.TERMINAL:
        _print(runs)
    else:
        sys.stdout.write(render(runs, format))
    return ExitCode.OK


def _print(runs: list[Run]) -> None:
    scenarios = Catalogue().scenarios
    for run in runs:
        print_report(report_console(), make_report(run, scenarios))


def render(runs: list[Run], written: Format) -> str:
    """Return the report as text."""
    if written is Format.CSV:
        return to_csv([cell for run in runs for cell in cells_of(run)])
    if written is Format.JSON:
        return to_json([(run.manifest, cells_of(run)) for run in runs])
    return "\n".join(markdown(make_report(run, Catalogue().scenarios)) for run in runs)
