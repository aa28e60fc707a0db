"""What holds for several slices in a row: each is what its order asked for, and nothing happens between them."""

from collections.abc import Iterator
from dataclasses import replace

from respmark.conform.claims import (
    answered,
    before_window,
    connected_when_told,
    counted,
    in_order,
    kept_open,
    nothing_else,
    readable,
    sent,
    server_agrees,
    silent_after,
    silent_before,
)
from respmark.conform.observation import Deviation, Observation
from respmark.conform.order import ExpectedOrder
from respmark.wire.shape import shape_of
from respmark.wire.trace import Mark, Trace


def turns_deviations(seen: Observation, expected: ExpectedOrder, setup_commands: frozenset[str]) -> Iterator[Deviation]:
    """Return everything in the claims that is untrue or incomplete; a slice's claims are checked against that slice."""
    yield from readable(seen.trace)
    yield from server_agrees(seen)
    yield from connected_when_told(seen)
    turns = turns_of(seen)
    if turns:
        yield from before_window(turns[0])
        yield from silent_after(turns[-1])
        yield from kept_open(turns[-1])
    for number, turn in enumerate(turns, start=1):
        for deviation in _of_one(turn, expected, setup_commands):
            yield replace(deviation, asked=f"{deviation.asked} (slice {number})")


def _of_one(turn: Observation, expected: ExpectedOrder, setup_commands: frozenset[str]) -> Iterator[Deviation]:
    yield from counted(turn)
    yield from answered(turn)
    yield from in_order(turn, expected)
    yield from silent_before(turn)
    yield from led_in(turn)
    yield from nothing_else(turn, setup_commands)


def led_in(turn: Observation) -> Iterator[Deviation]:
    """The lead-in's commands, and no others, are sent before the moment at which the measured part begins."""
    for part, answer in enumerate(turn.answers):
        begins_ns = answer.measured_from.at_ns - turn.trace.began_ns
        go_ns, end_ns = (_at_ns(turn.trace, name, part) for name in ("go", "end"))
        if not go_ns <= begins_ns <= end_ns:
            # A container in a virtual machine has another clock, so nothing can be judged.
            continue
        found = sum(command.at_ns < begins_ns for command in sent(turn, part)[0])
        if not turn.agree(answer.lead_in.operations, found):
            yield Deviation(
                "a lead-in that ends where the measured part begins",
                f"{answer.lead_in.operations:,} commands claimed, {found:,} on the wire until then",
            )


def turns_of(seen: Observation) -> list[Observation]:
    """Return each slice as if it were the only one; the end of the slice before it takes the place of `ready`."""
    return [_turn(seen, number) for number in range(len(seen.outcome.slices))]


def _turn(seen: Observation, number: int) -> Observation:
    marks = [mark for process in range(seen.shape.processes) for mark in _marks(seen.trace, process, number)]
    trace = seen.trace.model_copy(update={"marks": tuple(marks)})
    outcome = replace(seen.outcome, slices=seen.outcome.slices[number : number + 1])
    return replace(seen, outcome=outcome, trace=trace, wire=shape_of(trace))


def _marks(trace: Trace, process: int, number: int) -> Iterator[Mark]:
    mine = [mark for mark in trace.marks if mark.process == process]
    ends = [mark for mark in mine if mark.name == "end"]
    yield from (mark for mark in mine if mark.name not in {"ready", "go", "end"})
    yield next(mark for mark in mine if mark.name == "ready") if number == 0 else _as_ready(ends[number - 1])
    yield [mark for mark in mine if mark.name == "go"][number]
    yield ends[number]


def _as_ready(end: Mark) -> Mark:
    return end.model_copy(update={"name": "ready"})


def _at_ns(trace: Trace, name: str, process: int) -> int:
    return next(mark.at_ns for mark in trace.marks if mark.name == name and mark.process == process)
