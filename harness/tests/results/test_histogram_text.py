"""Histograms as text: what is read of many at once is what each one holds."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from respmark.histogram import Histogram, bucket, merge
from respmark.results.hdr_encoding import BUCKETS, HistogramError
from respmark.results.histogram_text import AT_ONCE, TextHistogram, to_text
from tests.properties import UNTIMED

COUNTS = st.integers(1, 60) | st.integers(1, 2**40)
VALUES = st.integers(1, 5000) | st.integers(1, 2**62)
HISTOGRAMS = st.dictionaries(VALUES.map(bucket), COUNTS, max_size=30).map(lambda found: sorted(found.items()))


def texts_of(histograms: list[list[tuple[int, int]]]) -> list[TextHistogram]:
    """Return histograms that are texts, checked together."""
    texts = [TextHistogram(to_text(one)) for one in histograms]
    TextHistogram.check_together(texts)
    return texts


@UNTIMED
@given(st.lists(HISTOGRAMS, max_size=6))
def test_texts_hold_what_was_written(histograms: list[list[tuple[int, int]]]) -> None:
    """So do their sums, which are worked out for all of them at once."""
    texts = texts_of(histograms)
    assert [list(one) for one in texts] == histograms
    assert [one.samples for one in texts] == [Histogram.of(one).samples for one in histograms]
    assert [one.sum_ns % 2**64 for one in texts] == [sum(a * b for a, b in one) % 2**64 for one in histograms]


@UNTIMED
@given(st.lists(HISTOGRAMS, min_size=1, max_size=6))
def test_texts_are_merged_as_arrays_are(histograms: list[list[tuple[int, int]]]) -> None:
    """So are some of each kind."""
    texts = texts_of(histograms)
    merged = merge(histograms)
    assert list(merge(texts)) == list(merged)
    assert list(merge([*texts[:1], *histograms[1:]])) == list(merged)


def test_more_texts_than_are_read_at_once_are_all_merged() -> None:
    """Texts are read in portions."""
    count = 2 * AT_ONCE + 1
    assert list(merge(texts_of([[(7, 3), (4096, 50)]] * count))) == [(7, 3 * count), (4096, 50 * count)]


@pytest.mark.parametrize("text", ["", "B", "==B", "=B+", "=+1", "=-,", "=+0,", "=B C", "=é", "=E"])
def test_what_is_no_text_of_counts_is_refused(text: str) -> None:
    """Nothing of it is guessed."""
    with pytest.raises(HistogramError, match="not a text of counts"):
        TextHistogram(text)


@pytest.mark.parametrize(
    "text", [f"=-{BUCKETS},B", f"=-{2**40},B", "=" + "-9999999999999999," * 100, "=" + "B" * (BUCKETS + 1)]
)
def test_a_text_with_too_many_buckets_is_refused_among_others(text: str) -> None:
    """One that has just as many as there are is right."""
    whole = TextHistogram(f"=-{BUCKETS - 1},B")
    TextHistogram.check_together([whole])
    assert len(whole) == 1
    with pytest.raises(HistogramError, match=re.escape("more buckets than there are")):
        TextHistogram.check_together([whole, TextHistogram(text), whole])
