"""A runner of the suite, and the same runner's bare loop or a program of its own, that take turns slice by slice."""

import json
import time
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

from bench import programs
from respmark.contract.lines import Bared, Loaded, Moment, Work, Worked
from respmark.errors import RunnerFailedError
from respmark.kinds.loops.loop import Loop
from respmark.kinds.loops.off_core import keep_off_server
from respmark.kinds.loops.outcome import outcome_of
from respmark.kinds.loops.warm_up import warm_up_alone, warm_up_together
from respmark.kinds.loops.work import slice_work
from respmark.machine.process import LocalProcess
from respmark.plan.plan import Trial, in_random_order
from respmark.results.records import Status
from respmark.run.processes import TrialProcesses
from respmark.run.quiet import BEFORE_LAPS_S, BEFORE_SLICE_S, wait_until_quiet
from respmark.run.state import RunState
from respmark.run.testbed import Testbed
from respmark.runners.local import LocalExecutor
from respmark.runners.protocol import TrialRequest
from respmark.runners.runner import CONTRACT, Runner
from respmark.servers.info import Info
from respmark.specs.client import Client
from respmark.specs.scenario import commands_per_unit


class Speed(NamedTuple):
    """One slice of one side."""

    rps: float
    cpu_ns_per_command: float


@dataclass
class RunnerSide:
    """A runner of the suite, driven as in every run; each method may raise `RunnerFailedError`."""

    context: Testbed
    trial: Trial
    state: RunState = field(default_factory=RunState)
    """What is compared shares it: both are kept off the server's CPU, or none."""
    loop: Loop = field(init=False)
    library_commands: frozenset[str] = field(init=False)
    """What libraries may send of their own accord, also while they wait."""

    def __post_init__(self) -> None:
        self.library_commands = self.context.library_commands([self.trial.cell.client])
        self.loop = Loop(self.made_processes)

    @property
    def made_processes(self) -> TrialProcesses:
        """Return its processes, which are still to be started."""
        return TrialProcesses(self.context, self.trial)

    @property
    def processes(self) -> TrialProcesses:
        """Return its processes."""
        return self.loop.processes

    @property
    def commands_per_unit(self) -> int:
        """Return how many commands a unit has."""
        return commands_per_unit(self.trial.cell.scenario, self.trial.cell.shape)

    def start(self) -> None:
        """Restore the database's state, start the runner, connect it, and warm it up by the rule of every run."""
        self.context.restore([self.trial.cell])
        self.processes.start()
        self.processes.load()
        self.processes.connect()
        self.loop.prepare()
        if self.context.settings.warmup_limit_s:
            warm_up_together([self.loop], 1, lambda _: nullcontext(), lambda _: True)
            warm_up_alone(self.loop, self.state)
            if self.loop.warm_up is not None:
                self.state.off_core.setdefault(self.trial.cell.id, self.loop.warm_up.is_apart_from_server)

    def settle(self) -> None:
        """Work as in a slice, but keep nothing of it; then keep off the server's CPU, if it was not yet."""
        loop, before = self.loop, self.processes.threads_ns()
        loop.work(slice_work(loop, 0).model_copy(update={"keep": False}))
        if loop.warm_up is not None and not loop.warm_up.is_apart_from_server:
            update = {"is_apart_from_server": keep_off_server(self.processes, self.state, before)}
            loop.warm_up = loop.warm_up.model_copy(update=update)

    def work(self, work: Work) -> Speed:
        """Work for one slice, in a lap of its own: several slices of one lap would count as repetitions."""
        self.loop.take_slice(work, lap=len(self.loop.slices) + 1, turn=1)
        answer = self.loop.slices[-1].answers[0]
        commands = max(1, sum(answer.measured) * self.commands_per_unit)
        cpu_ns = answer.ended.cpu_ns - answer.measured_from.cpu_ns
        return Speed(commands / answer.elapsed_ns * 1e9, cpu_ns / commands)

    def end(self) -> None:
        """End it, and check its claims against the server's counters."""
        self.loop.hand_over()
        self.processes.end()
        outcome = outcome_of(self.loop, self.state, self.library_commands, None)
        if outcome.status is not Status.OK:
            raise RunnerFailedError(f"{self.trial.id}: {outcome.reason}")

    def kill(self) -> None:
        """End it, if it still runs."""
        self.processes.kill()


class UnverifiedProcesses(TrialProcesses):
    """Processes whose replies nobody checks."""

    @property
    def verified(self) -> int:
        """Return 0: none."""
        return 0


@dataclass
class BareSide(RunnerSide):
    """A loop that keeps no samples: that it counts as the server does is all that can be checked."""

    @property
    def made_processes(self) -> TrialProcesses:
        """Return its processes, which are still to be started."""
        return UnverifiedProcesses(self.context, self.trial)

    def end(self) -> None:
        """End it, and check that the server saw each slice's commands."""
        self.processes.end()
        names = self.processes.workload.workload.header.counted
        for one in self.loop.slices:
            before, after = (
                sum(calls.calls for name, calls in Info.read(shot.infos[0]).calls.items() if name in names)
                for shot in (one.before, one.after)
            )
            claimed = sum(answer.units for answer in one.answers) * self.commands_per_unit
            if after - before != claimed:
                raise RunnerFailedError(f"the loop claims {claimed:,} commands, the server saw {after - before:,}")


class ProgramSide(BareSide):
    """A program, whose values are none of the workload's: all keys are written anew before anybody checks replies."""

    def kill(self) -> None:
        """End it, if it still runs, and forget what it wrote."""
        super().kill()
        self.context.servers[self.trial.cell.server].state.dirty()


class BareRunner(Runner):
    """A runner whose slices are those of its bare loop; the lead-in is an order of its own."""

    _ordered: Work

    def work(self, work: Work, _at_ns: int | None = None) -> None:
        """Note it."""
        self._ordered = work

    def worked(self, limit_s: float) -> Worked:
        """Let the loop work for the lead-in, then for the measured part."""
        work, per_unit = self._ordered, commands_per_unit(self._trial.scenario, self._trial.shape)
        before = self._bare(work.first, work.lead_in_ns, limit_s) if work.lead_in_ns else None
        led_in = before.units if before else 0
        after = self._bare(work.first + led_in * per_unit, work.ns, limit_s)
        # What a program's threads did counts as the first walker's.
        others = [0] * ((self._trial.shape.threads or 1) - 1)
        return Worked(
            started=(before or after).started,
            measured_from=after.started,
            ended=after.ended,
            lead_in=[led_in, *others],
            measured=[after.units, *others],
            errors={},
            first_error=None,
        )

    def collect(self, limit_s: float) -> None:
        """Nothing was kept."""

    def _bare(self, first: int, duration_ns: int, limit_s: float) -> Bared:
        self.send(json.dumps({"bare": {"first": self._firsts(first)[0], "ns": duration_ns}}))
        found: Bared = self._explained("bared", limit_s)
        return found


class BareExecutor(LocalExecutor):
    """Starts bare loops: the runners' own, or the programs that a user has named for some clients."""

    kind = BareRunner
    given: Mapping[str, list[str]] = MappingProxyType({})

    def _command(self, client: Client) -> list[str]:
        return self.given.get(client.name) or super()._command(client)


class Program(BareRunner):
    """A program that knows nothing of the contract: it reads a turn's seconds, and prints its operations and ns."""

    def give(self, trial: TrialRequest) -> None:
        """Give it the password; the rest are its arguments."""
        self._trial = trial
        self.send("" if trial.server.password is None else trial.server.password.get_secret_value())

    def load(self, limit_s: float) -> Loaded:
        """Wait until it is connected, which it says."""
        if (said := self.next_line(limit_s)) != b"ready\n":
            raise self.failed(f"the program said {said!r} where `ready` was due")
        return Loaded(contract=CONTRACT, versions={})

    def connect(self, limit_s: float) -> None:
        """It is connected."""

    def _bare(self, first: int, duration_ns: int, limit_s: float) -> Bared:  # noqa: ARG002 - it has its own commands
        """Let it work for a turn; the kernel counts its CPU, since not every language can."""
        cpu_ns, started_ns = self.cpu_ns() or 0, time.monotonic_ns()
        self.send(f"{duration_ns / 1e9}")
        operations, elapsed_ns = map(int, self.next_line(limit_s).split())
        return Bared(
            units=operations // commands_per_unit(self._trial.scenario, self._trial.shape),
            started=Moment(started_ns, cpu_ns, 0),
            ended=Moment(started_ns + elapsed_ns, self.cpu_ns() or 0, 0),
        )


class ProgramExecutor(LocalExecutor):
    """Starts the programs of `bench/standalone`."""

    kind = Program

    def started(self, request: TrialRequest) -> LocalProcess:
        """Start the program with the server's address, the scenario, and what the workload's keys begin with."""
        command = programs.command(self._command(request.client), request, self.build)
        return self._begun(command, request.client)


def measure_round(suite: RunnerSide, other: RunnerSide, number: int) -> list[tuple[Speed, Speed]]:
    """Return both sides' speeds lap by lap; both have fresh processes.

    Raises:
        RunnerFailedError: one side failed, or claims what the server did not see.
        ServerError: the server refused us or went away.
    """
    sides, settings = [suite, other], suite.context.settings
    try:
        for side in sides:
            side.start()
        wait_until_quiet([side.processes for side in sides], BEFORE_LAPS_S)
        if settings.warmup_limit_s:
            for side in sides:
                side.settle()
        laps = [_lap(sides, number, lap) for lap in range(1, settings.laps + 1)]
        for side in sides:
            side.end()
    finally:
        for side in sides:
            side.kill()
    return laps


def _lap(sides: list[RunnerSide], number: int, lap: int) -> tuple[Speed, Speed]:
    suite, other = sides
    settings = suite.context.settings
    work = slice_work(suite.loop, (number - 1) * settings.laps + lap)
    speeds = {}
    for side in in_random_order(sides, f"{settings.seed}:{suite.trial.id}:{lap}"):
        wait_until_quiet([one.processes for one in sides], BEFORE_SLICE_S)
        speeds[id(side)] = side.work(work)
    return speeds[id(suite)], speeds[id(other)]
