"""`respmark doctor`: what on this machine would spoil a measurement."""

from contextlib import closing
from typing import Annotated, Final

from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from respmark.cli.options import NO_PASSWORD, SERVER, PasswordOptions
from respmark.console import report_console
from respmark.doctor import checks
from respmark.doctor.checks import Finding
from respmark.doctor.target import PERSISTENCE_OFF, RoundTrip, other_clients, persistence, round_trip
from respmark.errors import ExitCode
from respmark.evidence.info import server_info, server_version
from respmark.numbers import significant
from respmark.placement import available_cpus
from respmark.specs.catalogue import USUAL_SERVER, Catalogue
from respmark.target.guardian import Guardian
from respmark.target.target import Target, open_target
from respmark.target.url import address

EXAMPLES: Final = """
respmark doctor
respmark doctor --server redis://10.0.0.5:6379 --processes 4
"""


def doctor(
    *, target: Annotated[str, SERVER] = USUAL_SERVER, password: PasswordOptions = NO_PASSWORD, processes: int = 1
) -> ExitCode:
    """Check this machine for what would spoil a measurement, with advice.

    Args:
        target: A server's name, its program's path, or a URL; nothing is written to it.
        processes: Runner processes that will work at the same time.
    """
    spec = Catalogue().target(target)
    password.take(target, spec)
    load = checks.other_load()
    with closing(Guardian()) as guardian, closing(open_target(spec, guardian, allow_flush=False)) as reached:
        findings = [
            *machine_findings(reached, processes),
            *load,
            PERSISTENCE_OFF if reached.spawned else persistence(reached.control),
            other_clients(reached.control),
        ]
        trip = round_trip(reached.control)
        server = f"{server_version(server_info(reached.control))} at {address(reached.endpoint)}"
    console = report_console()
    print_findings(console, findings)
    print_round_trip(console, trip, server)
    return ExitCode.OK


def machine_findings(reached: Target, processes: int) -> list[Finding]:
    """Return the checks of this machine."""
    available = len(available_cpus())
    return [
        checks.cpu_count(available, processes, server_here=reached.local),
        checks.shared_core(available, server_here=reached.local),
        checks.governor(),
        checks.idle_cpus(),
        checks.swap(),
    ]


def print_findings(console: Console, findings: list[Finding]) -> None:
    """Print one row a finding, then what to do, in one piece: a command that is to be typed can be copied."""
    columns = (Column(name, overflow="fold") for name in ("", "looked at", "found"))
    grid = Table(*columns, show_edge=False, pad_edge=False, header_style="bold")
    for finding in findings:
        mark = Text("ok", style="green") if finding.advice is None else Text("!!", style="bold yellow")
        grid.add_row(mark, finding.subject, finding.found)
    console.print(grid)
    for finding in findings:
        if finding.advice is not None:
            console.print(Text(f"{finding.subject}: {finding.advice}"), soft_wrap=True)


def print_round_trip(console: Console, trip: RoundTrip, server: str) -> None:
    """Print the round trip as the post's first table does."""
    console.print(f"\nround trip of PING on one connection to {server}, in milliseconds")
    figures = {"avg": trip.avg_ms, "min": trip.min_ms, "p50": trip.p50_ms, "p95": trip.p95_ms, "p99": trip.p99_ms}
    columns = (Column(name, justify="right") for name in figures)
    grid = Table(*columns, show_edge=False, pad_edge=False, header_style="bold")
    grid.add_row(*map(significant, figures.values()))
    console.print(grid)
    ceiling = 1e3 / trip.avg_ms
    console.print(f"one connection with a synchronous API can do at most about {ceiling:,.0f} commands per second here")
