"""`respmark list`: clients and scenarios."""

from collections.abc import Iterator, Sequence
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from respmark.console import report_console
from respmark.contract.description import ClientDescription, Difference
from respmark.contract.trial import Scenario
from respmark.errors import ExitCode, RunnerMissingError
from respmark.execute.missing import Describer, missing_reason
from respmark.execute.remembered import Remembered
from respmark.specs.client import Client, unsupported_reason
from respmark.specs.libraries import Libraries
from respmark.specs.naming import client_lines, find_clients, make_client

EXAMPLES: Final = """
respmark list
respmark list 'redis-py[*]' 'jedis@*'
"""
EVERY: Final = ("*[*]",)
"""Every variant of every library."""


def list_clients(*clients: str) -> ExitCode:
    """List clients and scenarios (supported, unsupported or missing) and options unlike a plain install.

    Args:
        clients: `redis-py` (as installed), `redis-py[*]` (all variants), `redis-py@*` (all pinned versions) and so on;
            default: all variants of all libraries.
    """
    libraries = Libraries()
    found = [client for name in clients or EVERY for client in find_clients(name, libraries.clients)]
    with Remembered(libraries) as runners:
        print_matrix(report_console(), found, libraries, runners)
    return ExitCode.OK


def print_matrix(console: Console, clients: Sequence[Client], libraries: Libraries, runners: Describer) -> None:
    """Print one row a client, one column a scenario, and the reasons below."""
    grid = Table(show_edge=False, pad_edge=False, header_style="bold")
    grid.add_column("client", no_wrap=True)
    for scenario in Scenario:
        grid.add_column(str(scenario), justify="center")
    notes: list[str] = []
    for client in {client.name: client for client in clients}.values():
        grid.add_row(Text("\n".join(client_lines(client.name))), *_marks(client, libraries, runners, notes))
    console.print(grid)
    console.print(
        Text.assemble(
            "\n", ("yes", "green"), " supported   ", ("-", "dim"), " unsupported   ", ("?", "yellow"), " missing"
        )
    )
    for note in dict.fromkeys(notes):
        # In one piece: a command that is to be typed can be copied.
        console.print(Text(f" {note}"), soft_wrap=True)
    _print_differences(console, clients, runners)


def _print_differences(console: Console, clients: Sequence[Client], runners: Describer) -> None:
    """Print in what the libraries that are here are not as installed."""
    rows = [(client.library, *cells(one)) for client in descriptions(clients, runners) for one in client.differences]
    if not rows:
        return
    grid = Table(title="as installed, but for", title_justify="left", show_edge=False, pad_edge=False)
    for column in ("library", "setting", "as installed", "here", "where", "why"):
        grid.add_column(column)
    for row in rows:
        grid.add_row(*map(Text, row))
    console.print()
    console.print(grid)


def descriptions(clients: Sequence[Client], runners: Describer) -> Iterator[ClientDescription]:
    """Yield what the runners say of every library that is here, in the first version of it among the clients."""
    for library, client in sorted({client.library: client for client in reversed(clients)}.items()):
        try:
            found = runners.describe(client)
        except RunnerMissingError:
            continue
        yield from (one for one in found.clients if one.library == library)


def cells(difference: Difference) -> tuple[str, str, str, str, str]:
    """Return a difference as a row of a table."""
    where = ", ".join(difference.scenarios) or "everywhere"
    return difference.setting, difference.plain, difference.ours, where, difference.why


def _marks(client: Client, libraries: Libraries, runners: Describer, notes: list[str]) -> list[Text]:
    if missing := missing_reason(client, runners):
        notes.append(f"{client.name}: missing: {missing}")
        return [Text("?", style="yellow") for _ in Scenario]
    return [_mark(client, scenario, libraries, notes) for scenario in Scenario]


def _mark(client: Client, scenario: Scenario, libraries: Libraries, notes: list[str]) -> Text:
    spec = libraries.clients[client.library]
    reason = unsupported_reason(spec, client, scenario)
    if reason is None:
        support = spec.support(client.version)[scenario]
        return Text("\n".join(["yes", *support.windows, *support.forms]), style="green")
    plain = make_client(spec, client.version, {})
    name = plain.name if unsupported_reason(spec, plain, scenario) == reason else client.name
    notes.append(f"{name}: {scenario} is unsupported: {reason}")
    return Text("-", style="dim")
