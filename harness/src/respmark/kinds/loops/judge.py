"""Makes the records of a trial's slices when nothing runs any more, and says which of them do not count."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

from respmark.contract.lines import CacheCounts
from respmark.contract.trial import Scenario
from respmark.kinds.loops.check import JudgedSlice, SortedCalls, mismatches, sort_calls
from respmark.kinds.loops.expectation import Expectation, Segment, expectations_of
from respmark.kinds.loops.loop import RawSlice
from respmark.kinds.loops.open_loop import Times, percentiles
from respmark.kinds.loops.record import PRIMARY, REPLICA, SliceRecord
from respmark.plan.plan import PlannedCell
from respmark.runners.protocol import Latencies
from respmark.servers.background import Sent
from respmark.servers.evidence import Evidence, connections, evidence_between
from respmark.servers.info import NO_CALLS
from respmark.specs.scenario import commands_per_unit
from respmark.workload.commands import known
from respmark.workload.workload import Workload, first_commands

TOPOLOGY: Final = frozenset({"cluster", "command", "info"})
"""Commands with which clients ask a cluster for its nodes, its commands and its state; in lower case."""


@dataclass(frozen=True, kw_only=True)
class Judge:
    """What is known of a trial whose slices are judged."""

    cell: PlannedCell
    workload: Workload
    library_commands: frozenset[str]
    """Commands that the block's libraries send of their own accord."""
    server_is_local: bool
    opened: int
    """Connections of the trial that are open before its next slice."""
    sent_with_units: Mapping[str, int] = field(default_factory=dict)
    """Commands of its own that the client sends with each unit, in lower case, and how many of each."""
    elsewhere: frozenset[int] = frozenset()
    """Processes that are not on this machine."""
    is_clustered: bool = False
    """Whether the server is a cluster."""

    def judged(
        self, slices: Sequence[RawSlice], latencies: Sequence[Latencies]
    ) -> Iterator[tuple[SliceRecord, SortedCalls]]:
        """Yield each slice's record, and what the server counted in it by who may have sent it.

        `latencies` are those of each slice, or there are none. Raises ServerLostError if the server was restarted.
        """
        opened = self.opened
        for place, one in enumerate(slices):
            before = slices[place - 1] if place else None
            is_repeated = place + 1 < len(slices) and slices[place + 1].lap == one.lap
            samples = latencies[place] if latencies else None
            can = self.cell.client.capabilities
            calls, seen = self._evidence_of(one, None if samples is None or not can.latencies else len(samples))
            if samples is not None and (found := one.as_open(self.cell, samples)) is not None:
                per_unit = commands_per_unit(self.cell.scenario, self.cell.shape)
                rate = one.probe[1] if one.probe else len(found.due) * per_unit / one.work.ns * 1e9
                awake_ns = one.work.arrivals and one.work.arrivals.awake_ns
                figures = found.figures | {"rate_due": rate, "awake_ns": awake_ns}
                seen["reason"] = "; ".join(filter(None, (seen["reason"], found.left_out))) or None
            else:
                figures = percentiles(np.empty(0) if samples is None else samples)
            if one.own_traffic is not None and samples is not None and self.workload.header.list_key is not None:
                figures |= _elements(one, one.own_traffic, samples)
            record = SliceRecord(
                lap=one.lap,
                turn=one.turn,
                aim=one.probe and one.probe[0],
                is_repeated=is_repeated,
                connections_open=max(0, opened),
                **self._claimed(one),
                **_waited(before, one),
                **figures,
                **seen,
            )
            yield record, calls
            opened += connections(one.after) - connections(one.before)

    def _claimed(self, raw: RawSlice) -> dict[str, Any]:
        answers, per_unit = raw.answers, commands_per_unit(self.cell.scenario, self.cell.shape)
        begun_ns, units = min(one.measured_from.at_ns for one in answers), sum(sum(one.measured) for one in answers)
        ended_ns, lasted_ns = max(one.ended.at_ns for one in answers), raw.answered_ns - raw.ordered_ns
        together_ns = min(one.ended.at_ns for one in answers) - max(one.measured_from.at_ns for one in answers)
        return {
            "begun_ns": begun_ns,
            "elapsed_ns": ended_ns - begun_ns,
            "lasted_ns": lasted_ns,
            "outside_ns": max(0, lasted_ns - (ended_ns - min(one.started.at_ns for one in answers))),
            "together_ns": max(0, together_ns) if len(answers) > 1 else None,
            "operations": units * per_unit,
            "units": units,
            "commands": sum(one.units for one in answers) * per_unit,
            "client_cpu_ns": sum(one.ended.cpu_ns - one.measured_from.cpu_ns for one in answers),
            "slice_cpu_ns": sum(one.cpu_ns for one in answers),
            "kernel_cpu_ns": raw.kernel_cpu_ns,
            "client_thread_ns": raw.client_thread_ns,
            "server_thread_ns": raw.server_thread_ns,
            "compiling_ns": raw.compiling_ns,
        }

    def _evidence_of(self, raw: RawSlice, sampled: int | None) -> tuple[SortedCalls, dict[str, Any]]:
        """Return what the server counted, and what it and the kernel say: whether that backs what the runners claim."""
        evidence, expected = evidence_between(raw.before, raw.after), self.expected(raw)
        if raw.own_traffic is not None:
            evidence = evidence.without(raw.own_traffic)
        calls = sort_calls(evidence.calls, expected.calls, self.library_commands)
        connects = self.cell.scenario is Scenario.NEW_CONNECTION
        units = sum(one.units for one in raw.answers)
        caches = [one.cache for one in raw.answers if one.cache is not None]
        judged = JudgedSlice(
            work=raw.work,
            answers=raw.answers,
            sampled=sampled,
            opened=units if connects else 0,
            expected=expected,
            evidence=evidence,
            calls=calls,
            beside={name: units * each for name, each in self.sent_with_units.items()},
        )
        return calls, {
            "reason": mismatches(judged),
            "evidence_ns": evidence.elapsed_ns,
            "server_cpu_ns": evidence.server_cpu_ns,
            "other_cpu_ns": self._other_cpu_ns(raw, evidence),
            "stolen_cpu_ns": evidence.stolen_cpu_ns,
            "server_commands": sum(one.calls for one in calls.workload.values()) + sum(calls.setup.values()),
            "split_calls": sum(calls.workload.get(name, NO_CALLS).calls for name in expected.most) or None,
            **(self._of_cluster(raw, evidence) if self.is_clustered else {}),
            "reads": evidence.reads,
            "input_bytes": evidence.input_bytes,
            "connections_received": evidence.connections_received,
            "hits": evidence.hits,
            "misses": evidence.misses,
            "stale_reads": evidence.misses if self.workload.header.in_order else None,
            "writes": calls.workload.get("set", NO_CALLS).calls if self.workload.header.in_order else None,
            "local_reads": expected.local_reads,
            "local_misses": sum(one.misses for one in caches) if caches else None,
            "local_invalidations": _invalidations(caches),
            "own_commands": calls.library,
        }

    def _of_cluster(self, raw: RawSlice, evidence: Evidence) -> dict[str, Any]:
        """Return how clients found the nodes, and which of these answered their reads."""
        names = [name for name in self.workload.header.counted if known(name.upper()).only_reads]
        primaries = len(raw.before.infos)
        nodes = [f"{PRIMARY} {place + 1}" for place in range(primaries)]
        nodes += [f"{REPLICA} {place + 1}" for place in range(len(evidence.by_node) - primaries)]
        reads = (sum(calls.get(name, NO_CALLS).calls for name in names) for calls in evidence.by_node)
        asked = {name: one.calls for name, one in evidence.calls.items() if name.partition("|")[0] in TOPOLOGY}
        return {
            "redirects": evidence.redirects,
            "asks": evidence.asks,
            "askings": evidence.calls.get("asking", NO_CALLS).calls,
            "moved_slots": raw.own_traffic and raw.own_traffic.moved_slots,
            "topology_calls": {name: count for name, count in asked.items() if count},
            "node_reads": dict(zip(nodes, reads, strict=True)) if names else {},
        }

    def expected(self, raw: RawSlice) -> Expectation:
        """Return what the server must have counted if the runners' claims are true."""
        scenario = self.cell.scenario
        is_cached = scenario is Scenario.CACHING
        misses = sum(one.cache.misses for one in raw.answers if one.cache is not None) if is_cached else None
        units = sum(one.units for one in raw.answers)
        may_split = self.is_clustered and self.workload.header.slots_in(scenario) == "across"
        expected = expectations_of(self.workload).of(scenario, self._segments(raw), units, misses, may_split=may_split)
        # Which of the workload's keys a driver draws, and in which size it writes them, is its own.
        is_own = self.cell.client.capabilities.own_keys
        return replace(expected, hits=None, misses=None, input_bytes=None) if is_own else expected

    def _segments(self, raw: RawSlice) -> Iterator[Segment]:
        cell, per_unit = self.cell, commands_per_unit(self.cell.scenario, self.cell.shape)
        for part, answer in enumerate(raw.answers):
            firsts = first_commands(self.workload.header.commands, cell.shape, cell.scenario, part, raw.work.first)
            for first, lead_in, measured in zip(firsts, answer.lead_in, answer.measured, strict=True):
                yield Segment(first, (lead_in + measured) * per_unit)

    def _other_cpu_ns(self, raw: RawSlice, evidence: Evidence) -> int | None:
        if evidence.machine_cpu_ns is None:
            return None
        here = (one for part, one in enumerate(raw.answers) if part not in self.elsewhere)
        known_ns = sum(one.cpu_ns for one in here) + (raw.relay_ns or 0)
        server_ns = evidence.server_cpu_ns if self.server_is_local else 0
        return max(0, evidence.machine_cpu_ns - known_ns - server_ns)


def _invalidations(caches: Sequence[CacheCounts]) -> int | None:
    """Return how many entries local caches dropped; None if there is none, or one that does not count them."""
    counted = [one.invalidations for one in caches if one.invalidations is not None]
    return sum(counted) if caches and len(counted) == len(caches) else None


def _elements(raw: RawSlice, sent: Sent, kept: Latencies) -> dict[str, Any]:
    """Return how many elements were taken in the measured part, and how long they had waited."""
    begun_ns = raw.answers[0].measured_from.at_ns
    waits = waits_ns((one for one in sent.sent_ns if one >= begun_ns), raw.ended_ns(kept))
    return {"elements": len(waits), "element_wait_ns": round(sum(waits))}


def waits_ns(sent_ns: Iterable[int], ended_ns: Times) -> list[float]:
    """Return how long each element waited, from when it was sent until its client had it; without those still there.

    Elements are taken one at a time, the first one first: each by the first unit that ended after it was sent and that
    took none before. A poll that was under way when an element came, and may have been too early for it, counts as the
    one that took it: with polls that last a hundredth of the time between them, that is one in a hundred.

    Args:
        sent_ns: When elements were sent, ascending.
        ended_ns: When units ended, ascending, by the same clock.
    """
    waits: list[float] = []
    ended = iter(ended_ns.tolist())
    for sent in sent_ns:
        taken = next((end for end in ended if end > sent), None)
        if taken is None:
            break
        waits.append(taken - sent)
    return waits


def _waited(before: RawSlice | None, raw: RawSlice) -> dict[str, Any]:
    """Return wall and CPU time since the previous slice; zero if this slice repeats it."""
    if before is None or before.lap == raw.lap:
        return {"waited_ns": 0, "waiting_cpu_ns": 0}
    both = list(zip(before.answers, raw.answers, strict=True))
    return {
        "waited_ns": sum(now.started.at_ns - then.ended.at_ns for then, now in both),
        "waiting_cpu_ns": sum(now.started.cpu_ns - then.ended.cpu_ns for then, now in both),
    }
