"""`respmark list`: what can be chosen."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Final

from cyclopts import Parameter
from rich.console import Console
from rich.table import Column
from rich.text import Text

from respmark.cli.options import clients_named
from respmark.console import grid, report_console
from respmark.contract.lines import Difference
from respmark.contract.trial import LOOP_SCENARIOS, Form, Scenario, Shape, Window
from respmark.errors import ExitCode
from respmark.runners.missing import NOT_YET, not_set_up
from respmark.specs.catalogue import Catalogue
from respmark.specs.client import Client, ClientSpec
from respmark.specs.client_tables import written
from respmark.specs.naming import make_client

EXAMPLES: Final = {
    "list": """
respmark list
respmark list redis-py
respmark list 'redis-py[*]' 'jedis@*'
respmark list redis-py --versions
respmark list --details
"""
}
KINDS: Final = {
    Scenario.PIPELINING: {str(one): Shape(window=one) for one in Window},
    Scenario.TRANSACTION: {str(one): Shape(form=one) for one in Form},
}
"""What `--details` shows of a scenario."""
PLAIN: Final = (
    "respmark list CLIENT (or --details) shows reasons, options, versions and differences from a plain install"
)


def list_clients(
    *clients: str,
    details: Annotated[bool, Parameter(negative=())] = False,
    versions: Annotated[bool, Parameter(negative=())] = False,
) -> ExitCode:
    """List clients, scenarios, suites, workloads and servers, or the options and versions of one client.

    Args:
        clients: `redis-py` (as installed), `redis-py[*]` (all variants), `redis-py@*` (all pinned versions) and so on;
            default: every library, in one line.
        details: All variants of the libraries, with what can be chosen of each.
        versions: Every version that the registry of a library has, and which of them were set up here.
    """
    libraries, console = Catalogue(), report_console()
    if versions:
        from respmark.cli.registries import print_versions  # noqa: PLC0415 - takes long to load, and only this needs it

        for library in dict.fromkeys(client.library for client in libraries.named(clients or ("*",))):
            print_versions(console, libraries.clients[library], libraries)
        return ExitCode.OK
    names = clients or ("*[*]" if details else "*", *_drivers(libraries))
    print_clients(console, clients_named(names, libraries), libraries, details=details or bool(clients))
    if not clients:
        _print_others(console, libraries)
    return ExitCode.OK


def _drivers(libraries: Catalogue) -> list[str]:
    return [spec.library for spec in libraries.clients.values() if not spec.capabilities.is_library]


def print_clients(console: Console, clients: Sequence[Client], libraries: Catalogue, *, details: bool) -> None:
    """Print one row a client, one column a scenario; below it what is missing, and with `details` all the rest."""
    table = grid(Column("client", no_wrap=True), *LOOP_SCENARIOS)
    table.padding = (0, 1, 0, 0)
    reasons: dict[str, None] = {}
    lacking: dict[str, list[Client]] = {}
    for client in clients:
        missing = not_set_up(client, libraries.runners[client.runner])
        if missing is not None:
            lacking.setdefault(missing if details or not missing.startswith(NOT_YET) else NOT_YET, []).append(client)
        spec = libraries.clients[client.library]
        marks = [_mark(client, scenario, spec, details=details) for scenario in LOOP_SCENARIOS]
        reasons |= dict.fromkeys(_reasons(client, spec) if details else ())
        reference = f"\n{libraries.runners[client.runner].language}" if not client.capabilities.is_library else ""
        name = client.name.replace("[", "\n[", 1) + reference
        table.add_row(Text.assemble(name, (" ?" if missing else "", "yellow")), *marks)
    console.print(table)
    key = (("yes", "green"), " supported   ", ("-", "dim"), " unsupported   ", ("?", "yellow"), " missing here")
    console.print(Text.assemble("\n", *key))
    missing_lines = (_missing(reason, found, libraries) for reason, found in lacking.items())
    for reason in [*missing_lines, *reasons, *([] if details else [PLAIN])]:
        console.print(f" {reason}", soft_wrap=True)  # in one piece: a command that is to be typed can be copied
    for library in dict.fromkeys(client.library for client in clients if details):
        _print_library(console, libraries.clients[library], libraries)


def _missing(reason: str, clients: Sequence[Client], libraries: Catalogue) -> str:
    """Return in one line which clients are missing for the same reason, by language."""
    names: dict[str, dict[str, None]] = {}
    for client in clients:
        names.setdefault(libraries.runners[client.runner].language, {})[client.installed] = None
    found = "; ".join(f"{language}: {', '.join(of)}" for language, of in names.items())
    if reason == NOT_YET:
        return f"{NOT_YET}: {found} (`respmark run` installs what it measures; to install now: respmark setup NAME)"
    return f"missing: {found}: {' '.join(reason.split())}"


def _mark(client: Client, scenario: Scenario, spec: ClientSpec, *, details: bool) -> Text:
    if spec.why_not(client, scenario) is not None:
        return Text("-", style="dim")
    shapes = KINDS.get(scenario, {}) if details else {}
    kinds = [name for name, shape in shapes.items() if spec.why_not(client, scenario, shape) is None]
    return Text("\n".join(["yes", *kinds]), style="green")


def _reasons(client: Client, spec: ClientSpec) -> Iterator[str]:
    """Yield why the client cannot do what it cannot; what its library cannot, as the library's."""
    plain = make_client(spec, client.version, {})
    for scenario in LOOP_SCENARIOS:
        if reason := spec.why_not(client, scenario):
            name = plain.name if spec.why_not(plain, scenario) == reason else client.name
            yield f"{name}: {scenario} is unsupported: {reason}"


def _print_library(console: Console, spec: ClientSpec, libraries: Catalogue) -> None:
    versions = ", ".join(filter(None, (spec.version, *spec.pinned)))
    console.print(f"\n{spec.library} {versions}".rstrip() + f": {spec.summary}", style="bold", soft_wrap=True)
    options = grid("option", "values, the default first", "what it is")
    for name, option in spec.options.items():
        options.add_row(name, ", ".join(map(written, option.values)), option.help)
    differences = grid("setting", "as installed", "here", "where", "why")
    for one in (*spec.differs, *libraries.runners[spec.runner].differs):
        differences.add_row(*cells(one))
    for table in (options, differences):
        if table.row_count:
            console.print("")
            console.print(table)


def cells(difference: Difference) -> tuple[str, str, str, str, str]:
    """Return a difference as a row of a table."""
    where = ", ".join(difference.scenarios) or ("everywhere but in faults" if difference.is_limit else "everywhere")
    return difference.setting, difference.installed, difference.here, where, difference.why


def _print_others(console: Console, libraries: Catalogue) -> None:
    """Print suites with what they are, and the names of workloads and servers."""
    suites = grid("suite", "measures")
    for name, summary in libraries.suites.items():
        suites.add_row(name, summary)
    console.print("")
    console.print(suites)
    languages = ", ".join(libraries.languages)
    console.print(
        Text.assemble(("\nsuites of one language: ", "bold"), f"{languages}; each is `quick` of all its clients")
    )
    console.print(Text.assemble(("workloads: ", "bold"), ", ".join(libraries.names("workloads"))))
    servers = ", ".join(libraries.names("servers"))
    console.print(Text.assemble(("servers: ", "bold"), f"{servers}; or a program's path, or a URL (redis://HOST:PORT)"))
