"""Whether taking turns changes what is measured: slices after a wait against slices back to back, in one process.

    cd harness && ../.build/harness/bin/python -m bench.turns --rounds 12
    cd harness && ../.build/harness/bin/python -m bench.turns --client jedis --scenario batching --wait-s 0.5
    cd harness && ../.build/harness/bin/python -m bench.turns --client jedis --beside node-redis

Each round has a fresh process of each client, warmed up as in every run. Each lap has three slices in random order,
which begin at the same command: one directly after another slice of the process; one after a wait, with the suite's
lead-in; one after a wait, without it. Prints the ratios after waiting / back to back, with 95 % intervals over rounds.
Exit code 1: with the lead-in, an interval lies entirely outside 0.97 to 1.03, or a client failed.
"""

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Final

import cyclopts

from bench.fidelity_rows import (
    LIMITS,
    Against,
    Row,
    RowRatios,
    markdown_table,
    place,
    ratio_words,
    ratios_of_rows,
    with_laps,
)
from bench.sides import RunnerSide, Speed
from respmark import paths
from respmark.cli.app import tell_error
from respmark.cli.options import PinOptions, PlanOptions, ShapeOptions, tell
from respmark.console import write_out
from respmark.contract.base import Message
from respmark.contract.lines import Work
from respmark.contract.trial import Scenario
from respmark.errors import ExitCode, RespmarkError, RunnerFailedError, RunnerMissingError
from respmark.kinds.loops.work import slice_work
from respmark.machine.description import this_machine
from respmark.machine.guardian import Guardian
from respmark.machine.lock import lock_path, only_run
from respmark.plan.make import make_plan
from respmark.plan.plan import PlannedCell, Trial, in_random_order
from respmark.plan.request import Request
from respmark.report.header import machine_line
from respmark.results.store import make_folder, write_model
from respmark.run.run import new_run_id
from respmark.run.testbed import OpenOptions, Testbed, opened_testbed
from respmark.runners.local import open_local
from respmark.servers.evidence import server_info, server_version
from respmark.specs.catalogue import Catalogue

HEADINGS: Final = ("client", "scenario", "after waiting", "RPS", "CPU per command", "")


class Mode(StrEnum):
    """What comes before a slice."""

    BACK_TO_BACK = "back to back"
    LEAD_IN = "with lead-in"
    NO_LEAD_IN = "without lead-in"


class Waited(Row):
    """A client's slices after waiting (`suite_...` in its laps), and those back to back (`other_...`)."""

    mode: Mode


class TurnsRun(Message):
    """Everything that was found."""

    rounds: int
    laps: int
    slice_s: float
    lead_in_s: float
    wait_s: float
    beside: str | None
    """The client that worked during the waits."""
    machine: str
    server: str
    seed: int
    rows: list[Waited]


@dataclass(frozen=True)
class Alternation:
    """The slices of one process, and how it waits."""

    side: RunnerSide
    wait: Callable[[], object]

    def lap(self, lap: int) -> dict[Mode, Speed]:
        """Return one slice of each kind, in random order."""
        settings, trial = self.side.context.settings, self.side.trial
        order = slice_work(self.side.loop, (trial.round - 1) * settings.laps + lap)
        modes = in_random_order(list(Mode), f"{settings.seed}:{trial.id}:{lap}")
        return {mode: self._slice(mode, order) for mode in modes}

    def _slice(self, mode: Mode, order: Work) -> Speed:
        if mode is Mode.BACK_TO_BACK:
            self.side.loop.work(elsewhere(order, self.side.processes.workload.commands))
        else:
            self.wait()
        return self.side.work(order if mode is Mode.LEAD_IN else changed(order, lead_in_ns=0))


def changed(order: Work, **fields: int) -> Work:
    """Return the order with other numbers."""
    return order.model_copy(update=fields)


def elsewhere(order: Work, commands: int) -> Work:
    """Return the order for a slice that is not kept, in the workload's other half: it warms all but the commands."""
    return changed(order, lead_in_ns=0, first=(order.first + commands // 2) % commands, keep=False)


def measured_round(context: Testbed, trial: Trial, wait_s: float, beside: Trial | None) -> list[dict[Mode, Speed]]:
    """Return the laps of one round.

    Raises:
        RunnerFailedError: a process failed, or claims what the server did not see.
    """
    context.restore([trial.cell])
    side, other = RunnerSide(context, trial), None if beside is None else RunnerSide(context, beside)

    def wait() -> None:
        if other is None:
            time.sleep(wait_s)
        else:
            order = slice_work(other.loop, trial.round)
            other.loop.work(changed(order, ns=round(wait_s * 1e9), lead_in_ns=0, keep=False))

    sides = [one for one in (other, side) if one is not None]
    known = frozenset[str]().union(*(one.library_commands for one in sides))
    try:
        for one in sides:
            one.library_commands = known  # a client that waits may send a PING of its own
            one.start()
        side.settle()
        laps = [Alternation(side, wait).lap(lap) for lap in range(1, context.settings.laps + 1)]
        side.end()
    finally:
        for one in sides:
            one.kill()
    return laps


def with_round(row: Waited, number: int, laps: Iterable[dict[Mode, Speed]]) -> Waited:
    """Return the row with the laps of one more round."""
    return with_laps(row, number, [(speeds[row.mode], speeds[Mode.BACK_TO_BACK]) for speeds in laps])


def differs(ratios: RowRatios | None) -> bool:
    """Return whether one of the intervals lies entirely outside 0.97 to 1.03."""
    return ratios is not None and ratios.words(LIMITS[Against.BARE]).startswith("differs")


def exit_code(rows: list[Waited]) -> ExitCode:
    """Return 1 if a client differs from itself despite the lead-in, or failed."""
    judged = zip(rows, ratios_of_rows([*rows]), strict=True)
    failed = any(row.reason or (row.mode is Mode.LEAD_IN and differs(ratios)) for row, ratios in judged)
    return ExitCode.SOME_FAILED if failed else ExitCode.OK


def title(found: TurnsRun) -> str:
    """Return the line above the table."""
    waits = f"{found.beside} at work" if found.beside else "waiting"
    return (
        f"After {found.wait_s:g} s of {waits} / back to back, 95 % intervals over {found.rounds} rounds of "
        f"{found.laps} laps; slices of {found.slice_s:g} s, lead-in {found.lead_in_s:g} s; {found.machine}; "
        f"{found.server}."
    )


def words(found: TurnsRun) -> Iterator[tuple[str, ...]]:
    """Yield the table's rows."""
    for row, one in zip(found.rows, ratios_of_rows([*found.rows]), strict=True):
        figures = ("", "") if one is None else (ratio_words(one.rps), ratio_words(one.cpu))
        remark = row.reason or ("differs by more than 3 %" if differs(one) else "")
        yield (row.client, place(row), row.mode.value, *figures, remark)


def measured(
    context: Testbed, cells: list[PlannedCell], wait_s: float, beside: dict[str, PlannedCell]
) -> Iterator[TurnsRun]:
    """Measure every cell, round after round; yield what is known after each round. `beside` is by cell."""
    settings = context.settings
    rows = {
        (cell.id, mode): Waited(
            client=cell.client.name,
            scenario=cell.scenario,
            shape=cell.shape,
            versions={},
            laps=[],
            reason=context.executor.missing(cell.client),
            mode=mode,
        )
        for cell in cells
        for mode in (Mode.LEAD_IN, Mode.NO_LEAD_IN)
    }
    for number in range(1, settings.rounds + 1):
        for cell in cells:
            keys = [key for key, row in rows.items() if key[0] == cell.id and row.reason is None]
            if not keys:
                continue
            tell(f"round {number} of {settings.rounds}: {cell.id}")
            other = Trial(beside[cell.id], number) if cell.id in beside else None
            try:
                laps = measured_round(context, Trial(cell, number), wait_s, other)
            except (RunnerFailedError, RunnerMissingError) as error:
                failure = {"reason": f"round {number}: {error}"}
                rows |= {key: rows[key].model_copy(update=failure) for key in keys}
            else:
                rows |= {key: with_round(rows[key], number, laps) for key in keys}
        yield TurnsRun(
            rounds=number,
            laps=settings.laps,
            slice_s=settings.slice_s,
            lead_in_s=settings.lead_in_s,
            wait_s=wait_s,
            beside=next((cell.client.name for cell in beside.values()), None),
            machine=machine_line(this_machine()),
            server=server_version(server_info(next(iter(context.servers.values())).server.control)),
            seed=settings.seed,
            rows=list(rows.values()),
        )


def turns(
    *,
    options: PlanOptions = PlanOptions(),
    pins: PinOptions = PinOptions(),
    wait_s: float = 0.5,
    beside: str | None = None,
    out: Path | None = None,
) -> ExitCode:
    """Compare each client's slices after waiting with its slices back to back.

    Args:
        options: What is measured; default: batching 100 with the clients of suite `quick`.
        pins: On which CPUs.
        wait_s: How long a client waits before a slice.
        beside: A client that works during the waits, in the same scenario.
        out: Folder for turns.json; default: a new one under results/.
    """
    catalogue = Catalogue()
    if not options.scenario:
        shape = ShapeOptions(depth=(100,)) if options.shape == ShapeOptions() else options.shape
        options = replace(options, scenario=(Scenario.BATCHING,), shape=shape)

    def request(clients: tuple[str, ...]) -> Request:
        named = tuple(catalogue.named(clients))
        return replace(options.request(catalogue, "quick"), clients=named, memory_bytes=None)

    plan = make_plan(request(options.client), catalogue)
    cells = [cell for cell in plan.cells if cell.unsupported is None]
    workers = make_plan(request((beside,)), catalogue).cells if beside else ()
    others = {
        cell.id: one
        for one in reversed(workers)
        for cell in cells
        if one.unsupported is None and (one.scenario, one.shape) == (cell.scenario, cell.shape)
    }
    folder = out or paths.results() / new_run_id(plan, datetime.now(UTC), "turns")
    make_folder(folder)
    placement = pins.placement(list(map(catalogue.server, plan.settings.servers.values())))
    opening = OpenOptions(
        plan,
        catalogue,
        folder,
        [],
        opener=partial(open_local, placement=placement),
    )
    with (
        closing(Guardian()) as guardian,
        only_run(lock_path()),
        opened_testbed(opening, guardian) as context,
    ):
        for found in measured(context, cells, wait_s, others):
            write_model(folder / "turns.json", found)
    write_out(markdown_table(title(found), HEADINGS, words(found)))
    tell(f"results in {folder}")
    return exit_code(found.rows)


if __name__ == "__main__":
    try:
        cyclopts.run(turns)
    except RespmarkError as error:
        tell_error(error)
        sys.exit(error.exit_code)
