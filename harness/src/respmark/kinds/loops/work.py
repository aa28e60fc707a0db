"""What a slice is ordered to do: where it begins in the workload, how long it lasts, and when its units are due."""

from typing import Final

from respmark.contract.lines import Work
from respmark.contract.rate import RateSchedule, Step, parsed
from respmark.kinds.loops.arrivals import ArrivalFiles
from respmark.kinds.loops.duration import LEAST_UNITS, LONGEST_SLICE_S, slice_s_of
from respmark.kinds.loops.loop import Loop
from respmark.specs.scenario import commands_per_unit

GOLDEN: Final = 0.6180339887498949
"""Multiples of it modulo 1 spread evenly, however many there are (Knuth, TAOCP 3, 6.4)."""
LONGEST_SLICE_NS: Final = round(LONGEST_SLICE_S * 1e9)
COMPILING_SHARE: Final = 0.1
"""Share of a slice, including its lead-in; a method that is compiled in less than that is a small one."""
MOST_IN_A_LAP: Final = 3
"""How many slices a client may run in a lap if its compilers are at work; the last counts, whatever they do in it."""


def first_command(number: int, commands: int) -> int:
    """Return where slice `number` begins in a workload of `commands` commands: the same for all clients of a lap."""
    return int(number * GOLDEN % 1 * commands)


def slice_work(loop: Loop, number: int, rate: float | None = None) -> Work:
    """Return the work of slice `number`, counted over all rounds; all compared clients begin at the same command.

    `rate` is that of the slice, in commands per second, where the client's own is looked for.
    """
    settings = loop.processes.bed.settings
    slice_s = slice_s_of(settings, loop.cell, rate)
    if loop.cell.shape.rate is not None:
        return open_work(loop, number, slice_s, schedule_of(loop.cell.shape.rate, rate))
    return closed_work(loop, number, slice_s)


def closed_work(loop: Loop, number: int, slice_s: float, *, led_in: bool = True, keep: bool = True) -> Work:
    """Return the work of a slice in a closed loop; it lasts longer where its units are long."""
    return _work(loop, number, _duration_ns(loop, slice_s), led_in=led_in, keep=keep)


def open_work(loop: Loop, number: int, slice_s: float, schedule: RateSchedule, *, keep: bool = True) -> Work:
    """Return the work of a slice whose units are due at times by a schedule."""
    bed, cell = loop.processes.bed, loop.cell
    work = _work(loop, number, round(slice_s * 1e9), led_in=True, keep=keep)
    files, per_unit = ArrivalFiles(bed.files, bed.settings.seed), commands_per_unit(cell.scenario, cell.shape)
    return files.work(work, schedule, per_unit, cell.shape.processes, asleep=loop.waits_asleep)


def schedule_of(own: str, rate: float | None) -> RateSchedule:
    """Return the schedule of a cell's own rate, or of one that is looked for."""
    return parsed(own) if rate is None else RateSchedule((Step(rate, rate, None),))


def must_repeat(loop: Loop, lap: int) -> bool:
    """Return whether the slice that has just ended in a lap must be repeated because compilers were at work in it.

    Without a warm-up, compiling is part of what the user asked to measure.
    """
    last = loop.slices[-1]
    worked = sum(one.lap == lap for one in loop.slices)
    wants_warm = loop.processes.bed.settings.warmup_limit_s > 0
    most_ns = COMPILING_SHARE * (last.work.lead_in_ns + last.work.ns)
    return wants_warm and worked < MOST_IN_A_LAP and (last.compiling_ns or 0) > most_ns


def _work(loop: Loop, number: int, ns: int, *, led_in: bool, keep: bool) -> Work:
    first = first_command(number, loop.processes.workload.commands)
    together = len(loop.processes.workload.workload.header.in_turn) or 1
    return Work(
        first=first - first % together,
        lead_in_ns=round(loop.processes.bed.settings.lead_in_s * 1e9) if led_in else 0,
        ns=ns,
        keep=keep,
    )


def _duration_ns(loop: Loop, asked_s: float) -> int:
    if loop.processes.bed.settings.waits_s_of(loop.cell):  # its units are long however fast the client is
        return round(asked_s * 1e9)
    return max(round(asked_s * 1e9), min(LONGEST_SLICE_NS, LEAST_UNITS * loop.unit_ns))
