"""Closed loops in every language: units are counted and timed in the part of the slice in which they are.

With the client that does nothing, one trial after the other in a process.
"""

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Final

import numpy as np
import pytest

from respmark.contract.lines import Work
from respmark.contract.trial import Form, Scenario, Shape, Window, walkers
from respmark.runners.local import LocalExecutor
from respmark.runners.protocol import TrialRequest
from respmark.specs.naming import one_client
from tests.builders.plan import SHIPPED
from tests.integration.installed.conftest import LIBRARIES, LIMIT_S, NOWHERE, NullRunners, can, need

MS: Final = 10**6
LEAD_IN_NS: Final = MS
NS: Final = 2 * MS
SHAPES: Final = {
    "sync": (Scenario.SYNC, Shape()),
    "bursts": (Scenario.PIPELINING, Shape(depth=4, window=Window.BURST)),
    "a sliding window": (Scenario.PIPELINING, Shape(depth=4, window=Window.SLIDING)),
    "batches": (Scenario.BATCHING, Shape(depth=4)),
    "transactions": (Scenario.TRANSACTION, Shape(depth=4, form=Form.BATCHED)),
    "threads": (Scenario.THREADS, Shape(threads=3, connections=1)),
    "a pool": (Scenario.POOL, Shape(threads=3, max_total=2)),
    "new connections": (Scenario.NEW_CONNECTION, Shape()),
}

ROOM: Final = 4
NULLS: Final = [language for language, library in SHIPPED.every_client if library == "null"]
"""Languages that have a client that does nothing."""

pytestmark = [pytest.mark.timeout(300), pytest.mark.usefixtures("java_starts_soon")]


def cases() -> Iterator[tuple[str, str]]:
    """Yield each language with each shape that its null client has."""
    for language, (name, (scenario, shape)) in product(NULLS, SHAPES.items()):
        if can(language, scenario, shape):
            yield language, name


@pytest.mark.parametrize(("language", "name"), [*cases()])
def test_units_are_counted_and_timed_where_they_belong(nulls: NullRunners, language: str, name: str) -> None:
    """Each part lasts as long as asked; a slice that is kept has a latency of each measured unit, any other none.

    However long a busy machine lets it last: what has no room is counted.
    """
    scenario, shape = SHAPES[name]
    runner = nulls.given(language, scenario, shape)
    kept = []
    for keep in (False, True, True):
        runner.work(Work(first=0, lead_in_ns=LEAD_IN_NS, ns=NS, keep=keep))
        one = runner.worked(LIMIT_S)
        assert one.measured_from.at_ns - one.started.at_ns >= LEAD_IN_NS
        assert one.elapsed_ns >= NS
        assert len(one.lead_in) == len(one.measured) == walkers(scenario, shape)
        assert min(*one.lead_in, *one.measured) > 0
        assert (one.errors, one.first_error) == ({}, None)
        kept += [one] * keep
    runner.send('{"samples": {}}')
    found = runner._line("samples", LIMIT_S)
    assert sum(found.counts) + found.dropped == sum(sum(one.measured) for one in kept)
    latencies = runner._numbers(found.latencies)
    assert len(latencies) == sum(found.counts) > 0
    assert (latencies >= 0).all()
    assert latencies.sum() > 0
    for own, one in zip(np.split(latencies, np.cumsum(found.counts)[:-1]), kept, strict=True):
        assert len(own) <= sum(one.measured)
        if len(one.measured) == 1 and shape.window is not Window.SLIDING:
            assert own.sum() <= one.elapsed_ns


@pytest.mark.parametrize("language", NULLS)
def test_latencies_that_have_no_room_are_counted(
    nulls: NullRunners, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    """The slice goes on; once they are handed over, there is room for as many again."""
    monkeypatch.setattr("respmark.runners.runner.SAMPLES", ROOM)
    runner = nulls.given(language, Scenario.SYNC, Shape())
    for _ in range(2):
        runner.work(Work(first=0, lead_in_ns=0, ns=NS, keep=True))
        units = sum(runner.worked(LIMIT_S).measured)
        runner.send('{"samples": {}}')
        found = runner._line("samples", LIMIT_S)
        assert sum(found.counts) >= min(ROOM, units)
        assert sum(found.counts) + found.dropped == units


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_end_of_its_input_is_the_end(library: str, workload: Path, local_executor: LocalExecutor) -> None:
    """Of a runner that was only asked what it would load, too: it exits with 0, and has opened no connection."""
    client = one_client(library, SHIPPED.clients)
    need(client, local_executor)
    runner = local_executor.start(TrialRequest(client, Scenario.SYNC, Shape(), workload, NOWHERE))
    assert runner.load(LIMIT_S).versions
    runner.end(LIMIT_S)
