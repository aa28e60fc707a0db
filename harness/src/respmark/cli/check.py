"""`respmark doctor`, `conform` and `trace`: whether the machine is fit, and what clients really send."""

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Annotated, Final

from rich.console import Console
from rich.table import Column
from rich.text import Text

from respmark.cli.options import (
    Flag,
    PasswordOptions,
    Repeated,
    ShapeOptions,
    clients_named,
    named,
)
from respmark.cli.setup import set_up
from respmark.cli.via import Via
from respmark.conform.cases import Case, cases_of, short_cases
from respmark.conform.context import conform_context
from respmark.conform.observation import Observation
from respmark.conform.picture import LINES, picture, wire_words
from respmark.conform.sockets import sockets_note
from respmark.conform.verdicts import CaseVerdict, Conformity, run_cases
from respmark.console import grid, report_console
from respmark.contract.trial import SHAPE_FIELDS, Scenario
from respmark.errors import ExitCode, InvalidRequestError, NothingRanError
from respmark.machine import checks
from respmark.machine.checks import CheckResult
from respmark.machine.cpus import available_cpus
from respmark.machine.guardian import Guardian
from respmark.machine.lock import lock_path, only_run
from respmark.machine.placement import UNPINNED
from respmark.network.treatments import can_drop, can_vanish
from respmark.numbers import significant
from respmark.plan.make import make_plan
from respmark.plan.plan import Plan
from respmark.plan.request import Request, option
from respmark.results.records import Status
from respmark.servers.checks import PERSISTENCE_OFF, other_clients, persistence, round_trip
from respmark.servers.evidence import server_info, server_version
from respmark.servers.server import open_server
from respmark.servers.url import address
from respmark.specs.catalogue import USUAL_SERVER, Catalogue
from respmark.specs.client import Client
from respmark.specs.naming import only
from respmark.specs.sockets import LibrarySockets
from respmark.specs.suite import ShapeAxes

EXAMPLES: Final = {
    "doctor": """
respmark doctor
respmark doctor --server redis://10.0.0.5:6379 --processes 4
""",
    "conform": """
respmark conform
respmark conform redis-py
respmark conform 'redis-py[*]' --via docker
respmark conform 'node-redis[command-timeout=off]' --scenario pipelining --no-tampering
""",
    "trace": """
respmark trace redis-py batching --depth 100
respmark trace node-redis pipelining --window sliding --out sliding.json
respmark trace redis-py pool --threads 4 --max-total 2 --no-held
""",
}
SUITE: Final = "conform"
"""The suite with the shapes that are tried."""
MARKS: Final = {
    Conformity.CONFORMS: "✓",
    Conformity.DEVIATES: "✗",
    Conformity.INCONCLUSIVE: "~",
    Conformity.UNSUPPORTED: "-",
    Conformity.MISSING: "?",
}
STYLES: Final = {
    Conformity.CONFORMS: "green",
    Conformity.DEVIATES: "bold red",
    Conformity.INCONCLUSIVE: "yellow",
    Conformity.UNSUPPORTED: "dim",
    Conformity.MISSING: "yellow",
}
BUSY: Final = """
inconclusive: nothing deviates, but some trials showed too little because the machine was busy; run these again
when the machine is idle, or with `--jobs 1`:"""


def doctor(
    *, server: str = USUAL_SERVER, password: PasswordOptions = PasswordOptions(), processes: int = 1
) -> ExitCode:
    """Check this machine for anything that would distort a measurement, with advice.

    Args:
        server: A server's name, its program's path, or a URL; nothing is written to it.
        processes: Runner processes that will work at the same time.
    """
    catalogue = Catalogue()
    spec = catalogue.server(server)
    password.take([server], [spec])
    load, available = checks.other_load(), len(available_cpus())
    with closing(Guardian()) as guardian, closing(open_server(spec, guardian, allow_flush=False)) as reached:
        results = [
            checks.cpu_count(available, processes, servers_here=len(reached.node.pids) or int(reached.local)),
            checks.shared_core(available, server_here=reached.local),
            checks.governor(),
            checks.idle_cpus(),
            checks.swap(),
            possible_faults(can_drop=can_drop(), can_vanish=can_vanish()),
            *load,
            PERSISTENCE_OFF if reached.spawned else persistence(reached.control),
            other_clients(reached.control),
        ]
        trip = round_trip(reached.control)
        server = f"{server_version(server_info(reached.control))} at {address(reached.endpoint)}"
    console = report_console()
    _print_results(console, results)
    _print_round_trip(console, trip, server)
    return ExitCode.OK


def possible_faults(*, can_drop: bool, can_vanish: bool) -> CheckResult:
    """Report whether `run faults` can have packets lost, and connections gone without a word."""
    lacking = [
        *([] if can_drop else ["packets cannot be lost: half-open is made as swallowed, link-down as silence"]),
        *([] if can_vanish else ["connections cannot vanish: stale is unsupported"]),
    ]
    if not lacking:
        return CheckResult("faults", "packets can be lost, and connections can vanish")
    return CheckResult("faults", "; ".join(lacking), "run faults as a user with CAP_NET_ADMIN, such as root")


def _print_results(console: Console, results: list[CheckResult]) -> None:
    """Print one row a result, then what to do, in one piece: a command that is to be typed can be copied."""
    table = grid("", "looked at", "found")
    for one in results:
        mark = Text("ok", style="green") if one.advice is None else Text("!!", style="bold yellow")
        table.add_row(mark, one.subject, one.found)
    console.print(table)
    _print_lines(console, (f"{one.subject}: {one.advice}" for one in results if one.advice))


def _print_round_trip(console: Console, trip_ms: dict[str, float], server: str) -> None:
    console.print(f"\nround trip of PING on one connection to {server}, in milliseconds")
    table = grid(*(Column(name, justify="right") for name in trip_ms))
    table.add_row(*map(significant, trip_ms.values()))
    console.print(table)
    ceiling = 1e3 / trip_ms["avg"]
    console.print(f"one connection with a synchronous API can do at most about {ceiling:,.0f} commands per second here")


def conform(
    *clients: str,
    scenario: Annotated[tuple[Scenario, ...], Repeated] = (),
    tampering: bool = True,
    short: Flag = False,
    server: str | None = None,
    password: PasswordOptions = PasswordOptions(),
    jobs: int | None = None,
    seed: int = 1,
    via: Via = Via(),
) -> ExitCode:
    """Prove on the wire that every scenario of a client is what its definition says.

    Each case is a short trial through a recording proxy. One that deviates is tried once more, with more time; what it
    shows then stands. The exit code is 1 if anything deviates; what proved nothing (inconclusive) does not change it.

    Args:
        clients: `redis-py` (as installed), `redis-py@3.5.3`, `redis-py[parser=python]`, `redis-py[*]` (all variants);
            default: all variants of all libraries.
        scenario: Only this scenario; repeats.
        tampering: Also tamper with a reply (delay, split, cut or replace it, reset its connection), once for each
            library and scenario.
        short: Try one shape of each scenario, with one kind of tampering, and a library's variants in `sync` and
            `batching` alone, as CI does.
        server: A server's name, its program's path, or a URL; default: servers of our own.
        jobs: Cases at a time, each with a server of its own; default: as many as there are processors, at most 4.
        seed: Decides the workload's commands.
    """
    catalogue = Catalogue()
    found = clients_named(clients, catalogue)
    _check_libraries(found)
    _check_loops(scenario)
    # Each opens an agent on every host, which has the host's lock.
    at_once = 1 if via.has_hosts else _jobs(jobs, server)
    plan = make_plan(
        Request(suite=SUITE, clients=tuple(found), scenarios=scenario, servers=named(server), seed=seed), catalogue
    )
    spec = catalogue.server(plan.settings.servers[plan.settings.first_server])
    via.set_up(plan.clients, [spec], catalogue)
    password.take(named(server), [spec])
    cases, console = cases_of(plan, catalogue, with_tampering=tampering), report_console()
    if short:
        cases = short_cases(cases, plan.settings.first_workload)
    with only_run(lock_path()), closing(Guardian()) as guardian:
        open_context = partial(conform_context, plan.settings, catalogue, guardian, via.opener(UNPINNED))
        verdicts = run_cases(cases, at_once, open_context, _progress(console, len(cases)))
    print_verdicts(console, verdicts, catalogue.sockets)
    return exit_code(verdicts)


def _jobs(asked: int | None, server: str | None) -> int:
    """One server for all cannot tell its trials apart: only servers of our own are as many as the cases."""
    if asked is not None and asked < 1:
        raise InvalidRequestError("--jobs must be at least 1")
    if server is not None and "://" in server:
        return 1
    return asked or min(4, len(available_cpus()))


def _progress(console: Console, total: int) -> Callable[[CaseVerdict], None]:
    lock, done = threading.Lock(), 0

    def show(verdict: CaseVerdict) -> None:
        nonlocal done
        with lock:
            done += 1
            if verdict.conformity is Conformity.DEVIATES or console.is_terminal:
                subject = " ".join(_name(verdict).split())
                line = f"[{done}/{total}] {MARKS[verdict.conformity]} {subject}: {verdict.outcome}"
                console.print(line, style=STYLES[verdict.conformity], soft_wrap=True)

    return show


def _name(verdict: CaseVerdict) -> str:
    cell = verdict.case.cell
    return f"{cell.client.name}  {cell.scenario}  {verdict.case.label}".rstrip()


def print_verdicts(console: Console, verdicts: list[CaseVerdict], measured: Mapping[str, LibrarySockets]) -> None:
    """Print one table a client, then every deviation with its piece of the trace, then what is inconclusive.

    `measured` is what each library's newest measured version asks of the kernel.
    """
    of_clients: dict[str, list[CaseVerdict]] = {}
    for verdict in verdicts:
        of_clients.setdefault(verdict.case.cell.client.name, []).append(verdict)
    for client, its_own in of_clients.items():
        console.print(f"\n{client}", style="bold cyan")
        _print_client(console, its_own)
        if note := sockets_note(its_own, measured.get(its_own[0].case.cell.client.library)):
            _print_lines(console, [f"note: {client} {note}"])
    for verdict in verdicts:
        if verdict.conformity in {Conformity.DEVIATES, Conformity.INCONCLUSIVE}:
            console.print(f"\n{_name(verdict)}", style=STYLES[verdict.conformity])
            _print_lines(console, (f"  {line}" for line in verdict.explanation()))
    cells = [verdict.case.cell for verdict in verdicts if verdict.conformity is Conformity.INCONCLUSIVE]
    if cells:
        console.print(BUSY, style="bold yellow")
        again = (f"    respmark conform '{cell.client.name}' --scenario {cell.scenario}" for cell in cells)
        _print_lines(console, dict.fromkeys(again))
    counts = Counter(verdict.conformity for verdict in verdicts)
    console.print("\n" + ", ".join(f"{counts[one]} {MARKS[one]} {one}" for one in Conformity if counts[one]))


def _print_client(console: Console, verdicts: list[CaseVerdict]) -> None:
    if all(verdict.conformity is Conformity.MISSING for verdict in verdicts):
        console.print(f" missing: {verdicts[0].shown}", style="yellow")
        return
    table = grid("", "scenario", "case", "on the wire")
    for verdict in verdicts:
        style = STYLES[verdict.conformity]
        words = Text(verdict.outcome, style=style if verdict.conformity is not Conformity.CONFORMS else "")
        mark = Text(MARKS[verdict.conformity], style=style)
        table.add_row(mark, verdict.case.cell.scenario, verdict.case.label, words)
    console.print(table)


def _print_lines(console: Console, lines: Iterable[str]) -> None:
    for line in lines:
        console.print(line, soft_wrap=True)


def exit_code(verdicts: list[CaseVerdict]) -> ExitCode:
    """Return the exit code: a deviation counts more than what is missing, and what was tried more than what was not."""
    found = {verdict.conformity for verdict in verdicts}
    if Conformity.DEVIATES in found:
        return ExitCode.SOME_FAILED
    return ExitCode.OK if found & {Conformity.CONFORMS, Conformity.INCONCLUSIVE} else ExitCode.NOTHING_RAN


def trace(
    client: str,
    scenario: Scenario,
    /,
    *,
    shape: ShapeOptions = ShapeOptions(),
    held: bool = True,
    lines: int = LINES,
    out: Path | None = None,
    server: str | None = None,
    password: PasswordOptions = PasswordOptions(),
) -> ExitCode:
    """Run a short trial through the recording proxy, and draw its requests and replies over time.

    Args:
        client: One client, such as `redis-py` (as installed), `redis-py@3.5.3` or `redis-py[parser=python]`.
        scenario: The scenario.
        held: Hold replies back until the client needs one: then a flush is all that it sends without.
            `--no-held` shows the times as they are.
        lines: Of the picture.
        out: Also write the whole trace to this file, as JSON.
        server: A server's name, its program's path, or a URL; default: a server of our own.
    """
    catalogue = Catalogue()
    one = only(client, clients_named((client,), catalogue))
    _check_libraries((one,))
    _check_loops((scenario,))
    plan = _one_shape(one, scenario, shape.axes, server, catalogue)
    spec = catalogue.server(plan.settings.servers[plan.settings.first_server])
    set_up(plan.clients, catalogue, [spec])
    password.take(named(server), [spec])
    with only_run(lock_path()):
        seen = _observe(plan, catalogue, held=held)
    if out is not None:
        seen.trace.save(out)
    console = report_console()
    _print_trace(console, seen, lines)
    if out is not None:
        console.print(f"\nthe whole trace is in {out}", soft_wrap=True)
    return ExitCode.OK if seen.status is Status.OK else ExitCode.SOME_FAILED


def _check_libraries(clients: Iterable[Client]) -> None:
    for client in clients:
        if not client.capabilities.replies:
            raise InvalidRequestError(
                f"{client.name} is a load generator, which shows no replies; only `run` accepts it"
            )


def _check_loops(scenarios: Iterable[Scenario]) -> None:
    if Scenario.COLD_START in scenarios:
        raise InvalidRequestError("a cold start is not shown on the wire; measure it: respmark cold-start")
    if Scenario.FAULTS in scenarios:
        raise InvalidRequestError("faults are not shown on the wire; measure them: respmark run faults")


def _one_shape(client: Client, scenario: Scenario, given: ShapeAxes, server: str | None, catalogue: Catalogue) -> Plan:
    small = {name: (field.small,) for name, field in SHAPE_FIELDS.items() if scenario in field.required}
    asked = {name: values for name, values in given if values}
    for axis, values in asked.items():
        if len(values) > 1:
            several = ", ".join(map(str, values))
            raise InvalidRequestError(f"--{option(axis)}: a trace shows a single shape; choose from {several}")
    request = Request(
        suite=SUITE,
        clients=(client,),
        scenarios=(scenario,),
        shape=ShapeAxes.model_validate({"processes": (1,), **small, **asked}),
        servers=named(server),
    )
    return make_plan(request, catalogue)


def _observe(plan: Plan, catalogue: Catalogue, *, held: bool) -> Observation:
    cell = plan.cells[0]
    with closing(Guardian()) as guardian, conform_context(plan.settings, catalogue, guardian) as context:
        if reason := context.run.executor.missing(cell.client):
            raise NothingRanError(f"{cell.client.name} is missing: {reason}")
        return context.observe(Case(cell), held=held)


def _print_trace(console: Console, seen: Observation, lines: int) -> None:
    subject = seen.trace.subject
    title = f"{subject.client}  {subject.scenario}  {subject.shape.label}".rstrip()
    console.print(title, style="bold cyan")
    console.print(wire_words(seen.wire))
    _print_lines(console, picture(seen.trace, lines))
    if seen.reason is not None:
        console.print(f"\n{seen.status}: {seen.reason}", style="yellow")
