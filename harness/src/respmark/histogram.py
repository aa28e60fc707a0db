"""Latency histograms on the HdrHistogram scale with 3 significant digits.

The sparse form `[value_ns, count]` names each bucket by its lowest value. Bucketing follows HdrHistogram
(http://hdrhistogram.org): 2,048 exact values, then 1,024 buckets for each power of two. The arithmetic is written
out in the contract so that runners in every language agree. Percentiles are those of the library `hdrhistogram`, which
the tests hold them against; that walks 37,000 buckets in Python for each.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable
from itertools import accumulate
from typing import Final

EXACT_BITS: Final = 11
"""Values below 2**11 = 2 * 10**3, rounded up to a power of two, have a bucket of their own."""

Pairs = list[tuple[int, int]]


def bucket(value_ns: int) -> int:
    """Return the lowest value of the bucket that `value_ns` falls into."""
    shift = max(0, value_ns.bit_length() - EXACT_BITS)
    return value_ns >> shift << shift


def merge(histograms: Iterable[Pairs]) -> Pairs:
    """Add sparse histograms up; the result is in ascending order."""
    total: Counter[int] = Counter()
    for pairs in histograms:
        for value_ns, count in pairs:
            total[value_ns] += count
    return sorted(total.items())


def percentile_ns(pairs: Pairs, percentile: float) -> int | None:
    """Return the value at `percentile` (0 to 100) in ns, or None for an empty histogram; `pairs` ascend."""
    return next(iter(percentiles_ns(pairs, [percentile])), None)


def percentiles_ns(pairs: Pairs, percentiles: Iterable[float]) -> list[int]:
    """Return the value at each percentile (0 to 100) in ns, nothing for an empty histogram; `pairs` ascend.

    As HdrHistogram does, the highest value of the bucket that the percentile falls into is given.
    """
    seen = list(accumulate(count for _, count in pairs))
    if not seen:
        return []
    wanted = (max(1, int(percentile * seen[-1] / 100 + 0.5)) for percentile in percentiles)
    return [_highest(pairs[bisect_left(seen, rank)][0]) for rank in wanted]


def _highest(value_ns: int) -> int:
    """Return the highest value of the bucket that `value_ns` falls into."""
    shift = max(0, value_ns.bit_length() - EXACT_BITS)
    return value_ns | (1 << shift) - 1
