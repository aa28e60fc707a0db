"""The figures of one trial, derived from its record."""

from dataclasses import dataclass

from respmark.records import Evidence, TrialRecord


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
    """Throughput of the window's second half against its first: how much it still changed."""
    peak_memory_bytes: int
    cpu_accounts_percent: float | None = None
    """The control groups' count of client CPU against the runners' own: 0 where they agree."""


def figures(record: TrialRecord, evidence: Evidence) -> Figures:
    """Return the figures of a trial with at least one operation.

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
        input_bytes_per_read=_ratio(evidence.network_input_bytes, evidence.reads_processed or 0),
        connections_received=evidence.connections_received,
        connections_open=evidence.connections_open,
        hit_ratio=_ratio(evidence.keyspace_hits, evidence.keyspace_hits + evidence.keyspace_misses),
        drift_percent=_drift(record),
        peak_memory_bytes=sum(result.peak_memory_bytes for result in results),
        cpu_accounts_percent=_accounts(record.counted_cpu_ns, client_ns),
    )


def _accounts(counted_ns: int | None, own_ns: int) -> float | None:
    return None if counted_ns is None or not own_ns else (counted_ns / own_ns - 1) * 100


def _commands_per_read(evidence: Evidence) -> float | None:
    """Divide all commands, handshakes among them, by all reads: the server does not count reads by command."""
    if evidence.reads_processed is None:
        return None
    commands = sum(calls.calls for calls in evidence.workload_calls.values()) + sum(evidence.setup_calls.values())
    return _ratio(commands, evidence.reads_processed)


def _drift(record: TrialRecord) -> float | None:
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


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None
