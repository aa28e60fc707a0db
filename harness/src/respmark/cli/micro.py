"""`respmark micro`: runs a language's micro-benchmarks."""

import sys
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Final, Literal

from cyclopts import Parameter

from respmark import paths
from respmark.cli.options import tell
from respmark.cli.under_way import command_line
from respmark.console import report_console
from respmark.errors import ExitCode
from respmark.machine.awake import can_keep_awake
from respmark.machine.guardian import Guardian
from respmark.micro.launch import MicroRequest, micro_spec, run_micro
from respmark.report.micro import micro_chapters
from respmark.report.terminal import print_chapters
from respmark.run.state import exit_code
from respmark.setup.host import SetupHost
from respmark.setup.prepare import prepare
from respmark.specs.catalogue import Catalogue

EXAMPLES: Final = {
    "micro": """
respmark micro java
respmark micro java --job medium --filter '*jedis.Batching*'
respmark micro dotnet --out results/before-upgrade-micro
respmark micro python
"""
}


def micro(
    language: str,
    /,
    *,
    job: Annotated[Literal["short", "medium", "long"], Parameter(name=["--job", "--profile"])] = "short",
    forks: int | None = None,
    filter: str | None = None,  # noqa: A002 - the option's name
    awake: bool | None = None,
    out: Path | None = None,
) -> ExitCode:
    """Run a language's micro-benchmarks (JMH, BenchmarkDotNet, its own) against their own server, and print tables.

    Args:
        language: `java`, `dotnet` or `python`.
        job: short (minutes), medium, or long (most of an hour).
        forks: Processes that measure one after the other, where the tool has them.
        filter: Only benchmarks whose whole name fits this pattern, such as `*Batching*`.
        awake: Keep idle CPUs from sleeping; default: where /dev/cpu_dma_latency may be written, as root may.
        out: Folder for the results; default: a new one under results/.
    """
    catalogue, console = Catalogue(), report_console()
    awake = can_keep_awake() if awake is None else awake
    spec = micro_spec(language, catalogue)
    prepare((), catalogue, SetupHost(say=tell), ("micro",), (language,))
    folder = out or paths.results() / f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-micro-{language}"
    request = MicroRequest(spec, folder.resolve(), command_line(sys.argv), job, forks, filter, awake)
    with closing(Guardian()) as guardian:
        run = run_micro(request, catalogue, guardian, lambda line: console.print(line, soft_wrap=True))
    print_chapters(console, micro_chapters(run, catalogue.scenarios))
    console.print(f"\nresults in {folder}", soft_wrap=True, highlight=False)
    return exit_code([record.status for record in run.records])
