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
from respmark_python.recorder.garbage import set_aside
from respmark_python.recorder.health import GarbageCollection, peak_memory_bytes
from respmark_python.recorder.histogram import Histogram, bucket
from respmark_python.recorder.moment import closing_moment, opening_moment
from respmark_python.recorder.samples import Samples, make_samples

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


def made_in_part(samples: Samples, *latencies: int) -> None:
    """Store samples as the loops do."""
    for latency in latencies:
        samples.storage[samples.index] = latency
        samples.index += 1


def pairs(samples: Samples) -> list[tuple[int, int]]:
    """Return everything that is kept, folded."""
    samples.fold()
    return samples.histogram.pairs()


def test_samples_of_a_part_are_kept_or_dropped() -> None:
    """The units of every part count; only the samples of those that are to be kept stay."""
    samples = Samples(array("q", bytes(80)))
    made_in_part(samples, 1, 2)
    assert samples.end_part(keep=False) == 2
    made_in_part(samples, 3, 4, 4)
    assert samples.end_part(keep=True) == 3
    made_in_part(samples, 5)
    assert samples.end_part(keep=False) == 1
    assert samples.index == 3
    assert pairs(samples) == [(3, 1), (4, 2)]


@pytest.mark.parametrize(("keep", "kept"), [(True, [(6, 1), (7, 1), (8, 1), (9, 1)]), (False, [(6, 1)])])
def test_full_storage_is_folded_as_a_last_resort(keep: bool, kept: list[tuple[int, int]]) -> None:  # noqa: FBT001
    """A part that outgrows the storage loses no unit, and its samples are kept or dropped like any others."""
    samples = Samples(array("q", bytes(24)))
    made_in_part(samples, 6)
    samples.end_part(keep=True)
    made_in_part(samples, 7, 8)
    samples.full(9)
    samples.index = 1
    assert samples.end_part(keep=keep) == 3
    assert pairs(samples) == kept


@pytest.mark.parametrize(("count", "left"), [(5, 5), (6, 0)])
def test_storage_is_folded_between_slices_when_half_full(count: int, left: int) -> None:
    """More than half of the storage taken is folded after the slice; less is left for later."""
    samples = Samples(array("q", bytes(80)))
    made_in_part(samples, *range(count))
    samples.end_part(keep=True)
    samples.end_slice()
    assert samples.index == left
    assert sum(folded for _, folded in pairs(samples)) == count


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
    assert sum(len(samples.storage) for samples in make_samples(16)) == len(make_samples(1)[0].storage)


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
        set_aside()
        assert gc.isenabled()
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()


def test_peak_memory_is_that_of_this_process_and_not_its_parents() -> None:
    """The peak is some megabytes at least, in bytes; a child of a large process begins anew."""
    ballast = bytearray(200 << 20)
    script = "from respmark_python.recorder.health import peak_memory_bytes as peak; print(peak())"
    told = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout
    assert peak_memory_bytes() > len(ballast)
    assert 1 << 20 < int(told) < len(ballast)
