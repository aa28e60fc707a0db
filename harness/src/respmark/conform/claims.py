"""What holds in every scenario: the claim is what went over the wire, and nothing else did."""

from collections.abc import Iterator

from respmark.conform.observation import Deviation, Observation
from respmark.conform.order import ExpectedOrder, agrees, disorder, unsent
from respmark.contract.events import Slice
from respmark.contract.trial import Scenario, Window
from respmark.evidence.clocks import outside_mismatches, overlap_mismatch
from respmark.evidence.mismatch import told
from respmark.evidence.samples import Samples, in_flight, latency_mismatches
from respmark.evidence.snapshot import SETUP_COMMANDS
from respmark.results.records import Status
from respmark.results.slice_arrays import SliceArrays
from respmark.run.participant import CPUS
from respmark.run.turns import first_command
from respmark.wire.shape import BLOCK, handshake_of, windows
from respmark.wire.trace import CommandTrace, Trace
from respmark.workload.commands import CACHED
from respmark.workload.walk import first_commands

CLOCK_NS = 100_000_000
"""The longest delay between an event and the proxy's note of it, on a busy machine."""
INQUIRY = frozenset({"PING", "ROLE"})
"""Commands with which a target is asked, over a separate connection, why a runner failed."""
GOODBYE = frozenset({"QUIT"})
"""Commands that a connection may send before it closes."""


def claim_deviations(seen: Observation, expected: ExpectedOrder, setup_commands: frozenset[str]) -> Iterator[Deviation]:
    """Return everything in the claim that is untrue or incomplete."""
    yield from readable(seen.trace)
    yield from server_agrees(seen)
    if seen.answers:
        yield from counted(seen)
        yield from answered(seen)
        yield from in_order(seen, expected)
        yield from within_its_moments(seen)
    yield from silent_before(seen)
    yield from silent_after(seen)
    yield from connected_when_told(seen)
    yield from before_window(seen)
    yield from kept_open(seen)
    yield from nothing_else(seen, setup_commands)


def readable(trace: Trace) -> Iterator[Deviation]:
    """The trace is complete; otherwise nothing can be judged."""
    for connection in trace.connections:
        if connection.unreadable:
            yield Deviation("RESP on every connection", f"connection {connection.number}: {connection.unreadable}")
    if trace.commands_dropped:
        yield Deviation(
            "a trace that holds every command",
            f"{trace.commands_dropped:,} commands beyond the first {trace.commands_limit:,}; make the trial shorter",
        )


def server_agrees(seen: Observation) -> Iterator[Deviation]:
    """A run would have published the trial: the server's counters, hits and misses among them, agree."""
    if seen.outcome.status is Status.OK:
        return
    reason = seen.outcome.reason or str(seen.outcome.status)
    # A busy machine can have the same effect; with longer slices, only a liar still fails.
    as_if_busy = reason in _reasons_of_a_busy_machine(seen)
    yield Deviation("a trial that the server's counters back", reason, absent=as_if_busy, awaited=as_if_busy)


def _reasons_of_a_busy_machine(seen: Observation) -> set[str]:
    if not seen.outcome.slices:
        return set()
    slices = SliceArrays.of(seen.outcome.slices)
    samples = Samples(seen.outcome.results, in_flight(seen.scenario, seen.shape))
    found = (outside_mismatches(slices, CPUS), latency_mismatches(slices, [samples]), told([overlap_mismatch(slices)]))
    return {reason for reasons in found for reason in reasons.values()}


def counted(seen: Observation) -> Iterator[Deviation]:
    """As many commands went over the wire in the window as the runner counted."""
    sent = seen.operations - seen.local_hits
    if sent != seen.wire.commands:
        yield Deviation(
            "every command of the window counted, and no other",
            f"{sent:,} counted, {seen.wire.commands:,} on the wire between `go` and the answer",
        )


def answered(seen: Observation) -> Iterator[Deviation]:
    """Every command of the window was answered, none with an error."""
    if seen.wire.unanswered:
        yield Deviation("a reply to every command", f"{seen.wire.unanswered:,} commands never got one")
    if seen.wire.errors:
        yield Deviation("no error reply", f"{seen.wire.errors:,} came")


def silent_before(seen: Observation) -> Iterator[Deviation]:
    """No command is sent between `ready` and `go`."""
    if seen.wire.between_ready_and_go:
        yield Deviation(
            "silence between `ready` and `go`", f"{seen.wire.between_ready_and_go:,} commands of the workload were sent"
        )


def silent_after(seen: Observation) -> Iterator[Deviation]:
    """No command is sent after the answer."""
    if seen.wire.after_window:
        yield Deviation(
            "no command after the window's end is counted", f"{seen.wire.after_window:,} came after the answer"
        )


def connected_when_told(seen: Observation) -> Iterator[Deviation]:
    """No connection is opened before the order `connect`: runners load at the same time, but connect one by one."""
    told = {mark.process: mark.order for mark in seen.trace.marks if mark.name == "connect"}
    early = [one for one in seen.trace.connections if one.opened < told.get(one.process, one.opened + 1)]
    if early:
        yield Deviation(
            "no connection before the order `connect`", f"{len(early)} opened while it was loading", early[0].opened
        )


def kept_open(seen: Observation) -> Iterator[Deviation]:
    """Connections stay open until the harness has read the server's counters."""
    if seen.scenario is Scenario.NEW_CONNECTION or seen.shape.max_idle is not None:
        return
    stops = {mark.process: mark.order for mark in seen.trace.marks if mark.name == "stop"}
    spans = windows(seen.trace)
    for connection in seen.trace.connections:
        if spans[connection.process].go < (connection.closed or 0) < stops.get(connection.process, 0):
            yield Deviation(
                "connections kept open after the result, until standard input ends",
                f"connection {connection.number} was closed before",
                connection.closed,
            )
            return


def before_window(seen: Observation) -> Iterator[Deviation]:
    """Verification sends as many commands as the runner says."""
    if len(seen.ready) != seen.shape.processes:
        return
    claimed = sum(ready.verified_replies for ready in seen.ready)
    if not seen.agree(claimed, seen.wire.before_window):
        yield Deviation(
            "as many commands before the slice as verification claims",
            f"{claimed:,} claimed, {seen.wire.before_window:,} on the wire",
        )


def nothing_else(seen: Observation, setup_commands: frozenset[str]) -> Iterator[Deviation]:
    """Nothing is sent except the workload and the handshake."""
    unexpected = {name: count for name, count in seen.wire.unexpected.items() if name not in GOODBYE | setup_commands}
    if unexpected:
        listed = ", ".join(f"{count:,} x {name}" for name, count in unexpected.items())
        yield Deviation("nothing but the workload and the handshake", f"in the window: {listed}")
    asked_why = INQUIRY if seen.failures else frozenset[str]()
    known = {name.upper() for name in SETUP_COMMANDS} | setup_commands | asked_why
    public = frozenset(seen.trace.subject.commands)
    for connection in seen.trace.connections:
        for command in handshake_of(connection, public):
            if command.name not in known:
                yield Deviation(
                    "nothing but the workload and the handshake",
                    f"{command.name} before the first command; if the library always sends it, name it in the "
                    "client's spec (own_commands)",
                )
                return


def in_order(seen: Observation, expected: ExpectedOrder) -> Iterator[Deviation]:
    """The commands and their order are the same as for every other client."""
    for part, answer in enumerate(seen.answers):
        yield from _process_in_order(seen, expected, part, answer)


def _process_in_order(seen: Observation, expected: ExpectedOrder, part: int, answer: Slice) -> Iterator[Deviation]:
    begin = first_command(seen.outcome.slices[0].lap, len(expected))
    firsts = first_commands(len(expected), seen.shape, seen.scenario, part, begin)
    claimed = [segment.first_command for segment in answer.segments]
    if claimed != firsts:
        yield Deviation(f"walkers that begin at {_listed(firsts)}", f"the answer says {_listed(claimed)}")
        return
    commands, connections = sent(seen, part)
    if seen.scenario is Scenario.CACHING:
        yield from _in_order_but_for_hits(expected, firsts[0], commands, answer)
        return
    ways = disorder(expected, firsts, commands, _places(seen, connections))
    if isinstance(ways, CommandTrace):
        yield _not_due(commands, ways)
    elif not agrees(ways, answer):
        yield Deviation(
            "segments that name the commands that were sent",
            f"the answer claims {_listed([segment.operations for segment in answer.segments])} from there on",
        )


def _in_order_but_for_hits(
    expected: ExpectedOrder, first: int, commands: list[CommandTrace], answer: Slice
) -> Iterator[Deviation]:
    operations = sum(segment.operations for segment in answer.segments)
    found = unsent(expected, first, operations, commands)
    if isinstance(found, CommandTrace):
        yield _not_due(commands, found)
    elif others := found - {CACHED}:
        yield Deviation("every command but GETs sent", f"{', '.join(sorted(others))} claimed, and not on the wire")


def _not_due(commands: list[CommandTrace], command: CommandTrace) -> Deviation:
    place = commands.index(command)
    return Deviation(
        "the workload's commands in the workload's order",
        f"command {place + 1:,} of the window, {command.name} {command.key}, is not due",
        command.order,
    )


def _places(seen: Observation, connections: int) -> int:
    """Return how many commands of one walker may be on their way to the socket at once.

    The window of `pipelining` may be spread over connections, and the next command of a sliding window may be issued by
    whichever thread of the library saw a reply. A thread that has to wait for a processor there delays its own command,
    but not those of the window's other places.
    """
    together = seen.scenario is Scenario.PIPELINING and (connections > 1 or seen.shape.window is Window.SLIDING)
    return seen.shape.depth or 1 if together else 1


def within_its_moments(seen: Observation) -> Iterator[Deviation]:
    """Every reply came before the moment `ended`; another rule checks that nothing was sent before the order."""
    ordered_ns = seen.outcome.slices[0].ordered_ns
    for part, answer in enumerate(seen.answers):
        go_ns = next(mark.at_ns for mark in seen.trace.marks if (mark.name, mark.process) == ("go", part))
        replies = [command.reply for command in sent(seen, part)[0] if command.reply is not None]
        last = max(replies, key=lambda reply: reply.at_ns, default=None)
        # The trace's own clock is read when the order is passed on, a little after the order was made.
        if last is not None and (late_ns := ordered_ns + last.at_ns - go_ns - answer.ended.at_ns) > CLOCK_NS:
            found = f"it is {late_ns / 1e6:.1f} ms before it"
            yield Deviation("`ended` after the last reply", found, last.order, absent=True, awaited=True)


def sent(seen: Observation, part: int) -> tuple[list[CommandTrace], int]:
    """Return the commands of one process's window in order of arrival, and how many connections carried them."""
    span, public = windows(seen.trace)[part], frozenset(seen.trace.subject.commands) - BLOCK
    mine = [
        [command for command in connection.commands if command.name in public and span.holds(command.order)]
        for connection in seen.trace.connections
        if connection.process == part
    ]
    every = sorted((command for commands in mine for command in commands), key=lambda command: command.order)
    return every, sum(bool(commands) for commands in mine)


def _listed(numbers: list[int]) -> str:
    shown = ", ".join(f"{number:,}" for number in numbers[:4])
    return f"{shown}, ..." if len(numbers) > 4 else shown  # noqa: PLR2004 - enough to recognise them
