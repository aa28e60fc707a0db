"""Latency histograms on the HdrHistogram scale with 3 significant digits.

The sparse form `[value_ns, count]` names each bucket by its lowest value. Bucketing follows HdrHistogram
(http://hdrhistogram.org): 2,048 exact values, then 1,024 buckets for each power of two. Percentiles are
the same as those of the library `hdrhistogram`, which only the tests use: for each percentile, it walks through 37,000
buckets in Python.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, overload

import numpy as np
import numpy.typing as npt

EXACT_BITS: Final = 11
"""Each value below 2**11, which is 2 * 10**3 rounded up to a power of two, has its own bucket."""
NARROW: Final = (np.int16, np.int32)
"""Types that replace int64 where numbers fit into them."""

Pairs = Sequence[tuple[int, int]]
Integers = npt.NDArray[np.signedinteger[Any]]


class Histogram(Sequence[tuple[int, int]]):
    """A sparse histogram, `(value_ns, count)` in ascending order, as two arrays."""

    __slots__ = ("counts", "values_ns")

    def __init__(self, values_ns: Integers, counts: Integers) -> None:
        self.values_ns, self.counts = narrow(values_ns), narrow(counts)

    @classmethod
    def of(cls, pairs: Pairs) -> "Histogram":
        """Return the histogram of these pairs."""
        if isinstance(pairs, Histogram):
            return pairs
        both = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        return cls(both[:, 0], both[:, 1])

    def __len__(self) -> int:
        return len(self.counts)

    @overload
    def __getitem__(self, place: int) -> tuple[int, int]: ...
    @overload
    def __getitem__(self, place: slice) -> "Histogram": ...
    def __getitem__(self, place: int | slice) -> "tuple[int, int] | Histogram":
        if isinstance(place, slice):
            return Histogram(self.values_ns[place], self.counts[place])
        return int(self.values_ns[place]), int(self.counts[place])

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return zip(self.values_ns.tolist(), self.counts.tolist(), strict=True)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"Histogram({list(self)})"

    @property
    def samples(self) -> int:
        """Return how many samples there are."""
        return int(self.counts.sum())


def narrow(numbers: Integers) -> Integers:
    """Return numbers in the smallest type that they fit into: a large run has thousands of histograms in memory."""
    least, most = (int(numbers.min()), int(numbers.max())) if len(numbers) else (0, 0)
    fitting = (kind for kind in NARROW if np.iinfo(kind).min <= least and most <= np.iinfo(kind).max)
    return numbers.astype(next(fitting, np.int64), copy=False)


def folded(latencies_ns: npt.NDArray[np.float64]) -> Histogram:
    """Return the histogram of latencies."""
    values = latencies_ns.astype(np.int64)
    # The exponent of a whole number below 2**53 is its length in bits.
    shift = np.maximum(np.frexp(values.astype(np.float64))[1].astype(np.int64) - EXACT_BITS, 0)
    lowest, counts = np.unique(values >> shift << shift, return_counts=True)
    return Histogram(lowest, counts)


def bucket(value_ns: int) -> int:
    """Return the lowest value of the bucket that `value_ns` falls into."""
    shift = max(0, value_ns.bit_length() - EXACT_BITS)
    return value_ns >> shift << shift


def merge(histograms: Iterable[Pairs]) -> Histogram:
    """Add up sparse histograms; the result is in ascending order."""
    parts = [Histogram.of(pairs) for pairs in histograms]
    if not parts:
        return Histogram.of([])
    values, places = np.unique(np.concatenate([one.values_ns for one in parts]), return_inverse=True)
    total = np.zeros(len(values), dtype=np.int64)
    np.add.at(total, places, np.concatenate([one.counts for one in parts]).astype(np.int64))
    return Histogram(values, total)


def percentile_ns(pairs: Pairs, percentile: float) -> int | None:
    """Return the value at `percentile` (0 to 100) in ns, or None for an empty histogram; `pairs` must ascend."""
    return next(iter(percentiles_ns(pairs, [percentile])), None)


def percentiles_ns(pairs: Pairs, percentiles: Iterable[float]) -> list[int]:
    """Return the value at each percentile (0 to 100) in ns; none for an empty histogram; `pairs` must ascend.

    As in HdrHistogram, that is the highest value of the bucket that the percentile falls into.
    """
    histogram = Histogram.of(pairs)
    if not len(histogram):
        return []
    seen = np.cumsum(histogram.counts)
    wanted = [max(1, int(percentile * int(seen[-1]) / 100 + 0.5)) for percentile in percentiles]
    return [highest(value) for value in histogram.values_ns[np.searchsorted(seen, wanted)].tolist()]


def highest(value_ns: int) -> int:
    """Return the highest value of the bucket that `value_ns` falls into."""
    shift = max(0, value_ns.bit_length() - EXACT_BITS)
    return value_ns | (1 << shift) - 1
