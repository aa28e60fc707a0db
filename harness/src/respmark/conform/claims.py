"""What holds in every scenario: the claim is what went over the wire, and nothing else did."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from respmark.conform.observation import Deviation, Observation
from respmark.conform.shape import BLOCK, RESP2, handshakes, slice_spans
from respmark.conform.trace import CommandTrace
from respmark.contract.trial import Scenario, Window
from respmark.network.resp import digest_of
from respmark.run.connecting import SETUP_COMMANDS
from respmark.workload.commands import CACHED
from respmark.workload.spec import KeyArgument, ValueArgument
from respmark.workload.workload import Workload, first_commands

Words = tuple[str, int]
"""A command as it is compared: its name, and the checksum of its arguments."""

INQUIRY: Final = frozenset({"PING", "ROLE"})
"""Commands with which a server is asked, over a separate connection, why a runner failed."""
GOODBYE: Final = frozenset({"QUIT"})
"""Commands that a connection may send before it closes."""


def expected_words(workload: Workload) -> list[Words]:
    """Return the workload's commands as they must appear on the wire."""
    commands = (command_at(workload, index) for index in range(workload.header.commands))
    return [(name, digest_of(arguments)) for name, arguments in commands]


def command_at(workload: Workload, index: int) -> tuple[str, list[bytes]]:
    """Return a command of the workload: its name, and its arguments as they are sent."""
    kind = workload.header.mix[workload.kinds[index]]
    key, size = int(workload.keys[index]), int(workload.sizes[index])
    arguments = []
    for argument in kind.arguments:
        if isinstance(argument, KeyArgument):
            arguments.append(workload.key(key + argument.offset))
        elif isinstance(argument, ValueArgument):
            arguments.append(workload.value(key + argument.offset, size))
        else:
            arguments.append(argument.text.encode())
    return kind.name, arguments


def claim_deviations(
    seen: Observation, expected: Sequence[Words], own_commands: frozenset[str], protocol: int
) -> Iterator[Deviation]:
    """Yield everything in the claims that is untrue or incomplete; each slice's claim is checked against that slice.

    `own_commands` are those that the library sends of its own accord, `protocol` is the label's RESP version.
    """
    yield from readable(seen)
    if seen.failure is not None:
        yield Deviation("a trial that counts in a run", seen.failure)
    yield from speaks_its_protocol(seen, protocol)
    yield from connected_when_ordered(seen)
    yield from nothing_strange(seen, own_commands)
    yield from silent_outside(seen)
    for number in range(len(seen.slices)):
        where = f" (slice {number + 1})" if len(seen.slices) > 1 else ""
        for deviation in _of_slice(seen.of_slice(number), expected):
            yield replace(deviation, asked=deviation.asked + where)


def _of_slice(seen: Observation, expected: Sequence[Words]) -> Iterator[Deviation]:
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
    for connection, handshake in handshakes(seen.trace):
        if handshake.protocol != protocol:
            hello = "no HELLO, or HELLO 2," if protocol == RESP2 else f"HELLO {protocol}"
            words = ", ".join(handshake.words) or "nothing"
            yield Deviation(
                f"RESP{protocol}, as the client's label says: {hello} before a connection's first command",
                f"connection {connection.number} speaks RESP{handshake.protocol}: {words} came before",
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
    """Nothing is sent except the workload and what sets connections up; the default database is not selected."""
    setup = {name.upper() for name in SETUP_COMMANDS} - ({"SELECT"} if seen.database == 0 else set())
    known = setup | own_commands | seen.wire.public | GOODBYE
    known |= INQUIRY if seen.runner_errors else set()
    strange = [command for command in seen.trace.commands if command.name not in known]
    if strange:
        listed = ", ".join(f"{count:,} x {name}" for name, count in Counter(one.name for one in strange).items())
        advice = "if the library always sends it, name it in the client's spec (own_commands)"
        asked = "only the workload and connection set-up"
        yield Deviation(asked, f"{listed}; {advice}", strange[0].order)


def silent_outside(seen: Observation) -> Iterator[Deviation]:
    """No command is sent between `ready` and the first order, between two slices, or after the last answer."""
    ready = {mark.process: mark.order for mark in seen.trace.marks if mark.name == "ready"}
    spans = [slice_spans(seen.trace, number) for number in range(len(seen.slices))]
    stray = sum(
        command.name in seen.wire.public - BLOCK
        and command.order > ready.get(one.process, 0)
        and not any(span[one.process].holds(command.order) for span in spans)
        for one in seen.trace.connections
        for command in one.commands
    )
    if stray and spans:
        yield Deviation("silence before and after each slice", f"{stray:,} commands of the workload were sent")


def counted(seen: Observation) -> Iterator[Deviation]:
    """As many commands went over the wire in the slice as the runner counted."""
    sent = len(seen.wire.everything)
    if not seen.agree(seen.operations, sent):
        yield Deviation(
            "every command of the slice counted, and no other",
            f"{seen.operations:,} counted, {sent:,} on the wire between `go` and the answer",
        )


def answered(seen: Observation) -> Iterator[Deviation]:
    """Every command of the slice was answered, none with an error."""
    commands = [command for inside in seen.wire.inside.values() for command in inside]
    if unanswered := sum(command.reply is None for command in commands):
        yield Deviation("a reply to every command", f"{unanswered:,} commands got no reply")
    if errors := sum(command.reply is not None and command.reply.error is not None for command in commands):
        yield Deviation("no error reply", f"{errors:,} came")


def in_order(seen: Observation, expected: Sequence[Words]) -> Iterator[Deviation]:
    """The commands are the same as for every other client, and in the same order where a process has one stream.

    Where several walkers, connections or places of a sliding window are interleaved, or a local cache answers some, the
    claimed commands are compared as a multiset. So are those of each burst, which are all under way at once: of those
    that wait for room in a library's queue (redis-rs), any may be the next.
    """
    (one,) = seen.slices
    for process, answer in one.answers.items():
        firsts = first_commands(len(expected), seen.shape, seen.scenario, process, one.first_command)
        if len(answer.measured) != len(firsts) or len(answer.lead_in) != len(firsts):
            yield Deviation(
                f"the units of each of its {len(firsts)} walkers", f"units of {len(answer.measured)} walkers"
            )
            return
        due = [
            expected[(first + offset) % len(expected)]
            for first, *units in zip(firsts, answer.lead_in, answer.measured, strict=True)
            for offset in range(sum(units) * seen.per_unit)
        ]
        sent = seen.wire.sent.get(process, [])
        connections = sum(connection.process == process for connection in seen.wire.carrying)
        is_interleaved = len(firsts) > 1 or seen.shape.window is Window.SLIDING
        may_hit = seen.scenario is Scenario.CACHING
        if may_hit or is_interleaved or (connections > 1 and seen.scenario is Scenario.PIPELINING):
            yield from not_claimed(due, sent, may_hit=may_hit)
        else:
            yield from out_of_order(due, sent, seen.per_unit if seen.scenario is Scenario.PIPELINING else 1)


def out_of_order(due: Sequence[Words], sent: Sequence[CommandTrace], at_once: int) -> Iterator[Deviation]:
    """Yield the first command of one stream that was not due; so many each have no order among themselves."""
    left = Counter[Words]()
    for place, command in enumerate(sent[: len(due)]):
        if place % at_once == 0:
            left = Counter(due[place : place + at_once])
        left[_seen(command)] -= 1
        if left[_seen(command)] < 0:
            yield _not_due(place + 1, command)
            return


def not_claimed(due: Iterable[Words], sent: Sequence[CommandTrace], *, may_hit: bool) -> Iterator[Deviation]:
    """Yield the first command that nobody claims, or what was not sent; `may_hit`: a cache may have answered GETs."""
    left = Counter(due)
    for place, command in enumerate(sent, start=1):
        left[_seen(command)] -= 1
        if left[_seen(command)] < 0:
            yield _not_due(place, command)
            return
    missing = {name for (name, _), count in left.items() if count and not (may_hit and name == CACHED)}
    if missing:
        yield Deviation("every command that is claimed sent", f"{', '.join(sorted(missing))} not on the wire")


def _seen(command: CommandTrace) -> Words:
    return command.name, command.digest or 0


def _not_due(place: int, command: CommandTrace) -> Deviation:
    return Deviation(
        "the workload's commands in the workload's order",
        f"command {place:,} of the slice, {command.name} {command.key}, is not due",
        command.order,
    )


def led_in(seen: Observation) -> Iterator[Deviation]:
    """The lead-in's commands, and no others, are sent before the moment at which the measured part begins."""
    marks = {(mark.name, mark.order): mark.at_ns for mark in seen.trace.marks}
    for process, answer in seen.slices[0].answers.items():
        span, begins_ns = seen.wire.slice_spans[process], answer.measured_from.at_ns - seen.trace.began_ns
        if not marks["go", span.go] <= begins_ns <= marks["end", span.end]:
            # A container in a virtual machine has another clock, so nothing can be judged.
            continue
        claimed = sum(answer.lead_in) * seen.per_unit
        sent = [command.at_ns for command in seen.wire.sent[process]]
        least, most = (sum(at_ns < begins_ns + by * seen.clock_error_ns for at_ns in sent) for by in (-1, 1))
        found = min(max(claimed, least), most)
        if not seen.agree(claimed, found):
            yield Deviation(
                "a lead-in that ends where the measured part begins",
                f"{claimed:,} commands claimed, {found:,} on the wire until then",
            )
