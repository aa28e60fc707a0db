"""One round of a cell: its record, the totals over all that counts in it, and the figures that follow from them."""

from collections import Counter
from dataclasses import dataclass

from respmark.results.records import Evidence, TrialRecord
from respmark.results.version1 import Record, TrialRecord1
from respmark.statistics.counted import Totals, counted_slices


@dataclass(frozen=True, eq=False)
class Round:
    """A trial that counts; it is equal only to itself, so results can be cached by round."""

    record: Record
    totals: Totals


def round_of(record: Record) -> Round | None:
    """Return a trial's round; None if nothing in it counts."""
    if isinstance(record, TrialRecord1):
        return None if record.evidence is None else Round(record, window_totals(record, record.evidence))
    counted = counted_slices(record)
    return None if counted is None else Round(record, counted.totals)


def quotient(part: int | None, whole: int) -> float | None:
    """Return the part divided by the whole; None if the part is unknown or the whole is 0."""
    return None if part is None or not whole else part / whole


def percent_of(part: int | None, whole: int) -> float | None:
    """Return the part in percent of the whole; None if the part is unknown or the whole is 0."""
    share = quotient(part, whole)
    return None if share is None else share * 100


def rps(one: Round) -> float:
    """Return a round's commands per second: everything that was done, divided by all the time it took."""
    return one.totals.operations / one.totals.elapsed_s


def client_cpu_us(one: Round) -> float:
    """Return the client's CPU in microseconds per command."""
    return one.totals.client_ns / one.totals.commands / 1e3


def server_cpu_us(one: Round) -> float:
    """Return the server's CPU in microseconds per command."""
    return one.totals.server_ns / one.totals.commands / 1e3


def client_cpu_percent(one: Round) -> float:
    """Return the client's CPU in percent of one processor."""
    return one.totals.measured_cpu_ns / one.totals.elapsed_s / 1e9 * 100


def server_cpu_percent(one: Round) -> float:
    """Return the server's CPU in percent of one processor."""
    return one.totals.server_ns / one.totals.evidence_ns * 100


def client_thread_percent(one: Round) -> float | None:
    """Return the CPU of the client's busiest thread in percent of one processor; None if it was not counted."""
    return percent_of(one.totals.client_thread_ns, one.totals.lasted_ns)


def server_thread_percent(one: Round) -> float | None:
    """Return the CPU of the server's busiest thread in percent of one processor; None if it was not counted."""
    return percent_of(one.totals.server_thread_ns, one.totals.lasted_ns)


def hit_ratio(one: Round) -> float | None:
    """Return the share of key lookups that hit, as the server counted them; None if it did not."""
    hits, misses = one.totals.hits, one.totals.misses
    return None if hits is None or misses is None else quotient(hits, hits + misses)


def local_hit_ratio(one: Round) -> float | None:
    """Return the share of GETs that local caches answered; None without local caches."""
    reads, misses = one.totals.local_reads, one.totals.local_misses
    return None if reads is None or misses is None else quotient(reads - misses, reads)


def local_invalidations_per_second(one: Round) -> float | None:
    """Return how many entries local caches dropped per second of the round's slices; None without local caches."""
    dropped = quotient(one.totals.invalidations, one.totals.lasted_ns)
    return None if dropped is None else dropped * 1e9


def accounts_percent(one: Round) -> float | None:
    """Return how far the kernel's count of the client's CPU is above the client's own, in percent; None if unknown."""
    by_kernel_ns, own_ns = one.totals.cpu_by_kernel_ns, one.totals.slice_cpu_ns
    return None if by_kernel_ns is None or not own_ns else (by_kernel_ns / own_ns - 1) * 100


def is_steady(one: Round) -> bool:
    """Return whether the client was steady before its warm-up reached the limit; true if it was not warmed up."""
    return not isinstance(one.record, TrialRecord) or one.record.warm_up is None or one.record.warm_up.is_steady


def warmup_s(one: Round) -> float | None:
    """Return the seconds of work before the first slice that counts; None if the harness did not warm up."""
    return one.record.warm_up.work_s if isinstance(one.record, TrialRecord) and one.record.warm_up else None


def window_totals(record: TrialRecord1, evidence: Evidence) -> Totals:
    """Return the totals of a trial of version 1, which had one window.

    Processes start together: their operations and CPU add up, and the longest window counts.
    """
    results = record.results
    operations = sum(result.operations for result in results)
    elapsed_ns = max(result.elapsed_ns for result in results)
    client_ns = sum(result.cpu_user_ns + result.cpu_system_ns for result in results)
    workload_calls = sum(calls.calls for calls in evidence.workload_calls.values())
    return Totals(
        slices=None,
        repeated=None,
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
        local_reads=None,
        local_misses=None,
        invalidations=None,
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
