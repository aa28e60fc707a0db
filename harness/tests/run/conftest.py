"""A context for one round of a block, whose server and runners a test can look into."""

from collections.abc import Iterator
from typing import Any

import pytest

from respmark.contract.events import Slice
from respmark.contract.trial import TrialRequest
from respmark.execute.protocol import RunnerOrder
from respmark.run.block import measure_block
from respmark.run.participant import Outcome
from tests.builders.plan import make_block, make_client, make_trial
from tests.fake_executor import FakeExecutor, Script, Step
from tests.fakes import FakeServer, FakeTarget, honest, make_context

TRIAL = make_trial()
OTHER = make_trial(client=make_client("other"))


class World:
    """A context whose server and runners a test can look into."""

    def __init__(self) -> None:
        self.target = FakeTarget()
        self.server: FakeServer = self.target.control.server

    def measured(self, script: Script | None = None, **settings: Any) -> Outcome:  # noqa: ANN401 - settings' fields
        """Measure a block of one trial whose runner plays this script, or is honest."""
        context = make_context(FakeExecutor(script or honest(self.server)), self.target, **settings)
        return measure_block(context, make_block(TRIAL)).outcomes[0]

    def changed(self, **changes: Any) -> Script:  # noqa: ANN401 - a slice's fields
        """Return the script of a runner that does honest work and answers it with other fields."""

        def script(request: TrialRequest, orders: list[RunnerOrder]) -> Iterator[Step]:
            for event in honest(self.server)(request, orders):
                yield event.model_copy(update=changes) if isinstance(event, Slice) else event

        return script


@pytest.fixture
def world() -> World:
    """Return a world of its own."""
    return World()
