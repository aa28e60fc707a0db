"""What `respmark` says without a command: three things to try, and what this machine has."""

import os
import shutil
from collections.abc import Iterator
from importlib.metadata import metadata
from socket import AF_UNIX, socket
from typing import Final

from rich.table import Column

from respmark import __version__, paths
from respmark.console import grid, report_console
from respmark.errors import ExitCode
from respmark.setup.host import SetupHost
from respmark.specs.catalogue import USUAL_SERVER, Catalogue
from respmark.specs.runner import NeedSpec, RunnerSpec
from respmark.specs.server import SpawnedServer

TRY: Final = (
    ("respmark run --client redis-py --client valkey --scenario sync", "compare two clients"),
    ("respmark triage redis://HOST:PORT", "find what slows a server down"),
    ("respmark run", "compare all clients"),
    ("respmark list", "see what can be measured"),
)
NO_SERVER: Final = "none on PATH; a run brings Valkey in a Python package, or takes a running server (--server URL)"

DOCKER_SOCKET: Final = "/var/run/docker.sock"


def start_page() -> ExitCode:
    """Print it; nothing is started."""
    console, catalogue = report_console(), Catalogue()
    console.print(f"respmark {__version__}: measures Redis and Valkey client libraries, and shows what the server saw")
    console.print("\nTry", style="bold")
    commands = grid(Column(no_wrap=True), "")
    commands.show_header, commands.box = False, None
    for command, what in TRY:
        commands.add_row(f"  {command}", what)
    console.print(commands)
    console.print("\nThis machine", style="bold")
    here = grid(Column(no_wrap=True), "")
    here.show_header, here.box = False, None
    host = SetupHost()
    here.add_row("  server", _server(catalogue))
    for name in catalogue.languages:
        runner = catalogue.runners[name]
        here.add_row(f"  {runner.language}", "; ".join(_of_language(runner, host)))
    here.add_row("  containers", _docker())
    here.add_row("  results", f"go to {paths.results()}")
    here.add_row("  set-up", f"builds in {paths.build()}")
    if where := _documentation():
        here.add_row("  docs", where)
    console.print(here)
    console.print("\nrespmark --help lists all commands; respmark COMMAND --help has examples.")
    return ExitCode.OK


def _server(catalogue: Catalogue) -> str:
    usual = catalogue.server(USUAL_SERVER)
    programs = usual.servers if isinstance(usual, SpawnedServer) else ()
    return next(filter(None, map(shutil.which, programs)), NO_SERVER)


def _documentation() -> str:
    """Return where it is: in the checkout, or where the package says; empty if that says nothing."""
    if paths.is_checkout():
        return str(paths.CHECKOUT / "docs")
    urls: dict[str, str] = dict(one.split(", ", 1) for one in metadata("respmark").get_all("Project-URL", []))
    return urls.get("Documentation", "")


def _docker() -> str:
    """Return whether there is Docker, and a daemon that answers."""
    if shutil.which("docker") is None:
        return "no Docker on PATH (--via docker)"
    if "DOCKER_HOST" not in os.environ:
        with socket(AF_UNIX) as asked:
            if asked.connect_ex(DOCKER_SOCKET):
                return f"Docker, but no daemon answers at {DOCKER_SOCKET} (--via docker)"
    return "Docker"


def _of_language(runner: RunnerSpec, host: SetupHost) -> Iterator[str]:
    """Yield what there is of a language's tools, and what is lacking."""
    needs = runner.setup.needs if runner.setup else ()
    if not needs:
        yield "the one that runs respmark"
    yield from dict.fromkeys(said for need in needs for said in _of_need(need, host))


def _of_need(need: NeedSpec, host: SetupHost) -> Iterator[str]:
    lacking = [name for name in need.commands if host.which(name) is None]
    if here := [name for name in need.commands if name not in lacking]:
        yield ", ".join(here)
    if lacking:
        how = "set-up brings it" if need.wheel else need.advice
        yield f"{' and '.join(lacking)} not found: {how}"
