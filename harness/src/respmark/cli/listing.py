"""`respmark list`: clients and scenarios."""

from collections.abc import Iterator
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from respmark.console import report_console
from respmark.contract.description import ClientDescription, Difference
from respmark.contract.trial import Scenario
from respmark.errors import ExitCode, RunnerMissingError
from respmark.execute.missing import missing_reason
from respmark.execute.protocol import Describer
from respmark.execute.remembered import Remembered
from respmark.specs.client import Client, unsupported_reason
from respmark.specs.libraries import Libraries
from respmark.specs.naming import variants

EXAMPLES: Final = """
respmark list
"""


def list_clients() -> ExitCode:
    """List clients and scenarios (supported, unsupported or missing) and options unlike a plain install."""
    libraries = Libraries()
    with Remembered(libraries.runners) as runners:
        print_matrix(report_console(), libraries, runners)
    return ExitCode.OK


def print_matrix(console: Console, libraries: Libraries, runners: Describer) -> None:
    """Print one row a client, one column a scenario, and the reasons below."""
    grid = Table(show_edge=False, pad_edge=False, header_style="bold")
    grid.add_column("client", no_wrap=True)
    for scenario in Scenario:
        grid.add_column(str(scenario), justify="center")
    notes: list[str] = []
    for library in sorted(libraries.clients):
        for client in variants(libraries.clients[library]):
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
    _print_differences(console, libraries, runners)


def _print_differences(console: Console, libraries: Libraries, runners: Describer) -> None:
    """Print in what the libraries that are here are not as installed."""
    rows = [(client.library, *cells(one)) for client in descriptions(libraries, runners) for one in client.differences]
    if not rows:
        return
    grid = Table(title="as installed, but for", title_justify="left", show_edge=False, pad_edge=False)
    for column in ("library", "setting", "as installed", "here", "where", "why"):
        grid.add_column(column)
    for row in rows:
        grid.add_row(*map(Text, row))
    console.print()
    console.print(grid)


def descriptions(libraries: Libraries, runners: Describer) -> Iterator[ClientDescription]:
    """Yield what the runners say of every library that is here, each in its default version, by name."""
    for library in sorted(libraries.clients):
        try:
            found = runners.describe(variants(libraries.clients[library])[0])
        except RunnerMissingError:
            continue
        yield from (one for one in found.clients if one.library == library)


def client_lines(client: str) -> list[str]:
    """Return a client's name, in two lines if it has options."""
    library, bracket, options = client.partition("[")
    return [library, bracket + options] if bracket else [library]


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
    name = client.library + (f"@{client.version}" if client.version else "")
    notes.append(f"{name}: {scenario} is unsupported: {reason}")
    return Text("-", style="dim")
