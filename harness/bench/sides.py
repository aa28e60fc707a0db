"""A runner of the suite, and the same runner's bare loop, that take turns slice by slice."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

from respmark.contract.events import Segment, Slice, SliceOrder, Work
from respmark.contract.lines import BaredLine, moment
from respmark.contract.trial import TrialRequest
from respmark.errors import RunnerFailedError
from respmark.evidence.info import command_calls
from respmark.execute.contract3 import Contract3Process, beside
from respmark.execute.local import LocalExecutor
from respmark.execute.process import LocalProcess
from respmark.execute.protocol import RunnerOrder, RunnerProcess
from respmark.plan.order import in_random_order
from respmark.plan.trial import Trial
from respmark.results.records import Status
from respmark.run.context import RunContext
from respmark.run.participant import END_LIMIT_S, Participant
from respmark.run.quiet import BEFORE_LAPS_S, BEFORE_SLICE_S, wait_until_quiet
from respmark.run.slices import kept_slice, settle, warm_up
from respmark.specs.client import Client
from respmark.specs.scenario import commands_per_unit
from respmark.target.info import parse_info


class Speed(NamedTuple):
    """One slice of one side."""

    rps: float
    cpu_ns_per_command: float


@dataclass
class RunnerSide:
    """A runner of the suite, driven as in every run; each method may raise `RunnerFailedError`."""

    context: RunContext
    trial: Trial
    participant: Participant = field(init=False)

    def __post_init__(self) -> None:
        setup = self.context.setup_commands([self.trial.cell.client])
        self.participant = Participant(self.context, self.trial, setup)

    def start(self) -> None:
        """Restore the database's state, start the runner, connect it, and warm it up by the rule of every run."""
        self.context.restore([self.trial.cell])
        self.participant.start()
        self.participant.load()
        self.participant.connect()
        warm_up(self.participant)

    def settle(self) -> None:
        """Work as in a slice; nothing of it is kept."""
        settle(self.participant)

    def work(self, order: SliceOrder) -> Speed:
        """Work for one slice, in a lap of its own: several slices of one lap would count as repetitions."""
        self.participant.take_turn(order, lap=len(self.participant.turns) + 1, turn=1)
        answer = self.participant.turns[-1].answers[0]
        first, last, operations = answer.measured_from, answer.ended, max(1, answer.measured.operations)
        return Speed(operations / (last.at_ns - first.at_ns) * 1e9, (last.cpu_ns - first.cpu_ns) / operations)

    def cpu_ns(self) -> int | None:
        """Return the CPU time of its processes since they started."""
        return self.participant.cpu_ns()

    def end(self) -> None:
        """End it, and check its claims against the server's counters."""
        self.participant.finish()
        outcome = self.participant.outcome()
        if outcome.status is not Status.OK:
            raise RunnerFailedError(f"{self.trial.id}: {outcome.reason}")

    def kill(self) -> None:
        """End it, if it still runs."""
        self.participant.kill()


class BareSide(RunnerSide):
    """A bare loop, which keeps no samples: that it counts as the server does is all that can be checked."""

    def end(self) -> None:
        """End it, and check that the server saw each slice's commands."""
        for process in self.participant.processes:
            process.wait(END_LIMIT_S)
        names = self.participant.workload.expectations.names
        for turn in self.participant.turns:
            before, after = (
                sum(calls.calls for name, calls in command_calls(parse_info(shot.info)).items() if name in names)
                for shot in (turn.before, turn.after)
            )
            claimed = sum(part.operations for one in turn.answers for part in (one.lead_in, one.measured))
            if after - before != claimed:
                raise RunnerFailedError(f"the bare loop claims {claimed:,} commands, the server saw {after - before:,}")


class BareProcess(Contract3Process):
    """A runner whose slices are those of its bare loop; the lead-in is an order of its own."""

    def order(self, order: RunnerOrder) -> None:
        """Pass an order on."""
        if isinstance(order, SliceOrder):
            self._due.append(lambda limit_s: self._bare_slice(order, limit_s))
        else:
            super().order(order)

    def _bare_slice(self, order: SliceOrder, limit_s: float) -> Slice:
        before = self.bare(order.first_command, order.lead_in_ns, limit_s) if order.lead_in_ns else None
        lead_in = Work(units=0, operations=0) if before is None else self._done(before)
        after = self.bare(order.first_command + lead_in.operations, order.duration_ns, limit_s)
        measured = self._done(after)
        return Slice(
            trial_id=self._request.trial_id,
            slice=order.slice,
            started=moment((before or after).started),
            measured_from=moment(after.started),
            ended=moment(after.ended),
            lead_in=lead_in,
            measured=measured,
            segments=[Segment(first_command=order.first_command, operations=lead_in.operations + measured.operations)],
            errors={},
            first_error=None,
        )

    def _done(self, bared: BaredLine) -> Work:
        return Work(
            units=bared.units,
            operations=bared.units * commands_per_unit(self._request.scenario, self._request.shape),
        )


class BareExecutor(LocalExecutor):
    """Starts bare loops: the runners' own, or the programs that a user has named for some clients."""

    given: Mapping[str, list[str]] = MappingProxyType({})

    def start(self, client: Client, request: TrialRequest) -> RunnerProcess:
        """Start a runner whose replies are not verified: it is the same adapter as on the other side."""
        process = LocalProcess(self._spawn(client), self._guardian)
        self._started.append(process)
        unverified = request.model_copy(update={"verify_commands": 0})
        return BareProcess(
            process, unverified, self._clients[client.runner, client.library], beside(request.workload.path)
        )

    def _command(self, client: Client) -> list[str]:
        return self.given.get(client.name) or super()._command(client)


def measure_round(suite: RunnerSide, other: RunnerSide, number: int) -> list[tuple[Speed, Speed]]:
    """Return both sides' speeds lap by lap; both have fresh processes.

    Raises:
        RunnerFailedError: one side failed, or claims what the server did not see.
        TargetError: the target refused us or went away.
    """
    sides, settings = [suite, other], suite.context.settings
    try:
        for side in sides:
            side.start()
        wait_until_quiet(sides, BEFORE_LAPS_S)
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
    order = kept_slice(suite.participant, (number - 1) * settings.laps + lap)
    speeds = {}
    for side in in_random_order(sides, f"{settings.seed}:{suite.trial.id}:{lap}"):
        wait_until_quiet(sides, BEFORE_SLICE_S)
        speeds[id(side)] = side.work(order)
    return speeds[id(suite)], speeds[id(other)]
