"""Sparse histograms in HdrHistogram's compressed encoding, version 2, which its own tools read (`HISTF...`)."""

import base64
import binascii
import struct
import zlib
from typing import Final

import numpy as np

from respmark.histogram import EXACT_BITS, HALF, Histogram, Integers, Pairs, bucket, highest

DIGITS: Final = 3
BUCKETS: Final = 54 * HALF
"""Number of buckets for values of up to 63 bits."""
COOKIE: Final = 0x1C849303 | 0x10
COMPRESSED_COOKIE: Final = 0x1C849304 | 0x10
COMPRESSED: Final = struct.Struct(">ii")
"""Cookie, and length of the deflated content that follows."""
HEADER: Final = struct.Struct(">iiiiqqd")
"""Cookie, length of the counts in bytes, index offset, digits, lowest and highest value, ratio of integers to
doubles."""
GROUP: Final = 7
"""Bits of a number in each byte of the counts; a ninth byte has 8."""
LONGEST: Final = 9
MORE: Final = 1 << GROUP
"""The bit of a byte that says that more bytes follow."""


class HistogramError(ValueError):
    """A histogram cannot be encoded, or a text is not an encoded histogram."""


def encode(histogram: Pairs) -> str:
    """Return a histogram in HdrHistogram's compressed form (V2), base64: `HISTF...`.

    Raises:
        HistogramError: a value is not the lowest of its bucket, or values do not ascend; the form holds no others.
    """
    content = b"".join(map(_zigzag, counts_of(histogram)))
    most = highest(histogram[-1][0]) if len(histogram) else 0
    header = HEADER.pack(COOKIE, len(content), 0, DIGITS, 1, max(2, most), 1.0)
    packed = zlib.compress(header + content, 9)
    return base64.b64encode(COMPRESSED.pack(COMPRESSED_COOKIE, len(packed)) + packed).decode()


def counts_of(histogram: Pairs) -> list[int]:
    """Return the numbers that HdrHistogram encodes: counts from the first bucket on, and -n for n empty buckets.

    Raises:
        HistogramError: as in `encode`.
    """
    numbers: list[int] = []
    following = 0
    for value_ns, count in histogram:
        index = _index(value_ns)
        if index < following or bucket(value_ns) != value_ns:
            raise HistogramError(f"{value_ns} is not the lowest value of a bucket beyond the one before")
        numbers += [following - index, count] if index > following else [count]
        following = index + 1
    return numbers


def decode(text: str) -> Histogram:
    """Return a histogram that was encoded by `encode`, or by another tool with the same scale.

    Raises:
        HistogramError: the text is not such a histogram.
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
        content.append(left & MORE - 1 | MORE)
        left >>= GROUP
    content.append(left)
    return bytes(content)


def _numbers(content: bytes) -> Integers:
    """Return the numbers in ZigZag LEB128 content: each is the sum of its bytes, shifted by their places in it."""
    parts = np.frombuffer(content, dtype=np.uint8)
    ends = np.flatnonzero(parts < MORE)
    if len(parts) and (not len(ends) or ends[-1] != len(parts) - 1):
        raise HistogramError("its counts end within a number")
    starts = np.concatenate([[0], ends[:-1] + 1]) if len(ends) else ends
    lengths = ends - starts + 1
    if len(ends) and lengths.max() >= LONGEST:
        raise HistogramError("a count has more than 56 bits")
    places = np.arange(len(parts)) - np.repeat(starts, lengths)
    shifted = (parts & (MORE - 1)).astype(np.int64) << (GROUP * places)
    whole = np.add.reduceat(shifted, starts) if len(ends) else shifted
    numbers: Integers = (whole >> 1) ^ -(whole & 1)
    return numbers


def _counted(numbers: Integers) -> Histogram:
    """Return the histogram of counts from the first bucket on; -n stands for n empty buckets."""
    after = np.cumsum(np.where(numbers < 0, -numbers, 1))
    if len(after) and (int(after[-1]) > BUCKETS or int(after.min()) < 1):
        raise HistogramError("it has more buckets than there are values")
    full = numbers > 0
    return Histogram(lowest_of(after[full] - 1), numbers[full])


def lowest_of(indices: Integers) -> Integers:
    """Return the lowest value of each bucket."""
    shifts = np.maximum(0, indices // HALF - 1)
    lowest: Integers = (indices - shifts * HALF) << shifts
    return lowest
