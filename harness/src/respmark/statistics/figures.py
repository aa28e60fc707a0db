"""The figures of one trial, derived from its record."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from respmark.contract.events import Moment
from respmark.records import Evidence, SliceRecord, TrialRecord
from respmark.results.version1 import TrialRecord1
from respmark.statistics.compare import Part


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
    slices = record.counted_slices
    return slice_figures(record, slices) if slices else None


def slice_figures(record: TrialRecord, slices: Sequence[SliceRecord]) -> Figures:
    """Return the figures of a trial in slices: all that was done in them, by all of their time.

    Processes work at the same time: their operations and CPU add up, over the time from the first one's start to the
    last one's end. The CPU of a client is counted from its first slice to its last, what it used while others had their
    turn included.
    """
    evidence = [one.evidence for one in slices]
    commands = sum(map(_operations, slices))
    client_ns = sum(client_cpu_ns(slices))
    server_ns = sum(map(_server_ns, evidence))
    reads = [one.reads_processed for one in evidence if one.reads_processed is not None]
    return Figures(
        operations=sum(map(measured_operations, slices)),
        rps=sum(map(measured_operations, slices)) / sum(map(_elapsed_s, slices)),
        client_cpu_percent=sum(map(_measured_cpu_ns, slices)) / sum(map(_elapsed_s, slices)) / 1e9 * 100,
        client_cpu_us_per_command=client_ns / commands / 1e3,
        server_cpu_percent=server_ns / sum(one.elapsed_ns for one in evidence) * 100,
        server_cpu_us_per_command=server_ns / commands / 1e3,
        other_cpu_percent=_percent([one.other_cpu_ns for one in evidence], evidence),
        commands_per_read=_ratio(sum(map(_commands, evidence)), sum(reads)) if reads else None,
        input_bytes_per_read=_known_ratio([one.network_input_bytes for one in evidence], sum(reads)),
        connections_received=sum(one.connections_received for one in evidence),
        connections_open=evidence[0].connections_open,
        hit_ratio=_hit_ratio(evidence),
        drift_percent=_drift_of_slices([rps(one) for one in slices]),
        peak_memory_bytes=sum(result.peak_memory_bytes for result in record.results),
        cpu_accounts_percent=_accounts(_by_kernel_ns(slices), sum(map(_slice_cpu_ns, slices))),
        slices=len(slices),
        client_thread_percent=_thread_percent([one.client_thread_ns for one in slices], slices),
        server_thread_percent=_thread_percent([one.server_thread_ns for one in slices], slices),
        stolen_percent=_percent([one.stolen_cpu_ns for one in evidence], evidence),
        own_commands=sum((Counter(one.library_calls) for one in evidence), Counter()),
        waiting_cpu_percent=_waiting_percent(slices),
        warmup_s=None if record.warm_up is None else record.warm_up.work_s,
        is_steady=record.warm_up is None or record.warm_up.is_steady,
    )


def measured_operations(one: SliceRecord) -> int:
    """Return the commands of the slice's measured part, all processes together."""
    return sum(answer.measured.operations for answer in one.answers)


def rps(one: SliceRecord) -> float:
    """Return the commands a second of the slice's measured part."""
    return measured_operations(one) / _elapsed_s(one)


def throughput(slices: Sequence[SliceRecord]) -> list[Part]:
    """Return commands and seconds, by slice."""
    return [(measured_operations(one), _elapsed_s(one)) for one in slices]


def client_cpu_ns(slices: Sequence[SliceRecord]) -> list[int]:
    """Return the client's CPU by slice, all processes together: what it used since the slice before is in it."""
    before = [answer.started for answer in slices[0].answers]
    used = []
    for one in slices:
        ended = [answer.ended for answer in one.answers]
        used.append(sum(_cpu_between(first, last) for first, last in zip(before, ended, strict=True)))
        before = ended
    return used


def client_cost_ns(slices: Sequence[SliceRecord]) -> list[Part]:
    """Return the client's CPU in ns and the commands that it was for, by slice."""
    return [(used, _operations(one)) for used, one in zip(client_cpu_ns(slices), slices, strict=True)]


def server_cost_ns(slices: Sequence[SliceRecord]) -> list[Part]:
    """Return the server's CPU in ns and the commands that it was for, by slice."""
    return [(_server_ns(one.evidence), _operations(one)) for one in slices]


def _operations(one: SliceRecord) -> int:
    return sum(answer.lead_in.operations + answer.measured.operations for answer in one.answers)


def _cpu_between(first: Moment, last: Moment) -> int:
    return last.cpu_ns - first.cpu_ns


def _slice_cpu_ns(one: SliceRecord) -> int:
    return sum(_cpu_between(answer.started, answer.ended) for answer in one.answers)


def _measured_cpu_ns(one: SliceRecord) -> int:
    return sum(_cpu_between(answer.measured_from, answer.ended) for answer in one.answers)


def _elapsed_s(one: SliceRecord) -> float:
    first = min(answer.measured_from.at_ns for answer in one.answers)
    return (max(answer.ended.at_ns for answer in one.answers) - first) / 1e9


def _server_ns(evidence: Evidence) -> int:
    return evidence.server_cpu_user_ns + evidence.server_cpu_system_ns


def _thread_percent(used_ns: Sequence[int | None], slices: Sequence[SliceRecord]) -> float | None:
    known = [used for used in used_ns if used is not None]
    lasted_ns = sum(one.answered_ns - one.ordered_ns for one in slices)
    return sum(known) / lasted_ns * 100 if len(known) == len(used_ns) and lasted_ns else None


def _percent(parts_ns: Sequence[int | None], evidence: Sequence[Evidence]) -> float | None:
    known = [part for part in parts_ns if part is not None]
    return sum(known) / sum(one.elapsed_ns for one in evidence) * 100 if len(known) == len(parts_ns) else None


def _commands(evidence: Evidence) -> int:
    """Count all commands, handshakes among them: the server does not count reads by command."""
    return sum(calls.calls for calls in evidence.workload_calls.values()) + sum(evidence.setup_calls.values())


def _hit_ratio(evidence: Sequence[Evidence]) -> float | None:
    hits, misses = [one.keyspace_hits for one in evidence], [one.keyspace_misses for one in evidence]
    found = [count for count in (*hits, *misses) if count is not None]
    return _known_ratio(hits, sum(found)) if len(found) == 2 * len(evidence) else None


def _drift_of_slices(rates: Sequence[float]) -> float | None:
    """Return the throughput of the later half of the slices against the earlier half, in percent."""
    half = len(rates) // 2
    return (median(rates[-half:]) / median(rates[:half]) - 1) * 100 if half else None


def _by_kernel_ns(slices: Sequence[SliceRecord]) -> int | None:
    known = [one.cpu_by_kernel_ns for one in slices if one.cpu_by_kernel_ns is not None]
    return sum(known) if len(known) == len(slices) else None


def _waiting_percent(slices: Sequence[SliceRecord]) -> float | None:
    """Return the CPU that the client used between its slices, in percent of one processor."""
    pairs = [(ended, started) for one, other in pairwise(slices) for ended, started in _gaps(one, other)]
    waited_ns = sum(started.at_ns - ended.at_ns for ended, started in pairs)
    return sum(_cpu_between(ended, started) for ended, started in pairs) / waited_ns * 100 if waited_ns else None


def _gaps(one: SliceRecord, other: SliceRecord) -> list[tuple[Moment, Moment]]:
    """Return for each process the end of one slice and the start of the next."""
    return [(first.ended, last.started) for first, last in zip(one.answers, other.answers, strict=True)]


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
        input_bytes_per_read=_known_ratio([evidence.network_input_bytes], evidence.reads_processed or 0),
        connections_received=evidence.connections_received,
        connections_open=evidence.connections_open,
        hit_ratio=_hit_ratio([evidence]),
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


def _known_ratio(parts: Sequence[int | None], whole: float) -> float | None:
    known = [part for part in parts if part is not None]
    return _ratio(sum(known), whole) if len(known) == len(parts) else None


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None
