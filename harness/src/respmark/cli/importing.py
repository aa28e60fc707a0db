"""`respmark import`: takes what JMH or BenchmarkDotNet measured elsewhere."""

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from respmark.cli.micro import shown
from respmark.cli.run import command_line
from respmark.console import report_console
from respmark.errors import ExitCode
from respmark.micro.model import ToolName
from respmark.micro.read import import_file
from respmark.paths import RESULTS
from respmark.specs.catalogue import Catalogue

EXAMPLES: Final = """
respmark import jmh jmh-result.json
respmark import benchmarkdotnet BenchmarkRun-report-full.json --out results/last-week-micro
"""


def import_results(tool: ToolName, file: Path, /, *, out: Path | None = None) -> ExitCode:
    """Take a result file of JMH (JSON) or BenchmarkDotNet (full JSON) into a results folder, and print its tables.

    Args:
        tool: `jmh` or `benchmarkdotnet`.
        file: The file.
        out: Folder for the results; default: a new one under results/.
    """
    folder = out or RESULTS / f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-import-{tool}"
    run = import_file(tool, file, folder.resolve(), command_line(sys.argv))
    return shown(report_console(), run, folder, Catalogue())
