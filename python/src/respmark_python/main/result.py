"""Puts what was recorded into the result event."""

from collections.abc import Sequence

from respmark_python.clients.session import Session
from respmark_python.contract.events import Latency, Result
from respmark_python.recorder.health import GarbageCollection, peak_memory_bytes
from respmark_python.recorder.histogram import Histogram
from respmark_python.recorder.runtime_settings import runtime_settings
from respmark_python.recorder.samples import Samples


def make_result(
    trial_id: str, sample_covers: str, session: Session, samples: Sequence[Samples], collection: GarbageCollection
) -> Result:
    """Fold the samples and return what is reported once."""
    histogram = Histogram()
    for kept in samples:
        kept.fold()
        histogram.merge(kept.histogram)
    return Result(
        trial_id=trial_id,
        latency=Latency(sample_covers, histogram.pairs(), histogram.max_ns),
        peak_memory_bytes=peak_memory_bytes(),
        decodes_to=session.decodes_to,
        runtime_health={"gc_collections": collection.collections, "gc_pause_ns": collection.pause_ns},
        runtime_settings={**runtime_settings(samples), **session.settings},
        versions=session.versions,
    )
