"""What holds in every scenario: the claim is what went over the wire, and nothing else did."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from respmark.conform.observation import Deviation, Observation
from respmark.conform.order import ExpectedOrder, not_claimed, out_of_order
from respmark.contract.trial import Scenario, Window
from respmark.evidence.check import SETUP_COMMANDS
from respmark.wire.shape import BLOCK, RESP2, handshake_words, protocol_of
from respmark.workload.workload import first_commands

INQUIRY: Final = frozenset({"PING", "ROLE"})
"""Commands with which a target is asked, over a separate connection, why a runner failed."""
GOODBYE: Final = frozenset({"QUIT"})
"""Commands that a connection may send before it closes."""


def claim_deviations(
    seen: Observation, expected: ExpectedOrder, own_commands: frozenset[str], protocol: int
) -> Iterator[Deviation]:
    """Yield everything in the claims that is untrue or incomplete; each slice's claim is checked against that slice.

    `own_commands` are those that the library sends of its own accord, `protocol` is the label's RESP version.
    """
    yield from readable(seen)
    if seen.failure is not None:
        yield Deviation("a trial that a run would publish", seen.failure)
    yield from speaks_its_protocol(seen, protocol)
    yield from connected_when_ordered(seen)
    yield from nothing_strange(seen, own_commands)
    yield from silent_outside(seen)
    for number in range(len(seen.slices)):
        where = f" (slice {number + 1})" if len(seen.slices) > 1 else ""
        for deviation in _of_slice(seen.of_slice(number), expected):
            yield replace(deviation, asked=deviation.asked + where)


def _of_slice(seen: Observation, expected: ExpectedOrder) -> Iterator[Deviation]:
    yield from counted(seen)
    yield from answered(seen)
    yield from in_order(seen, expected)
    yield from led_in(seen)


def readable(seen: Observation) -> Iterator[Deviation]:
    """The trace is complete; otherwise nothing can be judged."""
    for connection in seen.trace.connections:
        if connection.unreadable:
            yield Deviation("RESP on every connection", f"connection {connection.number}: {connection.unreadable}")
    if dropped := seen.trace.commands_dropped:
        yield Deviation("a trace that holds every command", f"{dropped:,} too many; make the trial shorter")


def speaks_its_protocol(seen: Observation, protocol: int) -> Iterator[Deviation]:
    """Every connection that carried commands of the workload spoke this version from the first of them on."""
    public = seen.wire.public
    for connection in seen.trace.connections:
        spoken = protocol_of(connection, public)
        if spoken != protocol and any(command.name in public for command in connection.commands):
            hello = "no HELLO, or HELLO 2," if protocol == RESP2 else f"HELLO {protocol}"
            words = ", ".join(handshake_words(connection, public)) or "nothing"
            yield Deviation(
                f"RESP{protocol}, as the client's label says: {hello} before a connection's first command",
                f"connection {connection.number} speaks RESP{spoken}: {words} came before",
                connection.opened,
            )
            return


def connected_when_ordered(seen: Observation) -> Iterator[Deviation]:
    """No connection is opened before the order `connect`: runners load at the same time, but connect one by one."""
    ordered = {mark.process: mark.order for mark in seen.trace.marks if mark.name == "connect"}
    early = [one for one in seen.trace.connections if one.opened < ordered.get(one.process, 0)]
    if early:
        asked, found = "no connection before the order `connect`", f"{len(early)} opened while it was loading"
        yield Deviation(asked, found, early[0].opened)


def nothing_strange(seen: Observation, own_commands: frozenset[str]) -> Iterator[Deviation]:
    """Nothing is sent except the workload and what sets connections up."""
    known = {name.upper() for name in SETUP_COMMANDS} | own_commands | seen.wire.public | GOODBYE
    known |= INQUIRY if seen.runner_errors else set()
    commands = [command for connection in seen.trace.connections for command in connection.commands]
    strange = [command for command in commands if command.name not in known]
    if strange:
        listed = ", ".join(f"{count:,} x {name}" for name, count in Counter(one.name for one in strange).items())
        advice = "if the library always sends it, name it in the client's spec (own_commands)"
        asked = "nothing but the workload and what sets connections up"
        yield Deviation(asked, f"{listed}; {advice}", strange[0].order)


def silent_outside(seen: Observation) -> Iterator[Deviation]:
    """No command is sent between `ready` and the first order, between two slices, or after the last answer."""
    shapes = [seen.of_slice(number).wire for number in range(len(seen.slices))]
    stray = sum(
        command.name in seen.wire.public - BLOCK
        and command.order > shapes[0].window_of(one).ready
        and not any(shape.window_of(one).holds(command.order) for shape in shapes)
        for one in seen.trace.connections
        for command in one.commands
        if shapes
    )
    if stray:
        yield Deviation("silence before and after each slice", f"{stray:,} commands of the workload were sent")


def counted(seen: Observation) -> Iterator[Deviation]:
    """As many commands went over the wire in the window as the runner counted."""
    sent = len(seen.wire.everything)
    if not seen.agree(seen.operations, sent):
        yield Deviation(
            "every command of the window counted, and no other",
            f"{seen.operations:,} counted, {sent:,} on the wire between `go` and the answer",
        )


def answered(seen: Observation) -> Iterator[Deviation]:
    """Every command of the window was answered, none with an error."""
    commands = [command for inside in seen.wire.inside.values() for command in inside]
    if unanswered := sum(command.reply is None for command in commands):
        yield Deviation("a reply to every command", f"{unanswered:,} commands never got one")
    if errors := sum(command.reply is not None and command.reply.error is not None for command in commands):
        yield Deviation("no error reply", f"{errors:,} came")


def in_order(seen: Observation, expected: ExpectedOrder) -> Iterator[Deviation]:
    """The commands and their order are the same as for every other client."""
    (one,) = seen.slices
    for process, claim in one.items():
        firsts = first_commands(len(expected), seen.shape, seen.scenario, process, claim.first_command)
        if (claimed := [first for first, _ in claim.walkers]) != firsts:
            yield Deviation(f"walkers that begin at {_listed(firsts)}", f"the answer says {_listed(claimed)}")
            continue
        due, sent = list(expected.claimed(claim.walkers)), seen.wire.sent.get(process, [])
        connections = sum(connection.process == process for connection in seen.wire.carrying)
        is_interleaved = len(firsts) > 1 or seen.shape.window is Window.SLIDING
        may_hit = seen.scenario is Scenario.CACHING
        if may_hit or is_interleaved or (connections > 1 and seen.scenario is Scenario.PIPELINING):
            yield from not_claimed(due, sent, may_hit=may_hit)
        else:
            yield from out_of_order(due, sent)


def led_in(seen: Observation) -> Iterator[Deviation]:
    """The lead-in's commands, and no others, are sent before the moment at which the measured part begins."""
    marks = {(mark.name, mark.order): mark.at_ns for mark in seen.trace.marks}
    for process, claim in seen.slices[0].items():
        window, begins_ns = seen.wire.windows[process], claim.measured_from_ns - seen.trace.began_ns
        if not marks["go", window.go] <= begins_ns <= marks["end", window.end]:
            # A container in a virtual machine has another clock, so nothing can be judged.
            continue
        found = sum(command.at_ns < begins_ns for command in seen.wire.sent[process])
        if not seen.agree(claim.lead_in, found):
            yield Deviation(
                "a lead-in that ends where the measured part begins",
                f"{claim.lead_in:,} commands claimed, {found:,} on the wire until then",
            )


def _listed(numbers: list[int]) -> str:
    shown = ", ".join(f"{number:,}" for number in numbers[:4])
    return f"{shown}, ..." if len(numbers) > 4 else shown  # noqa: PLR2004 - enough to recognise them
