"""One round of a block, whose server and runners a test can look into."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest

from respmark import kinds
from respmark.errors import ServerLostError
from respmark.kinds.loops.loop import Loop
from respmark.kinds.loops.record import LoopRecord, SliceRecord
from respmark.plan.plan import Trial
from respmark.results.store import line_of
from respmark.run.block import measure_block
from respmark.run.outcome import record_of
from respmark.run.processes import TrialProcesses
from respmark.run.state import RunState
from respmark.run.testbed import Testbed
from tests.builders.plan import make_block, make_client, make_trial
from tests.fake_node import FakeNode
from tests.fakes import Before, FakeExecutor, FakeRunner, FakeServer, make_testbed

TRIAL = make_trial()
OTHER = make_trial(client=make_client("other"))


@dataclass
class Measured:
    """What a round of a block left."""

    records: list[LoopRecord]
    cut: BaseException | None = None
    """What cut it short."""


class World:
    """A server, and runners that do honest work on it unless a test does something before one of their steps."""

    def __init__(self) -> None:
        self.server = FakeServer()
        self.node: FakeNode = self.server.control.node
        self.executor = FakeExecutor(self.node)
        self.bed: Testbed | None = None
        """Of the last block; the next one without settings is of the same run."""
        self.state = RunState()

    def block(
        self,
        *trials: Trial,
        before: Before | None = None,
        **settings: Any,  # noqa: ANN401 - settings' fields
    ) -> Measured:
        """Measure one round of a block of these trials, by default of one."""
        if before is not None:
            self.executor.before = before
        if self.bed is None or settings:
            self.bed = make_testbed(self.executor, self.server, **settings)
        measured = Measured([])
        try:
            for trial, outcome in measure_block(self.bed, make_block(*(trials or (TRIAL,))), self.state, kinds):
                record = record_of(trial, outcome, order=1, language="Python", started_at=datetime.now(UTC))
                measured.records.append(LoopRecord.model_validate_json(line_of(record)))
                self.state.learn(record)
        except (ServerLostError, KeyboardInterrupt) as error:
            measured.cut = error
        return measured

    def record(self, *trials: Trial, before: Before | None = None, **settings: Any) -> LoopRecord:  # noqa: ANN401 - as above
        """Return what became of the block's first trial."""
        return self.block(*trials, before=before, **settings).records[0]

    def slice(self, *trials: Trial, before: Before | None = None, **settings: Any) -> SliceRecord:  # noqa: ANN401 - as above
        """Return the first slice of the block's first trial."""
        return self.record(*trials, before=before, **settings).slices[0]

    def loop(self, trial: Trial = TRIAL, **settings: Any) -> Loop:  # noqa: ANN401 - as above
        """Return a trial's loop, whose processes are still to be started."""
        self.bed = make_testbed(self.executor, self.server, **settings)
        return Loop(TrialProcesses(self.bed, trial))

    def steps(self, *names: str) -> list[str]:
        return [line for line in self.executor.log if line.split()[0] in names]


@pytest.fixture
def world() -> World:
    return World()


def at(step: str, error: BaseException, times: int = 1, client: str = "lib") -> Before:
    """Raise an error when a client comes to a step for the time that is named."""
    seen = 0

    def before(runner: FakeRunner, name: str) -> None:
        nonlocal seen
        if (name, runner.request.client.name) == (step, client):
            seen += 1
            if seen == times:
                raise error

    return before
