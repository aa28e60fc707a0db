"""Puts what was recorded into the result event."""

import gc
from collections.abc import Sequence

from respmark_python.clients.session import Session
from respmark_python.contract.events import Latency, Result
from respmark_python.recorder.health import GarbageCollection, peak_memory_bytes
from respmark_python.recorder.histogram import Histogram
from respmark_python.recorder.tally import Tally


def make_result(
    trial_id: str, sample_covers: str, session: Session, tallies: Sequence[Tally], collection: GarbageCollection
) -> Result:
    """Fold the samples and tell what is told once."""
    histogram = Histogram()
    for tally in tallies:
        tally.fold()
        histogram.merge(tally.histogram)
    settings: dict[str, str | int | float | bool] = {
        "gc": "on; what exists before connecting is frozen",
        "gc_thresholds": "/".join(map(str, gc.get_threshold())),
        "sample_storage_bytes": sum(len(tally.samples) * tally.samples.itemsize for tally in tallies),
    }
    return Result(
        trial_id=trial_id,
        latency=Latency(sample_covers, histogram.pairs(), histogram.max_ns),
        peak_memory_bytes=peak_memory_bytes(),
        decodes_to=session.decodes_to,
        runtime_health={"gc_collections": collection.collections, "gc_pause_ns": collection.pause_ns},
        runtime_settings={**settings, **session.settings},
        versions=session.versions,
    )
