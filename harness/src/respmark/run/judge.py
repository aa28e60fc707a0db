"""Makes the records of a trial's slices when nothing runs any more, and says which of them do not count."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from respmark.contract.lines import CacheCounts, Work, Worked
from respmark.contract.trial import Scenario, Window, walkers
from respmark.load.elements import waits_ns
from respmark.load.open_loop import OpenSlice, percentiles
from respmark.plan.plan import PlannedCell
from respmark.results.records import Aim, SliceRecord
from respmark.run.check import JudgedSlice, mismatches, sort_calls
from respmark.run.counters import Evidence, Snapshot, connections, evidence_between
from respmark.run.expectation import Expectation, Segment
from respmark.run.testbed import WorkloadFile
from respmark.runners.protocol import Latencies
from respmark.servers.companion import Beside
from respmark.specs.scenario import commands_per_unit
from respmark.workload.workload import first_commands


@dataclass(frozen=True)
class Turn:
    """One slice as it ran; what the server counted is read out of it later, when no slice runs."""

    work: Work
    lap: int
    turn: int
    answers: tuple[Worked, ...]
    """One per process."""
    before: Snapshot
    after: Snapshot
    ordered_ns: int
    answered_ns: int
    kernel_cpu_ns: int | None
    client_thread_ns: int | None
    server_thread_ns: int | None
    relay_ns: int | None
    """CPU of the relay that makes the round trip."""
    compiling_ns: int | None
    point: tuple[Aim, float] | None = None
    """What it is for and its rate, where the highest rate is looked for."""
    beside: Beside | None = None
    """What the run itself did beside the client: it pushed the elements that this takes, or kept the server busy."""

    def ended_ns(self, kept: Latencies) -> Latencies:
        """Return when each unit ended whose latency is kept, of a trial with one walker."""
        if self.work.arrivals is None:
            return self.answers[0].measured_from.at_ns + np.cumsum(kept)
        return self.work.arrivals.at + kept[:, 1] + kept[:, 2] + np.abs(kept[:, 0])


@dataclass
class Judge:
    """Judges the slices of one trial."""

    cell: PlannedCell
    workload: WorkloadFile
    own_commands: frozenset[str]
    """Commands that the block's libraries send of their own accord."""
    server_is_local: bool
    opened: int
    """Connections of the trial that are open before its next slice."""
    sent_with_units: Mapping[str, int] = field(default_factory=dict)
    """Commands of its own that the client sends with each unit, in lower case, and how many of each."""
    elsewhere: frozenset[int] = frozenset()
    """Processes that are not on this machine."""
    saw_others: bool = False
    """Whether commands came that no client's spec names: who knows what else somebody wrote."""

    def records(self, turns: Sequence[Turn], latencies: Sequence[Latencies]) -> Iterator[SliceRecord]:
        """Yield each slice's record; `latencies` by slice, or empty; raises TargetLostError if the server restarted."""
        for place, turn in enumerate(turns):
            before = turns[place - 1] if place else None
            is_repeated = place + 1 < len(turns) and turns[place + 1].lap == turn.lap
            samples = latencies[place] if latencies else None
            can = self.cell.client.capabilities
            seen = self._seen(turn, None if samples is None or not can.latencies else len(samples))
            if samples is not None and (found := open_slice(self.cell, turn, samples)) is not None:
                per_unit = commands_per_unit(self.cell.scenario, self.cell.shape)
                rate = turn.point[1] if turn.point else len(found.due) * per_unit / turn.work.ns * 1e9
                awake_ns = turn.work.arrivals and turn.work.arrivals.awake_ns
                figures = found.figures | {"rate_due": rate, "awake_ns": awake_ns}
                seen["reason"] = "; ".join(filter(None, (seen["reason"], found.left_out))) or None
            else:
                figures = percentiles(np.empty(0) if samples is None else samples)
            if turn.beside is not None and samples is not None and self.workload.workload.header.list_key is not None:
                figures |= _elements(turn, turn.beside, samples)
            yield SliceRecord(
                lap=turn.lap,
                turn=turn.turn,
                aim=turn.point and turn.point[0],
                is_repeated=is_repeated,
                **self._claimed(turn),
                **_waited(before, turn),
                **figures,
                **seen,
            )
            self.opened += connections(turn.after) - connections(turn.before)

    def _claimed(self, turn: Turn) -> dict[str, Any]:
        answers, per_unit = turn.answers, commands_per_unit(self.cell.scenario, self.cell.shape)
        begun_ns, units = min(one.measured_from.at_ns for one in answers), sum(sum(one.measured) for one in answers)
        ended_ns, lasted_ns = max(one.ended.at_ns for one in answers), turn.answered_ns - turn.ordered_ns
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
            "kernel_cpu_ns": turn.kernel_cpu_ns,
            "client_thread_ns": turn.client_thread_ns,
            "server_thread_ns": turn.server_thread_ns,
            "compiling_ns": turn.compiling_ns,
        }

    def _seen(self, turn: Turn, sampled: int | None) -> dict[str, Any]:
        """Return what the server and the kernel say, and whether that backs what the runners claim."""
        evidence, expected = evidence_between(turn.before, turn.after), self._expected(turn)
        if turn.beside is not None:
            evidence = evidence.without(turn.beside)
        calls = sort_calls(evidence.calls, expected.calls, self.own_commands)
        self.saw_others = self.saw_others or bool(calls.others)
        connects = self.cell.scenario is Scenario.NEW_CONNECTION
        units = sum(one.units for one in turn.answers)
        beside = {name: units * each for name, each in self.sent_with_units.items()}
        caches = [one.cache for one in turn.answers if one.cache is not None]
        opened = units if connects else 0
        judged = JudgedSlice(turn.work, turn.answers, sampled, opened, expected, evidence, calls, beside)
        return {
            "reason": mismatches(judged),
            "evidence_ns": evidence.elapsed_ns,
            "server_cpu_ns": evidence.server_cpu_ns,
            "other_cpu_ns": self._other_cpu_ns(turn, evidence),
            "stolen_cpu_ns": evidence.stolen_cpu_ns,
            "server_commands": sum(one.calls for one in calls.workload.values()) + sum(calls.setup.values()),
            "reads": evidence.reads,
            "input_bytes": evidence.input_bytes,
            "connections_received": evidence.connections_received,
            "connections_open": max(0, self.opened),
            "hits": evidence.hits,
            "misses": evidence.misses,
            "local_reads": expected.local_reads,
            "local_misses": sum(one.misses for one in caches) if caches else None,
            "local_invalidations": _invalidations(caches),
            "own_commands": calls.library,
        }

    def _expected(self, turn: Turn) -> Expectation:
        scenario = self.cell.scenario
        is_cached = scenario is Scenario.CACHING
        misses = sum(one.cache.misses for one in turn.answers if one.cache is not None) if is_cached else None
        units = sum(one.units for one in turn.answers)
        expected = self.workload.expectations.of(scenario, self._segments(turn), units, misses)
        # Which of the workload's keys a driver draws, and in which size it writes them, is its own.
        is_own = self.cell.client.capabilities.own_keys
        return replace(expected, hits=None, misses=None, input_bytes=None) if is_own else expected

    def _segments(self, turn: Turn) -> Iterator[Segment]:
        cell, per_unit = self.cell, commands_per_unit(self.cell.scenario, self.cell.shape)
        for part, answer in enumerate(turn.answers):
            firsts = first_commands(self.workload.commands, cell.shape, cell.scenario, part, turn.work.first)
            for first, lead_in, measured in zip(firsts, answer.lead_in, answer.measured, strict=True):
                yield Segment(first, (lead_in + measured) * per_unit)

    def _other_cpu_ns(self, turn: Turn, evidence: Evidence) -> int | None:
        if evidence.machine_cpu_ns is None:
            return None
        here = (one for part, one in enumerate(turn.answers) if part not in self.elsewhere)
        known_ns = sum(one.cpu_ns for one in here) + (turn.relay_ns or 0)
        server_ns = evidence.server_cpu_ns if self.server_is_local else 0
        return max(0, evidence.machine_cpu_ns - known_ns - server_ns)


def _invalidations(caches: Sequence[CacheCounts]) -> int | None:
    """Return how many entries local caches dropped; None if there is none, or one that does not count them."""
    counted = [one.invalidations for one in caches if one.invalidations is not None]
    return sum(counted) if caches and len(counted) == len(caches) else None


def _elements(turn: Turn, beside: Beside, kept: Latencies) -> dict[str, Any]:
    """Return how many elements were taken in the measured part, and how long they had waited."""
    begun_ns = turn.answers[0].measured_from.at_ns
    waits = waits_ns((one for one in beside.sent_ns if one >= begun_ns), turn.ended_ns(kept))
    return {"elements": len(waits), "element_wait_ns": round(sum(waits))}


def open_slice(cell: PlannedCell, turn: Turn, kept: Latencies) -> OpenSlice | None:
    """Return what a slice of an open loop shows; None for a closed one."""
    work, arrivals, shape = turn.work, turn.work.arrivals, cell.shape
    if arrivals is None:
        return None
    due, ended_ns = np.fromfile(arrivals.file, dtype="<f8"), max(one.ended.at_ns for one in turn.answers)
    depth = shape.depth if shape.window is Window.SLIDING else None
    places = shape.processes * walkers(cell.scenario, shape) * (depth or 1)
    return OpenSlice(work, due[due >= work.lead_in_ns], kept, places, ended_ns - arrivals.at)


def _waited(before: Turn | None, turn: Turn) -> dict[str, Any]:
    """Return time and CPU since the previous slice; none of the repetition of one, as compilers were still at work."""
    if before is None or before.lap == turn.lap:
        return {"waited_ns": 0, "waiting_cpu_ns": 0}
    both = list(zip(before.answers, turn.answers, strict=True))
    return {
        "waited_ns": sum(now.started.at_ns - then.ended.at_ns for then, now in both),
        "waiting_cpu_ns": sum(now.started.cpu_ns - then.ended.cpu_ns for then, now in both),
    }
