"""Which slices a trial runs: those of its warm-up, and those that count."""

from typing import Final

from respmark.contract.events import Slice, SliceOrder
from respmark.evidence.compiling import was_compiling
from respmark.evidence.kernel import more_ns
from respmark.results.records import WarmUp
from respmark.run.apart import busy_thread, keep_apart
from respmark.run.participant import Participant, cpu_ns
from respmark.run.turns import first_command
from respmark.run.warmup import WarmUpLog

LEAST_UNITS: Final = 10
"""A slice is made longer if its time is not enough for this many units."""
LONGEST_SLICE_NS: Final = 2 * 10**9
WARM_UP_SLICE_S: Final = 0.1
"""However long the suite's slices are: eight shorter ones would be over before a compiler had begun."""
MOST_IN_A_LAP: Final = 3
"""How many slices a client may run in a lap if its compilers are at work; the last counts, whatever they do in it."""


def kept_slice(participant: Participant, number: int) -> SliceOrder:
    """Return the order for slice `number`, counted over all rounds; all compared clients begin at the same command."""
    settings = participant.context.settings
    return SliceOrder(
        slice=1,
        duration_ns=_duration_ns(participant, settings.slice_s),
        lead_in_ns=round(settings.lead_in_s * 1e9),
        first_command=first_command(number, participant.workload.commands),
        keep_samples=True,
    )


def warm_up(participant: Participant) -> None:
    """Let a trial work until it is steady, or until its warm-up limit is reached."""
    limit_s = participant.context.settings.warmup_limit_s
    if not limit_s:
        return
    log = WarmUpLog()
    before, compiled_ns = None, participant.compiling_ns()
    while log.work_s < limit_s and not log.is_steady:
        order = SliceOrder(
            slice=1,
            duration_ns=_duration_ns(participant, WARM_UP_SLICE_S),
            first_command=first_command(len(log.rates), participant.workload.commands),
            keep_samples=False,
        )
        before = participant.threads_ns()
        answers = participant.work(order)
        compiled_before_ns, compiled_ns = compiled_ns, participant.compiling_ns()
        log.add(_rate(answers), _cost(answers), order.duration_ns / 1e9, more_ns(compiled_before_ns, compiled_ns))
        participant.unit_ns = _unit_ns(answers)
    is_apart = _keep_apart(participant, before)  # judged by its last slice: earlier ones load and compile
    participant.warm_up = WarmUp(
        slices=len(log.rates),
        work_s=log.work_s,
        is_steady=log.is_steady,
        compiling_percent=log.compiling_percent,
        is_apart_from_server=is_apart,
    )


def settle(participant: Participant) -> None:
    """Let a trial work for one more slice, like those that count, but keep nothing of it."""
    before = participant.threads_ns()
    participant.work(kept_slice(participant, 0).model_copy(update={"keep_samples": False}))
    if participant.warm_up is not None and not participant.warm_up.is_apart_from_server:
        update = {"is_apart_from_server": _keep_apart(participant, before)}
        participant.warm_up = participant.warm_up.model_copy(update=update)


def must_repeat(participant: Participant, lap: int) -> bool:
    """Return whether the slice that has just ended in a lap must be repeated because compilers were at work in it.

    Without a warm-up, compiling is part of what the user asked to measure.
    """
    last = participant.turns[-1]
    worked = sum(turn.lap == lap for turn in participant.turns)
    wants_warm = participant.context.settings.warmup_limit_s > 0
    return wants_warm and worked < MOST_IN_A_LAP and was_compiling(last.compiling_ns, last.order)


def _keep_apart(participant: Participant, before: dict[int, int] | None) -> bool:
    """Keep a client off the server's CPU if one thread has done its work since `before`; return whether it is now."""
    alone = busy_thread(before, participant.threads_ns()) if len(participant.processes) == 1 else None
    return keep_apart(alone, participant.context.target.pid)


def _duration_ns(participant: Participant, asked_s: float) -> int:
    return max(round(asked_s * 1e9), min(LONGEST_SLICE_NS, LEAST_UNITS * participant.unit_ns))


def _rate(answers: tuple[Slice, ...]) -> float:
    return sum(one.measured.operations / max(1, one.ended.at_ns - one.measured_from.at_ns) * 1e9 for one in answers)


def _cost(answers: tuple[Slice, ...]) -> float:
    operations = sum(one.lead_in.operations + one.measured.operations for one in answers)
    return sum(cpu_ns(one) for one in answers) / max(1, operations)


def _unit_ns(answers: tuple[Slice, ...]) -> int:
    return max((one.ended.at_ns - one.measured_from.at_ns) // max(1, one.measured.units) for one in answers)
