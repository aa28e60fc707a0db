"""Holds what a runner says of time and CPU against the harness's own clock, and against the kernel's account.

All of them read CLOCK_MONOTONIC, which processes and containers of a machine share. A runner cannot have begun before
it was told to, nor have ended after its answer came. What lies between order and answer but outside the slice that it
claims is bounded: work that is done there would be counted, and its time would not.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Final

from respmark.contract.events import Slice
from respmark.records import SliceRecord

OUTSIDE_NS: Final = 20_000_000
"""What waking up and answering may take on a busy machine. On a quiet one it is 1 to 5 ms."""
OUTSIDE_SHARE: Final = 0.25
"""And so much of the slice, for machines that are slow as well."""
CPU_SHARE: Final = 0.02
CPU_NS: Final = 5_000_000
"""How far two accounts of the same CPU may lie apart, beside what can be used outside the slice."""
LEAST_OVERLAP: Final = 0.5
"""Of the longest process's measured part, in which all processes work. With less, they were not measured together."""


@dataclass(frozen=True)
class Span:
    """A slice as the harness saw it, on CLOCK_MONOTONIC."""

    ordered_ns: int
    """Before the order was sent."""
    answered_ns: int
    """After the last answer was read."""
    cpu_by_kernel_ns: int | None
    """CPU of the runner's processes from one to the other."""
    cpus: int
    """Processors of this machine."""


def time_mismatches(answers: Sequence[Slice], span: Span) -> Iterator[str]:
    """Yield what of the claimed moments cannot be."""
    for answer in answers:
        moments = (
            ("the order", span.ordered_ns),
            ("`started`", answer.started.at_ns),
            ("`measured_from`", answer.measured_from.at_ns),
            ("`ended`", answer.ended.at_ns),
            ("the answer", span.answered_ns),
        )
        for (earlier, first_ns), (later, last_ns) in pairwise(moments):
            if last_ns < first_ns:
                before_ms = (first_ns - last_ns) / 1e6
                yield f"{later} is {before_ms:,.3f} ms before {earlier}: no clock of this machine says so"
    if reason := overlap_mismatch(answers):
        yield reason


def overlap_mismatch(answers: Sequence[Slice]) -> str | None:
    """Return why the processes of a trial were not measured together; None if they were."""
    together_ns = min(a.ended.at_ns for a in answers) - max(a.measured_from.at_ns for a in answers)
    longest_ns = max(a.ended.at_ns - a.measured_from.at_ns for a in answers)
    if together_ns >= LEAST_OVERLAP * longest_ns:
        return None
    share = max(0.0, together_ns / max(1, longest_ns))
    return f"its processes worked together for {share:.0%} of the slice only ({LEAST_OVERLAP:.0%} are needed)"


def cpu_mismatches(answers: Sequence[Slice], span: Span) -> Iterator[str]:
    """Yield what of the claimed CPU the kernel does not back."""
    if span.cpu_by_kernel_ns is None:
        return
    claimed_ns = sum(answer.ended.cpu_ns - answer.started.cpu_ns for answer in answers)
    slack_ns = CPU_NS + CPU_SHARE * claimed_ns
    outside_ns = sum(_outside_ns(answer, span) for answer in answers) * span.cpus
    if not claimed_ns - slack_ns <= span.cpu_by_kernel_ns <= claimed_ns + slack_ns + outside_ns:
        yield (
            f"the runner claims {claimed_ns / 1e6:.1f} ms of CPU, from the order to the answer the kernel counted "
            f"{span.cpu_by_kernel_ns / 1e6:.1f} ms"
        )


def outside_mismatch(slices: Sequence[SliceRecord]) -> str | None:
    """Return why a trial's slices do not hold the time between order and answer; None if they do.

    The best quarter of them decides, because any other may have had to wait for a processor.
    """
    if not slices:
        return None
    outside_ns = sorted(one.answered_ns - one.ordered_ns - _lasted_ns(one) for one in slices)[len(slices) // 4]
    lasted_ns = median(_lasted_ns(one) for one in slices)
    if outside_ns <= OUTSIDE_NS + OUTSIDE_SHARE * lasted_ns:
        return None
    return (
        f"three of four slices leave {outside_ns / 1e6:.1f} ms or more between order and answer unaccounted for, "
        f"beside {lasted_ns / 1e6:.1f} ms that are claimed: was work done there?"
    )


def _outside_ns(answer: Slice, span: Span) -> int:
    return max(0, span.answered_ns - span.ordered_ns - (answer.ended.at_ns - answer.started.at_ns))


def _lasted_ns(one: SliceRecord) -> int:
    return max(a.ended.at_ns for a in one.answers) - min(a.started.at_ns for a in one.answers)
