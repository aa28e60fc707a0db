"""`respmark conform`: holds clients against the definitions, on the wire."""

import threading
from collections import Counter
from contextlib import closing
from dataclasses import replace
from typing import Annotated, Final

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from respmark.cli.options import Repeated, ServerName, tell
from respmark.cli.password import NO_PASSWORD, PasswordOptions
from respmark.cli.setup import set_up
from respmark.conform.cases import COMMANDS_WORKLOAD, cases_of, command_cases_of
from respmark.conform.explain import MARKS, explanation, label, outcome
from respmark.conform.verdicts import Conformity, Verdict, Works
from respmark.console import report_console
from respmark.contract.trial import Scenario
from respmark.errors import ExitCode, InvalidRequestError
from respmark.execute.backend import BackendName, backend_named
from respmark.placement import UNPINNED, available_cpus
from respmark.plan.expand import Request, make_plan
from respmark.plan.trial import Plan
from respmark.run.lock import lock_path, only_run
from respmark.specs.catalogue import Catalogue
from respmark.target.guardian import Guardian

EXAMPLES: Final = """
respmark conform
respmark conform redis-py
respmark conform 'redis-py[*]' --via docker
respmark conform 'node-redis[command-timeout=off]' --scenario pipelining --no-faults
"""
SUITE = "conform"
"""The suite with the shapes that are tried."""
STYLES = {
    Conformity.CONFORMS: "green",
    Conformity.DEVIATES: "bold red",
    Conformity.INCONCLUSIVE: "yellow",
    Conformity.UNSUPPORTED: "dim",
    Conformity.MISSING: "yellow",
}


def conform(
    *clients: str,
    scenario: Annotated[tuple[Scenario, ...], Repeated] = (),
    faults: bool = True,
    target: ServerName = None,
    password: PasswordOptions = NO_PASSWORD,
    jobs: int | None = None,
    seed: int = 1,
    via: BackendName = BackendName.LOCAL,
) -> ExitCode:
    """Prove on the wire that every scenario of a client is what its definition says.

    Each case is a short trial through a recording proxy. One that deviates is tried once more, with more time; what it
    shows then stands. The exit code is 1 if anything deviates; what proved nothing (inconclusive) does not change it.

    Args:
        clients: `redis-py` (as installed), `redis-py@3.5.3`, `redis-py[parser=python]`, `redis-py[*]` (all variants);
            default: all variants of all libraries.
        scenario: Only this scenario; repeats.
        faults: Also try delays, split writes, cut replies, resets and error replies, once per library and scenario.
        target: A server's name, its program's path, or a URL; default: servers of our own.
        jobs: Cases at a time, each with a server of its own; default: as many as there are processors, at most 4.
        seed: Decides the workload's commands.
        via: `local`: runners are processes here. `docker`: each is a container, and so are the servers.
    """
    catalogue = Catalogue()
    plan = _plan(clients, scenario, target, seed, catalogue)
    spec = catalogue.target(plan.settings.target)
    set_up(plan.clients, catalogue, via, spec)
    password.take(target, spec)
    cases, command_cases = cases_of(plan, catalogue, with_faults=faults), command_cases_of(plan, catalogue)
    console = report_console()
    with only_run(lock_path()), closing(Guardian()) as guardian:
        progress, backend = _Progress(console, len(cases) + len(command_cases)), backend_named(via, UNPINNED, tell)
        works = Works(plan.settings, catalogue, guardian, progress, backend)
        verdicts = works.run(cases, _jobs(jobs, target))
        settings = replace(plan.settings, workload=catalogue.workload(COMMANDS_WORKLOAD))
        works = Works(settings, catalogue, guardian, progress, backend)
        verdicts += works.run(command_cases, min(_jobs(jobs, target), max(1, len(command_cases))))
    print_verdicts(console, verdicts)
    return exit_code(verdicts)


def _plan(
    clients: tuple[str, ...], scenario: tuple[Scenario, ...], target: str | None, seed: int, catalogue: Catalogue
) -> Plan:
    return make_plan(Request(suite=SUITE, clients=clients, scenarios=scenario, target=target, seed=seed), catalogue)


def _jobs(asked: int | None, target: str | None) -> int:
    """One server for all cannot tell its trials apart: only servers of our own are as many as the cases."""
    if asked is not None and asked < 1:
        message = "--jobs must be at least 1"
        raise InvalidRequestError(message)
    if target is not None and "://" in target:
        return 1
    return asked or min(4, len(available_cpus()))


class _Progress:
    """A line a deviation as it is found; on a terminal, how far we are."""

    def __init__(self, console: Console, total: int) -> None:
        self._console = console
        self._total = total
        self._done = 0
        self._lock = threading.Lock()

    def __call__(self, verdict: Verdict) -> None:
        cell = verdict.case.cell
        with self._lock:
            self._done += 1
            if verdict.conformity is Conformity.DEVIATES or self._console.is_terminal:
                what = f"{cell.client.name} {cell.scenario} {label(verdict.case)}".strip()
                line = f"[{self._done}/{self._total}] {MARKS[verdict.conformity]} {what}: {outcome(verdict)}"
                self._console.print(Text(line, style=STYLES[verdict.conformity]), soft_wrap=True)


def print_verdicts(console: Console, verdicts: list[Verdict]) -> None:
    """Print one table a client, then every deviation with its piece of the trace, then what is inconclusive."""
    for client in dict.fromkeys(verdict.case.cell.client.name for verdict in verdicts):
        mine = [verdict for verdict in verdicts if verdict.case.cell.client.name == client]
        console.print()
        console.print(Text(client, style="bold cyan"))
        _print_client(console, mine)
    for verdict in verdicts:
        if verdict.conformity is Conformity.DEVIATES:
            _print_deviation(console, verdict)
    _print_inconclusive(console, [verdict for verdict in verdicts if verdict.conformity is Conformity.INCONCLUSIVE])
    counts = Counter(verdict.conformity for verdict in verdicts)
    console.print("\n" + ", ".join(f"{counts[one]} {MARKS[one]} {one}" for one in Conformity if counts[one]))


def _print_client(console: Console, verdicts: list[Verdict]) -> None:
    if all(verdict.conformity is Conformity.MISSING for verdict in verdicts):
        console.print(Padding(Text(f"missing: {verdicts[0].reason}", style="yellow"), (0, 0, 0, 1)))
        return
    grid = Table(show_edge=False, pad_edge=False, header_style="bold")
    for name in ("", "scenario", "case", "on the wire"):
        grid.add_column(name, overflow="fold")
    for verdict in verdicts:
        style = STYLES[verdict.conformity]
        mark = Text(MARKS[verdict.conformity], style=style)
        words = Text(outcome(verdict), style=style if verdict.conformity is not Conformity.CONFORMS else "")
        grid.add_row(mark, str(verdict.case.cell.scenario), label(verdict.case), words)
    console.print(grid)


def _print_deviation(console: Console, verdict: Verdict) -> None:
    cell = verdict.case.cell
    console.print()
    console.print(Text(f"{cell.client.name}  {cell.scenario}  {label(verdict.case)}", style="bold red"))
    for line in explanation(verdict):
        console.print(Text(f"  {line}"), soft_wrap=True)


def _print_inconclusive(console: Console, verdicts: list[Verdict]) -> None:
    """Say which cases showed neither, and what to do."""
    if not verdicts:
        return
    console.print(
        Text("\ninconclusive: nothing deviates, but the trials did not come to their point", style="bold yellow")
    )
    for verdict in verdicts:
        cell = verdict.case.cell
        name = f"{cell.client.name}  {cell.scenario}  {label(verdict.case)}".rstrip()
        console.print(Text(f"  {name}"), soft_wrap=True)
        for deviation in verdict.deviations[:1]:
            console.print(Text(f"    asked: {deviation.asked}\n    found: {deviation.found}"), soft_wrap=True)
    again = "the machine was busy; run these again when nothing else works on it, or with `--jobs 1`:"
    console.print(Text(f"  {again}"), soft_wrap=True)
    cells = (verdict.case.cell for verdict in verdicts)
    for command in dict.fromkeys(f"respmark conform '{cell.client.name}' --scenario {cell.scenario}" for cell in cells):
        console.print(Text(f"    {command}"), soft_wrap=True)


def exit_code(verdicts: list[Verdict]) -> ExitCode:
    """Return the exit code: a deviation counts more than what is missing, a client that was tried more than none.

    What is inconclusive was tried, and does not deviate.
    """
    found = {verdict.conformity for verdict in verdicts}
    if Conformity.DEVIATES in found:
        return ExitCode.SOME_FAILED
    return ExitCode.OK if found & {Conformity.CONFORMS, Conformity.INCONCLUSIVE} else ExitCode.NOTHING_RAN
