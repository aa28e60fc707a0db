"""Checks what a client says about its own cache (`caching`) against the workload and the server's counters.

The server knows nothing about a GET that the cache answered. So three things must be true: the GETs that were not sent
are those that the cache answered, according to the client; a cache of this size can have answered that many; and the
server remembered what the client had read.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from respmark.contract.events import Segment
from respmark.evidence.mismatch import Mismatch
from respmark.results.slice_arrays import Flags, Integers, SliceArrays, Sparse
from respmark.workload.commands import CACHED
from respmark.workload.file import Workload


def is_cached(workload: Workload) -> npt.NDArray[np.bool_]:
    """Return, for each command of a workload, whether a cache may answer it."""
    kinds = [number for number, kind in enumerate(workload.header.mix) if kind.name == CACHED]
    return np.isin(workload.kinds, kinds)


def most_hits(workload: Workload, segment: Segment, entries: int) -> int:
    """Return how many GETs of a segment a cache of this many entries can have answered at most.

    Of the keys that the segment has not used before, the cache holds at most `entries` when the slice begins. A GET of
    a key that was set since it was last read is sent, because the server has said that the key changed.
    """
    places = (segment.first_command + np.arange(segment.operations)) % workload.header.commands
    keys, reads = workload.keys[places], is_cached(workload)[places]
    order = np.argsort(keys, kind="stable")
    keys, reads = keys[order], reads[order]
    is_first = np.append(True, keys[1:] != keys[:-1])[: len(keys)]
    after_read = np.append(False, reads[:-1])[: len(keys)] & ~is_first
    return int(min(entries, np.sum(reads & is_first)) + np.sum(reads & after_read))


def local_cache_mismatches(slices: SliceArrays) -> Iterator[Mismatch]:
    """Yield where claimed hits cannot be true; the expectation's `calls` check that sent GETs equal the misses."""
    reads = slices.known("evidence", "expected", "local_reads")
    if not reads.known.any():
        return
    told = [_told(slices, process, "misses") for process in range(slices.processes)]
    silent = reads.known & ~np.all([one.known for one in told], axis=0)
    yield Mismatch(silent, lambda _: "the runner does not say what the client's own cache did (`local_cache`)")
    misses: Integers = sum((one.values for one in told), np.zeros(len(slices), dtype=np.int64))
    said = reads.known & ~silent
    yield _counted(slices, reads, said, misses)
    most = slices.known("evidence", "expected", "local_hits_most").values
    hits = reads.values - misses
    yield Mismatch(
        said & (hits > most),
        lambda at: (
            f"{hits[at]:,} of {reads.values[at]:,} GETs were not sent, "
            f"where a cache of this size can have answered {most[at]:,}"
        ),
    )
    yield _not_tracked(slices, said & (hits > 0))


def _counted(slices: SliceArrays, reads: Sparse, said: Flags, misses: Integers) -> Mismatch:
    told = [_told(slices, process, "hits") for process in range(slices.processes)]
    hits: Integers = sum((one.values for one in told), np.zeros(len(slices), dtype=np.int64))
    counts = said & np.all([one.known for one in told], axis=0)
    return Mismatch(
        (counts & (hits + misses != reads.values)) | (said & (misses > reads.values)),
        lambda at: (
            f"the client's own cache counts {hits[at]:,} hits and {misses[at]:,} misses, "
            f"the runner claims {reads.values[at]:,} GETs"
        ),
    )


def _not_tracked(slices: SliceArrays, had_hits: Flags) -> Mismatch:
    """Return where the server remembers the reads of fewer connections than there are processes, each with a cache."""
    tracked = slices.known("evidence", "tracking_clients")
    return Mismatch(
        had_hits & tracked.known & (tracked.values < slices.processes),
        lambda at: (
            f"the server tracks the reads of {tracked.values[at]:,} connections, {slices.processes} processes have a "
            "cache: nobody tells them what changed"
        ),
    )


def _told(slices: SliceArrays, process: int, what: str) -> Sparse:
    return slices.known("answers", process, "local_cache", what)
