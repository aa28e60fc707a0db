"""What is recorded is what happened."""

import gc
import json
from array import array

import pytest

from paths import GOLDEN
from respmark_python.contract.events import Half
from respmark_python.recorder import tally as tally_module
from respmark_python.recorder.health import (
    GarbageCollection,
    collector_paused,
    peak_memory_bytes,
    set_aside_own_objects,
)
from respmark_python.recorder.histogram import Histogram, bucket
from respmark_python.recorder.result import Subject, make_result
from respmark_python.recorder.tally import OVER, Tally, TargetLostError, make_storage
from respmark_python.recorder.window import SECOND_NS, Window

GOLDEN_HISTOGRAM = json.loads((GOLDEN / "histogram.json").read_text())


def opened(duration_s: float) -> Window:
    """Return a window that opened at 0."""
    window = Window(duration_s)
    window.half_ns, window.end_ns = window.duration_ns // 2, window.duration_ns
    return window


def subject(walkers: int = 1, commands_per_unit: int = 1) -> Subject:
    """Return a subject with so many walkers."""
    return Subject("test", "command", commands_per_unit, list(range(walkers)), "bytes", {}, {})


def test_golden_buckets() -> None:
    """Every value falls into the bucket that the contract gives it."""
    assert [[value, bucket(value)] for value, _ in GOLDEN_HISTOGRAM["buckets"]] == GOLDEN_HISTOGRAM["buckets"]


def test_golden_samples_fold_into_the_golden_histogram() -> None:
    """The contract's samples, folded in two parts and merged, give its histogram and the exact maximum."""
    samples = GOLDEN_HISTOGRAM["samples"]
    histogram, other = Histogram(), Histogram()
    histogram.add(samples[:20])
    other.add(samples[20:])
    histogram.merge(other)
    assert [list(pair) for pair in histogram.pairs()] == GOLDEN_HISTOGRAM["histogram"]
    assert histogram.max_ns == max(samples)


def test_checkpoints_tell_progress_half_and_end() -> None:
    """A walker looks up at each second, at half and at the end, whichever comes first."""
    told: list[tuple[int, int]] = []
    tally = Tally(make_storage(1)[0], opened(3), lambda elapsed_ns, units: told.append((elapsed_ns, units)))
    assert tally.begin() == SECOND_NS
    assert tally.reached(SECOND_NS + 1, 10) == 3 * SECOND_NS // 2
    assert tally.reached(3 * SECOND_NS // 2 + 2, 15) == 2 * SECOND_NS
    assert tally.reached(2 * SECOND_NS, 20) == 3 * SECOND_NS
    assert tally.reached(3 * SECOND_NS + 3, 30) == OVER
    assert told == [(SECOND_NS + 1, 10), (2 * SECOND_NS, 20)]
    assert (tally.half, tally.ended_ns) == (Half(15, 3 * SECOND_NS // 2 + 2), 3 * SECOND_NS + 3)


def test_a_unit_of_many_seconds_tells_progress_once() -> None:
    """Seconds that passed in one unit are not made up for."""
    told: list[int] = []
    tally = Tally(make_storage(1)[0], opened(10), lambda elapsed_ns, _: told.append(elapsed_ns))
    tally.begin()
    assert tally.reached(4 * SECOND_NS + 1, 1) == 5 * SECOND_NS
    assert told == [4 * SECOND_NS + 1]


def test_tasks_that_end_after_the_window_move_its_end() -> None:
    """What is in flight at the end is completed and counted: the last of it is the end."""
    tally = Tally(make_storage(1)[0], opened(1))
    tally.begin()
    assert [tally.reached(SECOND_NS + late, 5 + late) for late in range(3)] == [OVER] * 3
    assert (tally.ended_ns, tally.units) == (SECOND_NS + 2, 7)


def test_full_storage_is_folded() -> None:
    """A window that outgrows the storage loses no sample."""
    tally = Tally(array("q", [7, 8]), opened(1))
    tally.full(9)
    tally.index = 1
    tally.fold()
    assert tally.histogram.pairs() == [(7, 1), (8, 1), (9, 1)]
    assert tally.units == 3


def test_so_many_failures_in_a_row_lose_the_target() -> None:
    """The 25th failed unit in a row ends the trial."""
    tally = Tally(make_storage(1)[0], opened(1))
    for in_a_row in range(1, 25):
        tally.failed(OSError("gone"), 0, in_a_row)
    with pytest.raises(TargetLostError, match="25 units in a row failed"):
        tally.failed(OSError("gone"), 0, 25)
    assert tally.errors == {"OSError": 25}


def test_failing_for_long_loses_the_target(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five seconds without a success after a failure end the trial, however few failures that is."""
    readings = iter([0, 4 * SECOND_NS, 5 * SECOND_NS])
    monkeypatch.setattr(tally_module, "perf_counter_ns", lambda: next(readings))
    tally = Tally(make_storage(1)[0], opened(60))
    tally.failed(OSError("gone"), 3, 1)
    tally.failed(OSError("gone"), 3, 2)
    with pytest.raises(TargetLostError):
        tally.failed(OSError("gone"), 3, 3)


def test_a_success_in_between_is_patience_renewed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Failures with successes between them do not lose the target."""
    readings = iter([0, 6 * SECOND_NS])
    monkeypatch.setattr(tally_module, "perf_counter_ns", lambda: next(readings))
    tally = Tally(make_storage(1)[0], opened(60))
    tally.failed(OSError("gone"), 3, 1)
    tally.failed(OSError("gone"), 4, 1)
    assert tally.is_failing
    tally.index = 5
    assert not tally.is_failing


def test_walkers_add_up() -> None:
    """Operations, errors, halves and latencies of several walkers are one result."""
    window = opened(1)
    tallies = [Tally(array("q", [5, 9]), window), Tally(array("q", [5, 0]), window)]
    for index, tally in enumerate(tallies):
        tally.begin()
        tally.reached(window.half_ns + index, 1)
    tallies[1].failed(ValueError("bad\nvalue"), 1, 1)
    tallies[0].reached(SECOND_NS + 5, 2)
    tallies[1].reached(SECOND_NS + 3, 1)
    result = make_result(subject(walkers=2, commands_per_unit=10), window, tallies, GarbageCollection())
    assert (result.operations, result.units, result.elapsed_ns) == (30, 3, SECOND_NS + 5)
    assert [(segment.first_command, segment.operations) for segment in result.segments] == [(0, 20), (1, 10)]
    assert (dict(result.errors), result.first_error) == ({"ValueError": 1}, "ValueError: bad\nvalue")
    assert result.first_half == Half(20, window.half_ns + 1)
    assert (list(result.latency.histogram), result.latency.max_ns) == ([(5, 2), (9, 1)], 9)


def test_a_walker_that_waits_through_the_second_half_still_counts() -> None:
    """A starved walker adds what it had done at half; only when all are starved is there no half."""
    window = opened(1)
    tallies = [Tally(array("q", [5, 9]), window), Tally(array("q", [5, 9]), window)]
    for tally in tallies:
        tally.begin()
    tallies[0].reached(SECOND_NS, 2)
    tallies[1].reached(window.half_ns, 1)
    tallies[1].reached(SECOND_NS, 2)
    both = make_result(subject(walkers=2), window, tallies, GarbageCollection())
    starved = make_result(subject(), window, tallies[:1], GarbageCollection())
    assert both.first_half == Half(2, window.half_ns)
    assert starved.first_half is None


def test_long_messages_are_shortened() -> None:
    """The first error's message has at most 500 characters."""
    window = opened(1)
    tally = Tally(make_storage(1)[0], window)
    tally.failed(ValueError("x" * 600), 0, 1)
    assert len(make_result(subject(), window, [tally], GarbageCollection()).first_error or "") == 500


def test_storage_is_shared_out() -> None:
    """However many walkers there are, their storage together stays as large."""
    assert sum(map(len, make_storage(16))) == len(make_storage(1)[0])


def test_collections_are_counted() -> None:
    """Garbage collections inside the window count, others do not."""
    with GarbageCollection() as collection:
        gc.collect()
    gc.collect()
    assert collection.collections == 1
    assert collection.pause_ns > 0


def test_the_collector_is_paused_for_a_while() -> None:
    """It rests while the workload is made, and goes on afterwards."""
    with collector_paused():
        assert not gc.isenabled()
    assert gc.isenabled()


def test_own_objects_are_set_aside() -> None:
    """The collector stays on and no longer sees what the runner made."""
    try:
        set_aside_own_objects()
        assert gc.isenabled()
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()


def test_peak_memory_is_that_of_this_process() -> None:
    """The peak is some megabytes at least, in bytes."""
    assert 1 << 20 < peak_memory_bytes() < 1 << 40
