"""`respmark list`: clients and scenarios."""

from collections.abc import Iterator
from contextlib import closing
from typing import Final

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from respmark.console import report_console
from respmark.contract.description import ClientDescription, Difference
from respmark.contract.trial import Scenario
from respmark.errors import ExitCode, RunnerMissingError
from respmark.execute.local import LocalExecutor
from respmark.execute.missing import missing_reason
from respmark.execute.protocol import Executor
from respmark.report.terminal import client_lines
from respmark.specs.catalogue import Catalogue
from respmark.specs.client import Client, unsupported_reason
from respmark.specs.naming import variants
from respmark.target.guardian import Guardian

EXAMPLES: Final = """
respmark list
"""


def list_clients() -> ExitCode:
    """List clients and scenarios (supported, unsupported or missing) and options unlike a plain install."""
    catalogue = Catalogue()
    with (
        closing(Guardian()) as guardian,
        LocalExecutor(catalogue.runners, guardian, clients=catalogue.every_client) as executor,
    ):
        print_matrix(report_console(), catalogue, executor)
    return ExitCode.OK


def print_matrix(console: Console, catalogue: Catalogue, executor: Executor) -> None:
    """Print one row a client, one column a scenario, and the reasons below."""
    grid = Table(show_edge=False, pad_edge=False, header_style="bold")
    grid.add_column("client", no_wrap=True)
    for scenario in Scenario:
        grid.add_column(str(scenario), justify="center")
    notes: list[str] = []
    for library in sorted(catalogue.clients):
        for client in variants(catalogue.clients[library]):
            grid.add_row(Text("\n".join(client_lines(client.name))), *_marks(client, catalogue, executor, notes))
    console.print(grid)
    console.print(
        Text.assemble(
            "\n", ("yes", "green"), " supported   ", ("-", "dim"), " unsupported   ", ("?", "yellow"), " missing"
        )
    )
    for note in dict.fromkeys(notes):
        console.print(Padding(Text(note), (0, 0, 0, 1)))
    _print_differences(console, catalogue, executor)


def _print_differences(console: Console, catalogue: Catalogue, executor: Executor) -> None:
    """Print in what the libraries that are here are not as installed."""
    rows = [(client.library, *cells(one)) for client in descriptions(catalogue, executor) for one in client.differences]
    if not rows:
        return
    grid = Table(title="as installed, but for", title_justify="left", show_edge=False, pad_edge=False)
    for column in ("library", "setting", "as installed", "here", "where", "why"):
        grid.add_column(column)
    for row in rows:
        grid.add_row(*map(Text, row))
    console.print()
    console.print(grid)


def descriptions(catalogue: Catalogue, executor: Executor) -> Iterator[ClientDescription]:
    """Yield what the runners say of every library that is here, each in its default version, by name."""
    for library in sorted(catalogue.clients):
        try:
            found = executor.describe(variants(catalogue.clients[library])[0])
        except RunnerMissingError:
            continue
        yield from (one for one in found.clients if one.library == library)


def cells(difference: Difference) -> tuple[str, str, str, str, str]:
    """Return a difference as a row of a table."""
    where = ", ".join(difference.scenarios) or "everywhere"
    return difference.setting, difference.plain, difference.ours, where, difference.why


def _marks(client: Client, catalogue: Catalogue, executor: Executor, notes: list[str]) -> list[Text]:
    if missing := missing_reason(client, executor):
        notes.append(f"{client.name}: missing: {missing}")
        return [Text("?", style="yellow") for _ in Scenario]
    return [_mark(client, scenario, catalogue, notes) for scenario in Scenario]


def _mark(client: Client, scenario: Scenario, catalogue: Catalogue, notes: list[str]) -> Text:
    spec = catalogue.clients[client.library]
    reason = unsupported_reason(spec, client, scenario)
    if reason is None:
        support = spec.support(client.version)[scenario]
        return Text("\n".join(["yes", *support.windows, *support.forms]), style="green")
    name = client.library + (f"@{client.version}" if client.version else "")
    notes.append(f"{name}: {scenario} is unsupported: {reason}")
    return Text("-", style="dim")
