"""Sparse histograms as text that compresses well, for packed files: a character for each bucket."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from respmark.histogram import Histogram, Integers, Pairs
from respmark.results.hdr_encoding import BUCKETS, HistogramError, counts_of, lowest_of
from respmark.results.slice_arrays import sums_between

Bytes = npt.NDArray[np.uint8]

MARK: Final = "="
COUNTS: Final = "ABCDFGHIJKLMOPQRSTUVWXYZabcdfghijklmopqrstuvwxyz"
"""Characters for counts, in order. Without E and N, no text looks like NaN or 1E999, which files are searched for."""
COUNT_OF: Final = bytes(max(0, COUNTS.find(chr(mark))) for mark in range(256))
"""The count of each character; 0 for the characters of decimal numbers."""
FEW: Final = 3
"""Up to this many adjacent empty buckets have a character each."""
TEXT: Final = re.compile(rf"{MARK}(?:[{COUNTS}]++|[-+][1-9][0-9]{{0,16}},)*+")
AT_ONCE: Final = 100
"""How many histograms' texts are read together; more would take more memory and no less time."""


def to_text(histogram: Pairs) -> str:
    """Return a histogram as text that compresses well: a character for each bucket from the first on.

    The character is the bucket's count in the order of COUNTS (A is an empty bucket). Larger numbers are decimal:
    `+95,` is a count of 95, and `-37,` is 37 empty buckets. The text begins with `=`.

    Raises:
        HistogramError: as in `encode`.
    """
    return MARK + "".join(map(_short, counts_of(histogram)))


def _short(number: int) -> str:
    if -FEW <= number < 0:
        return COUNTS[0] * -number
    return COUNTS[number] if 0 < number < len(COUNTS) else f"{number:+},"


class TextHistogram(Histogram):
    """A histogram that is kept as the text that `to_text` wrote: as arrays, it would take ten times the memory."""

    __slots__ = ("_sums", "text")

    def __init__(self, text: str) -> None:
        """Take a text; `check_together` checks that it does not have more buckets than the scale.

        Raises:
            HistogramError: it is not a text of counts.
        """
        if TEXT.fullmatch(text) is None:
            raise HistogramError("it is not a text of counts")
        self.text = text
        self._sums = 0, 0

    @classmethod
    def merged(cls, histograms: Sequence[Histogram]) -> Histogram:
        """Return the sum of histograms."""
        totals = np.zeros(BUCKETS, dtype=np.int64)
        for _, counted in _read_together([one for one in histograms if isinstance(one, cls)]):
            np.add.at(totals, counted.indices, counted.counts)
        indices = np.flatnonzero(totals)
        return Histogram(lowest_of(indices), totals[indices])

    @staticmethod
    def check_together(histograms: Sequence["TextHistogram"]) -> None:
        """Count and sum up the samples of histograms, many at once, which takes a third of the time.

        Raises:
            HistogramError: one has more buckets than the scale.
        """
        for some, counted in _read_together(histograms):
            sums_ns = counted.sums(lowest_of(counted.indices) * counted.counts)
            for one, sums in zip(some, zip(counted.sums(counted.counts), sums_ns, strict=True), strict=True):
                one._sums = sums  # noqa: SLF001 - of this class

    @property
    def values_ns(self) -> Integers:
        """Return the lowest value of each bucket."""
        return lowest_of(_FullBuckets.of([self.text]).indices)

    @property
    def counts(self) -> Integers:
        """Return the count of each bucket."""
        return _FullBuckets.of([self.text]).counts

    @property
    def samples(self) -> int:
        """Return how many samples there are."""
        return self._sums[0]

    @property
    def sum_ns(self) -> int:
        """Return the sum of all samples, each counted as its bucket's lowest value."""
        return self._sums[1]


def _read_together(histograms: Sequence[TextHistogram]) -> Iterator[tuple[Sequence[TextHistogram], "_FullBuckets"]]:
    for start in range(0, len(histograms), AT_ONCE):
        some = histograms[start : start + AT_ONCE]
        yield some, _FullBuckets.of([one.text for one in some])


@dataclass(frozen=True)
class _FullBuckets:
    """The buckets with samples of several texts, one text after the other."""

    indices: Integers
    counts: Integers
    lengths: Integers
    """How many of them each text has."""

    @classmethod
    def of(cls, texts: Sequence[str]) -> "_FullBuckets":
        """Return the buckets with samples of these texts.

        Most characters stand for one bucket, so a character's place gives its bucket. A decimal number shifts the
        characters that follow it in its text by the buckets that it stands for, less the characters that it has.

        Raises:
            HistogramError: one has more buckets than the scale.
        """
        text = "".join(texts).encode()
        marks = np.frombuffer(text, dtype=np.uint8)
        signs, commas = np.flatnonzero((marks == ord("+")) | (marks == ord("-"))), np.flatnonzero(marks == ord(","))
        numbers = _decimals(marks, signs, commas)
        moves = np.where(numbers < 0, -np.maximum(numbers, -BUCKETS - 1), 1) - (commas + 1 - signs)
        sizes = np.array([len(one) for one in texts], dtype=np.int64)
        ends = np.cumsum(sizes)
        numbers_end = np.searchsorted(commas, ends)
        moved = sums_between(moves, np.append(0, numbers_end)[:-1], numbers_end)
        if np.any(sizes - 1 + moved > BUCKETS):
            raise HistogramError("it has more buckets than there are values")
        few = np.frombuffer(text.translate(COUNT_OF), dtype=np.uint8)
        is_full = few.astype(np.bool_)
        is_full[signs] = numbers > 0
        places = np.flatnonzero(is_full)
        counts = few[places].astype(np.int64)
        counts[np.searchsorted(places, signs[numbers > 0])] = numbers[numbers > 0]
        lengths = np.diff(np.searchsorted(places, ends), prepend=0)
        before = np.repeat(np.cumsum(moves), np.diff(np.searchsorted(places, commas), append=len(places)))
        before = np.concatenate([np.zeros(len(places) - len(before), dtype=np.int64), before])
        begins = ends - sizes + np.cumsum(moved) - moved + 1
        return cls(places + before - np.repeat(begins, lengths), counts, lengths)

    def sums(self, values: Integers) -> list[int]:
        """Return each text's sum of `values`, which has a value for each bucket."""
        ends = np.cumsum(self.lengths)
        sums: list[int] = sums_between(values, ends - self.lengths, ends).tolist()
        return sums


def _decimals(marks: Bytes, signs: Integers, commas: Integers) -> Integers:
    """Return the numbers that stand between signs and commas."""
    steps = np.zeros(len(marks) + 1, dtype=np.int8)
    steps[signs] = 1
    # One may begin where another ends.
    steps[commas + 1] -= 1
    within = np.cumsum(steps[:-1], dtype=np.int8).astype(np.bool_)
    return np.fromstring(marks[within].tobytes().decode(), dtype=np.int64, sep=",")
