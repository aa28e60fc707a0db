"""A run under way: what is opened for it, the rounds that whoever opened it asks for, and a record of each trial."""

import math
import time
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Final

from respmark.errors import AnotherServerError, ExitCode, InvalidRequestError, ServerError, ServerLostError
from respmark.machine.guardian import Guardian
from respmark.machine.interrupts import signals_as_interrupt
from respmark.machine.lock import lock_path, only_run
from respmark.plan.plan import Block, Plan, Trial
from respmark.plan.unsupported import unsupported_lines
from respmark.results.manifest import Manifest, RunStatus
from respmark.results.records import Status, TrialRecord
from respmark.results.store import RunFolder, read_records
from respmark.run.block import Kinds, measure_block
from respmark.run.manifest import manifest_closed, manifest_of, round_trips_of
from respmark.run.observer import Observer, Progress
from respmark.run.outcome import Outcome, record_of
from respmark.run.pace import Pace
from respmark.run.resume import continued, earlier_run, relays_in_all
from respmark.run.state import RunState
from respmark.run.testbed import OpenOptions, Testbed, opened_testbed
from respmark.servers.server import Server

LEAST_ROUNDS: Final = 2
"""So many rounds of each block are measured whatever they take: one shows nothing about how processes differ."""
RETURN_LIMIT_S: Final = 10.0
"""How long a server that we did not start may be away before the run gives up on it."""


def new_run_id(plan: Plan, now: datetime, name: str | None = None) -> str:
    """Return an ID for a run that sorts by time and contains `name`, or else the suite's name."""
    return f"{now:%Y%m%dT%H%M%SZ}-{name or plan.settings.suite}-seed{plan.settings.seed}"


@contextmanager
def opened(options: OpenOptions, guardian: Guardian, observer: Observer, kinds: Kinds) -> Iterator["Run"]:
    """Open a run, and close everything that was started when it is over; its manifest says how it ended.

    `kinds` is the package `respmark.kinds`.

    Raises:
        InvalidRequestError: the run to be resumed is not one of this plan, or not one of this machine.
        ServerError: the server cannot be reached, or refused us.
        RunFolderError: results cannot be written.
        NothingRanError: there is no server, or another run is measuring.
    """
    began_s = time.monotonic()
    earlier = earlier_run(options.folder, options.plan) if options.resume else None
    if earlier is not None:
        began_s -= earlier.wall_s or 0.0
    with (
        ExitStack() as stack,
        only_run(lock_path()),
        opened_testbed(options, guardian, observer.note) as bed,
    ):
        manifest = manifest_of(options, bed)
        if earlier is None:
            folder = RunFolder.create(options.folder)
            stack.enter_context(folder.discarded_if_refused())
        else:
            folder, manifest = RunFolder.reopen(options.folder), continued(manifest, earlier)
        folder.write_manifest(manifest)
        state = RunState() if earlier is None else RunState(read_records(options.folder, kinds.record_type))
        run = Run(options, bed, folder, manifest, observer, kinds, state, began_s)
        # The command hears signals as well, but outside of what writes the manifest's status.
        with manifest_closed(folder, manifest, bed, run.spent), signals_as_interrupt():
            run.begin()
            yield run


@dataclass
class Run:
    """A run under way: whoever opened it asks for its rounds, one after the other."""

    options: OpenOptions
    bed: Testbed
    folder: RunFolder
    manifest: Manifest
    """As it was when the run began."""
    observer: Observer
    kinds: Kinds
    """The package `respmark.kinds`, which stands above this one: how a block is measured is its trials' kind's."""
    state: RunState
    began_s: float
    """When it began, by `time.monotonic`; of a run that is resumed, as if it had not been cut short."""
    round: int = 0
    """Number of the last round that was begun."""
    _counts: Counter[str] = field(default_factory=Counter)
    """How many rounds each block had."""
    _blocks: int = 0
    """How many rounds of blocks there were."""
    _measured: int = 0
    """How many of them were measured now, and not before this run was resumed."""
    _trials: int = 0
    """How many trials they had."""

    def __post_init__(self) -> None:
        self._pace = Pace(self.plan.settings, self.options.catalogue.runners, self.kinds.block_estimate_s)

    @property
    def plan(self) -> Plan:
        """Return its plan."""
        return self.options.plan

    def begin(self) -> None:
        """Tell and record what cannot be measured; raises InvalidRequestError if what was measured is missing now."""
        self.state.missing = self._missing_clients()
        for name, reason in self.state.missing.items():
            self.observer.note(f"{name} is missing: {reason}")
        for line in unsupported_lines(self.plan.named_unsupported):
            self.observer.note(f"cannot be measured: {line}")
        self._record_unmeasured()

    def rounds(self) -> Iterator[int]:
        """Measure the plan's rounds as far as there is time, and yield the number of each that was measured now.

        Raises what `measure_round` does.
        """
        planned = math.inf if self.options.fills_limit else self.plan.settings.rounds
        while self.round < planned:
            before = self._measured
            if not self.measure_round():
                return
            if self._measured > before:
                yield self.round

    def measure_round(self, only: Container[str] | None = None) -> bool:
        """Measure one more round of the blocks of these names, None: of all; return whether there was time for any.

        What was done before the run was resumed is not measured again.

        Raises:
            ServerError: the server refuses what every trial needs, or does not come back.
            RunFolderError: a record cannot be written.
            KeyboardInterrupt: the user interrupted the run; what has ended is recorded.
        """
        if not self.has_time(only):
            return False
        ahead = self._next_blocks(only)
        self.round += 1
        while ahead:
            block, *ahead = ahead
            if self._has_time(block):
                self._blocks += 1
                if not self.state.is_done(block):
                    self._measure(block, self._progress([block, *ahead]))
                self._counts[block.name] += 1
                self._trials += len(block.trials)
        return True

    def has_time(self, only: Container[str] | None = None) -> bool:
        """Return whether there is time for one more round of any of these blocks."""
        return any(map(self._has_time, self._next_blocks(only)))

    @property
    def goes_on(self) -> bool:
        """Return whether more rounds are to come after the last one."""
        is_planned = (
            self.options.until is not None or self.options.fills_limit or self.round < self.plan.settings.rounds
        )
        return is_planned and self.has_time()

    @property
    def completed(self) -> int:
        """Return how many rounds every block had at least."""
        return min((self._counts[block.name] for block in self._blocks_of(1)), default=0)

    @property
    def left_s(self) -> float:
        """Return about how long the plan's rounds that are left still take."""
        return self._progress([]).left_s

    @property
    def exit_code(self) -> ExitCode:
        """Return the exit code of the run if it ends now: a client that the user named and is missing is a failure.

        Of a series of releases, only the ends were named.
        """
        is_lacking = self.plan.control is None and not self.state.missing.keys().isdisjoint(self.plan.named)
        return max(self.state.exit_code, ExitCode.SOME_FAILED if is_lacking else ExitCode.OK)

    def spent(self, status: RunStatus) -> Mapping[str, object]:
        """Return what the manifest says at the end of what the run took, and how far it came."""
        # Where time was too short for all rounds of the plan, a whole run has fewer.
        completed = self.completed if status is RunStatus.COMPLETE else 0
        return {
            "rounds": min(completed or self.manifest.rounds, self.manifest.rounds),
            "wall_s": time.monotonic() - self.began_s,
            "measured_s": self.state.measured_s,
            "round_trips": relays_in_all(round_trips_of(self.bed, is_over=True), self.manifest.round_trips),
        }

    @property
    def _ends_s(self) -> float:
        return math.inf if self.options.limit_s is None else self.began_s + self.options.limit_s

    def _next_blocks(self, only: Container[str] | None) -> list[Block]:
        return [block for block in self._blocks_of(self.round + 1) if only is None or block.name in only]

    def _blocks_of(self, number: int) -> list[Block]:
        """Return the blocks of a round without clients that are missing."""
        blocks = (
            replace(block, trials=tuple(one for one in block.trials if one.cell.client.name not in self.state.missing))
            for block in self.plan.round(number)
        )
        return [block for block in blocks if block.trials]

    def _has_time(self, block: Block) -> bool:
        if self._counts[block.name] < LEAST_ROUNDS or self.state.is_done(block):
            return True
        return time.monotonic() + self._pace.block_s(block) <= self._ends_s

    def _progress(self, ahead: Sequence[Block]) -> Progress:
        """Return where the run is; `ahead` are the blocks of this round from the one that begins now."""
        now_s, of = time.monotonic(), self._blocks + len(ahead[1:])
        left_s, every = sum(map(self._pace.block_s, ahead)), self._blocks_of(1)
        round_s = sum(map(self._pace.block_s, every))
        for number in range(self.round + 1, self.plan.settings.rounds + 1):
            if number > LEAST_ROUNDS and now_s + left_s + round_s > self._ends_s:
                break
            of, left_s = of + len(every), left_s + round_s
        ends_s = now_s + left_s  # the least rounds may need more time than there is
        return Progress(self._blocks, of, max(self._ends_s, ends_s) if self.options.fills_limit else ends_s)

    def _missing_clients(self) -> dict[str, str]:
        missing = {
            client.name: reason
            for client in self.plan.clients
            if (reason := self.bed.executor.missing(client)) is not None
        }
        if lost := sorted(self.state.versions.keys() & missing.keys()):
            raise InvalidRequestError(f"{lost[0]} was measured before and is missing now: {missing[lost[0]]}")
        return {**missing, **self.state.missing}

    def _record_unmeasured(self) -> None:
        """Record what cannot be measured, once for each cell: no row may be left out."""
        for cell in self.plan.cells:
            trial, reason = Trial(cell, 1), self.state.missing.get(cell.client.name)
            if self.state.knows(trial.id):
                continue
            if reason is not None:
                self._record(trial, Outcome(Status.MISSING, reason), 1, datetime.now(UTC))
            elif cell.unsupported is not None:
                self._record(trial, Outcome(Status.UNSUPPORTED, cell.unsupported), 1, datetime.now(UTC))

    def _measure(self, block: Block, progress: Progress) -> None:
        self.observer.block_started(block, progress)
        began_s, started_at = time.monotonic(), datetime.now(UTC)
        orders = {trial.id: order for order, trial in enumerate(block.trials, start=self._trials + 1)}
        is_whole = True
        try:
            outcomes = measure_block(self.bed, block, self.state, self.kinds, self.observer.progress)
            with closing(outcomes):
                for trial, outcome in outcomes:
                    is_whole = is_whole and outcome.status is not Status.FAILED
                    self.observer.trial_ended(self._record(trial, outcome, orders[trial.id], started_at))
            self._pace.learn(block, time.monotonic() - began_s)
        except ServerLostError:
            is_whole = False
        self._measured += 1
        self._record_unmeasured()
        if not is_whole:
            for in_use in self.bed.servers_of(trial.cell for trial in block.trials):
                in_use.state.dirty()
                if not in_use.server.alive():
                    self._recover(in_use.server)

    def _recover(self, server: Server) -> None:
        """Reach the server again: one that we started is restarted, any other may return by itself."""
        self.observer.note("the server no longer answers; trying to connect again")
        deadline_s = time.monotonic() + RETURN_LIMIT_S
        while True:
            try:
                server.reconnect()
            except AnotherServerError:
                raise
            except ServerError:
                if time.monotonic() > deadline_s:
                    raise
                time.sleep(0.5)
                continue
            break

    def _record(self, trial: Trial, outcome: Outcome, order: int, started_at: datetime) -> TrialRecord:
        language = self.options.catalogue.runners[trial.cell.client.runner].language
        record = record_of(trial, outcome, order=order, language=language, started_at=started_at)
        self.folder.append(record)
        self.state.learn(record)
        return record
