"""The figures of one trial, derived from its record."""

from collections import Counter
from dataclasses import dataclass, field

from respmark.records import Evidence, TrialRecord
from respmark.results.version1 import TrialRecord1
from respmark.statistics.counted import Totals, counted_slices


@dataclass(frozen=True)
class Figures:
    """One measured trial in numbers; percent are of one processor."""

    operations: int
    rps: float
    client_cpu_percent: float
    client_cpu_us_per_command: float
    server_cpu_percent: float
    server_cpu_us_per_command: float
    other_cpu_percent: float | None
    commands_per_read: float | None
    input_bytes_per_read: float | None
    """What the server read from all clients, divided by its reads."""
    connections_received: int
    connections_open: int
    hit_ratio: float | None
    drift_percent: float | None
    """Throughput of the later half against the earlier: how much it still changed."""
    peak_memory_bytes: int
    cpu_accounts_percent: float | None = None
    """The kernel's count of client CPU against the runners' own: 0 where they agree."""
    slices: int | None = None
    """Slices that count; None in version 1, which had one window."""
    waiting_cpu_percent: float | None = None
    warmup_s: float | None = None
    """Work before the first slice that counts."""
    client_thread_percent: float | None = None
    """The client's busiest thread, of one processor."""
    server_thread_percent: float | None = None
    """The server's, of one processor."""
    stolen_percent: float | None = None
    """CPU that the hypervisor gave to others, of one processor."""
    own_commands: Counter[str] = field(default_factory=Counter)
    """What libraries sent of their own accord, by command."""
    is_steady: bool = True
    """Whether the warm-up ended because throughput and CPU per command showed no trend any more."""


def figures(record: TrialRecord | TrialRecord1) -> Figures | None:
    """Return the figures of a trial, or None where nothing of it counts."""
    if isinstance(record, TrialRecord1):
        return None if record.evidence is None else window_figures(record, record.evidence)
    counted = counted_slices(record)
    return None if counted is None else slice_figures(record, counted.totals)


def slice_figures(record: TrialRecord, totals: Totals) -> Figures:
    """Return the figures of a trial in slices: all that was done in them, by all of their time.

    Processes work at the same time: their operations and CPU add up, over the time from the first one's start to the
    last one's end. The CPU of a client is counted from its first slice to its last, what it used while others had their
    turn included.
    """
    return Figures(
        operations=totals.operations,
        rps=totals.operations / totals.elapsed_s,
        client_cpu_percent=totals.measured_cpu_ns / totals.elapsed_s / 1e9 * 100,
        client_cpu_us_per_command=totals.client_ns / totals.commands / 1e3,
        server_cpu_percent=totals.server_ns / totals.evidence_ns * 100,
        server_cpu_us_per_command=totals.server_ns / totals.commands / 1e3,
        other_cpu_percent=_percent(totals.other_ns, totals.evidence_ns),
        commands_per_read=_ratio(totals.server_commands, totals.reads),
        input_bytes_per_read=_known_ratio(totals.input_bytes, totals.reads),
        connections_received=totals.connections_received,
        connections_open=totals.connections_open,
        hit_ratio=_hit_ratio(totals.hits, totals.misses),
        drift_percent=totals.drift_percent,
        peak_memory_bytes=sum(result.peak_memory_bytes for result in record.results),
        cpu_accounts_percent=_accounts(totals.cpu_by_kernel_ns, totals.slice_cpu_ns),
        slices=totals.slices,
        client_thread_percent=_percent(totals.client_thread_ns, totals.lasted_ns),
        server_thread_percent=_percent(totals.server_thread_ns, totals.lasted_ns),
        stolen_percent=_percent(totals.stolen_ns, totals.evidence_ns),
        own_commands=totals.own_commands,
        waiting_cpu_percent=totals.waiting_cpu_ns / totals.waited_ns * 100 if totals.waited_ns else None,
        warmup_s=None if record.warm_up is None else record.warm_up.work_s,
        is_steady=record.warm_up is None or record.warm_up.is_steady,
    )


def _percent(part_ns: int | None, whole_ns: int) -> float | None:
    return None if part_ns is None or not whole_ns else part_ns / whole_ns * 100


def _commands(evidence: Evidence) -> int:
    """Count all commands, handshakes among them: the server does not count reads by command."""
    return sum(calls.calls for calls in evidence.workload_calls.values()) + sum(evidence.setup_calls.values())


def _hit_ratio(hits: int | None, misses: int | None) -> float | None:
    return None if hits is None or misses is None else _ratio(hits, hits + misses)


def window_figures(record: TrialRecord1, evidence: Evidence) -> Figures:
    """Return the figures of a trial of version 1, which had one window.

    Processes start together: their operations and CPU add up, the longest window counts.
    """
    results = record.results
    operations = sum(result.operations for result in results)
    elapsed_ns = max(result.elapsed_ns for result in results)
    client_ns = sum(result.cpu_user_ns + result.cpu_system_ns for result in results)
    server_ns = evidence.server_cpu_user_ns + evidence.server_cpu_system_ns
    return Figures(
        operations=operations,
        rps=operations / elapsed_ns * 1e9,
        client_cpu_percent=client_ns / elapsed_ns * 100,
        client_cpu_us_per_command=client_ns / operations / 1e3,
        server_cpu_percent=server_ns / evidence.elapsed_ns * 100,
        server_cpu_us_per_command=server_ns / operations / 1e3,
        other_cpu_percent=None if evidence.other_cpu_ns is None else evidence.other_cpu_ns / evidence.elapsed_ns * 100,
        commands_per_read=_commands_per_read(evidence),
        input_bytes_per_read=_known_ratio(evidence.network_input_bytes, evidence.reads_processed or 0),
        connections_received=evidence.connections_received,
        connections_open=evidence.connections_open,
        hit_ratio=_hit_ratio(evidence.keyspace_hits, evidence.keyspace_misses),
        drift_percent=_drift(record),
        peak_memory_bytes=sum(result.peak_memory_bytes for result in results),
        cpu_accounts_percent=_accounts(record.counted_cpu_ns, client_ns),
    )


def _accounts(counted_ns: int | None, own_ns: int) -> float | None:
    return None if counted_ns is None or not own_ns else (counted_ns / own_ns - 1) * 100


def _commands_per_read(evidence: Evidence) -> float | None:
    if evidence.reads_processed is None:
        return None
    return _ratio(_commands(evidence), evidence.reads_processed)


def _drift(record: TrialRecord1) -> float | None:
    halves = [result.first_half for result in record.results]
    if not all(
        half and half.operations and half.elapsed_ns < r.elapsed_ns
        for half, r in zip(halves, record.results, strict=True)
    ):
        return None
    first = sum(half.operations / half.elapsed_ns for half in halves if half)
    second = sum(
        (result.operations - half.operations) / (result.elapsed_ns - half.elapsed_ns)
        for half, result in zip(halves, record.results, strict=True)
        if half
    )
    return (second / first - 1) * 100


def _known_ratio(part: int | None, whole: int) -> float | None:
    return None if part is None else _ratio(part, whole)


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None
