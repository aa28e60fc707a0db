"""`respmark cold-start`: how long a new process takes to its first reply."""

import sys
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Final

from respmark import paths
from respmark.cli.options import Repeated, clients_named, tell
from respmark.cli.run import command_line
from respmark.cli.setup import set_up
from respmark.cold_start.launch import ColdStartRequest, run_cold_starts
from respmark.console import report_console
from respmark.errors import ExitCode, InvalidRequestError
from respmark.machine.guardian import Guardian
from respmark.report.cold_start import cold_start_chapters
from respmark.report.writers import print_chapters
from respmark.run.state import exit_code
from respmark.specs.catalogue import USUAL_SERVER, Catalogue

EXAMPLES: Final = {
    "cold-start": """
respmark cold-start
respmark cold-start --client 'python/*' --client 'redis-py[parser=python]'
respmark cold-start --client redis-py --client redis-py@4 --starts 50
"""
}


def cold_start(
    *,
    client: Annotated[tuple[str, ...], Repeated] = (),
    starts: int = 20,
    seed: int = 1,
    out: Path | None = None,
) -> ExitCode:
    """Start each client's program again and again, and print how long it takes to its first reply, stage by stage.

    Args:
        client: This client, named as in `run`; repeats. Default: every library, and hiredis beside them.
        starts: Processes of each client, one after the other and in turns.
        seed: Decides the order of clients in each turn.
        out: Folder for the results; default: a new one under results/.
    """
    if starts < 1:
        raise InvalidRequestError(f"--starts must be at least 1 (is {starts})")
    catalogue, console = Catalogue(), report_console()
    able = [name for name, spec in catalogue.clients.items() if catalogue.runners[spec.runner].cold_start]
    clients = clients_named(client or able, catalogue)
    set_up(clients, catalogue, servers=[catalogue.target(USUAL_SERVER)])
    folder = out or paths.results() / f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-cold-start"
    request = ColdStartRequest(clients, starts, folder.resolve(), command_line(sys.argv), seed)
    with closing(Guardian()) as guardian:
        run = run_cold_starts(request, catalogue, guardian, tell)
    print_chapters(console, cold_start_chapters(run))
    console.print(f"\nresults in {folder}", soft_wrap=True, highlight=False)
    return exit_code([one.status for one in run.clients])
