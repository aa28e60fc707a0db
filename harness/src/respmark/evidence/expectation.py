"""What the server must have counted if the runner's claim is true."""

from collections import Counter
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from respmark.contract.events import Segment, Slice
from respmark.contract.trial import Scenario
from respmark.records import Expectation
from respmark.workload.file import Workload
from respmark.workload.spec import KeyArgument, LiteralArgument, ValueArgument

COUNTED_READS = frozenset({"GET"})
"""Reading commands of which the server counts exactly one hit or miss."""


BLOCK_BYTES = len(b"*1\r\n$5\r\nMULTI\r\n*1\r\n$4\r\nEXEC\r\n")


class Expectations:
    """Derives expectations from the workload's columns, with sums made once."""

    def __init__(self, workload: Workload) -> None:
        header = workload.header
        self._length = header.commands
        self._names = [kind.name for kind in header.mix]
        self._kinds = [_sums(workload.kinds == index) for index in range(len(header.mix))]
        gets = np.isin(workload.kinds, [i for i, name in enumerate(self._names) if name in COUNTED_READS])
        self._hits = _sums(gets & (workload.keys < header.preload_keys))
        self._misses = _sums(gets & (workload.keys >= header.preload_keys))
        self._input_bytes = _sums(_resp_bytes(workload))
        self._reads_counted = all(
            kind.name in COUNTED_READS
            or not kind.arguments
            or any(isinstance(a, ValueArgument) for a in kind.arguments)
            for kind in header.mix
        )

    @property
    def names(self) -> list[str]:
        """Return the workload's commands, lower case as the server writes them."""
        return [name.lower() for name in self._names]

    def of(self, scenario: Scenario, answers: Iterable[Slice]) -> Expectation:
        """Return the expectation for one slice: the answers of all processes of a trial."""
        calls: Counter[str] = Counter({name.lower(): 0 for name in self._names})
        hits = misses = input_bytes = 0
        for answer in answers:
            for segment in answer.segments:
                for name, sums in zip(self._names, self._kinds, strict=True):
                    calls[name.lower()] += self._count(sums, segment)
                hits += self._count(self._hits, segment)
                misses += self._count(self._misses, segment)
                input_bytes += self._count(self._input_bytes, segment)
            if scenario is Scenario.TRANSACTION:
                units = answer.lead_in.units + answer.measured.units
                calls["multi"] += units
                calls["exec"] += units
                input_bytes += units * BLOCK_BYTES
        known = self._reads_counted
        return Expectation(
            calls=dict(calls), hits=hits if known else None, misses=misses if known else None, input_bytes=input_bytes
        )

    def _count(self, sums: npt.NDArray[np.int64], segment: Segment) -> int:
        """Count what `sums` marks among the segment's commands, going round the file as often as needed."""
        rounds, rest = divmod(segment.operations, self._length)
        begin = segment.first_command % self._length
        end = begin + rest
        marked = rounds * sums[-1] + sums[min(end, self._length)] - sums[begin]
        return int(marked + (sums[end - self._length] if end > self._length else 0))


def _resp_bytes(workload: Workload) -> npt.NDArray[np.int64]:
    """Return the length of every command as a RESP array of bulk strings."""
    header = workload.header
    key_bytes = len(header.key_prefix) + header.key_digits
    fixed, values = np.zeros(len(header.mix), dtype=np.int64), np.zeros(len(header.mix), dtype=bool)
    for number, kind in enumerate(header.mix):
        words = [len(kind.name)]
        words += [key_bytes for argument in kind.arguments if isinstance(argument, KeyArgument)]
        words += [len(argument.text) for argument in kind.arguments if isinstance(argument, LiteralArgument)]
        values[number] = any(isinstance(argument, ValueArgument) for argument in kind.arguments)
        fixed[number] = _head(len(kind.arguments) + 1) + sum(_head(length) + length + 2 for length in words)
    distinct, place = np.unique(workload.sizes, return_inverse=True)
    of_size = np.array([_head(int(size)) + int(size) + 2 for size in distinct], dtype=np.int64)
    of_value = of_size[place]
    lengths: npt.NDArray[np.int64] = fixed[workload.kinds] + np.where(values[workload.kinds], of_value, 0)
    return lengths


def _head(number: int) -> int:
    """Return the length of `*3` or `$3` with its line's end."""
    return len(f"*{number}\r\n")


def _sums(values: npt.NDArray[np.bool_] | npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return running sums with a zero in front: `sums[b] - sums[a]` is the sum of a..b-1; marks count as 1."""
    return np.concatenate(([0], np.cumsum(values, dtype=np.int64)))
