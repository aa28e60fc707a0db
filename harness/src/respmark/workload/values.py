"""The bytes of a value follow from its key, at any size.

One block of printable ASCII serves every value: the value of key `k` with `n` bytes is `block[start(k) : start(k) + n]`
with `start(k) = k * MULTIPLIER mod 2**modulus_bits`. The multiplier is odd, so 2**modulus_bits consecutive keys all
start at different places: a reply that belongs to the key before or after is noticed. Few starts and few sizes make few
distinct values, which stay in the caches as an application's own would.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

MULTIPLIER: Final = 40503
"""Odd, near 2**16 / golden ratio (Knuth, TAOCP 3, 6.4); small enough that products stay exact in doubles."""
ALPHABET: Final = np.frombuffer(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", dtype=np.uint8)
"""64 characters: values decode alike as bytes and as text, and do not compress well."""


def make_block(rng: np.random.Generator, modulus_bits: int, size_max: int) -> npt.NDArray[np.uint8]:
    """Return the block: 2**modulus_bits + size_max characters of the alphabet."""
    return ALPHABET[rng.integers(0, len(ALPHABET), (1 << modulus_bits) + size_max, dtype=np.uint8)]


def start(key: int, modulus_bits: int) -> int:
    """Return where the value of `key` begins in the block."""
    return (key * MULTIPLIER) & ((1 << modulus_bits) - 1)
