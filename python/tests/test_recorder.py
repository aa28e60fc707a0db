"""What is recorded is what happened."""

import gc
import json
import subprocess
import sys
from array import array
from collections.abc import Callable
from time import monotonic_ns

import pytest

from paths import GOLDEN
from respmark_python.contract.events import Moment
from respmark_python.recorder import moment as moment_module
from respmark_python.recorder import tally as tally_module
from respmark_python.recorder.health import GarbageCollection, peak_memory_bytes, set_aside_own_objects
from respmark_python.recorder.histogram import Histogram, bucket
from respmark_python.recorder.moment import SECOND_NS, closing_moment, opening_moment
from respmark_python.recorder.tally import Tally, TargetLostError, make_tallies

LIMITS = json.loads((GOLDEN / "limits.json").read_text())
GOLDEN_HISTOGRAM = json.loads((GOLDEN / "histogram.json").read_text())


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


def made_in_part(tally: Tally, *samples: int) -> None:
    """Store samples as the loops do."""
    for sample in samples:
        tally.samples[tally.index] = sample
        tally.index += 1


def pairs(tally: Tally) -> list[tuple[int, int]]:
    """Return everything that a tally keeps, folded."""
    tally.fold()
    return tally.histogram.pairs()


def test_samples_of_a_part_are_kept_or_dropped() -> None:
    """The units of every part count; only the samples of those that are to be kept stay."""
    tally = Tally(array("q", bytes(80)))
    made_in_part(tally, 1, 2)
    assert tally.end_part(keep=False) == 2
    made_in_part(tally, 3, 4, 4)
    assert tally.end_part(keep=True) == 3
    made_in_part(tally, 5)
    assert tally.end_part(keep=False) == 1
    assert tally.index == 3
    assert pairs(tally) == [(3, 1), (4, 2)]


@pytest.mark.parametrize(("keep", "kept"), [(True, [(6, 1), (7, 1), (8, 1), (9, 1)]), (False, [(6, 1)])])
def test_full_storage_is_folded_as_a_last_resort(keep: bool, kept: list[tuple[int, int]]) -> None:  # noqa: FBT001
    """A part that outgrows the storage loses no unit, and its samples are kept or dropped like any others."""
    tally = Tally(array("q", bytes(24)))
    made_in_part(tally, 6)
    tally.end_part(keep=True)
    made_in_part(tally, 7, 8)
    tally.full(9)
    tally.index = 1
    assert tally.end_part(keep=keep) == 3
    assert pairs(tally) == kept


@pytest.mark.parametrize(("samples", "left"), [(5, 5), (6, 0)])
def test_storage_is_folded_between_slices_when_half_full(samples: int, left: int) -> None:
    """More than half of the storage taken is folded after the slice; less is left for later."""
    tally = Tally(array("q", bytes(80)))
    made_in_part(tally, *range(samples))
    tally.end_part(keep=True)
    tally.end_slice()
    assert tally.index == left
    assert sum(count for _, count in pairs(tally)) == samples


def test_so_many_failures_in_a_row_lose_the_target() -> None:
    """The 25th failed unit in a row ends the trial, however many slices they are spread over."""
    (tally,) = make_tallies(1)
    for _ in range(24):
        tally.failed(OSError("gone"), 0, monotonic_ns())
        tally.end_part(keep=False)
        tally.begin_slice()
    with pytest.raises(TargetLostError, match="25 units in a row failed"):
        tally.failed(OSError("gone"), 0, monotonic_ns())


def test_failing_for_long_loses_the_target(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten seconds in units that fail end the trial, however few they are; waiting between slices does not count."""
    readings = iter([4 * SECOND_NS, 104 * SECOND_NS, 204 * SECOND_NS])
    monkeypatch.setattr(tally_module, "monotonic_ns", lambda: next(readings))
    (tally,) = make_tallies(1)
    tally.failed(OSError("gone"), 3, 0)
    tally.failed(OSError("gone"), 3, 100 * SECOND_NS)
    with pytest.raises(TargetLostError, match="3 units in a row"):
        tally.failed(OSError("gone"), 3, 201 * SECOND_NS)


def test_a_success_in_between_is_patience_renewed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Failures with successes between them do not lose the target."""
    readings = iter([8 * SECOND_NS, 16 * SECOND_NS])
    monkeypatch.setattr(tally_module, "monotonic_ns", lambda: next(readings))
    (tally,) = make_tallies(1)
    tally.failed(OSError("gone"), 3, 0)
    tally.index = 4
    tally.end_part(keep=False)
    tally.failed(OSError("gone"), 0, 8 * SECOND_NS)
    assert tally.errors == {"OSError": 2}


def test_errors_are_those_of_a_slice() -> None:
    """Each slice counts its own errors, and tells its own first."""
    (tally,) = make_tallies(1)
    tally.failed(ValueError("one"), 0, monotonic_ns())
    tally.failed(OSError("two"), 0, monotonic_ns())
    assert (dict(tally.errors), str(tally.first_error)) == ({"ValueError": 1, "OSError": 1}, "one")
    tally.begin_slice()
    assert (dict(tally.errors), tally.first_error) == ({}, None)


def test_moments_go_on() -> None:
    """Clock and CPU time of a later moment are not before those of an earlier one, whichever is read first."""
    before = monotonic_ns()
    first, last = opening_moment(), closing_moment()
    assert before <= first.at_ns <= last.at_ns <= monotonic_ns()
    assert 0 < first.cpu_user_ns + first.cpu_system_ns <= last.cpu_user_ns + last.cpu_system_ns


@pytest.mark.parametrize(("moment", "order"), [(opening_moment, ["clock", "cpu"]), (closing_moment, ["cpu", "clock"])])
def test_cpu_time_is_read_inside_the_time(
    moment: Callable[[], Moment], order: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The CPU time that a slice claims lies within its time: read second when it begins and first when it ends."""
    read: list[str] = []

    def reading(name: str, value: object) -> Callable[[], object]:
        def note() -> object:
            read.append(name)
            return value

        return note

    monkeypatch.setattr(moment_module, "monotonic_ns", reading("clock", 1))
    monkeypatch.setattr(moment_module, "_cpu", reading("cpu", (2, 3)))
    assert (moment(), read) == (Moment(1, 2, 3), order)


def test_storage_is_shared_out() -> None:
    """However many walkers there are, their storage together stays as large."""
    assert sum(len(tally.samples) for tally in make_tallies(16)) == len(make_tallies(1)[0].samples)


def test_collections_are_counted() -> None:
    """Garbage collections count from the last restart on."""
    collection = GarbageCollection()
    try:
        gc.collect()
        collection.restart()
        assert (collection.collections, collection.pause_ns) == (0, 0)
        gc.collect()
        assert collection.collections == 1
        assert collection.pause_ns > 0
    finally:
        gc.callbacks.pop()


def test_own_objects_are_set_aside() -> None:
    """The collector stays on and no longer sees what the runner made."""
    try:
        set_aside_own_objects()
        assert gc.isenabled()
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()


def test_a_target_is_lost_after_the_contracts_limits() -> None:
    """They are the same in every language."""
    assert LIMITS["failures_in_a_row"] == tally_module.FAILURES_IN_A_ROW
    assert LIMITS["silence_ms"] * 1_000_000 == tally_module.PATIENCE_NS


def test_peak_memory_is_that_of_this_process_and_not_its_parents() -> None:
    """The peak is some megabytes at least, in bytes; a child of a large process begins anew."""
    ballast = bytearray(200 << 20)
    script = "from respmark_python.recorder.health import peak_memory_bytes as peak; print(peak())"
    told = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout
    assert peak_memory_bytes() > len(ballast)
    assert 1 << 20 < int(told) < len(ballast)
