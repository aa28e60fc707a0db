"""What became of the writes that callers sent: by their replies, and by the counters that servers have in the end."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from respmark.kinds.faults.log import SECOND_NS, Unit
from respmark.kinds.faults.record import Writes

Executed = Callable[[Unit], int | None]


@dataclass(frozen=True)
class Sample:
    """The callers' counters at one moment, each from where it began."""

    at_ns: int
    """When they were known."""
    values: Sequence[int]
    took_ns: int = 0
    """How long before that the servers were asked: what was executed meanwhile may be among them, or not."""


@dataclass(frozen=True)
class Replaced:
    """A primary that was replaced by a replica: whose keys it had, and what of their writes the replica had."""

    callers: frozenset[int]
    copies: Mapping[int, int]
    """By caller, how many of its INCRs the replica had before it took over; empty: it was not asked."""
    copied_ns: int
    """When: an INCR that was acknowledged before and is not among them is lost."""


def writes_of(
    sent: Sequence[Unit], samples: Sequence[Sample], executed: Executed, replaced: Replaced | None = None
) -> Writes:
    """Return what became of INCRs that were sent; the last of `samples` is how counters were when all was over.

    A reply is the counter's value after its own write: it says how many were executed by then.
    """
    own: dict[int, list[Unit]] = defaultdict(list)
    for unit in sorted(sent, key=lambda unit: unit.number):
        own[unit.caller].append(unit)
    last = samples[-1].values if samples else ()
    found = [_caller_writes(own[caller], value, executed) for caller, value in enumerate(last)]
    by_server = {} if replaced is None else _not_copied(own, replaced, executed)
    late = [_late(own[caller], samples, caller) for caller in range(len(last))]
    return Writes(
        sent=len(sent),
        acknowledged=sum(unit.is_success for unit in sent),
        lost=sum(max(one.lost, by_server.get(caller, 0)) for caller, one in enumerate(found)),
        lost_by_server=sum(by_server.values()) if by_server else None,
        unacknowledged=sum(one.unacknowledged for one in found),
        doubled=sum(one.doubled for one in found),
        late=sum(count for count, _ in late),
        late_s=max((ns for _, ns in late), default=0) / SECOND_NS,
    )


def _caller_writes(sent: Sequence[Unit], in_the_end: int, executed: Executed) -> Writes:
    acknowledged = sum(unit.is_success for unit in sent)
    # A reply that is another caller's says nothing, and is counted as wrong.
    by_replies = ((executed(unit) or 0) - number for number, unit in enumerate(sent, start=1) if unit.is_success)
    doubled = max(0, in_the_end - len(sent), *by_replies)
    return Writes(
        sent=len(sent),
        acknowledged=acknowledged,
        lost=max(0, acknowledged - in_the_end),
        unacknowledged=max(0, in_the_end - acknowledged - doubled),
        doubled=doubled,
    )


def _not_copied(sent: Mapping[int, Sequence[Unit]], replaced: Replaced, executed: Executed) -> dict[int, int]:
    """Return, by caller, how many INCRs the primary acknowledged that had not come to its replica."""
    replies = {
        caller: [
            executed(unit) or 0
            for unit in sent.get(caller, ())
            if unit.is_success and unit.ended_ns is not None and unit.ended_ns < replaced.copied_ns
        ]
        for caller in replaced.copies
    }
    return {caller: max(0, max(counts, default=0) - replaced.copies[caller]) for caller, counts in replies.items()}


def _late(sent: Sequence[Unit], samples: Sequence[Sample], caller: int) -> tuple[int, int]:
    """Return how many were executed after their caller had been told that they failed, and how long after at most.

    What a counter grew by between two looks beyond the INCRs that were under way meanwhile was sent before.
    """
    told = [unit.ended_ns for unit in sent if unit.error is not None and unit.ended_ns is not None]
    count = longest_ns = 0
    for before, after in pairwise(samples):
        asked_ns = before.at_ns - before.took_ns
        under_way = sum(
            (unit.began_ns or 0) <= after.at_ns and (unit.ended_ns is None or unit.ended_ns > asked_ns) for unit in sent
        )
        grew = after.values[caller] - before.values[caller]
        more = min(grew - under_way, bisect_left(told, asked_ns) - count)
        if more > 0:
            longest_ns = max(longest_ns, asked_ns - told[count])
            count += more
    return count, longest_ns
