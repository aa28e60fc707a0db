"""Histograms on the HdrHistogram scale."""

from collections import Counter

from hdrh.histogram import HdrHistogram
from hypothesis import given
from hypothesis import strategies as st

from respmark.histogram import bucket, merge, percentile_ns
from tests.properties import UNTIMED

SIGNIFICANT_DIGITS = 3
HIGHEST_NS = 24 * 3600 * 10**9
LIBRARY = HdrHistogram(1, HIGHEST_NS, SIGNIFICANT_DIGITS)
VALUES = st.integers(0, HIGHEST_NS)
PAIRS = st.dictionaries(VALUES.map(bucket), st.integers(1, 10**6), max_size=20).map(lambda pairs: sorted(pairs.items()))


@UNTIMED
@given(VALUES)
def test_buckets_are_those_of_the_library(value: int) -> None:
    """The arithmetic that the contract writes out is HdrHistogram's own."""
    assert bucket(value) == LIBRARY.get_lowest_equivalent_value(value)


@UNTIMED
@given(st.integers(0, 40), st.integers(-3, 3))
def test_buckets_are_those_of_the_library_at_powers_of_two(power: int, offset: int) -> None:
    """Where the buckets' width changes, both still agree."""
    value = max(0, (1 << power) + offset)
    assert bucket(value) == LIBRARY.get_lowest_equivalent_value(value)


@UNTIMED
@given(VALUES)
def test_a_bucket_is_named_by_its_lowest_value(value: int) -> None:
    """The name of a bucket falls into it, and is less than a thousandth below what it holds."""
    lowest = bucket(value)
    assert bucket(lowest) == lowest
    assert 0 <= value - lowest <= value / 1000


@UNTIMED
@given(st.lists(PAIRS, max_size=5))
def test_merging_adds_counts_up(histograms: list[list[tuple[int, int]]]) -> None:
    """Every sample of every part is in the whole, once, in ascending order."""
    total: Counter[int] = Counter()
    for pairs in histograms:
        total.update(dict(pairs))
    assert merge(histograms) == sorted(total.items())


@UNTIMED
@given(PAIRS, PAIRS)
def test_merging_does_not_care_for_order(first: list[tuple[int, int]], second: list[tuple[int, int]]) -> None:
    """Rounds can be merged in any order."""
    assert merge([first, second]) == merge([second, first])


@UNTIMED
@given(PAIRS.filter(bool), st.floats(0.1, 100))
def test_percentiles_are_those_of_the_library(pairs: list[tuple[int, int]], percentile: float) -> None:
    """The highest value of the bucket that the percentile falls into."""
    histogram = HdrHistogram(1, HIGHEST_NS, SIGNIFICANT_DIGITS)
    for value, count in pairs:
        histogram.record_value(value, count)
    assert percentile_ns(pairs, percentile) == histogram.get_value_at_percentile(percentile)


def test_an_empty_histogram_has_no_percentile() -> None:
    """No sample, no figure."""
    assert percentile_ns([], 50) is None


@UNTIMED
@given(st.lists(st.integers(1, HIGHEST_NS // 2), min_size=1, max_size=50))
def test_a_percentile_is_within_a_thousandth_of_the_sample_that_it_names(samples: list[int]) -> None:
    """The median of the histogram is the median sample, to three digits."""
    found = percentile_ns(merge([[(bucket(sample), 1)] for sample in samples]), 50)
    expected = sorted(samples)[(len(samples) - 1) // 2]
    assert found is not None
    assert abs(found - expected) <= expected / 1000
