"""The two sides of a fidelity row: a runner of the suite, and a bare loop that does the same work."""

from dataclasses import dataclass, field
from typing import Final, Protocol, cast

from respmark.contract.events import Connect, SliceOrder
from respmark.errors import FidelityError, RunnerFailedError, RunnerMissingError
from respmark.evidence.info import command_calls, parse_info
from respmark.evidence.snapshot import Snapshot, take
from respmark.execute.contract3 import Contract3Process
from respmark.execute.process import LocalProcess, start_program
from respmark.execute.protocol import RunnerProcess
from respmark.placement import placed
from respmark.plan.trial import Trial
from respmark.redaction import redacted
from respmark.results.records import Status
from respmark.run.apart import busy_thread, keep_apart
from respmark.run.context import MadeWorkload, RunContext
from respmark.run.participant import END_LIMIT_S, SLICE_GRACE_S, START_LIMIT_S, Participant
from respmark.run.slices import settle, warm_up
from respmark.specs.scenario import commands_per_unit
from respmark.target.guardian import Guardian

BARE_START_LIMIT_S: Final = START_LIMIT_S + 30
"""A bare loop warms itself up before it says `ready`."""
ANSWER: Final = ("OPERATIONS", "ELAPSED_NS", "CPU_NS")


@dataclass(frozen=True)
class Speed:
    """One slice of one side."""

    rps: float
    cpu_ns_per_command: float


class Side(Protocol):
    """Something that works for a slice when told to."""

    def start(self) -> None:
        """Start, connect and warm up."""

    def settle(self) -> None:
        """Work as in a slice; nothing of it is kept."""

    def work(self, order: SliceOrder) -> Speed:
        """Work for one slice."""

    def cpu_ns(self) -> int | None:
        """Return the CPU time of its processes since they started; None if nobody counts it."""

    def end(self) -> None:
        """End; raise if its claims were not true."""

    def kill(self) -> None:
        """End it, if it still runs."""


@dataclass
class RunnerSide:
    """A runner of the suite, driven as in every run."""

    context: RunContext
    trial: Trial
    participant: Participant = field(init=False)

    def __post_init__(self) -> None:
        setup = self.context.setup_commands([self.trial.cell.client])
        self.participant = Participant(self.context, self.trial, setup)

    def start(self) -> None:
        """Restore the database's state, start the runner, connect it, and warm it up by the rule of every run.

        Raises:
            FidelityError: it failed.
        """
        self.context.restore([self.trial.cell])
        try:
            self.participant.start()
            self.participant.load()
            self.participant.connect()
            warm_up(self.participant)
        except (RunnerFailedError, RunnerMissingError) as error:
            raise FidelityError(str(error)) from error

    def settle(self) -> None:
        """Work as in a slice; nothing of it is kept.

        Raises:
            FidelityError: it failed.
        """
        try:
            settle(self.participant)
        except RunnerFailedError as error:
            raise FidelityError(str(error)) from error

    def work(self, order: SliceOrder) -> Speed:
        """Work for one slice, in a lap of its own: several slices of one lap would count as repetitions.

        Raises:
            FidelityError: it failed.
        """
        try:
            self.participant.take_turn(order, lap=len(self.participant.turns) + 1, turn=1)
        except RunnerFailedError as error:
            raise FidelityError(str(error)) from error
        answer = self.participant.turns[-1].answers[0]
        first, last, operations = answer.measured_from, answer.ended, max(1, answer.measured.operations)
        return Speed(operations / (last.at_ns - first.at_ns) * 1e9, (last.cpu_ns - first.cpu_ns) / operations)

    def cpu_ns(self) -> int | None:
        """Return the CPU time of its processes since they started."""
        return self.participant.cpu_ns()

    def end(self) -> None:
        """End it, and check its claims against the server's counters.

        Raises:
            FidelityError: they differ.
        """
        try:
            self.participant.finish()
        except RunnerFailedError as error:
            raise FidelityError(str(error)) from error
        outcome = self.participant.outcome()
        if outcome.status is not Status.OK:
            message = f"{self.trial.id}: {outcome.reason}"
            raise FidelityError(message)

    def kill(self) -> None:
        """End it, if it still runs."""
        self.participant.kill()


@dataclass
class BareSide:
    """A bare loop: any program that follows the protocol in docs/honesty.md."""

    command: list[str]
    context: RunContext
    trial: Trial
    guardian: Guardian
    cpus: str | None = None
    process: RunnerProcess | None = None
    _program: LocalProcess | None = None

    def start(self) -> None:
        """Start it and wait until it is connected and warm.

        Raises:
            FidelityError: it does not start, or does not say `ready`.
        """
        try:
            with placed(self.cpus):
                self.process = self._program = LocalProcess(
                    start_program([*self.command, *self._arguments()]), self.guardian
                )
        except OSError as error:
            message = f"the bare loop {self.command[0]} does not start: {error.strerror}; run `make setup`"
            raise FidelityError(message) from error
        if (said := self._line(BARE_START_LIMIT_S)) != "ready":
            raise self._broken(f"said `{redacted(said)}` where `ready` was due")

    def settle(self) -> None:
        """Work as in a slice; the CPU of its threads decides whether it is kept off the server's CPU, as a runner is.

        Raises:
            FidelityError: it failed.
        """
        before, settings = self._threads_ns(), self.context.settings
        self._work(round((settings.lead_in_s + settings.slice_s) * 1e9), first_command=0)
        keep_apart(busy_thread(before, self._threads_ns()), self.context.target.pid)

    def work(self, order: SliceOrder) -> Speed:
        """Work for a lead-in, which is not measured, and for one slice.

        Raises:
            FidelityError: it failed, or claims what the server did not see.
        """
        before = take(self.context.target.control)
        led_in = self._work(order.lead_in_ns, order.first_command) if order.lead_in_ns else (0, 0, 0)
        operations, elapsed_ns, cpu_ns = self._work(order.duration_ns, order.first_command + led_in[0])
        self._check(led_in[0] + operations, before, take(self.context.target.control))
        return Speed(operations / elapsed_ns * 1e9, cpu_ns / operations)

    def cpu_ns(self) -> int | None:
        """Return the CPU time of its process since it started."""
        return None if self.process is None else self.process.cpu_ns()

    def end(self) -> None:
        """End its input, and wait for its end.

        Raises:
            FidelityError: it does not end as it should.
        """
        if self.process is not None:
            try:
                self.process.wait(END_LIMIT_S)
            except RunnerFailedError as error:
                raise self._broken(str(error)) from error

    def kill(self) -> None:
        """End it, if it still runs."""
        if self.process is not None:
            self.process.kill()

    def _threads_ns(self) -> dict[int, int] | None:
        return None if self.process is None else self.process.threads_ns()

    @property
    def _workload(self) -> MadeWorkload:
        return self.context.workload_of(self.trial.cell)

    def _arguments(self) -> list[str]:
        endpoint, shape = self.context.target.endpoint, self.trial.cell.shape
        given = {
            "host": endpoint.host,
            "port": endpoint.port,
            "workload": self._workload.path,
            "scenario": self.trial.cell.scenario.value,
            "depth": shape.depth or 1,
        }
        return [word for name, value in given.items() for word in (f"--{name}", str(value))]

    def _work(self, duration_ns: int, first_command: int) -> tuple[int, int, int]:
        if self._program is not None:
            self._program.send(f"{duration_ns / 1e9:.9f} {first_command % self._workload.commands}")
        said = self._line(duration_ns / 1e9 + SLICE_GRACE_S)
        words = said.split()
        if len(words) != len(ANSWER) or not all(word.isdecimal() for word in words) or "0" in words[:2]:
            raise self._broken(f"answered `{redacted(said)}`, not `{' '.join(ANSWER)}`")
        operations, elapsed_ns, cpu_ns = map(int, words)
        return operations, elapsed_ns, cpu_ns

    def _check(self, claimed: int, before: Snapshot, after: Snapshot) -> None:
        """Check what it claims against the server's counters of the workload's commands."""
        names = set(self._workload.expectations.names)
        counted = [
            sum(calls.calls for name, calls in command_calls(parse_info(shot.info)).items() if name in names)
            for shot in (before, after)
        ]
        if counted[1] - counted[0] != claimed:
            raise self._broken(f"claims {claimed:,} commands, the server saw {counted[1] - counted[0]:,}")

    def _line(self, limit_s: float) -> str:
        if self._program is None:
            message = "the bare loop was not started"
            raise FidelityError(message)
        try:
            return self._program.next_line(limit_s).decode(errors="replace").strip()
        except RunnerFailedError as error:
            raise self._broken(str(error).replace("the runner", "it")) from error

    def _broken(self, how: str) -> FidelityError:
        return FidelityError(f"the bare loop {' '.join(self.command)}: {how}")


@dataclass
class OwnLoopSide(BareSide):
    """The bare loop that a runner has of its own: the same adapter, and nothing kept but the number of units."""

    def start(self) -> None:
        """Start the runner, connect it, and let the loop warm up.

        Raises:
            FidelityError: it fails.
        """
        cell = self.trial.cell
        try:
            started = self.context.executor.start(cell.client, self.context.request(self.trial, part=0))
            self.process = self._runner = cast("Contract3Process", started)
            started.next_event(START_LIMIT_S)
            started.order(Connect())
            started.next_event(START_LIMIT_S)
        except (RunnerFailedError, RunnerMissingError) as error:
            raise self._broken(str(error)) from error
        self._work(round(self.context.settings.warmup_limit_s * 1e9) or 1, first_command=0)

    def _work(self, duration_ns: int, first_command: int) -> tuple[int, int, int]:
        try:
            found = self._runner.bare(first_command, duration_ns, duration_ns / 1e9 + SLICE_GRACE_S)
        except RunnerFailedError as error:
            raise self._broken(str(error)) from error
        (at_ns, *cpu_ns), (ended_ns, *cpu_ended_ns) = found.started, found.ended
        per_unit = commands_per_unit(self.trial.cell.scenario, self.trial.cell.shape)
        return found.units * per_unit, ended_ns - at_ns, sum(cpu_ended_ns) - sum(cpu_ns)
