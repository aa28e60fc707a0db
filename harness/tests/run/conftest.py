"""One round of a block, whose server and runners a test can look into."""

from typing import Any

import pytest

from respmark.plan.plan import Trial
from respmark.results.records import SliceRecord
from respmark.run.block import MeasuredBlock, measure_block
from respmark.run.outcome import Outcome
from respmark.run.state import RunState
from respmark.run.testbed import Testbed
from tests.builders.plan import make_block, make_client, make_trial
from tests.fake_server import FakeServer
from tests.fakes import Before, FakeExecutor, FakeRunner, FakeTarget, make_testbed

TRIAL = make_trial()
OTHER = make_trial(client=make_client("other"))


class World:
    """A server, and runners that do honest work on it unless a test does something before one of their steps."""

    def __init__(self) -> None:
        self.target = FakeTarget()
        self.server: FakeServer = self.target.control.server
        self.executor = FakeExecutor(self.server)
        self.bed: Testbed | None = None
        """Of the last block; the next one without settings is of the same run."""
        self.state = RunState()

    def block(
        self,
        *trials: Trial,
        before: Before | None = None,
        **settings: Any,  # noqa: ANN401 - settings' fields
    ) -> MeasuredBlock:
        """Measure one round of a block of these trials, by default of one."""
        if before is not None:
            self.executor.before = before
        if self.bed is None or settings:
            self.bed = make_testbed(self.executor, self.target, **settings)
        return measure_block(self.bed, make_block(*(trials or (TRIAL,))), self.state)

    def outcome(self, *trials: Trial, before: Before | None = None, **settings: Any) -> Outcome:  # noqa: ANN401 - as above
        """Return what became of the block's first trial."""
        return self.block(*trials, before=before, **settings).outcomes[0]

    def record(self, *trials: Trial, before: Before | None = None, **settings: Any) -> SliceRecord:  # noqa: ANN401 - as above
        """Return the first slice of the block's first trial."""
        return self.outcome(*trials, before=before, **settings).slices[0]

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
