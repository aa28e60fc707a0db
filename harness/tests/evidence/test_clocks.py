"""Time and CPU that runners claim, against the harness's clock and the kernel's account."""

import pytest

from respmark.contract.events import Slice
from respmark.evidence.clocks import Span, cpu_mismatches, outside_mismatch, time_mismatches
from tests.builders import MILLISECOND_NS, SECOND_NS, make_moment, make_slice, make_slice_record

HONEST = make_slice()
"""From 1 s to 2 s, with 0.5 s of CPU."""


def span(ordered_ns: int = SECOND_NS, answered_ns: int = 2 * SECOND_NS, cpu_ns: int | None = None) -> Span:
    """Return what the harness saw."""
    return Span(ordered_ns, answered_ns, cpu_ns, cpus=2)


def lasting(first_s: float, last_s: float) -> Slice:
    """Return the answer of a process that worked from one time to the other."""
    begun = make_moment(round(first_s * SECOND_NS), 0)
    return make_slice(started=begun, measured_from=begun, ended=make_moment(round(last_s * SECOND_NS), 0))


def test_a_slice_between_order_and_answer_is_believed() -> None:
    """To the nanosecond."""
    assert list(time_mismatches([HONEST], span())) == []


@pytest.mark.parametrize(
    ("seen", "words"),
    [
        (span(ordered_ns=SECOND_NS + 1), "`started` is 0.000 ms before the order"),
        (span(answered_ns=2 * SECOND_NS - MILLISECOND_NS), "the answer is 1.000 ms before `ended`"),
    ],
)
def test_nobody_begins_before_the_order_or_ends_after_the_answer(seen: Span, words: str) -> None:
    """Whoever says so has another clock."""
    (reason,) = time_mismatches([HONEST], seen)
    assert words in reason


def test_moments_must_come_in_turn() -> None:
    """An end before the beginning is no time."""
    (reason,) = time_mismatches([make_slice(measured_from=make_moment(SECOND_NS - 1, 0))], span(0))
    assert "`measured_from` is 0.000 ms before `started`" in reason


def test_processes_must_work_together() -> None:
    """Half of the time is enough; one after the other is not at the same time."""
    assert list(time_mismatches([lasting(1, 2), lasting(1.5, 2.5)], span(answered_ns=3 * SECOND_NS))) == []
    (reason,) = time_mismatches([lasting(1, 2), lasting(1.6, 2.6)], span(answered_ns=3 * SECOND_NS))
    assert "its processes worked together for 40% of the slice only" in reason
    (reason,) = time_mismatches([lasting(1, 2), lasting(2, 3)], span(answered_ns=3 * SECOND_NS))
    assert "for 0% of the slice only" in reason


@pytest.mark.parametrize("by_kernel_ms", [485, 500, 515])
def test_cpu_that_the_kernel_backs(by_kernel_ms: int) -> None:
    """Two accounts of the same CPU differ by what the one does before or after the other."""
    assert list(cpu_mismatches([HONEST], span(cpu_ns=by_kernel_ms * MILLISECOND_NS))) == []


@pytest.mark.parametrize("by_kernel_ms", [250, 484, 516, 1000])
def test_cpu_that_the_kernel_does_not_back(by_kernel_ms: int) -> None:
    """Less than was used flatters, more than was used does not happen."""
    (reason,) = cpu_mismatches([HONEST], span(cpu_ns=by_kernel_ms * MILLISECOND_NS))
    assert (
        f"the runner claims 500.0 ms of CPU, from the order to the answer the kernel counted {by_kernel_ms}" in reason
    )


def test_cpu_outside_the_slice_is_the_clients_own() -> None:
    """In 10 ms on two processors, 20 ms can be used, by compilers and collectors."""
    seen = span(answered_ns=2 * SECOND_NS + 10 * MILLISECOND_NS, cpu_ns=535 * MILLISECOND_NS)
    assert list(cpu_mismatches([HONEST], seen)) == []
    assert list(cpu_mismatches([HONEST], span(cpu_ns=535 * MILLISECOND_NS))) != []


def test_without_the_kernels_account_cpu_is_not_judged() -> None:
    """It is not Linux, or not this machine."""
    assert list(cpu_mismatches([HONEST], span())) == []


def test_time_that_is_not_accounted_for() -> None:
    """Of a slice of 1 s, 270 ms may be lost; a second is another slice's work."""
    kept = [make_slice_record(answered_ns=2 * SECOND_NS + 250 * MILLISECOND_NS)] * 3
    assert outside_mismatch(kept) is None
    twice = [make_slice_record(ordered_ns=0)] * 3
    assert "was work done there?" in (outside_mismatch(twice) or "")
    assert outside_mismatch([*kept, *twice]) is None  # a machine that was busy for a while
    assert outside_mismatch([]) is None
