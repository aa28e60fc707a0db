"""`respmark fidelity`: the suite against bare loops."""

import math
from collections.abc import Callable
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from respmark.cli.options import ANYWHERE, DEFAULTS, PinOptions, PlanOptions, tell
from respmark.cli.password import NO_PASSWORD, PasswordOptions
from respmark.console import report_console
from respmark.errors import ExitCode
from respmark.evidence.info import server_info, server_version
from respmark.execute.missing import missing_reason
from respmark.execute.place import Local, Via, Where, where
from respmark.execute.protocol import Executor, RunnerMissingError
from respmark.fidelity.pairs import BareLoops, FidelityError, Ratios, measure_pair, measure_places
from respmark.fidelity.verdict import CPU_TARGET, RPS_TARGET, Verdict, difference, verdict
from respmark.launch import Order, bench_for, benches_for
from respmark.placement import Placement
from respmark.plan.expand import make_plan
from respmark.plan.trial import Plan, Trial
from respmark.report.words import shape_label
from respmark.run.measure import Bench
from respmark.specs.catalogue import Catalogue
from respmark.specs.target import ContainerTarget
from respmark.statistics.ratio import Interval
from respmark.target.guardian import Guardian

SUITE = "fidelity"
"""The suite whose cells are held against bare loops."""

SPAWNED = "spawned"
"""The target that is a server of our own."""

EXAMPLES: Final = """
respmark fidelity
respmark fidelity --pairs 60 --client redis-py --scenario sync
respmark fidelity --against docker --scenario sync
"""


class Against(StrEnum):
    """What the suite's figures are held against."""

    BARE = "bare"
    DOCKER = "docker"


def fidelity(
    *,
    pairs: int = 20,
    against: Against = Against.BARE,
    options: PlanOptions = DEFAULTS,
    password: PasswordOptions = NO_PASSWORD,
    pins: PinOptions = ANYWHERE,
) -> ExitCode:
    """Alternate the suite's own trials with bare hand-written loops, and print the ratios with their intervals.

    With `--against docker`, alternate them with the same trials in containers.

    Args:
        pairs: Alternations a row; noise of 10 % needs tens of them to show 3 %.
        against: `bare`: hand-written loops. `docker`: the same runners, and a server, in containers.
    """
    catalogue = Catalogue()
    plan = make_plan(options.request(SUITE), catalogue)
    target = catalogue.target(plan.settings.target)
    password.take(options.target, target)
    placement = pins.placement(target)
    with closing(Guardian()) as guardian:
        task = Task(plan, catalogue, guardian, placement, pairs, report_console())
        rows = _against_docker(task) if against is Against.DOCKER else _against_bare_loops(task)
    return ExitCode.SOME_FAILED if any(isinstance(result, str) for _, result in rows) else ExitCode.OK


@dataclass(frozen=True)
class Task:
    """What is to be measured, and where the table goes."""

    plan: Plan
    catalogue: Catalogue
    guardian: Guardian
    placement: Placement
    pairs: int
    console: Console

    def order(self, name: str, place: Where) -> Order:
        """Return the order for one place; its folder names it, results are not kept."""
        return Order(self.plan, self.catalogue, Path(name), [], where=place)


Rows = list[tuple[Trial, Verdict | str]]
Pair = Callable[[Trial, int], Ratios]
"""Measures a trial's pair of this number."""


def _against_bare_loops(task: Task) -> Rows:
    loops = BareLoops(task.catalogue.runners, task.guardian, task.placement.clients)
    with bench_for(task.order("fidelity", Local(task.placement)), task.guardian) as bench:
        rows = measured_rows(task, bare_pair(bench, loops), bench.executor)
    print_rows(task.console, rows)
    return rows


def _against_docker(task: Task) -> Rows:
    local = here_too(task).order("fidelity-local", Local(task.placement))
    docker = task.order("fidelity-docker", where(Via.DOCKER, task.placement, tell))
    with benches_for(local, docker, task.guardian) as (here, there):
        task.console.print(Text(servers(_version(here), _version(there))))
        rows = measured_rows(task, place_pair(here, there), here.executor, there.executor)
    print_places(task.console, rows)
    return rows


def here_too(task: Task) -> Task:
    """Return the task for this machine: where the target is a container, a server of our own takes its place."""
    if not isinstance(task.catalogue.target(task.plan.settings.target), ContainerTarget):
        return task
    settings = replace(task.plan.settings, target=SPAWNED)
    return replace(task, plan=replace(task.plan, settings=settings))


def bare_pair(bench: Bench, loops: BareLoops) -> Pair:
    """Return what measures pairs of suite and bare loop.

    Who begins alternates: what comes second finds the machine as the first left it.
    """
    return lambda trial, number: measure_pair(bench, trial, loops.for_trial(trial), suite_first=number % 2 == 0)


def place_pair(here: Bench, there: Bench) -> Pair:
    """Return what measures pairs of a process here and a container; who begins alternates as well."""
    return lambda trial, number: measure_places(here, there, trial, local_first=number % 2 == 0)


def _version(bench: Bench) -> str:
    return server_version(server_info(bench.target.control))


def servers(local: str, container: str) -> str:
    """Say which servers were measured: a ratio between two versions shows them, too."""
    if local == container:
        return f"server: {local} in both places"
    return (
        f"servers: {local} here, {container} in the container: the ratios hold their difference, too; name the same "
        "version with RESPMARK_SERVER, VALKEY_VERSION or REDIS_VERSION"
    )


def measured_rows(task: Task, pair: Pair, *executors: Executor) -> Rows:
    """Measure the cells of clients that every executor has; the others have the reason why not."""
    rows: Rows = []
    missing = {
        client.name: next(filter(None, (missing_reason(client, executor) for executor in executors)), None)
        for client in task.plan.clients
    }
    with _live(task.console) as live:
        for trial in task.plan.trials:
            rows.append((trial, missing[trial.cell.client.name] or _row(trial, pair, task.pairs, live)))
    return rows


def _row(trial: Trial, pair: Pair, pairs: int, live: Live | None) -> Verdict | str:
    """Return the verdict on one cell, or why there is none; what cannot run does not stop the others."""
    measured: list[Ratios] = []
    for number in range(pairs):
        if live is not None:
            live.update(Text(f"{_label(trial)}: pair {number + 1} of {pairs}"), refresh=True)
        try:
            measured.append(pair(trial, number))
        except (FidelityError, RunnerMissingError) as error:
            return str(error)
    return verdict(measured)


def _live(console: Console) -> AbstractContextManager[Live | None]:
    return Live(console=console, auto_refresh=False, transient=True) if console.is_terminal else nullcontext()


def _label(trial: Trial) -> str:
    return f"{trial.cell.client.name} {trial.cell.scenario} {shape_label(trial.cell.shape)}".strip()


def print_rows(console: Console, rows: Rows) -> None:
    """Print one row a cell, against bare loops."""
    console.print(
        f"suite / bare loop, medians with 95 % intervals; targets: RPS at least {RPS_TARGET}, "
        f"CPU per command at most {CPU_TARGET}"
    )
    _print_table(console, rows, "target", lambda result: result.words)


def print_places(console: Console, rows: Rows) -> None:
    """Print one row a cell, container against process."""
    console.print("container / process on this machine, medians with 95 % intervals (docs/containers.md)")
    _print_table(console, rows, "", difference)


def _print_table(console: Console, rows: Rows, heading: str, words: Callable[[Verdict], str]) -> None:
    grid = Table(show_edge=False, pad_edge=False, header_style="bold")
    for name in ("client and scenario", "RPS", "CPU per command", heading):
        grid.add_column(name, overflow="fold")
    for trial, result in rows:
        if isinstance(result, str):
            grid.add_row(Text(_label(trial)), "", "", Text(result, style="red"))
        else:
            grid.add_row(Text(_label(trial)), _written(result.rps), _written(result.cpu_per_command), words(result))
    console.print(grid)


def _written(interval: Interval) -> str:
    if math.isinf(interval.high):
        return f"{interval.median:.3f}  (too few pairs)"
    return f"{interval.median:.3f}  ({interval.low:.3f}..{interval.high:.3f})"
