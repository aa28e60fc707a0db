"""One trial's part in a block: its runner processes, driven from start to end."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Final

import numpy as np

from respmark.contract.lines import Loaded, Work, Worked
from respmark.contract.trial import Scenario
from respmark.errors import RunnerFailedError, UnsupportedError
from respmark.load.arrivals import begins_at
from respmark.load.open_loop import OpenSlice
from respmark.load.search import Search
from respmark.machine.kernel import busiest_ns, more_ns, process_cpu_ns, together_ns
from respmark.machine.sockets import Sockets, together
from respmark.plan.trial import Trial
from respmark.results.records import Aim, Handshake, Status, WarmUp
from respmark.run.at_once import call_each, on_several_hosts
from respmark.run.check import protocol_mismatch, version_mismatch
from respmark.run.connecting import mismatched_key, observed
from respmark.run.context import MadeWorkload, RunContext, Served
from respmark.run.counters import take
from respmark.run.judge import Judge, Turn, open_slice
from respmark.run.outcome import Outcome, latency_of, shares_of
from respmark.runners.protocol import Latencies, OnHost
from respmark.runners.runner import Runner
from respmark.servers.audience import lost_subscribers
from respmark.servers.companion import Beside, Companion
from respmark.servers.neighbour import Neighbour
from respmark.servers.producer import Producer
from respmark.specs.naming import protocol_of
from respmark.specs.scenario import commands_per_unit
from respmark.workload.replies import decoded_to, wrong_reply
from respmark.workload.workload import first_commands

START_LIMIT_S: Final = 60.0
"""For loading, for connecting, for verifying, and for handing over latencies."""
END_LIMIT_S: Final = 10.0
"""From the end of its input to its own end."""
SLICE_GRACE_S: Final = 30.0
"""For completing what is in flight, on top of the slice's own time."""
VERIFIED: Final = 100
"""Commands whose replies are checked before the first slice, rounded up to whole units."""
VERIFIED_WAITS: Final = 3
"""The same, of commands whose replies the server makes the client wait for."""
LOST_AT_MOST: Final = 0.2
"""Share of a trial's slices that may be lost; with more, the trial has failed."""
TOGETHER_NS: Final = 5_000_000
TOGETHER_NS_A_PROCESS: Final = 1_000_000
"""How soon processes on several hosts begin together: orders are sent at the same time, and each takes CPU here."""
ONE_OF: Final = 3
"""Of so many slices, one may be lost, whatever share that is."""


@dataclass
class Participant:
    """One trial's part in a block; a `RunnerFailedError` in any step takes it out of the block."""

    context: RunContext
    trial: Trial
    own_commands: frozenset[str]
    """Commands that the block's libraries send of their own accord."""
    verified: int = VERIFIED
    """Commands whose replies are checked; 0: none."""
    processes: list[Runner] = field(default_factory=list)
    loaded: list[Loaded] = field(default_factory=list)
    handshake: Handshake | None = None
    sockets: list[Sockets] | None = None
    warm_up: WarmUp | None = None
    turns: list[Turn] = field(default_factory=list)
    unit_ns: int = 0
    """How long a unit took in the warm-up; 0: not known."""
    closed_rps: float = 0.0
    """How many commands per second it did at the end of its warm-up, in a closed loop; 0: not known."""
    search: Search | None = None
    """Of the highest rate that keeps to a goal."""
    failure: Outcome | None = None
    loss: str | None = None
    """Why slices are missing although the runner did not fail."""
    saw_others: bool = False
    """Whether commands came in its slices that no client's spec names."""
    _replies: list[list[Any]] = field(default_factory=list)
    """To the verification, by process."""
    _opened: int = 0
    """Connections that were open after connecting."""
    _due: list[Runner] = field(default_factory=list)
    """Processes that were ordered to work and have not answered yet."""
    _latencies: list[list[Latencies]] = field(default_factory=list)
    """Of each process, by slice."""
    _peak_memory_bytes: int = 0
    companion: Companion | None = None
    """What the run itself does beside it: pushes what the workload's command takes, or keeps the server busy."""
    _beside: Beside | None = None
    """In the slice that has just ended."""
    _hosts: list[OnHost] = field(default_factory=list)
    """Of each process, if there are several hosts."""

    @property
    def workload(self) -> MadeWorkload:
        """Return its workload."""
        return self.context.workload_of(self.trial.cell)

    @property
    def server(self) -> Served:
        """Return its server."""
        return self.context.servers[self.trial.cell.server]

    @property
    def active(self) -> bool:
        """Return whether it is still taking turns."""
        return self.failure is None

    @property
    def waits_asleep(self) -> bool:
        """Return whether it waits as an application does that polls, so that its CPU is a client's."""
        is_queue = self.workload.workload.header.list_key is not None
        return is_queue and self.trial.cell.client.runner in self.context.sleepers

    def start(self) -> None:
        """Start every process; they load at the same time."""
        self._check_password()
        for part in range(self.trial.cell.shape.processes):
            # One by one: if one does not start, those before it are in the list, and are ended.
            self.processes.append(self.context.start(self.trial, part))

    def _check_password(self) -> None:
        """Refuse to show a user's password; that of a server that the run started ends with it."""
        has_one = self.server.target.endpoint.password is not None
        if self.trial.cell.client.capabilities.own_programs and has_one and not self.server.target.spawned:
            raise UnsupportedError(
                f"{self.trial.cell.client.library} takes a password as an argument, which every user of this machine "
                "could read: measure a server without a password, or let respmark start the server"
            )

    def load(self) -> None:
        """Wait until every process is loaded."""
        try:
            self.loaded = [process.load(START_LIMIT_S) for process in self.processes]
        except UnsupportedError:
            raise
        except RunnerFailedError as error:
            said = f"{error}{self._other_versions()}"
            raise RunnerFailedError(said, error.stderr) from error

    def _other_versions(self) -> str:
        """Return the advice for a version that no spec describes; empty for any other."""
        client = self.trial.cell.client
        spec = self.context.clients.get(client.library)
        if spec is None or client.version is None or client.version in spec.versions:
            return ""
        adapter = spec.of_version(client.version).adapter
        return f"; the adapter, {adapter}, may support only other versions of {client.library}: choose one of those"

    def connect(self) -> None:
        """Connect and verify while nobody else does anything: all that the server counts is this trial's."""
        control, client = self.server.target.control, self.trial.cell.client
        protocol = protocol_of(client, self.context.clients.get(client.library), self.loaded[0].settings)
        self.companion = self._companion()
        names = self.workload.expectations.names
        self.handshake, self._opened = observed(control, names, protocol, self._connect)
        for part, replies in enumerate(self._replies):
            if wrong := mismatched_key(control, self.workload.workload, self._firsts(part)[0], len(replies)):
                raise RunnerFailedError(wrong)
        self.sockets = together(call_each(self.processes, lambda process: process.sockets()))

    def _companion(self) -> Companion | None:
        spec, cell = self.workload.workload.header, self.trial.cell
        if spec.beside is not None:
            words, one = self.workload.workload.beside(), spec.beside
            return Neighbour(self.server.target.endpoint, words, one.keys, one.per_second)
        if spec.list_key is None:
            return None
        if cell.scenario is not Scenario.SYNC or cell.shape.processes > 1:
            raise UnsupportedError(
                f"workload `{spec.name}` is about one client that takes one element after the other: measure it in "
                "sync, with one process"
            )
        key = self.workload.workload.key(spec.list_key)
        return Producer(self.server.target.endpoint, key, spec.elements_per_second)

    def _connect(self) -> None:
        for part, process in enumerate(self.processes):
            process.connect(START_LIMIT_S)
            if self.verified:
                self._replies.append(process.echo(self.verified, START_LIMIT_S))
                self._verify(part)

    def _verify(self, part: int) -> None:
        replies, cell = self._replies[part], self.trial.cell
        per_unit = commands_per_unit(cell.scenario, cell.shape)
        if not replies or len(replies) % per_unit:
            sent = -(-max(1, len(replies)) // per_unit) * per_unit
            raise RunnerFailedError(
                f"{sent} commands were sent, but {len(replies)} replies came: the client lost count"
            )
        if wrong := wrong_reply(self.workload.workload, self._firsts(part)[0], replies):
            raise RunnerFailedError(wrong)

    @cached_property
    def _walkers(self) -> int:
        """Of each process; counted before the first slice."""
        return len(self._firsts(0))

    def _firsts(self, part: int) -> list[int]:
        return first_commands(self.workload.commands, self.trial.cell.shape, self.trial.cell.scenario, part)

    def work(self, work: Work) -> tuple[Worked, ...]:
        """Let all processes work for one slice at the same time, and return their answers."""
        self.begin(work)
        return self.answers(work)

    def begin(self, work: Work) -> None:
        """Order all processes to work for one slice; those on several hosts begin at the same moment."""
        if self.companion is not None:
            begun_ns = self.context.clock() if work.arrivals is None else work.arrivals.at
            self.companion.begin(begun_ns + work.lead_in_ns)
        at_ns, count = None, len(self.processes)
        if on_several_hosts(self.processes):
            at_ns = self.context.clock() + TOGETHER_NS + count * TOGETHER_NS_A_PROCESS
        call_each(self.processes, partial(self._order, work, at_ns))

    def _order(self, work: Work, at_ns: int | None, process: Runner) -> None:
        process.work(work, at_ns)
        self._due.append(process)

    def answers(self, work: Work) -> tuple[Worked, ...]:
        """Wait until all processes have done what `begin` ordered, and return their answers."""
        limit_s = (work.lead_in_ns + work.ns) / 1e9 + SLICE_GRACE_S  # more than an open loop's drain
        answers = tuple(call_each(self.processes, partial(self._answer, limit_s)))
        self._beside = None if self.companion is None else self.companion.end()
        return answers

    def _answer(self, limit_s: float, process: Runner) -> Worked:
        answer = process.worked(limit_s)
        self._due.remove(process)
        if not len(answer.lead_in) == len(answer.measured) == self._walkers:
            raise RunnerFailedError(f"the runner reports {len(answer.measured)} walkers, not {self._walkers}")
        return answer

    def take_turn(self, work: Work, lap: int, turn: int, point: tuple[Aim, float] | None = None) -> None:
        """Run one slice that counts, between two readings of the server's counters."""
        compiled_ns, relayed_ns = self.compiling_ns(), self._relay_ns()
        before, threads_before = take(self.server.target.control), self._threads()
        ordered_ns, cpu_before = self.context.clock(), self.cpu_ns()
        work = begins_at(work, ordered_ns)
        answers = self.work(work)
        cpu_after, answered_ns = self.cpu_ns(), self.context.clock()
        threads_after, after = self._threads(), take(self.server.target.control)
        used = more_ns(cpu_before, cpu_after)
        client_ns, server_ns = (busiest_ns(*both) for both in zip(threads_before, threads_after, strict=True))
        relay_ns = more_ns(relayed_ns, self._relay_ns())
        used_up = (used, client_ns, server_ns, relay_ns, more_ns(compiled_ns, self.compiling_ns()))
        moments = (before, after, ordered_ns, answered_ns)
        self.turns.append(Turn(work, lap, turn, answers, *moments, *used_up, point, self._beside))
        call_each(self.processes, lambda process: process.collect(START_LIMIT_S))
        self._check_audience()

    def _check_audience(self) -> None:
        """Refuse a trial whose messages have not reached as many subscribers as its workload says."""
        spec = self.workload.workload.header
        if spec.channel is None or not spec.subscribers:
            return
        if wrong := lost_subscribers(self.server.target.control, spec.channel, spec.subscribers):
            raise RunnerFailedError(wrong)

    def last_open_slice(self) -> OpenSlice | None:
        """Return what the slice that has just ended shows; None in a closed loop."""
        kept = np.concatenate([process.samples(START_LIMIT_S)[-1] for process in self.processes])
        return open_slice(self.trial.cell, self.turns[-1], kept)

    def finish(self) -> None:
        """Let every process hand over its latencies, and end; if there were no slices, kill them."""
        if not self.turns:
            self.kill()
            return
        for process in self._due:  # an interrupt came while it worked: that slice is not kept
            process.worked(START_LIMIT_S)
        self._latencies = [process.samples(START_LIMIT_S) for process in self.processes]
        self._peak_memory_bytes = sum(process.peak_memory_bytes() or 0 for process in self.processes)
        self._hosts = [host for process in self.processes if (host := process.host)]
        while self.processes:
            self.processes[0].end(END_LIMIT_S)
            del self.processes[0]

    def fail(self, error: RunnerFailedError) -> None:
        """Take the trial out of the block because of this error; the others continue."""
        status = Status.UNSUPPORTED if isinstance(error, UnsupportedError) else Status.FAILED
        self.failure = Outcome(status, str(error), list(error.stderr))
        self.kill()

    def kill(self) -> None:
        """End every process that is still running, and what the run does beside them."""
        if self.companion is not None:
            self.companion.close()
            self.companion = None
        for process in self.processes:
            process.kill()

    def cpu_ns(self) -> int | None:
        """Return the CPU time of its processes since they started, by the kernel's count; None if not counted.

        A driver works in children of its process, whose CPU the kernel adds only when they have ended.
        """
        can = self.trial.cell.client.capabilities
        return None if can.own_programs else _sum_if_all(call_each(self.processes, lambda process: process.cpu_ns()))

    def compiling_ns(self) -> int | None:
        """Return the CPU time of its processes' compilers so far; None if they have none, or it is not counted."""
        return _sum_if_all(call_each(self.processes, lambda process: process.compiling_ns()))

    def threads_ns(self) -> dict[int, int] | None:
        """Return the CPU time of each thread of its processes, by the kernel's count; None if not counted."""
        return together_ns(call_each(self.processes, lambda process: process.threads_ns()))

    def _threads(self) -> tuple[dict[int, int] | None, dict[int, int] | None]:
        own = None if self.trial.cell.client.capabilities.own_programs else self.threads_ns()
        return own, self.server.target.threads_ns()

    def _relay_ns(self) -> int | None:
        rtt_ms = self.trial.cell.shape.rtt_ms
        return None if rtt_ms is None else process_cpu_ns(self.server.round_trips[rtt_ms].relay.pid)

    def outcome(self) -> Outcome:
        """Return the trial's outcome, once nothing runs any more; raises TargetLostError if the server restarted."""
        seen = self._seen()
        if self.failure is not None:
            return replace(seen, status=self.failure.status, reason=self.failure.reason, stderr=self.failure.stderr)
        mismatches = [one.reason for one in seen.slices if one.reason is not None]
        if not seen.slices or len(mismatches) > max(LOST_AT_MOST * len(seen.slices), len(seen.slices) >= ONE_OF):
            reason = mismatches[0] if mismatches else self.loss or "no slice was measured"
            return replace(seen, status=Status.FAILED, reason=reason)
        if wrong := next(filter(None, self._mismatches(seen)), None):
            return replace(seen, status=Status.FAILED, reason=wrong)
        self.context.versions.setdefault(self.trial.cell.client.name, seen.versions)
        lost = (
            f"{len(mismatches)} of {len(seen.slices)} slices are not counted: {mismatches[0]}" if mismatches else None
        )
        return replace(seen, reason="; ".join(filter(None, (lost, self.loss))) or None)

    def _seen(self) -> Outcome:
        cell, target = self.trial.cell, self.server.target
        loaded = self.loaded[0] if self.loaded else Loaded(contract=0, versions={})
        spec = self.context.clients.get(cell.client.library)
        with_units = spec.sent_with_units(cell.client.options) if spec else {}
        elsewhere = frozenset(part for part, host in enumerate(self._hosts) if not host.is_here)
        judge = Judge(cell, self.workload, self.own_commands, target.local, self._opened, with_units, elsewhere)
        latencies = self._by_slice()
        slices = list(judge.records(self.turns, latencies))
        counted = [turn.answers for turn, one in zip(self.turns, slices, strict=True) if one.counts]
        # Where the highest rate is looked for, the latency that stands beside it is that at 70 % of it.
        opened = [
            one
            for turn, kept in zip(self.turns, latencies, strict=False)
            if (turn.point is None or turn.point[0] is Aim.SEVENTY)
            and (one := open_slice(cell, turn, kept)) is not None
        ]
        self.saw_others = judge.saw_others
        return Outcome(
            status=Status.OK,
            versions=loaded.versions,
            settings=loaded.settings,
            decodes_to=(decoded_to(self._replies[0]) or "bytes") if self._replies else None,
            verified_replies=sum(map(len, self._replies)),
            peak_memory_bytes=self._peak_memory_bytes,
            memory_bytes_per_key=self.server.state.bytes_per_key.get(cell.workload),
            handshake=self.handshake,
            sockets=self.sockets,
            warm_up=self.warm_up,
            found=None if self.search is None else self.search.found(is_cut_short=self.loss is not None),
            latency=latency_of(cell, [one.response for one in opened] if cell.shape.rate else latencies, opened),
            service=latency_of(cell, [one.service for one in opened]),
            lag=latency_of(cell, [one.lag for one in opened]),
            hosts=list(shares_of(cell, self._hosts, counted)),
            slices=slices,
        )

    def _by_slice(self) -> list[Latencies]:
        """Return the latencies of each slice, all processes together, without those of one that was interrupted."""
        if not self._latencies:
            return []
        nothing = np.empty(0 if self.trial.cell.shape.rate is None else (0, 3))
        return [
            np.concatenate([one[place] if place < len(one) else nothing for one in self._latencies])
            for place in range(len(self.turns))
        ]

    def _mismatches(self, seen: Outcome) -> Iterator[str | None]:
        """Yield why the trial as a whole is not what its label says; None for what is."""
        client = self.trial.cell.client
        spec = self.context.clients.get(client.library)
        absent = spec.must_not_load(client.options) if spec else frozenset[str]()
        yield version_mismatch(client, self.loaded, self.context.versions.get(client.name), absent)
        yield None if seen.handshake is None else protocol_mismatch(seen.handshake)


def _sum_if_all(readings: Iterable[int | None]) -> int | None:
    every = list(readings)
    known = [one for one in every if one is not None]
    return sum(known) if len(known) == len(every) else None
