"""`respmark conform`: holds clients against the definitions, on the wire."""

import threading
from collections import Counter
from collections.abc import Iterable
from contextlib import closing
from functools import partial
from typing import Annotated, Final

from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from respmark.cli.options import NO_PASSWORD, PasswordOptions, Repeated, ServerName, tell
from respmark.cli.setup import set_up
from respmark.conform.cases import cases_of
from respmark.conform.context import conform_context
from respmark.conform.verdicts import Conformity, Verdict, run_cases
from respmark.console import report_console
from respmark.contract.trial import Scenario
from respmark.errors import ExitCode, InvalidRequestError
from respmark.execute.via import backend_named
from respmark.placement import UNPINNED, BackendName, available_cpus
from respmark.plan.expand import Request, make_plan
from respmark.plan.trial import Cell
from respmark.run.lock import lock_path, only_run
from respmark.specs.catalogue import Catalogue
from respmark.target.guardian import Guardian

EXAMPLES: Final = """
respmark conform
respmark conform redis-py
respmark conform 'redis-py[*]' --via docker
respmark conform 'node-redis[command-timeout=off]' --scenario pipelining --no-faults
"""
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
inconclusive: nothing deviates, but trials did not come to their point, because the machine was busy; run these again
when nothing else works on it, or with `--jobs 1`:"""


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
    plan = make_plan(Request(suite=SUITE, clients=clients, scenarios=scenario, target=target, seed=seed), catalogue)
    spec = catalogue.target(plan.settings.target)
    set_up(plan.clients, catalogue, via, spec)
    password.take(target, spec)
    cases, at_once, console = cases_of(plan, catalogue, with_faults=faults), _jobs(jobs, target), report_console()
    with only_run(lock_path()), closing(Guardian()) as guardian:
        progress, backend = _Progress(console, len(cases)), backend_named(via, UNPINNED, tell)
        open_context = partial(conform_context, plan.settings, catalogue, guardian, backend)
        verdicts = run_cases(cases, at_once, open_context, progress)
    print_verdicts(console, verdicts)
    return exit_code(verdicts)


def _jobs(asked: int | None, target: str | None) -> int:
    """One server for all cannot tell its trials apart: only servers of our own are as many as the cases."""
    if asked is not None and asked < 1:
        raise InvalidRequestError("--jobs must be at least 1")
    if target is not None and "://" in target:
        return 1
    return asked or min(4, len(available_cpus()))


def name_of(verdict: Verdict) -> str:
    """Return client, scenario and case in one line."""
    cell = verdict.case.cell
    return f"{cell.client.name}  {cell.scenario}  {verdict.case.label}".rstrip()


class _Progress:
    def __init__(self, console: Console, total: int) -> None:
        self._console = console
        self._total = total
        self._done = 0
        self._lock = threading.Lock()

    def __call__(self, verdict: Verdict) -> None:
        with self._lock:
            self._done += 1
            if verdict.conformity is Conformity.DEVIATES or self._console.is_terminal:
                place = f"[{self._done}/{self._total}] {MARKS[verdict.conformity]}"
                line = f"{place} {' '.join(name_of(verdict).split())}: {verdict.outcome}"
                self._console.print(Text(line, style=STYLES[verdict.conformity]), soft_wrap=True)


def print_verdicts(console: Console, verdicts: list[Verdict]) -> None:
    """Print one table a client, then every deviation with its piece of the trace, then what is inconclusive."""
    for client in dict.fromkeys(verdict.case.cell.client.name for verdict in verdicts):
        console.print(Text(f"\n{client}", style="bold cyan"))
        _print_client(console, [verdict for verdict in verdicts if verdict.case.cell.client.name == client])
    for verdict in verdicts:
        if verdict.conformity in {Conformity.DEVIATES, Conformity.INCONCLUSIVE}:
            console.print(Text(f"\n{name_of(verdict)}", style=STYLES[verdict.conformity]))
            _print_lines(console, verdict.explanation(), "  ")
    _print_again(console, [verdict.case.cell for verdict in verdicts if verdict.conformity is Conformity.INCONCLUSIVE])
    counts = Counter(verdict.conformity for verdict in verdicts)
    console.print("\n" + ", ".join(f"{counts[one]} {MARKS[one]} {one}" for one in Conformity if counts[one]))


def _print_client(console: Console, verdicts: list[Verdict]) -> None:
    if all(verdict.conformity is Conformity.MISSING for verdict in verdicts):
        console.print(Text(f" missing: {verdicts[0].reason}", style="yellow"))
        return
    columns = (Column(name, overflow="fold") for name in ("", "scenario", "case", "on the wire"))
    grid = Table(*columns, show_edge=False, pad_edge=False, header_style="bold")
    for verdict in verdicts:
        style = STYLES[verdict.conformity]
        words = Text(verdict.outcome, style=style if verdict.conformity is not Conformity.CONFORMS else "")
        mark = Text(MARKS[verdict.conformity], style=style)
        grid.add_row(mark, str(verdict.case.cell.scenario), verdict.case.label, words)
    console.print(grid)


def _print_again(console: Console, cells: list[Cell]) -> None:
    if cells:
        console.print(Text(BUSY, style="bold yellow"))
        again = dict.fromkeys(f"respmark conform '{cell.client.name}' --scenario {cell.scenario}" for cell in cells)
        _print_lines(console, again, "    ")


def _print_lines(console: Console, lines: Iterable[str], indent: str = "") -> None:
    for line in lines:
        console.print(Text(f"{indent}{line}"), soft_wrap=True)


def exit_code(verdicts: list[Verdict]) -> ExitCode:
    """Return the exit code: a deviation counts more than what is missing, and what was tried more than what was not."""
    found = {verdict.conformity for verdict in verdicts}
    if Conformity.DEVIATES in found:
        return ExitCode.SOME_FAILED
    return ExitCode.OK if found & {Conformity.CONFORMS, Conformity.INCONCLUSIVE} else ExitCode.NOTHING_RAN
