"""What the server must have counted if the runners' claims are true."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from respmark.contract.trial import Scenario
from respmark.workload.spec import CACHED, KNOWN, CommandSpec, KeyArgument, LiteralArgument, ValueArgument
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
    """Lookups of a key that exists; None if it is not known what the server counts for one of the commands."""
    misses: int | None
    input_bytes: int | None
    """Size of the commands as RESP arrays, MULTI and EXEC among them; None: it is not known."""
    local_reads: int | None = None
    """GETs of the workload in `caching`, including those that the server did not see; None in other scenarios."""


class Expectations:
    """Derives expectations from the workload's columns, whose running sums are computed once."""

    def __init__(self, workload: Workload) -> None:
        header = workload.header
        self._length = header.commands
        self._kinds = [(kind.name.lower(), _sums(workload.kinds == index)) for index, kind in enumerate(header.mix)]
        looked_up, hits = _lookups(workload)
        self._hits = _sums(hits)
        self._misses = _sums(looked_up - hits)
        lengths = _resp_bytes(workload)
        self._input_bytes = _sums(lengths)
        cached = [number for number, kind in enumerate(header.mix) if kind.name == CACHED]
        self._read_bytes = next((int(lengths[row]) for row in np.flatnonzero(np.isin(workload.kinds, cached))[:1]), 0)
        """Length of one GET; all are equally long, because all keys have the same number of digits."""
        self._reads_counted = all(_is_known(kind) for kind in header.mix)

    @property
    def names(self) -> list[str]:
        """Return the workload's commands, in lower case as the server writes them."""
        return list(dict.fromkeys(name for name, _ in self._kinds))

    def of(
        self, scenario: Scenario, segments: Iterable[Segment], units: int, local_misses: int | None = None
    ) -> Expectation:
        """Return the expectation for one slice of a trial.

        `segments` are those of all walkers of all processes, `units` what they completed, `local_misses` the GETs that
        were sent because the client's own cache had no answer; None: it has no cache.
        """
        calls: Counter[str] = Counter(dict.fromkeys(self.names, 0))
        hits = misses = input_bytes = 0
        for segment in segments:
            for name, sums in self._kinds:
                calls[name] += self._count(sums, segment)
            hits += self._count(self._hits, segment)
            misses += self._count(self._misses, segment)
            input_bytes += self._count(self._input_bytes, segment)
        if scenario is Scenario.TRANSACTION:
            calls["multi"] = calls["exec"] = units
            input_bytes += units * BLOCK_BYTES
        known = self._reads_counted
        sent = Expectation(dict(calls), hits if known else None, misses if known else None, input_bytes)
        return sent if local_misses is None else self._without_local_hits(sent, local_misses)

    def _without_local_hits(self, sent: Expectation, misses: int) -> Expectation:
        """Return the expectation without the GETs that were not sent, because the client's own cache answered them."""
        reads = sent.calls.get(CACHED.lower(), 0)
        # Only the client knows which of the keys that it did not ask the server for exist.
        return replace(
            sent,
            calls={**sent.calls, CACHED.lower(): misses},
            hits=None,
            misses=None,
            input_bytes=sent.input_bytes and max(0, sent.input_bytes - max(0, reads - misses) * self._read_bytes),
            local_reads=reads,
        )

    def _count(self, sums: npt.NDArray[np.int64], segment: Segment) -> int:
        """Count what `sums` marks among the segment's commands, going round the file as often as needed."""
        rounds, rest = divmod(segment.commands, self._length)
        begin = segment.first % self._length
        end = begin + rest
        marked = rounds * sums[-1] + sums[min(end, self._length)] - sums[begin]
        return int(marked + (sums[end - self._length] if end > self._length else 0))


def _is_known(kind: CommandSpec) -> bool:
    has_value = any(isinstance(argument, ValueArgument) for argument in kind.arguments)
    return kind.name in KNOWN or not kind.arguments or has_value


def _lookups(workload: Workload) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return, for each command, how many keys the server counts as hits or misses, and how many of them are hits."""
    looked_up, hits = (np.zeros(len(workload.kinds), dtype=np.int64) for _ in range(2))
    for index, kind in enumerate(workload.header.mix):
        if kind.name not in KNOWN or not KNOWN[kind.name].counted:
            continue
        of_kind = workload.kinds == index
        for argument in kind.arguments:
            if isinstance(argument, KeyArgument):
                looked_up += of_kind
                hits += of_kind & (workload.keys.astype(np.int64) + argument.offset < workload.header.preload_keys)
    return looked_up, hits


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


def _sums(values: npt.NDArray[np.bool_] | npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return running sums after a leading zero: `sums[b] - sums[a]` is the sum of a..b-1; True counts as 1."""
    return np.concatenate(([0], np.cumsum(values, dtype=np.int64)))
