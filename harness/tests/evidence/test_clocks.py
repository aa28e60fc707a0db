"""Time and CPU that runners claim, against the harness's clock and the kernel's account."""

from typing import Any

import pytest

from respmark.contract.events import Slice
from respmark.evidence.clocks import cpu_mismatch, outside_mismatches, time_mismatches, trial_cpu_mismatch
from respmark.evidence.mismatch import told
from respmark.results.records import SliceRecord
from respmark.results.slice_arrays import SliceArrays
from tests.builders.records import MILLISECOND_NS, SECOND_NS, make_evidence, make_moment, make_slice, make_slice_record

HONEST = make_slice()
"""From 1 s to 2 s, with 0.5 s of CPU."""


def seen(
    *answers: Slice, ordered_ns: int = SECOND_NS, answered_ns: int = 2 * SECOND_NS, cpu_ns: int | None = None
) -> SliceArrays:
    """Return one slice as the harness saw it; without answers, an honest one's."""
    times: dict[str, Any] = {"ordered_ns": ordered_ns, "answered_ns": answered_ns, "cpu_by_kernel_ns": cpu_ns}
    return SliceArrays.of([make_slice_record(answers=list(answers or [HONEST]), **times)])


def wrong_time(slices: SliceArrays) -> str | None:
    """Return what of the slice's moments cannot be."""
    return told(time_mismatches(slices)).get(0)


def wrong_cpu(slices: SliceArrays) -> str | None:
    """Return what of the slice's CPU the kernel of a machine with two processors does not back."""
    return told([cpu_mismatch(slices, cpus=2)]).get(0)


def wrong_outside(*slices: SliceRecord) -> str | None:
    """Return why the slices of a trial do not hold the time between order and answer."""
    return outside_mismatches(SliceArrays.of(slices), cpus=2).get(0)


def lasting(first_s: float, last_s: float) -> Slice:
    """Return the answer of a process that worked from one time to the other."""
    begun = make_moment(round(first_s * SECOND_NS), 0)
    return make_slice(started=begun, measured_from=begun, ended=make_moment(round(last_s * SECOND_NS), 0))


def test_a_slice_between_order_and_answer_is_believed() -> None:
    """To the nanosecond."""
    assert wrong_time(seen()) is None


@pytest.mark.parametrize(
    ("slices", "words"),
    [
        (seen(ordered_ns=SECOND_NS + 1), "`started` is 0.000 ms before the order"),
        (seen(answered_ns=2 * SECOND_NS - MILLISECOND_NS), "the answer is 1.000 ms before `ended`"),
    ],
)
def test_nobody_begins_before_the_order_or_ends_after_the_answer(slices: SliceArrays, words: str) -> None:
    """Whoever says so has another clock."""
    assert words in (wrong_time(slices) or "")


def test_moments_must_come_in_turn() -> None:
    """An end before the beginning is no time."""
    reason = wrong_time(seen(make_slice(measured_from=make_moment(SECOND_NS - 1, 0)), ordered_ns=0))
    assert "`measured_from` is 0.000 ms before `started`" in (reason or "")


def test_processes_must_work_together() -> None:
    """Half of the time is enough; one after the other is not at the same time."""
    assert wrong_time(seen(lasting(1, 2), lasting(1.5, 2.5), answered_ns=3 * SECOND_NS)) is None
    reason = wrong_time(seen(lasting(1, 2), lasting(1.6, 2.6), answered_ns=3 * SECOND_NS))
    assert "its processes worked together for 40% of the slice only" in (reason or "")
    reason = wrong_time(seen(lasting(1, 2), lasting(2, 3), answered_ns=3 * SECOND_NS))
    assert "for 0% of the slice only" in (reason or "")


@pytest.mark.parametrize("by_kernel_ms", [480, 500, 520])
def test_cpu_that_the_kernel_backs(by_kernel_ms: int) -> None:
    """Two accounts of the same CPU differ by what the one does before or after the other."""
    assert wrong_cpu(seen(cpu_ns=by_kernel_ms * MILLISECOND_NS)) is None


@pytest.mark.parametrize("by_kernel_ms", [250, 479, 521, 1000])
def test_cpu_that_the_kernel_does_not_back(by_kernel_ms: int) -> None:
    """Less than was used flatters, more than was used does not happen."""
    claimed = "the runner claims 500.0 ms of CPU for the slice, from order to answer the kernel counted"
    assert f"{claimed} {by_kernel_ms}" in (wrong_cpu(seen(cpu_ns=by_kernel_ms * MILLISECOND_NS)) or "")


def test_cpu_outside_the_slice_is_the_clients_own() -> None:
    """In 10 ms on two processors, 20 ms can be used, by compilers and collectors."""
    used_ns = 540 * MILLISECOND_NS
    assert wrong_cpu(seen(answered_ns=2 * SECOND_NS + 10 * MILLISECOND_NS, cpu_ns=used_ns)) is None
    assert wrong_cpu(seen(cpu_ns=used_ns)) is not None


@pytest.mark.parametrize(
    ("beyond_ms", "words"), [((10, -10, 10, -10), ""), ((8, 8, 8, 8), "counted 832.0"), ((-8,) * 4, "counted 768.0")]
)
def test_small_differences_that_add_up_are_none_of_the_clocks(beyond_ms: tuple[int, ...], words: str) -> None:
    """Each slice alone might be late in the kernel's account, but not all of them to the same side: 2 % and 5 ms."""
    answer = make_slice(ended=make_moment(2 * SECOND_NS, 200 * MILLISECOND_NS))
    seen_by_us: dict[str, Any] = {"answers": [answer], "ordered_ns": SECOND_NS, "answered_ns": 2 * SECOND_NS}
    by_kernel = [(200 + beyond) * MILLISECOND_NS for beyond in beyond_ms]
    trial = SliceArrays.of([make_slice_record(cpu_by_kernel_ns=used_ns, **seen_by_us) for used_ns in by_kernel])
    assert told([cpu_mismatch(trial, cpus=2)]) == {}
    reason = told([trial_cpu_mismatch(trial, cpus=2)]).get(0, "")
    assert words in reason
    assert bool(words) == bool(reason)


def test_without_the_kernels_account_cpu_is_not_judged() -> None:
    """It is not Linux, or not this machine."""
    assert wrong_cpu(seen()) is None
    assert not trial_cpu_mismatch(seen(), cpus=2).broken.any()


def test_time_that_is_not_accounted_for() -> None:
    """Of a slice of 1 s, 270 ms may be lost; a second is another slice's work."""
    kept = [make_slice_record(answered_ns=2 * SECOND_NS + 250 * MILLISECOND_NS)] * 3
    assert wrong_outside(*kept) is None
    twice = [make_slice_record(ordered_ns=0)] * 3
    assert "was work done there?" in (wrong_outside(*twice) or "")
    assert wrong_outside(*kept, *twice) is None  # a machine that was busy for a while


@pytest.mark.parametrize(
    ("by_kernel_ms", "others_ms", "stolen_ms", "excused"),
    [
        (500, 660, 0, True),
        (500, 0, 660, True),
        (500, 640, 0, False),
        (700, 660, 0, False),  # 200 ms of it are the runner's own
        (None, 660, 0, False),
    ],
)
def test_who_waits_for_a_processor_does_no_work(
    by_kernel_ms: int | None, others_ms: int, stolen_ms: int, *, excused: bool
) -> None:
    """Of a slice of 1 s, 600 ms may be lost if others used two processors for two thirds of a second."""
    evidence = make_evidence(other_cpu_ns=others_ms * MILLISECOND_NS, stolen_cpu_ns=stolen_ms * MILLISECOND_NS)
    kernel_ns = None if by_kernel_ms is None else by_kernel_ms * MILLISECOND_NS
    answered_ns = 2 * SECOND_NS + 599 * MILLISECOND_NS
    seen_by_us = make_slice_record(answered_ns=answered_ns, evidence=evidence, cpu_by_kernel_ns=kernel_ns)
    assert (wrong_outside(seen_by_us) is None) is excused


def test_nobody_waits_longer_than_half_a_slice() -> None:
    """On the busiest machine, a runner that works twice as long as it says is found."""
    evidence = make_evidence(other_cpu_ns=9 * SECOND_NS)
    busy: dict[str, Any] = {"evidence": evidence, "cpu_by_kernel_ns": 500 * MILLISECOND_NS}
    assert wrong_outside(make_slice_record(answered_ns=2 * SECOND_NS + 760 * MILLISECOND_NS, **busy)) is None
    assert wrong_outside(make_slice_record(answered_ns=2 * SECOND_NS + 780 * MILLISECOND_NS, **busy)) is not None
