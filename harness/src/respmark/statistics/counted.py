"""The figures of the slices that count, computed once for all trials whose slices are in the same arrays."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from statistics import median
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from respmark.results.records import TrialRecord
from respmark.results.slice_arrays import Integers, SliceArrays, Sparse, in_arrays

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Totals:
    """Totals over a trial's slices that count; None if a value is not known for all of them."""

    slices: int | None
    """None in version 1, which had one window."""
    repeated: int | None
    """Slices that were repeated because compilers were at work in them; None in version 1."""
    operations: int
    """Commands completed in the measured parts."""
    commands: int
    """Commands completed, including those of the lead-ins."""
    elapsed_s: float
    """Duration of the measured parts."""
    lasted_ns: int
    """Time from orders to answers."""
    evidence_ns: int
    """Time between readings of the server's counters."""
    client_ns: int
    """CPU of the client from the first slice to the last, including its waits."""
    measured_cpu_ns: int
    slice_cpu_ns: int
    cpu_by_kernel_ns: int | None
    server_ns: int
    other_ns: int | None
    stolen_ns: int | None
    client_thread_ns: int | None
    server_thread_ns: int | None
    reads: int
    """Reads of the slices for which they are known."""
    server_commands: int
    """Calls of the workload's commands and of handshakes: the server counts the reads of both together."""
    input_bytes: int | None
    connections_received: int
    connections_open: int
    """Connections that were open before the first of these slices."""
    hits: int | None
    misses: int | None
    local_reads: int | None
    """GETs in `caching`, including those that the server did not see."""
    local_misses: int | None
    invalidations: int | None
    """Entries that local caches dropped because the server said so."""
    waited_ns: int
    """Time between slices, summed over all processes."""
    waiting_cpu_ns: int
    drift_percent: float | None
    own_commands: Counter[str]


@dataclass(frozen=True, slots=True)
class SliceFigures:
    """What slices did and used, all processes together: arrays with a value for each slice."""

    operations: Integers
    """Commands completed in the measured parts."""
    elapsed_s: Floats
    """Duration of the measured parts."""
    commands: Integers
    """Commands completed, including those of the lead-ins."""
    client_ns: Integers
    """CPU of the client, including what it used while it waited since the previous slice."""
    server_ns: Integers

    @property
    def rates(self) -> Floats:
        """Return commands per second."""
        return self.operations / self.elapsed_s

    def only(self, rows: slice) -> "SliceFigures":
        """Return the figures of some of the slices."""
        return SliceFigures(*(getattr(self, one.name)[rows] for one in fields(self)))

    @classmethod
    def joined(cls, parts: Sequence["SliceFigures"]) -> "SliceFigures":
        """Return the figures of all parts, one part after the other."""
        return cls(*(np.concatenate([getattr(part, one.name) for part in parts]) for one in fields(cls)))


@dataclass(frozen=True, slots=True)
class CountedSlices:
    """One trial's slices that count; arrays have a value for each slice."""

    totals: Totals
    laps: Integers
    begun_ns: Integers
    """When the first process's measured part began."""
    figures: SliceFigures


_KNOWN: WeakKeyDictionary[SliceArrays, list[CountedSlices | None]] = WeakKeyDictionary()
"""What was computed, kept for as long as the arrays exist: every table asks for it again."""


def counted_slices(record: TrialRecord) -> CountedSlices | None:
    """Return a trial's slices that count; None if it has none."""
    if not record.slices:
        return None
    slices, number = in_arrays(record.slices).place
    if slices not in _KNOWN:
        _KNOWN[slices] = list(_by_trial(slices))
    return _KNOWN[slices][number]


@dataclass(frozen=True, slots=True)
class _Waits:
    """Time and CPU since the previous slice, whether that counts or not: shape (processes, slices)."""

    lasted_ns: Integers
    cpu_ns: Integers


def _by_trial(every: SliceArrays) -> Iterator[CountedSlices | None]:
    """Yield each trial's slices that count; processes work at the same time, and what they do adds up."""
    slices = every.only(every.counted)
    waits = _Waits(
        _since_last(every, every.answers("started", "at_ns"), every.answers("ended", "at_ns"))[:, every.counted],
        _since_last(every, every.cpu_ns("started"), every.cpu_ns("ended"))[:, every.counted],
    )
    repeated = every.sums(every.repeated).tolist()
    begun_ns, ended_ns = slices.answers("measured_from", "at_ns"), slices.answers("ended", "at_ns")
    figures = _figures(slices, waits, (ended_ns.max(axis=0) - begun_ns.min(axis=0)) / 1e9)
    opened = slices.whole("evidence", "connections_open")
    sums = _sums(slices, waits, figures)
    known = (dict(zip(sums, one, strict=True)) for one in zip(*sums.values(), strict=True))
    drifts = map(_drift_percent, slices.parts(figures.rates.tolist()))
    times = map(sum, slices.parts(figures.elapsed_s.tolist()))
    own = _own_commands(slices)
    for number, (start, end) in enumerate(zip(slices.starts.tolist(), slices.ends.tolist(), strict=True)):
        elapsed, drift_percent, summed = next(times), next(drifts), next(known)
        if start == end:
            yield None
            continue
        rows = slice(start, end)
        yield CountedSlices(
            totals=Totals(
                slices=end - start,
                repeated=repeated[number],
                elapsed_s=elapsed,
                connections_open=int(opened[start]),
                drift_percent=drift_percent,
                own_commands=own[number],
                **summed,
            ),
            laps=slices.whole("lap")[rows],
            begun_ns=begun_ns[0, rows],
            figures=figures.only(rows),
        )


def _figures(slices: SliceArrays, waits: _Waits, elapsed_s: Floats) -> SliceFigures:
    if not elapsed_s.all():
        raise ZeroDivisionError("a slice took no time")
    measured = slices.answers("measured", "operations").sum(axis=0)
    used_ns = slices.cpu_ns("ended") - slices.cpu_ns("started")
    return SliceFigures(
        operations=measured,
        elapsed_s=elapsed_s,
        commands=measured + slices.answers("lead_in", "operations").sum(axis=0),
        client_ns=(used_ns + waits.cpu_ns).sum(axis=0),
        server_ns=slices.whole("evidence", "server_cpu_user_ns") + slices.whole("evidence", "server_cpu_system_ns"),
    )


def _sums(slices: SliceArrays, waits: _Waits, figures: SliceFigures) -> dict[str, list[Any]]:
    """Return the integer totals of each trial, by their names in `Totals`."""
    started_cpu, ended_cpu = slices.cpu_ns("started"), slices.cpu_ns("ended")
    whole = {
        "operations": figures.operations,
        "commands": figures.commands,
        "lasted_ns": slices.whole("answered_ns") - slices.whole("ordered_ns"),
        "evidence_ns": slices.whole("evidence", "elapsed_ns"),
        "client_ns": figures.client_ns,
        "measured_cpu_ns": (ended_cpu - slices.cpu_ns("measured_from")).sum(axis=0),
        "slice_cpu_ns": (ended_cpu - started_cpu).sum(axis=0),
        "server_ns": figures.server_ns,
        "reads": slices.known("evidence", "reads_processed").values,
        "server_commands": _server_commands(slices),
        "connections_received": slices.whole("evidence", "connections_received"),
        "waited_ns": waits.lasted_ns.sum(axis=0),
        "waiting_cpu_ns": waits.cpu_ns.sum(axis=0),
    }
    known = {
        "cpu_by_kernel_ns": slices.known("cpu_by_kernel_ns"),
        "client_thread_ns": slices.known("client_thread_ns"),
        "server_thread_ns": slices.known("server_thread_ns"),
        "other_ns": slices.known("evidence", "other_cpu_ns"),
        "stolen_ns": slices.known("evidence", "stolen_cpu_ns"),
        "input_bytes": slices.known("evidence", "network_input_bytes"),
        "hits": slices.known("evidence", "keyspace_hits"),
        "misses": slices.known("evidence", "keyspace_misses"),
        "local_reads": slices.known("evidence", "expected", "local_reads"),
        "local_misses": _of_caches(slices, "misses"),
        "invalidations": _of_caches(slices, "invalidations"),
    }
    return {name: slices.sums(values).tolist() for name, values in whole.items()} | {
        name: _sums_if_known(slices, values) for name, values in known.items()
    }


def _of_caches(slices: SliceArrays, what: str) -> Sparse:
    """Return a count of what local caches did, summed over all processes."""
    found = [slices.known("answers", process, "local_cache", what) for process in range(slices.processes)]
    return Sparse(np.sum([one.values for one in found], axis=0), np.all([one.known for one in found], axis=0))


def _sums_if_known(slices: SliceArrays, values: Sparse) -> list[int | None]:
    """Return each trial's sum; None if a slice has no value."""
    complete = (slices.sums(values.known) == slices.counts).tolist()
    return [
        one if is_known else None for one, is_known in zip(slices.sums(values.values).tolist(), complete, strict=True)
    ]


def _server_commands(slices: SliceArrays) -> Integers:
    names = slices.keys("evidence", "workload_calls")
    calls = [slices.known("evidence", "workload_calls", name, "calls") for name in names]
    setup = slices.mapping("evidence", "setup_calls").values()
    return sum((count.values for count in (*calls, *setup)), np.zeros(len(slices), dtype=np.int64))


def _own_commands(slices: SliceArrays) -> list[Counter[str]]:
    """Return the commands that libraries sent of their own accord, by trial."""
    calls = slices.mapping("evidence", "library_calls")
    by_command = {name: slices.sums(count.values).tolist() for name, count in calls.items()}
    return [
        Counter({name: counts[number] for name, counts in by_command.items() if counts[number]})
        for number in range(len(slices.counts))
    ]


def _since_last(slices: SliceArrays, started: Integers, ended: Integers) -> Integers:
    """Return what passed since the previous slice ended, by process and slice; 0 for a trial's first slice.

    It is also 0 for the repetition of a slice: compilers were still at work between the two.
    """
    passed = np.zeros_like(started)
    passed[:, 1:] = np.where(slices.repeated[:-1], 0, started[:, 1:] - ended[:, :-1])
    passed[:, slices.starts[slices.counts > 0]] = 0
    return passed


def _drift_percent(rates: Sequence[float]) -> float | None:
    """Return how much the throughput changed from the earlier half of the slices to the later half, in percent."""
    half = len(rates) // 2
    return (median(rates[-half:]) / median(rates[:half]) - 1) * 100 if half else None
