"""Applications that keep going in every language that has them: each unit is in the log, whatever the server does.

With a library of each language, and the server that it fails with.
"""

import json
import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from respmark import kinds
from respmark.contract.lines import Due, KeepGoing
from respmark.contract.trial import Fault, Scenario, Shape
from respmark.kinds.faults.record import FaultRecord
from respmark.machine.guardian import Guardian
from respmark.plan.make import make_plan
from respmark.results.store import read_records
from respmark.run.observer import Observer
from respmark.run.run import opened
from respmark.run.testbed import OpenOptions
from respmark.runners.local import LocalExecutor
from respmark.runners.protocol import TrialRequest
from respmark.servers.control import Control
from respmark.servers.node import Node
from respmark.servers.preload import PreloadedKeys
from respmark.specs.naming import one_client
from respmark.specs.suite import ShapeAxes
from respmark.workload.replies import wrong_reply
from respmark.workload.workload import first_commands, generate, preload_sizes
from tests.builders.plan import SHIPPED, asked
from tests.integration.installed.conftest import CORES, LIMIT_S, need

MS: Final = 10**6
S: Final = 10**9
FAR_NS: Final = 1000 * S
WORKLOAD: Final = generate(SHIPPED.workload("conform"), 1)
"""What the fixture `workload` writes."""
KEEPING: Final = [name for name in CORES if SHIPPED.runners[one_client(name, SHIPPED.clients).runner].keep_going]
SHAPES: Final = {
    Scenario.SYNC: Shape(),
    Scenario.THREADS: Shape(threads=3, connections=1),
    Scenario.POOL: Shape(threads=3, max_total=3),
}
Line = dict[str, Any]

pytestmark = [pytest.mark.timeout(300), pytest.mark.usefixtures("java_starts_soon")]


@dataclass
class Application:
    """A runner that has connected, and is to keep going."""

    executor: LocalExecutor
    request: TrialRequest
    folder: Path

    def __post_init__(self) -> None:
        self.runner = self.executor.start(self.request)
        self.runner.load(LIMIT_S)
        self.runner.connect(LIMIT_S)

    @property
    def enough(self) -> Path:
        """Return the file that ends it."""
        return self.folder / "enough"

    @property
    def firsts(self) -> list[int]:
        """Return the first command of each walker."""
        return first_commands(len(WORKLOAD.kinds), self.request.shape, self.request.scenario, part=0)

    def begin(self, due_ns: list[int], until_ns: int = FAR_NS) -> int:
        """Let it begin, with units that are due so many ns from now; return this moment."""
        file, at_ns = self.folder / "due", time.monotonic_ns()
        file.write_bytes(np.array(due_ns, "<i8").tobytes())
        due = Due(file=str(file), at=at_ns)
        log, enough = str(self.folder / "log"), str(self.enough)
        self.runner.keep_going(KeepGoing(due=due, log=log, enough=enough, until=at_ns + until_ns))
        return at_ns

    def went(self) -> None:
        """Wait until it is done."""
        self.runner.went(LIMIT_S)

    def lines(self) -> list[Line]:
        """Return the log as it is."""
        file = self.folder / "log"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    def units(self) -> list[Line]:
        """End it; return the lines of units, after which its last one says that the client is closed."""
        self.runner.end(LIMIT_S)
        *units, end = self.lines()
        assert list(end) == ["closed"]
        return units


@pytest.fixture(params=KEEPING)
def application(
    request: pytest.FixtureRequest, workload: Path, tmp_path: Path, local_executor: LocalExecutor, server: Node
) -> Iterator[Application]:
    client = one_client(request.param, SHIPPED.clients)
    need(client, local_executor)
    with Control(server.endpoint) as control:
        PreloadedKeys(WORKLOAD, preload_sizes(WORKLOAD.header, 1)).write_all(control)
    scenario = SHIPPED.spec_of(client).callers_of(client)
    trial = TrialRequest(client, scenario, SHAPES[scenario], workload, server.endpoint)
    made = Application(local_executor, trial, tmp_path)
    yield made
    made.runner.kill()


def by_walker(lines: list[Line]) -> dict[int, list[Line]]:
    """Return each walker's lines, in their order."""
    ordered = sorted(lines, key=itemgetter("walker"))
    return {walker: list(own) for walker, own in groupby(ordered, itemgetter("walker"))}


def wrong(first: int, ended: list[Line]) -> str | None:
    """Return what is wrong with the replies of a walker from a command on, of units that did not fail."""
    return wrong_reply(WORKLOAD, first, [line["reply"] for line in ended])


def test_every_unit_is_in_the_log_once_when_it_begins_and_once_when_it_ends(application: Application) -> None:
    """None begins before it is due; the walkers take turns with their own commands, whose replies are right."""
    due = [*range(0, 100 * MS, 2 * MS), *[100 * MS] * 10]
    at_ns = application.begin(due)
    application.went()
    lines = application.units()
    began = {line["unit"]: line["began"] for line in lines if "began" in line}
    ended = {line["unit"]: line["ended"] for line in lines if "ended" in line}
    assert len(lines) == 2 * len(due)
    assert sorted(began) == sorted(ended) == list(range(len(due)))
    assert all(at_ns + due[unit] <= moment <= ended[unit] for unit, moment in began.items())
    for walker, own in by_walker(lines).items():
        assert [line["unit"] for line in own[::2]] == [line["unit"] for line in own[1::2]]
        assert all("began" in line for line in own[::2])
        assert wrong(application.firsts[walker], own[1::2]) is None


def test_errors_end_nothing(application: Application, server: Node) -> None:
    """A server without memory refuses what is written: those units have an error, all others the right replies."""
    with Control(server.endpoint) as control:
        control.command("CONFIG", "SET", "maxmemory", "1")
    application.begin([0] * 100)
    application.went()
    lines = application.units()
    assert len(lines) == 2 * 100
    for walker, own in by_walker(lines).items():
        for number, line in enumerate(own[1::2], application.firsts[walker]):
            kind = WORKLOAD.header.mix[WORKLOAD.kinds[number % len(WORKLOAD.kinds)]].name
            if kind == "SET":
                assert line["error"]
                assert "maxmemory" in line["text"]
            else:
                assert wrong(number, [line]) is None
    assert any("error" in line for line in lines)


def test_enough_ends_those_who_wait(application: Application) -> None:
    """Units that are due much later never begin."""
    application.begin([0, 0, *[FAR_NS] * 10])
    while sum("ended" in line for line in application.lines()) < 2:
        time.sleep(0.01)
    application.enough.touch()
    application.went()
    assert {line["unit"] for line in application.units()} == {0, 1}


def test_until_ends_those_who_wait(application: Application) -> None:
    application.begin([0, FAR_NS], 200 * MS)
    application.went()
    assert {line["unit"] for line in application.units()} <= {0}


def test_whoever_hangs_is_not_waited_for(application: Application, server: Node) -> None:
    """The server stands still from before the first unit on: that one has begun, and nobody waits for its end."""
    assert server.pid is not None
    os.kill(server.pid, signal.SIGSTOP)
    try:
        application.begin([0], S)
        application.went()
    finally:
        os.kill(server.pid, signal.SIGCONT)
    assert next(line for line in application.units() if "began" in line)["unit"] == 0


def test_a_script_that_waits_for_a_reply_in_the_end_is_seen_to_wait(
    guardian: Guardian, local_executor: LocalExecutor, tmp_path: Path
) -> None:
    """PHP has one thread, which cannot say that it is still waiting: what it has begun is in its log."""
    need(one_client("phpredis", SHIPPED.clients), local_executor)
    shape = ShapeAxes(fault=(Fault.SWALLOWED,), fault_s=(1.0,))
    plan = make_plan(asked("faults", clients=("phpredis",), rounds=1, shape=shape), SHIPPED)
    with opened(OpenOptions(plan, SHIPPED, tmp_path / "run", []), guardian, Observer(), kinds) as run:
        assert list(run.rounds()) == [1]
    (record,) = read_records(tmp_path / "run", kinds.record_type)
    assert isinstance(record, FaultRecord)
    assert record.reason is None
    assert record.figures is not None
    assert not record.figures.longest_wait.is_over
    assert record.close is not None
    assert not record.close.is_over
