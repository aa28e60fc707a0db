"""Puts what was recorded into the result event."""

import gc
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from respmark_python.contract.events import Half, Latency, Result, Segment
from respmark_python.recorder.health import GarbageCollection, peak_memory_bytes
from respmark_python.recorder.histogram import Histogram
from respmark_python.recorder.tally import Tally
from respmark_python.recorder.window import Window

MESSAGE_LENGTH = 500


@dataclass(frozen=True)
class Subject:
    """What was measured: everything of the result that was known before the window."""

    trial_id: str
    sample_covers: str
    commands_per_unit: int
    first_commands: Sequence[int]
    decodes_to: str
    settings: Mapping[str, str | int | float | bool]
    versions: Mapping[str, str]


def make_result(subject: Subject, window: Window, tallies: Sequence[Tally], collection: GarbageCollection) -> Result:
    """Fold and add up the walkers' tallies."""
    histogram = _fold(tallies)
    units, per_unit = sum(tally.units for tally in tallies), subject.commands_per_unit
    walks = zip(subject.first_commands, tallies, strict=True)
    return Result(
        trial_id=subject.trial_id,
        operations=units * per_unit,
        units=units,
        segments=[Segment(first, tally.units * per_unit) for first, tally in walks],
        errors=sum((tally.errors for tally in tallies), Counter()),
        first_error=_first_error(tallies),
        elapsed_ns=max(tally.ended_ns for tally in tallies) - window.start_ns,
        first_half=_first_half(tallies, per_unit),
        cpu_user_ns=window.cpu.user_ns,
        cpu_system_ns=window.cpu.system_ns,
        latency=Latency(subject.sample_covers, histogram.pairs(), histogram.max_ns),
        peak_memory_bytes=peak_memory_bytes(),
        decodes_to=subject.decodes_to,
        runtime_health={"gc_collections": collection.collections, "gc_pause_ns": collection.pause_ns},
        runtime_settings={**_runtime_settings(tallies), **subject.settings},
        versions=subject.versions,
    )


def _fold(tallies: Sequence[Tally]) -> Histogram:
    histogram = Histogram()
    for tally in tallies:
        tally.fold()
        histogram.merge(tally.histogram)
    return histogram


def _first_error(tallies: Sequence[Tally]) -> str | None:
    errors = [tally.first_error for tally in tallies if tally.first_error]
    return f"{type(errors[0]).__name__}: {errors[0]}"[:MESSAGE_LENGTH] if errors else None


def _first_half(tallies: Sequence[Tally], per_unit: int) -> Half | None:
    moments = [tally.half.elapsed_ns for tally in tallies if tally.half]
    # A walker may have waited through the second half for one unit: it counts with what it had done before.
    units = [tally.half.operations if tally.half else tally.units_before_last for tally in tallies]
    return Half(sum(units) * per_unit, max(moments)) if moments else None


def _runtime_settings(tallies: Sequence[Tally]) -> dict[str, str | int | float | bool]:
    return {
        "gc": "on; the workload's own objects are frozen",
        "gc_thresholds": "/".join(map(str, gc.get_threshold())),
        "sample_storage_bytes": sum(len(tally.samples) * tally.samples.itemsize for tally in tallies),
    }
