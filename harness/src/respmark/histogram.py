"""Latency histograms on the HdrHistogram scale with 3 significant digits.

The sparse form `[value_ns, count]` names each bucket by its lowest value. Bucketing follows HdrHistogram
(http://hdrhistogram.org): 2,048 exact values, then 1,024 buckets for each power of two. Percentiles are the same as
those of the library `hdrhistogram`, which walks through 37,000 buckets in Python for each.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

EXACT_BITS: Final = 11
"""Each value below 2**11, which is 2 * 10**3 rounded up to a power of two, has its own bucket."""

Pairs = Iterable[tuple[int, int]]


class Histogram:
    """A sparse histogram: the lowest value of each bucket in ascending order, and its count."""

    def __init__(self, values_ns: npt.NDArray[np.int64], counts: npt.NDArray[np.int64]) -> None:
        self.values_ns = values_ns
        self.counts = counts

    @classmethod
    def of(cls, pairs: Pairs) -> "Histogram":
        """Return the histogram of these pairs, `(value_ns, count)`; in files, they are one after the other."""
        if isinstance(pairs, Histogram):
            return pairs
        both = np.array(list(pairs), dtype=np.int64).reshape(-1, 2)
        return cls(both[:, 0], both[:, 1])

    @property
    def samples(self) -> int:
        """Return how many samples there are."""
        return int(self.counts.sum())

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return zip(self.values_ns.tolist(), self.counts.tolist(), strict=True)

    def __len__(self) -> int:
        return len(self.counts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Histogram | list) and list(self) == list(other)

    def __hash__(self) -> int:
        return hash(tuple(self))


def folded(latencies_ns: npt.NDArray[np.float64]) -> Histogram:
    """Return the histogram of latencies."""
    values = latencies_ns.astype(np.int64)
    # The exponent of a whole number below 2**53 is its length in bits.
    shift = np.maximum(np.frexp(values.astype(np.float64))[1].astype(np.int64) - EXACT_BITS, 0)
    return Histogram(*np.unique(values >> shift << shift, return_counts=True))


def merge(histograms: Iterable[Pairs]) -> Histogram:
    """Add up histograms; the result is in ascending order."""
    parts = [Histogram.of([]), *map(Histogram.of, histograms)]
    values, places = np.unique(np.concatenate([one.values_ns for one in parts]), return_inverse=True)
    counts = np.zeros(len(values), dtype=np.int64)
    np.add.at(counts, places, np.concatenate([one.counts for one in parts]))
    return Histogram(values, counts)


def percentiles_ns(pairs: Pairs, percentiles: Sequence[float]) -> list[int]:
    """Return the value at each percentile (0 to 100) in ns; none for an empty histogram; `pairs` must ascend.

    As in HdrHistogram, that is the highest value of the bucket that the percentile falls into.
    """
    histogram = Histogram.of(pairs)
    if not histogram:
        return []
    seen = np.cumsum(histogram.counts)
    wanted = [max(1, int(percentile * int(seen[-1]) / 100 + 0.5)) for percentile in percentiles]
    lowest: list[int] = histogram.values_ns[np.searchsorted(seen, wanted)].tolist()
    return [value | (1 << max(0, value.bit_length() - EXACT_BITS)) - 1 for value in lowest]
