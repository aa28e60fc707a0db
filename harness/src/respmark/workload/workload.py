"""A workload in memory, and the prefix that a run gives its keys; `columns.py` writes the file that runners read.

One block of printable ASCII serves every value: that of key `k` with `n` bytes is `block[start(k) : start(k) + n]`.
Consecutive keys start at different places, so a reply that belongs to another key is noticed. Few places and few sizes
make few distinct values, which stay in the caches as an application's own would.
"""

import secrets
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from respmark.contract.trial import Scenario, Shape
from respmark.workload.spec import WorkloadSpec

MULTIPLIER: Final = 40503
"""Odd, so that 2**modulus_bits consecutive keys start at different places; near 2**16 / golden ratio (Knuth, TAOCP 3,
6.4); small enough that products stay exact in doubles."""
ALPHABET: Final = np.frombuffer(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", dtype=np.uint8)
"""64 characters: values decode alike as bytes and as text, and do not compress well."""


@dataclass(frozen=True)
class Workload:
    """The commands of a workload, as arrays of equal length."""

    header: WorkloadSpec
    """What it was made from; its key prefix may begin with a run's."""
    kinds: npt.NDArray[np.uint8]
    """Index into the header's mix."""
    keys: npt.NDArray[np.uint32]
    sizes: npt.NDArray[np.uint32]
    """Bytes of the value; 0 where the command has none."""
    block: bytes

    def key(self, number: int) -> bytes:
        """Return the key with this number, as it is sent."""
        return f"{self.header.key_prefix}{number:0{self.header.key_digits}d}".encode()

    def value(self, key: int, size: int) -> bytes:
        """Return the value of key number `key` with `size` bytes."""
        begin = start(key, self.header.modulus_bits)
        return self.block[begin : begin + size]


def start(key: int, modulus_bits: int) -> int:
    """Return where the value of `key` begins in the block."""
    return (key * MULTIPLIER) & ((1 << modulus_bits) - 1)


def make_block(rng: np.random.Generator, modulus_bits: int, size_max: int) -> bytes:
    """Return the block: 2**modulus_bits + size_max characters of the alphabet."""
    return ALPHABET[rng.integers(0, len(ALPHABET), (1 << modulus_bits) + size_max, dtype=np.uint8)].tobytes()


RUN_PREFIX: Final = "respmark:"


def draw_prefix(*, one_slot: bool = False) -> str:
    """Return a new prefix, `respmark:` and eight hexadecimal digits; with `one_slot` they are a cluster's hash tag."""
    digits = secrets.token_hex(4)
    return f"{RUN_PREFIX}{{{digits}}}:" if one_slot else f"{RUN_PREFIX}{digits}:"


def with_prefix(workload: Workload, prefix: str) -> Workload:
    """Return the same commands, on keys with this prefix before the workload's own."""
    return renamed(workload, prefix + workload.header.key_prefix)


def renamed(workload: Workload, key_prefix: str) -> Workload:
    """Return the same commands, on keys with this prefix in place of the workload's."""
    return replace(workload, header=workload.header.model_copy(update={"key_prefix": key_prefix}))


WALKING: Final = frozenset({Scenario.THREADS, Scenario.POOL, Scenario.PIPELINING})
"""Scenarios whose threads are walkers."""


def first_commands(commands: int, shape: Shape, scenario: Scenario, part: int, first_command: int = 0) -> list[int]:
    """Return where each walker of a process begins, in a slice that begins at `first_command`."""
    walkers = (shape.threads or 1) if scenario in WALKING else 1
    count = shape.processes * walkers
    numbers = range(part * walkers, (part + 1) * walkers)
    return [(first_command + number * commands // count) % commands for number in numbers]
