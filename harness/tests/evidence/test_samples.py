"""Latencies against time, and verification against what was asked for."""

import pytest

from respmark.contract.events import Result, SliceOrder
from respmark.contract.trial import Scenario, Shape, Window
from respmark.evidence.samples import Samples, in_flight, latency_mismatches, verification_mismatch
from respmark.results.records import SliceRecord
from respmark.results.slice_arrays import SliceArrays
from tests.builders.records import (
    MILLISECOND_NS,
    make_evidence,
    make_latency,
    make_ready,
    make_result,
    make_slice,
    make_slice_record,
)

ALONE = make_evidence(other_cpu_ns=0)
SLICES = [make_slice_record(1000, number, evidence=ALONE) for number in (1, 2)]
"""Two slices of 1 s."""


def wrong_latency(slices: list[SliceRecord], results: list[Result], together: int) -> str | None:
    """Return why the samples of a trial's processes do not fit the time of its slices."""
    return latency_mismatches(SliceArrays.of(slices), [Samples(results, together)]).get(0)


def reason(mean_ms: float, count: int = 2000, together: int = 1) -> str | None:
    """Return why so many samples of this mean do not fit."""
    latency = make_latency([(round(mean_ms * MILLISECOND_NS), count)])
    return wrong_latency(SLICES, [make_result(count, latency=latency)], together)


@pytest.mark.parametrize("mean_ms", [1.0, 0.81, 1.019])
def test_samples_that_fill_the_time(mean_ms: float) -> None:
    """2,000 of about a millisecond each, one after the other, in 2 s."""
    assert reason(mean_ms) is None


@pytest.mark.parametrize("mean_ms", [0.001, 0.5, 0.79, 1.03, 1000.0])
def test_samples_that_do_not(mean_ms: float) -> None:
    """Microseconds for nanoseconds, halves, and more than there was time for."""
    assert "they are not those of the units that were claimed" in (reason(mean_ms) or "")


@pytest.mark.parametrize(("busy_ms", "mean_ms", "fits"), [(200, 0.61, True), (200, 0.59, False), (1500, 0.49, False)])
@pytest.mark.parametrize("whose", ["other_cpu_ns", "stolen_cpu_ns"])
def test_whoever_waits_for_a_processor_waits_for_no_reply(
    whose: str, busy_ms: int, mean_ms: float, *, fits: bool
) -> None:
    """As much as others used the processors, but not for more than half of the time."""
    evidence = make_evidence(**{"other_cpu_ns": 0, whose: busy_ms * MILLISECOND_NS})
    slices = [make_slice_record(1000, number, evidence=evidence) for number in (1, 2)]
    latency = make_latency([(round(mean_ms * MILLISECOND_NS), 2000)])
    assert (wrong_latency(slices, [make_result(2000, latency=latency)], 1) is None) is fits


@pytest.mark.parametrize(("mean_ms", "fits"), [(10.0, True), (5.1, True), (4.9, False), (10.3, False), (1.0, False)])
def test_ten_at_a_time_have_ten_times_the_time(mean_ms: float, *, fits: bool) -> None:
    """They wait for each other, so less of it is theirs."""
    assert (reason(mean_ms, together=10) is None) is fits


@pytest.mark.parametrize(("mean_ms", "fits"), [(450.0, True), (45.0, True), (22.0, False), (0.045, False)])
def test_many_threads_may_take_longer_than_asked(mean_ms: float, *, fits: bool) -> None:
    """1,000 threads on two processors: each worked for the 45 ms asked for, and waited for the last of them."""
    order = SliceOrder(slice=1, duration_ns=45 * MILLISECOND_NS, first_command=0, keep_samples=True)
    slices = [make_slice_record(1000, order=order)]
    latency = make_latency([(round(mean_ms * MILLISECOND_NS), 1000)])
    assert (wrong_latency(slices, [make_result(1000, latency=latency)], 1000) is None) is fits


def test_every_process_has_its_time() -> None:
    """Two processes of 1 s have 2 s."""
    together = [make_slice_record(answers=[make_slice(1000), make_slice(1000)])]
    latency = make_latency([(MILLISECOND_NS, 1000)])
    results = [make_result(1000, latency=latency)] * 2
    assert wrong_latency(together, results, 1) is None
    assert wrong_latency(together, results[:1], 1) is not None


@pytest.mark.parametrize(
    ("scenario", "shape", "expected"),
    [
        (Scenario.SYNC, Shape(), 1),
        (Scenario.BATCHING, Shape(depth=100), 1),
        (Scenario.PIPELINING, Shape(depth=100, window=Window.BURST), 1),
        (Scenario.PIPELINING, Shape(depth=100, window=Window.SLIDING), 100),
        (Scenario.PIPELINING, Shape(depth=10, window=Window.SLIDING, threads=4), 40),
        (Scenario.THREADS, Shape(threads=10, connections=2), 10),
        (Scenario.POOL, Shape(threads=10, max_total=5), 10),
        (Scenario.SYNC, Shape(processes=4), 1),
    ],
)
def test_what_is_in_flight(scenario: Scenario, shape: Shape, expected: int) -> None:
    """A sample covers a whole batch or burst; of a sliding window, each command has its own."""
    assert in_flight(scenario, shape) == expected


def test_every_process_must_verify_replies() -> None:
    """Large replies end the verification before all that were asked for."""
    some = make_ready()
    none = some.model_copy(update={"verified_replies": 0})
    assert verification_mismatch([some, some], 1000) is None
    assert verification_mismatch([none], 0) is None
    assert verification_mismatch([some, none], 100) == "no reply was verified, where 100 were asked for"
