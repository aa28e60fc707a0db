"""Trials that follow one another in the same process, with every client: nothing of one is left in the next."""

import time
from pathlib import Path
from typing import Final

import pytest

from respmark.contract.lines import Work
from respmark.contract.trial import Scenario, Shape, Window
from respmark.errors import UnsupportedError
from respmark.runners.local import LocalExecutor
from respmark.runners.protocol import TrialRequest
from respmark.runners.runner import Runner
from respmark.servers.control import Control
from respmark.servers.node import Node
from respmark.specs.naming import one_client
from tests.builders.plan import SHIPPED
from tests.integration.installed.conftest import need

LIMIT_S: Final = 60.0
LIBRARIES: Final = sorted(name for name, spec in SHIPPED.clients.items() if spec.capabilities.replies)
WORK: Final = Work(first=0, lead_in_ns=10**6, ns=10**7, keep=True)
TRIALS: Final = (
    (Scenario.SYNC, Shape()),
    (Scenario.POOL, Shape(threads=3, max_total=2)),
    (Scenario.THREADS, Shape(threads=4, connections=2)),
    (Scenario.BATCHING, Shape(depth=5, connections=3)),
    (Scenario.PIPELINING, Shape(depth=5, window=Window.SLIDING)),
    (Scenario.CACHING, Shape(cache_entries=100)),
    (Scenario.NEW_CONNECTION, Shape()),
    (Scenario.SYNC, Shape()),
)

pytestmark = [pytest.mark.timeout(300), pytest.mark.usefixtures("java_starts_soon")]


def await_only(control: Control) -> None:
    """Return when no connection but the control's is open."""
    end = time.monotonic() + LIMIT_S
    while (clients := str(control.command("CLIENT", "LIST"))).count(" addr=") > 1:
        assert time.monotonic() < end, f"connections of the trial before are still open:\n{clients}"


def is_loaded(runner: Runner) -> bool:
    try:
        runner.load(LIMIT_S)
    except UnsupportedError:
        return False
    return True


def replies_of(runner: Runner) -> list[object]:
    """Let a trial do everything once, and return its replies; none if this server does not support it."""
    try:
        runner.connect(LIMIT_S)
    except UnsupportedError:
        return []
    replies = runner.echo(20, LIMIT_S)
    runner.work(WORK)
    assert runner.worked(LIMIT_S).errors == {}
    assert len(runner.samples(LIMIT_S)) == 1
    return replies


@pytest.mark.parametrize("library", LIBRARIES)
def test_nothing_of_a_trial_is_left_in_the_next(
    library: str, workload: Path, local_executor: LocalExecutor, server: Node
) -> None:
    """Each leaves no connection open, whatever its scenario; the last has the same replies as the first."""
    client, spec = one_client(library, SHIPPED.clients), SHIPPED.clients[library]
    need(client, local_executor)
    trials = [
        TrialRequest(client, scenario, shape, workload, server.endpoint)
        for scenario, shape in TRIALS
        if not spec.why_not(client, scenario, shape)
    ]
    runner, replies = local_executor.start(trials[0]), list[list[object]]()
    with Control(server.endpoint) as control:
        for trial in [*trials[1:], trials[0]]:
            if is_loaded(runner):
                control.command("FLUSHDB")  # what a slice of an earlier trial wrote would be found
                replies.append(replies_of(runner))
            runner.give(trial)
        is_loaded(runner)
        await_only(control)
        runner.end(LIMIT_S)
    assert replies[-1] == replies[0] != []
