"""What the server must have counted if the runner's claim is true."""

from collections import Counter
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from respmark.contract.events import Segment, Slice
from respmark.contract.trial import Scenario
from respmark.records import Expectation
from respmark.workload.file import Workload
from respmark.workload.spec import ValueArgument

COUNTED_READS = frozenset({"GET"})
"""Reading commands of which the server counts exactly one hit or miss."""


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
        hits = misses = 0
        for answer in answers:
            for segment in answer.segments:
                for name, sums in zip(self._names, self._kinds, strict=True):
                    calls[name.lower()] += self._count(sums, segment)
                hits += self._count(self._hits, segment)
                misses += self._count(self._misses, segment)
            if scenario is Scenario.TRANSACTION:
                calls["multi"] += answer.lead_in.units + answer.measured.units
                calls["exec"] += answer.lead_in.units + answer.measured.units
        known = self._reads_counted
        return Expectation(calls=dict(calls), hits=hits if known else None, misses=misses if known else None)

    def _count(self, sums: npt.NDArray[np.int64], segment: Segment) -> int:
        """Count what `sums` marks among the segment's commands, going round the file as often as needed."""
        rounds, rest = divmod(segment.operations, self._length)
        begin = segment.first_command % self._length
        end = begin + rest
        marked = rounds * sums[-1] + sums[min(end, self._length)] - sums[begin]
        return int(marked + (sums[end - self._length] if end > self._length else 0))


def _sums(marks: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Return running sums with a zero in front: `sums[b] - sums[a]` counts the marks in a..b-1."""
    return np.concatenate(([0], np.cumsum(marks, dtype=np.int64)))
