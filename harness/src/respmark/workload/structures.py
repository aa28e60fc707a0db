"""The preloaded keys that are not plain strings, as the commands that make them."""

from collections.abc import Iterable, Iterator
from itertools import chain, cycle, islice, repeat
from typing import Final

import numpy as np
import numpy.typing as npt

from respmark.workload.file import Workload
from respmark.workload.generate import representative_sizes
from respmark.workload.spec import StructureSpec, WorkloadSpec

SCORE: Final = b"1.5"
"""The score of every member of a sorted set."""
Words = tuple[bytes, ...]


class Structures:
    """The structures of one workload, whose keys may have a run's prefix."""

    def __init__(self, spec: WorkloadSpec, workload: Workload) -> None:
        self._spec = spec
        self._workload = workload
        self._sizes = np.unique(representative_sizes(spec.sizes)).tolist()

    @property
    def keys(self) -> npt.NDArray[np.uint32]:
        """Return the numbers of their keys."""
        return np.array([key for one in self._spec.structures for key in one.key_space], dtype=np.uint32)

    def commands(self) -> Iterator[tuple[Words, Words]]:
        """Yield, for each key, the command that removes it and the one that makes it anew."""
        for one in self._spec.structures:
            for number in one.key_space:
                key = self._workload.key(number)
                yield (b"DEL", key), self._making(one, number, key)

    def _making(self, one: StructureSpec, number: int, key: bytes) -> Words:
        values = [self._workload.value(number, size) for size in self._sizes]
        match one.kind:
            case "counter":
                return b"SET", key, b"0"
            case "list":
                return b"RPUSH", key, *islice(cycle(values), self._spec.list_length)
            case "hash":
                fields = (b"field:%02d" % field for field in range(self._spec.hash_fields))
                return b"HSET", key, *_in_turn(fields, cycle(values))
            case "set":
                return b"SADD", key, *values
            case "sorted-set":
                return b"ZADD", key, *_in_turn(repeat(SCORE), values)


def _in_turn(ones: Iterable[bytes], others: Iterable[bytes]) -> Iterable[bytes]:
    return chain.from_iterable(zip(ones, others, strict=False))
