"""One round of a block: its trials' processes in step with each other, while their kind measures; it knows no kind."""

from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Protocol

from respmark.contract.trial import Scenario
from respmark.errors import RunnerFailedError, RunnerMissingError, ServerLostError, UnsupportedError
from respmark.plan.plan import Block, Settings, Trial, in_random_order
from respmark.results.records import Status, TrialRecord
from respmark.run.outcome import Outcome
from respmark.run.processes import TrialProcesses
from respmark.run.quiet import wait_until_quiet
from respmark.run.state import INTERRUPTED, RunState
from respmark.run.testbed import Testbed
from respmark.specs.runner import RunnerSpec

Tell = Callable[[str], None]
"""Is called with the block's progress; must return quickly."""


class BlockRun:
    """One round of a block under way."""

    def __init__(self, bed: Testbed, block: Block, tell: Tell = lambda _text: None) -> None:
        self.bed, self.block, self.tell = bed, block, tell
        self.processes = [TrialProcesses(bed, trial) for trial in block.trials]
        """Those of each trial, in the block's order."""
        self.failed: dict[str, Outcome] = {}
        """Status, reason and last lines of trials that have left the block, by trial."""
        self.cut_short: str | None = None
        """Why the block ended before its time, if it did."""
        self.held = ExitStack()
        """What works beside the block until its outcomes are known."""

    @property
    def active(self) -> list[TrialProcesses]:
        """Return the processes of the trials that have not failed."""
        return [one for one in self.processes if one.trial.id not in self.failed]

    def start_all(self) -> None:
        """Start all processes, restore the databases while they load, and let them connect one after the other.

        Raises ServerLostError if a server is lost, ServerError if it refuses us.
        """
        self.each(TrialProcesses.start)
        self.bed.restore(trial.cell for trial in self.block.trials)  # while none is connected yet
        self.each(TrialProcesses.load)
        self.each(TrialProcesses.connect)

    def each(self, step: Callable[[TrialProcesses], None]) -> None:
        """Take a step with each trial that is active; one that fails leaves the block, and the others go on."""
        for one in self.active:
            with self.guarded(one):
                step(one)

    @contextmanager
    def guarded(self, one: TrialProcesses) -> Iterator[None]:
        """Let a trial leave the block if it fails within; the others go on."""
        try:
            yield
        except (RunnerFailedError, RunnerMissingError) as error:
            self.failed[one.trial.id] = _failure(error)
            one.kill()

    def in_turns(self, lap: int) -> Iterator[tuple[int, TrialProcesses]]:
        """Yield the trials that are active in the lap's random order, with their places in it."""
        seed = f"{self.bed.settings.seed}:{self.block.name}:{self.block.round}:{lap}"
        for turn, one in enumerate(in_random_order(self.processes, seed), start=1):
            if one.trial.id not in self.failed:
                yield turn, one

    def wait_until_quiet(self, limit_s: float) -> None:
        """Wait until compilers and collectors of all processes are idle, at most so long."""
        wait_until_quiet(self.active, limit_s)

    def close(self) -> None:
        """End every process that still runs, and what works beside the block."""
        try:
            for one in self.processes:
                one.kill()
        finally:
            self.held.close()


class Measurement(Protocol):
    """What a kind of trial does in one round of a block; it catches no failure of a runner or a server."""

    def measure(self) -> None:
        """Measure; may be cut short at any line, by a lost server or Ctrl-C: what it has kept so far counts."""

    def outcome(self, trial: Trial) -> Outcome:
        """Return what became of a trial, when none of its processes works any more: here is time to compute.

        That it left the block, if it did, is added by whoever calls this. Raises ServerLostError if the server was
        restarted meanwhile.
        """


class Kinds(Protocol):
    """What depends on the kind of trial: the package `respmark.kinds` knows them all."""

    def measurement_of(self, run: BlockRun, state: RunState) -> Measurement:
        """Return the measurement of one round of a block."""

    def record_type(self, scenario: Scenario) -> type[TrialRecord]:
        """Return what records of a scenario are."""

    def block_estimate_s(self, settings: Settings, block: Block, runners: Mapping[str, RunnerSpec]) -> float:
        """Return roughly how long one round of a block takes, in seconds, without the writing of keys."""


def measure_block(
    bed: Testbed,
    block: Block,
    state: RunState,
    kinds: Kinds,
    tell: Tell = lambda _text: None,
) -> Generator[tuple[Trial, Outcome], None, None]:
    """Measure one round of a block; yield what became of each trial. A failure of its runner is an outcome.

    What cuts the block short is raised after that: ServerLostError, KeyboardInterrupt. A trial for which nothing was
    measured before an interrupt has no outcome.

    Raises ServerError at once if a server refused us.
    """
    run = BlockRun(bed, block, tell)
    cut: ServerLostError | KeyboardInterrupt | None = None
    round_trips = bed.round_trips_of(trial.cell for trial in block.trials)
    try:
        measurement = kinds.measurement_of(run, state)
        try:
            for made in round_trips:
                made.adjust()
            measurement.measure()
        except (ServerLostError, KeyboardInterrupt) as error:
            cut, run.cut_short = error, INTERRUPTED if isinstance(error, KeyboardInterrupt) else str(error)
        run.each(TrialProcesses.end)
        is_whole = True
        for one in run.processes:
            outcome = _outcome(measurement, one.trial, run.failed.get(one.trial.id))
            is_whole = is_whole and outcome.status is Status.OK
            # A driver writes values of one size to keys that it draws itself.
            if outcome.saw_others or one.trial.cell.client.capabilities.own_keys:
                one.in_use.state.dirty()
            if outcome.has_figures or not isinstance(cut, KeyboardInterrupt):
                yield one.trial, outcome
    finally:
        run.close()
    for made in () if isinstance(cut, KeyboardInterrupt) else round_trips:
        made.check(f"{block.name}, round {block.round}")
    if not is_whole:
        for server in bed.servers_of(trial.cell for trial in block.trials):
            server.state.dirty()
    if cut is not None:
        raise cut


def _outcome(measurement: Measurement, trial: Trial, failed: Outcome | None) -> Outcome:
    try:
        outcome = measurement.outcome(trial)
    except ServerLostError as error:
        return Outcome(Status.FAILED, str(error))
    if failed is None:
        return outcome
    return outcome.left(failed)


def _failure(error: RunnerFailedError | RunnerMissingError) -> Outcome:
    if isinstance(error, RunnerMissingError):
        return Outcome(Status.MISSING, str(error))
    status = Status.UNSUPPORTED if isinstance(error, UnsupportedError) else Status.FAILED
    return Outcome(status, str(error), list(error.stderr))
