"""One round of a cell: its record, and in totals all of it that counts."""

from collections import Counter
from dataclasses import dataclass

from respmark.results.records import Evidence, TrialRecord
from respmark.results.version1 import TrialRecord1
from respmark.statistics.counted import Totals, counted_slices


@dataclass(frozen=True, eq=False)
class Round:
    """A trial that counts."""

    record: TrialRecord | TrialRecord1
    totals: Totals


def round_of(record: TrialRecord | TrialRecord1) -> Round | None:
    """Return a trial's round, or None where nothing of it counts."""
    if isinstance(record, TrialRecord1):
        return None if record.evidence is None else Round(record, window_totals(record, record.evidence))
    counted = counted_slices(record)
    return None if counted is None else Round(record, counted.totals)


def window_totals(record: TrialRecord1, evidence: Evidence) -> Totals:
    """Return the totals of a trial of version 1, which had one window.

    Processes start together: their operations and CPU add up, the longest window counts.
    """
    results = record.results
    operations = sum(result.operations for result in results)
    elapsed_ns = max(result.elapsed_ns for result in results)
    client_ns = sum(result.cpu_user_ns + result.cpu_system_ns for result in results)
    workload_calls = sum(calls.calls for calls in evidence.workload_calls.values())
    return Totals(
        slices=None,
        operations=operations,
        commands=operations,
        elapsed_s=elapsed_ns / 1e9,
        lasted_ns=elapsed_ns,
        evidence_ns=evidence.elapsed_ns,
        client_ns=client_ns,
        measured_cpu_ns=client_ns,
        slice_cpu_ns=client_ns,
        cpu_by_kernel_ns=record.counted_cpu_ns,
        server_ns=evidence.server_cpu_user_ns + evidence.server_cpu_system_ns,
        other_ns=evidence.other_cpu_ns,
        stolen_ns=None,
        client_thread_ns=None,
        server_thread_ns=None,
        reads=evidence.reads_processed or 0,
        server_commands=workload_calls + sum(evidence.setup_calls.values()),
        input_bytes=evidence.network_input_bytes,
        connections_received=evidence.connections_received,
        connections_open=evidence.connections_open,
        hits=evidence.keyspace_hits,
        misses=evidence.keyspace_misses,
        waited_ns=0,
        waiting_cpu_ns=0,
        drift_percent=_drift_percent(record),
        own_commands=Counter(),
    )


def _drift_percent(record: TrialRecord1) -> float | None:
    halves = [(result, half) for result in record.results if (half := result.first_half) and half.operations]
    if len(halves) < len(record.results) or any(half.elapsed_ns >= result.elapsed_ns for result, half in halves):
        return None
    first = sum(half.operations / half.elapsed_ns for _, half in halves)
    second = sum((all_.operations - half.operations) / (all_.elapsed_ns - half.elapsed_ns) for all_, half in halves)
    return (second / first - 1) * 100
