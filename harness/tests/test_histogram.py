"""Histograms on the HdrHistogram scale."""

from collections import Counter

import numpy as np
from hdrh.histogram import HdrHistogram
from hypothesis import example, given
from hypothesis import strategies as st

from respmark.histogram import folded, merge, percentiles_ns

HIGHEST_NS = 24 * 3600 * 10**9
LIBRARY = HdrHistogram(1, HIGHEST_NS, 3)
VALUES = st.integers(0, HIGHEST_NS) | st.builds(
    lambda power, offset: max(0, (1 << power) + offset), st.integers(0, 40), st.integers(-3, 3)
)
BUCKETS = VALUES.map(LIBRARY.get_lowest_equivalent_value)
PAIRS = st.dictionaries(BUCKETS, st.integers(1, 10**6), max_size=20).map(lambda pairs: sorted(pairs.items()))


@given(st.lists(VALUES, max_size=50))
def test_buckets_are_those_of_the_library(values: list[int]) -> None:
    """Each named by its lowest value, and none wider than a thousandth; where widths change, too."""
    buckets = [LIBRARY.get_lowest_equivalent_value(value) for value in values]
    assert list(folded(np.array(values, dtype=np.float64))) == sorted(Counter(buckets).items())
    assert all(0 <= value - lowest <= value / 1000 for value, lowest in zip(values, buckets, strict=True))


@given(st.lists(PAIRS, max_size=5))
def test_merging_adds_counts_up(histograms: list[list[tuple[int, int]]]) -> None:
    """Every sample of every part is in the whole, once, in ascending order."""
    total: Counter[int] = Counter()
    for pairs in histograms:
        total.update(dict(pairs))
    assert list(merge(histograms)) == sorted(total.items())


@given(PAIRS, st.floats(0.1, 100))
@example([], 50)
def test_percentiles_are_those_of_the_library(pairs: list[tuple[int, int]], percentile: float) -> None:
    """The highest value of the bucket that the percentile falls into; without a sample, no figure."""
    histogram = HdrHistogram(1, HIGHEST_NS, 3)
    for value, count in pairs:
        histogram.record_value(value, count)
    assert percentiles_ns(pairs, [percentile]) == ([histogram.get_value_at_percentile(percentile)] if pairs else [])
