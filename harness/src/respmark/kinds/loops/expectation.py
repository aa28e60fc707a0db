"""What the server must have counted if the runners' claims are true."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from respmark.contract.trial import Scenario
from respmark.workload.commands import CACHED, known
from respmark.workload.spec import CommandSpec, KeyArgument, LiteralArgument, ValueArgument
from respmark.workload.workload import Workload

BLOCK_BYTES = len(b"*1\r\n$5\r\nMULTI\r\n*1\r\n$4\r\nEXEC\r\n")


class Segment(NamedTuple):
    """One walker's way through the workload in a slice, cyclic from its first command."""

    first: int
    commands: int


@dataclass(frozen=True)
class Expectation:
    """What the server must have counted."""

    calls: dict[str, int]
    """By command, in lower case as the server writes it."""
    hits: int | None
    """Expected keyspace_hits; None if some command's effect on it is unknown."""
    misses: int | None
    input_bytes: int | None
    """Size of the commands as RESP arrays, MULTI and EXEC among them; None: it is not known."""
    most: dict[str, int] = field(default_factory=dict)
    """The most calls of those commands that a library may split, one for each key; `calls` has the fewest."""
    local_reads: int | None = None
    """GETs of the workload in `caching`, including those that the server did not see; None in other scenarios."""


class Expectations:
    """Derives expectations from the workload's columns, whose running sums are computed once."""

    def __init__(self, workload: Workload) -> None:
        mix = workload.header.mix
        self._length = workload.header.commands
        self._calls = [{kind.name: 1, **kind.calls} for kind in mix]
        self._names = workload.header.counted
        self._keys = {kind.name.lower(): kind.key_arguments for kind in mix if kind.key_arguments > 1}
        self._reads_counted = all(_is_known(kind) for kind in mix)
        lengths = _resp_bytes(workload)
        of_kinds = [workload.kinds == number for number in range(len(mix))]
        self._sums = _running_sums([*of_kinds, *_lookups(workload), lengths])
        cached = lengths[np.isin(workload.kinds, [number for number, kind in enumerate(mix) if kind.name == CACHED])]
        self._read_bytes = int(cached[0]) if len(cached) else 0
        """Length of one GET; all are equally long, because all keys have the same number of digits."""

    def of(
        self,
        scenario: Scenario,
        segments: Iterable[Segment],
        units: int,
        local_misses: int | None = None,
        *,
        may_split: bool = False,
    ) -> Expectation:
        """Return the expectation for one slice of a trial; a library may split commands whose keys are across slots.

        `segments` are those of all walkers of all processes, `units` what they completed, `local_misses` the GETs that
        were sent because the client's own cache had no answer; None: it has no cache.
        """
        nothing = np.zeros(len(self._sums), dtype=np.int64)
        *counts, hits, misses, input_bytes = map(int, sum(map(self._count, segments), start=nothing))
        calls = dict.fromkeys(self._names, 0)
        for own, count in zip(self._calls, counts, strict=True):
            for name, times in own.items():
                calls[name.lower()] += times * count
        if scenario is Scenario.TRANSACTION:
            calls |= {"multi": units, "exec": units}
            input_bytes += units * BLOCK_BYTES
        if local_misses is not None:
            reads, calls[CACHED.lower()] = calls.get(CACHED.lower(), 0), local_misses
            sent_bytes = max(0, input_bytes - max(0, reads - local_misses) * self._read_bytes)
            # Only the client knows which of the keys that it did not ask the server for exist.
            return Expectation(calls, None, None, sent_bytes, local_reads=reads)
        counted, most = self._reads_counted, {}
        if may_split:
            most = {name: calls[name] * keys for name, keys in self._keys.items()}
        return Expectation(calls, hits if counted else None, misses if counted else None, input_bytes, most)

    def _count(self, segment: Segment) -> npt.NDArray[np.int64]:
        """Sum up each column over the segment's commands, going round the file as often as needed."""
        rounds, rest = divmod(segment.commands, self._length)
        begin = segment.first % self._length
        again, end = divmod(begin + rest, self._length)
        counts: npt.NDArray[np.int64]
        counts = (rounds + again) * self._sums[:, -1] + self._sums[:, end] - self._sums[:, begin]
        return counts


_KNOWN: WeakKeyDictionary[Workload, Expectations] = WeakKeyDictionary()


def expectations_of(workload: Workload) -> Expectations:
    """Return a workload's expectations, which are made once."""
    if workload not in _KNOWN:
        _KNOWN[workload] = Expectations(workload)
    return _KNOWN[workload]


def _is_known(kind: CommandSpec) -> bool:
    has_key, has_value = (any(isinstance(one, of) for one in kind.arguments) for of in (KeyArgument, ValueArgument))
    return known(kind.name).has_method or has_value or not (has_key or kind.calls)


def _lookups(workload: Workload) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return, for each command, how many keys the server counts as hits, and how many as misses."""
    hits, misses = (np.zeros(len(workload.kinds), dtype=np.int64) for _ in range(2))
    for index, kind in enumerate(workload.header.mix):
        if known(kind.name).counted:
            of_kind = workload.kinds == index
            for argument in kind.arguments:
                if isinstance(argument, KeyArgument):
                    exists = workload.keys.astype(np.int64) + argument.offset < workload.header.preload_keys
                    hits += of_kind & exists
                    misses += of_kind & ~exists
    return hits, misses


def _resp_bytes(workload: Workload) -> npt.NDArray[np.int64]:
    header = workload.header
    key_bytes = len(header.key_prefix) + header.key_digits
    fixed, values = (np.zeros(len(header.mix), dtype=np.int64) for _ in range(2))
    for number, kind in enumerate(header.mix):
        words = [len(kind.name)]
        words += [key_bytes for argument in kind.arguments if isinstance(argument, KeyArgument)]
        words += [len(argument.text) for argument in kind.arguments if isinstance(argument, LiteralArgument)]
        values[number] = sum(isinstance(argument, ValueArgument) for argument in kind.arguments)
        fixed[number] = _head(len(kind.arguments) + 1) + sum(_head(length) + length + 2 for length in words)
    distinct, place = np.unique(workload.sizes, return_inverse=True)
    of_size = np.array([_head(int(size)) + int(size) + 2 for size in distinct], dtype=np.int64)
    of_value = of_size[place]
    lengths: npt.NDArray[np.int64] = fixed[workload.kinds] + values[workload.kinds] * of_value
    return lengths


def _head(number: int) -> int:
    return len(f"*{number}\r\n")


def _running_sums(columns: Sequence[npt.NDArray[Any]]) -> npt.NDArray[np.int64]:
    """Return each column's running sums after a leading zero: `[b] - [a]` is the sum of a..b-1; True counts as 1."""
    sums = np.zeros((len(columns), len(columns[0]) + 1), dtype=np.int64)
    for row, column in zip(sums, columns, strict=True):
        np.cumsum(column, out=row[1:])
    return sums
