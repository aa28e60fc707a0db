"""Latency histograms on the HdrHistogram scale with 3 significant digits.

The sparse form `[value_ns, count]` names each bucket by its lowest value. Bucketing follows HdrHistogram
(http://hdrhistogram.org): 2,048 exact values, then 1,024 buckets for each power of two. The arithmetic is written
out in the contract so that runners in every language agree. Percentiles are those of the library `hdrhistogram`, which
the tests hold them against; that walks 37,000 buckets in Python for each.
"""

import base64
import binascii
import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, overload

import numpy as np
import numpy.typing as npt

EXACT_BITS: Final = 11
"""Values below 2**11 = 2 * 10**3, rounded up to a power of two, have a bucket of their own."""
HALF: Final = 1 << EXACT_BITS - 1
"""Buckets of each power of two beyond those."""
DIGITS: Final = 3
BUCKETS: Final = 54 * HALF
"""So many are there for values of up to 63 bits."""

Pairs = Sequence[tuple[int, int]]
Integers = npt.NDArray[np.int64]


class HistogramError(ValueError):
    """A text is no encoded histogram of ours."""


class Histogram(Sequence[tuple[int, int]]):
    """A sparse histogram, `(value_ns, count)` in ascending order, as two arrays."""

    __slots__ = ("counts", "values_ns")

    def __init__(self, values_ns: Integers, counts: Integers) -> None:
        self.values_ns = values_ns
        """The lowest value of each bucket."""
        self.counts = counts

    @classmethod
    def of(cls, pairs: Pairs) -> "Histogram":
        """Return pairs as arrays."""
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

    @property
    def sum_ns(self) -> int:
        """Return the sum of all samples, each taken for its bucket's lowest value."""
        return int((self.values_ns * self.counts).sum())


def bucket(value_ns: int) -> int:
    """Return the lowest value of the bucket that `value_ns` falls into."""
    shift = max(0, value_ns.bit_length() - EXACT_BITS)
    return value_ns >> shift << shift


def merge(histograms: Iterable[Pairs]) -> Histogram:
    """Add sparse histograms up; the result is in ascending order."""
    parts = [Histogram.of(pairs) for pairs in histograms]
    if not parts:
        return Histogram.of([])
    values, places = np.unique(np.concatenate([one.values_ns for one in parts]), return_inverse=True)
    total = np.zeros(len(values), dtype=np.int64)
    np.add.at(total, places, np.concatenate([one.counts for one in parts]))
    return Histogram(values, total)


def percentile_ns(pairs: Pairs, percentile: float) -> int | None:
    """Return the value at `percentile` (0 to 100) in ns, or None for an empty histogram; `pairs` ascend."""
    return next(iter(percentiles_ns(pairs, [percentile])), None)


def percentiles_ns(pairs: Pairs, percentiles: Iterable[float]) -> list[int]:
    """Return the value at each percentile (0 to 100) in ns, nothing for an empty histogram; `pairs` ascend.

    As HdrHistogram does, the highest value of the bucket that the percentile falls into is given.
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


# --- HdrHistogram's own encoding, version 2, compressed: what its tools read -----------------------------------------

COOKIE: Final = 0x1C849303 | 0x10
COMPRESSED_COOKIE: Final = 0x1C849304 | 0x10
COMPRESSED: Final = struct.Struct(">ii")
"""Cookie and length of what follows, deflated."""
HEADER: Final = struct.Struct(">iiiiqqd")
"""Cookie, bytes of counts, index offset, digits, lowest and highest value, ratio of integers to doubles."""
GROUP: Final = 7
"""Bits of a number in each byte of the counts; a ninth byte has 8."""
LONGEST: Final = 9


def encode(histogram: Pairs) -> str:
    """Return a histogram in HdrHistogram's compressed form (V2), base64: `HISTF...`.

    Raises:
        HistogramError: a value is not the lowest of its bucket, or they do not ascend; the form holds no others.
    """
    content = bytearray()
    following = 0
    for value_ns, count in histogram:
        index = _index(value_ns)
        if index < following or bucket(value_ns) != value_ns:
            raise HistogramError(f"{value_ns} is not the lowest value of a bucket beyond the one before")
        if index > following:
            content += _zigzag(following - index)
        content += _zigzag(count)
        following = index + 1
    most = highest(histogram[-1][0]) if len(histogram) else 0
    header = HEADER.pack(COOKIE, len(content), 0, DIGITS, 1, max(2, most), 1.0)
    packed = zlib.compress(header + content, 9)
    return base64.b64encode(COMPRESSED.pack(COMPRESSED_COOKIE, len(packed)) + packed).decode()


def decode(text: str) -> Histogram:
    """Return a histogram that `encode` or another tool with the same scale has encoded.

    Raises:
        HistogramError: it is none.
    """
    try:
        packed = base64.b64decode(text, validate=True)
        cookie, _ = COMPRESSED.unpack_from(packed)
        content = zlib.decompressobj().decompress(packed[COMPRESSED.size :], HEADER.size + LONGEST * BUCKETS)
        inner, length, offset, digits, lowest, _, _ = HEADER.unpack_from(content)
    except (binascii.Error, struct.error, zlib.error) as error:
        raise HistogramError(str(error)) from error
    if (cookie, inner, offset, digits, lowest) != (COMPRESSED_COOKIE, COOKIE, 0, DIGITS, 1):
        raise HistogramError(f"it is not in HdrHistogram's compressed form V2 with {DIGITS} digits, from 1 on")
    return _counted(_numbers(content[HEADER.size :][:length]))


def _index(value_ns: int) -> int:
    shift = max(0, value_ns.bit_length() - EXACT_BITS)
    return shift * HALF + (value_ns >> shift)


def _zigzag(number: int) -> bytes:
    """Return a number in ZigZag LEB128 with 64 bits: 1, -1, 2, -2 ... become 2, 1, 4, 3 ..."""
    left = number << 1 if number >= 0 else (-number << 1) - 1
    content = bytearray()
    while left >> GROUP and len(content) < LONGEST - 1:
        content.append(left & 0x7F | 0x80)
        left >>= GROUP
    content.append(left)
    return bytes(content)


def _numbers(content: bytes) -> Integers:
    """Return the numbers of ZigZag LEB128: each is the sum of its bytes, shifted by their places in it."""
    parts = np.frombuffer(content, dtype=np.uint8)
    ends = np.flatnonzero(parts < 0x80)  # noqa: PLR2004 - the bit that says that more follows
    if len(parts) and (not len(ends) or ends[-1] != len(parts) - 1):
        raise HistogramError("its counts end within a number")
    starts = np.concatenate([[0], ends[:-1] + 1]) if len(ends) else ends
    lengths = ends - starts + 1
    if len(ends) and lengths.max() >= LONGEST:
        raise HistogramError("a count has more than 56 bits")
    places = np.arange(len(parts)) - np.repeat(starts, lengths)
    shifted = (parts & 0x7F).astype(np.int64) << (GROUP * places)
    whole = np.add.reduceat(shifted, starts) if len(ends) else shifted
    numbers: Integers = (whole >> 1) ^ -(whole & 1)
    return numbers


def _counted(numbers: Integers) -> Histogram:
    """Return the histogram of counts from the first bucket on; a negative number stands for so many empty buckets."""
    after = np.cumsum(np.where(numbers < 0, -numbers, 1))
    if len(after) and (int(after[-1]) > BUCKETS or int(after.min()) < 1):
        raise HistogramError("it has more buckets than there are values")
    full = numbers > 0
    indices = after[full] - 1
    shifts = np.maximum(0, indices // HALF - 1)
    return Histogram((indices - shifts * HALF) << shifts, numbers[full])
