"""A workload in memory: made from its spec and a seed, with the prefix that a run gives its keys; what is preloaded.

`columns.py` writes the file that runners read. One block of printable ASCII serves every value: that of key `k` with
`n` bytes is `block[start(k) : start(k) + n]`. Consecutive keys start at different places, so a reply that belongs to
another key is noticed. Few places and few sizes make few distinct values, which stay in the caches as an application's
own would.
"""

import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, cycle, islice, repeat
from statistics import NormalDist
from typing import Final

import numpy as np
import numpy.typing as npt

from respmark.contract.trial import Scenario, Shape, walkers
from respmark.workload.commands import Kind
from respmark.workload.spec import SizeSpec, WorkloadSpec

MULTIPLIER: Final = 40503
"""Odd, so that 2**modulus_bits consecutive keys start at different places; near 2**16 / golden ratio (Knuth, TAOCP 3,
6.4); small enough that products stay exact in doubles."""
ALPHABET: Final = np.frombuffer(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", dtype=np.uint8)
"""64 characters: values decode alike as bytes and as text, and do not compress well."""
RUN_PREFIX: Final = "respmark:"
SCORE: Final = b"1.5"
"""The score of every member of a sorted set."""
Words = tuple[bytes, ...]


@dataclass(frozen=True, eq=False)
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

    def beside(self) -> Words:
        """Return the command that the run itself sends while a slice works; none if it sends none."""
        words = self.header.beside.command if self.header.beside else ()
        return tuple(self.key(word) if isinstance(word, int) else word.encode() for word in words)

    def value(self, key: int, size: int) -> bytes:
        """Return the value of key number `key` with `size` bytes."""
        begin = start(key, self.header.modulus_bits)
        return self.block[begin : begin + size]


def start(key: int, modulus_bits: int) -> int:
    """Return where the value of `key` begins in the block."""
    return (key * MULTIPLIER) & ((1 << modulus_bits) - 1)


def generate(spec: WorkloadSpec, seed: int) -> Workload:
    """Return the workload; the same spec and seed give the same one on every machine."""
    rng = np.random.Generator(np.random.PCG64(seed))
    kinds = rng.choice(len(spec.mix), spec.commands, p=[command.share for command in spec.mix]).astype(np.uint8)
    if turn := spec.in_turn:
        kinds = np.resize(np.array(turn, dtype=np.uint8), spec.commands)
    firsts = np.array([command.first_key for command in spec.mix], dtype=np.uint32)
    spaces = np.array([command.keys - command.most_offset for command in spec.mix], dtype=np.uint32)
    has_value = np.array([command.has_value for command in spec.mix])
    keys = firsts[kinds] + rng.integers(0, spaces[kinds], dtype=np.uint32)
    if turn:
        keys = np.repeat(keys[:: len(turn)], len(turn))
    sizes = np.where(has_value[kinds], _draw_sizes(rng, spec.sizes, spec.commands), 0).astype(np.uint32)
    block = rng.integers(0, len(ALPHABET), (1 << spec.modulus_bits) + spec.sizes.max_bytes, dtype=np.uint8)
    return Workload(spec, kinds, keys, sizes, ALPHABET[block].tobytes())


def preload_sizes(spec: WorkloadSpec, seed: int) -> npt.NDArray[np.uint32]:
    """Return the size in bytes of every preloaded value, by key number."""
    rng = np.random.Generator(np.random.PCG64([seed, 1]))
    return _draw_sizes(rng, spec.sizes, spec.preload_keys)


def representative_sizes(sizes: SizeSpec) -> npt.NDArray[np.uint32]:
    """Return the sizes that represent the normal distribution: the middle of each of `distinct` equal shares of it.

    They are spread a little wider than the middles, so that their mean and standard deviation are the distribution's.
    """
    shares = (np.arange(sizes.distinct) + 0.5) / sizes.distinct
    middles = np.array([NormalDist().inv_cdf(share) for share in shares])
    spread = middles / (np.std(middles) or 1)
    drawn = sizes.mean_bytes + sizes.standard_deviation_bytes * spread
    return np.clip(np.rint(drawn), sizes.min_bytes, sizes.max_bytes).astype(np.uint32)


def _draw_sizes(rng: np.random.Generator, sizes: SizeSpec, count: int) -> npt.NDArray[np.uint32]:
    return rng.choice(representative_sizes(sizes), count)


def structure_keys(spec: WorkloadSpec) -> npt.NDArray[np.uint32]:
    """Return the numbers of the keys that are preloaded as something other than a plain string."""
    return np.array([key for one in spec.structures for key in one.key_space], dtype=np.uint32)


def structure_commands(workload: Workload) -> Iterator[tuple[Words, Words]]:
    """Yield, for each of these keys, the command that removes it and the one that makes it anew."""
    spec = workload.header
    sizes = np.unique(representative_sizes(spec.sizes)).tolist()
    for one in spec.structures:
        for number in one.key_space:
            key, values = workload.key(number), [workload.value(number, size) for size in sizes]
            yield (b"DEL", key), _making(spec, one.kind, key, values)


def _making(spec: WorkloadSpec, kind: Kind, key: bytes, values: list[bytes]) -> Words:
    match kind:
        case "counter":
            return b"SET", key, b"0"
        case "list":
            return b"RPUSH", key, *islice(cycle(values), spec.list_length)
        case "hash":
            fields = (b"field:%02d" % field for field in range(spec.hash_fields))
            return b"HSET", key, *_in_turn(fields, cycle(values))
        case "set":
            return b"SADD", key, *values
        case "numbers":
            return b"SADD", key, *(b"%d" % number for number in range(spec.set_members))
        case "sorted-set":
            return b"ZADD", key, *_in_turn(repeat(SCORE), values)


def _in_turn(ones: Iterable[bytes], others: Iterable[bytes]) -> Iterable[bytes]:
    return chain.from_iterable(zip(ones, others, strict=False))


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


def first_commands(commands: int, shape: Shape, scenario: Scenario, part: int, first_command: int = 0) -> list[int]:
    """Return where each walker of a process begins, in a slice that begins at `first_command`."""
    each = walkers(scenario, shape)
    count = shape.processes * each
    numbers = range(part * each, (part + 1) * each)
    return [(first_command + number * commands // count) % commands for number in numbers]
