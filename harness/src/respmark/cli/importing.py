"""`respmark import`: takes what other tools measured elsewhere."""

import sys
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Final

from respmark.cli.micro import shown
from respmark.cli.run import command_line
from respmark.console import report_console
from respmark.errors import ExitCode
from respmark.imported.model import LoadTool
from respmark.imported.store import import_load
from respmark.micro.model import ToolName
from respmark.micro.read import import_file
from respmark.paths import RESULTS
from respmark.report.imported import imported_header, imported_tables
from respmark.report.terminal import print_tables
from respmark.specs.catalogue import Catalogue

EXAMPLES: Final = """
respmark import jmh jmh-result.json
respmark import benchmarkdotnet BenchmarkRun-report-full.json --out results/last-week-micro
respmark import pyperf bench.json
respmark import memtier memtier.json
respmark import redis-benchmark redis-benchmark.csv
"""


class Source(StrEnum):
    """Whose file it is."""

    JMH = "jmh"
    BENCHMARKDOTNET = "benchmarkdotnet"
    PYPERF = "pyperf"
    MEMTIER = "memtier"
    REDIS_BENCHMARK = "redis-benchmark"
    VALKEY_BENCHMARK = "valkey-benchmark"
    VALKEY_GLIDE = "valkey-glide"
    RESP_BENCH = "resp-bench"


def import_results(tool: Source, file: Path, /, *, out: Path | None = None) -> ExitCode:
    """Import another tool's result file into a results folder and print its tables, marked as without evidence.

    Args:
        tool: Micro-benchmarks: jmh (JSON), benchmarkdotnet (full JSON), pyperf (JSON). Load generators: memtier (JSON),
            redis-benchmark and valkey-benchmark (CSV), valkey-glide (its benchmarks' JSON), resp-bench (NDJSON).
        file: The file.
        out: Folder for the results; default: a new one under results/.
    """
    folder = out or RESULTS / f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-import-{tool}"
    if str(tool) in {str(name) for name in ToolName}:
        run = import_file(ToolName(tool), file, folder.resolve(), command_line(sys.argv))
        return shown(report_console(), run, folder, Catalogue())
    imported = import_load(LoadTool(tool), file, folder.resolve(), command_line(sys.argv))
    console = report_console()
    print_tables(console, imported_header(imported), imported_tables(imported))
    console.print(f"\nresults in {folder}", soft_wrap=True, highlight=False)
    return ExitCode.OK
