"""Makes a workload from its spec and a seed, and the commands that preload what is not a plain string."""

from collections.abc import Iterable, Iterator
from itertools import chain, cycle, islice, repeat
from statistics import NormalDist
from typing import Final

import numpy as np
import numpy.typing as npt

from respmark.workload.spec import Kind, SizeSpec, WorkloadSpec
from respmark.workload.workload import Workload, make_block


def generate(spec: WorkloadSpec, seed: int) -> Workload:
    """Return the workload; the same spec and seed give the same one on every machine."""
    rng = np.random.Generator(np.random.PCG64(seed))
    kinds = rng.choice(len(spec.mix), spec.commands, p=[command.share for command in spec.mix]).astype(np.uint8)
    firsts = np.array([command.first_key for command in spec.mix], dtype=np.uint32)
    spaces = np.array([command.keys - command.most_offset for command in spec.mix], dtype=np.uint32)
    has_value = np.array([command.has_value for command in spec.mix])
    keys = firsts[kinds] + rng.integers(0, spaces[kinds], dtype=np.uint32)
    sizes = np.where(has_value[kinds], _draw_sizes(rng, spec.sizes, spec.commands), 0).astype(np.uint32)
    return Workload(spec, kinds, keys, sizes, make_block(rng, spec.modulus_bits, spec.sizes.max_bytes))


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


SCORE: Final = b"1.5"
"""The score of every member of a sorted set."""
Words = tuple[bytes, ...]


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
        case "sorted-set":
            return b"ZADD", key, *_in_turn(repeat(SCORE), values)


def _in_turn(ones: Iterable[bytes], others: Iterable[bytes]) -> Iterable[bytes]:
    return chain.from_iterable(zip(ones, others, strict=False))
