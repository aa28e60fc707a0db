"""What every core does with its library at a server: replies, errors, the bare loop, and nothing left of a trial.

One process of each client has one trial after the other. A core whose callers may wait, or be called back, has both.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import product
from pathlib import Path
from typing import Final

import pytest

from respmark.contract.lines import Bared, Work, Worked
from respmark.contract.trial import Scenario, Shape, Window
from respmark.errors import RunnerFailedError
from respmark.machine.guardian import Guardian
from respmark.runners.local import LocalExecutor
from respmark.runners.protocol import TrialRequest
from respmark.runners.runner import Runner
from respmark.servers.control import Control
from respmark.servers.info import NO_CALLS, Calls, Info, info_text, parse_info
from respmark.servers.node import Node
from respmark.servers.preload import PreloadedKeys
from respmark.specs.client import Client
from respmark.specs.naming import one_client
from respmark.workload.replies import wrong_reply
from respmark.workload.workload import generate, preload_sizes
from tests.builders.plan import SHIPPED
from tests.integration.installed.conftest import CORES, LIBRARIES, LIMIT_S, NOWHERE, need
from tests.runners.scripted import pid_of
from tests.user_server import start_user_server

MS: Final = 10**6
NS: Final = 50 * MS
LEAST_NS: Final = 1000
"""No reply is quicker: it shows in which unit latencies are."""
WORKLOAD: Final = generate(SHIPPED.workload("conform"), 1)
"""What the fixture `workload` writes."""
FIRST: Final = next(
    command
    for command in reversed(range(len(WORKLOAD.kinds) - 1))
    if [*WORKLOAD.kinds[command : command + 2]] == [0, 1] and WORKLOAD.keys[command] < WORKLOAD.header.preload_keys
)
"""A GET of a key that is there, before a SET, both shortly before the last command."""
DEPTH: Final = 3
SHAPES: Final = {
    "sync": (Scenario.SYNC, Shape()),
    "bursts": (Scenario.PIPELINING, Shape(depth=DEPTH, window=Window.BURST)),
    "a sliding window": (Scenario.PIPELINING, Shape(depth=DEPTH, window=Window.SLIDING)),
    "batches": (Scenario.BATCHING, Shape(depth=DEPTH)),
    "threads": (Scenario.THREADS, Shape(threads=3, connections=1)),
    "a pool": (Scenario.POOL, Shape(threads=3, max_total=2)),
    "new connections": (Scenario.NEW_CONNECTION, Shape()),
}
WALKERS: Final = 24
"""So many that what they leave is told from what a runtime starts for itself."""
CROWDS: Final = (
    (Scenario.THREADS, Shape(threads=WALKERS, connections=WALKERS)),
    (Scenario.POOL, Shape(threads=WALKERS, max_total=WALKERS)),
    (Scenario.BATCHING, Shape(depth=1, connections=WALKERS)),
    (Scenario.NEW_CONNECTION, Shape()),
)

pytestmark = [pytest.mark.timeout(300), pytest.mark.usefixtures("java_starts_soon")]


class Core:
    """A client's process, and the server that it works with."""

    runner: Runner
    scenario: Scenario
    shape: Shape

    def __init__(self, client: Client, executor: LocalExecutor, server: Node, workload: Path) -> None:
        self.client, self.executor, self.server, self.workload = client, executor, server, workload
        self.is_started = False

    def begin(self, scenario: Scenario, shape: Shape) -> None:
        """Give it a trial, and let it connect."""
        self.load(scenario, shape)
        self.runner.connect(LIMIT_S)

    def load(self, scenario: Scenario, shape: Shape) -> None:
        """Give it a trial."""
        self.scenario, self.shape = scenario, shape
        trial = TrialRequest(self.client, scenario, shape, self.workload, self.server.endpoint)
        if self.is_started:
            self.runner.give(trial)
        else:
            self.runner, self.is_started = self.executor.start(trial), True
        self.runner.load(LIMIT_S)

    @property
    def per_unit(self) -> int:
        """Return how many commands a unit of its trial has."""
        is_several = self.scenario is Scenario.BATCHING or self.shape.window is Window.BURST
        return (self.shape.depth or 1) if is_several else 1

    def work(self) -> Worked:
        """Let it work for a slice without a lead-in, from a SET on."""
        self.runner.work(Work(first=FIRST + 1, ns=NS, keep=True))
        worked: Worked = self.runner._line("worked", LIMIT_S)
        return worked

    def held(self) -> tuple[int, int]:
        """Return how many threads and files its process has."""
        process = Path("/proc") / str(pid_of(self.runner))
        return len([*(process / "task").iterdir()]), len([*(process / "fd").iterdir()])

    def end(self) -> None:
        """End its process, and the server."""
        if self.is_started:
            self.runner.kill()
        self.server.close()


def can(client: Client, scenario: Scenario, shape: Shape) -> bool:
    return SHIPPED.spec_of(client).why_not(client, scenario, shape) is None


def cases() -> Iterator[tuple[str, str]]:
    """Yield each client with each shape that it has; in Java, Lettuce has windows, and takes seconds to be closed."""
    for name, (shape, (scenario, asked)) in product([*CORES, "lettuce"], SHAPES.items()):
        is_left_out = name == "lettuce" and scenario is not Scenario.PIPELINING
        if not is_left_out and can(one_client(name, SHIPPED.clients), scenario, asked):
            yield name, shape


@pytest.fixture(scope="module")
def core_of(local_executor: LocalExecutor, workload: Path) -> Iterator[Callable[[str], Core]]:
    """Return what returns a client's core: one process of each, and a server with the workload's keys."""
    cores: dict[str, Core] = {}
    with closing(Guardian()) as guardian:

        def found(name: str) -> Core:
            if name not in cores:
                client = one_client(name, SHIPPED.clients)
                need(client, local_executor)
                server = start_user_server(guardian)
                with Control(server.endpoint) as control:
                    PreloadedKeys(WORKLOAD, preload_sizes(WORKLOAD.header, 1)).write_all(control)
                cores[name] = Core(client, local_executor, server, workload)
            return cores[name]

        yield found
        for core in cores.values():
            core.end()


@pytest.fixture(scope="module", params=cases(), ids=", ".join)
def core(request: pytest.FixtureRequest, core_of: Callable[[str], Core]) -> Core:
    """Return a client's core, which has a trial in one of its shapes and has connected."""
    name, shape = request.param
    found = core_of(name)
    found.begin(*SHAPES[shape])
    return found


def calls_of(control: Control) -> dict[str, Calls]:
    """Return what the server has counted of the workload's commands."""
    counted = Info(parse_info(info_text(control, "commandstats"))).calls
    return {name: counted.get(name, NO_CALLS) for name in ("get", "set")}


def test_replies_are_those_of_the_commands_in_order(core: Core) -> None:
    """Of whole units, and of the first command after the last: until there are as many as asked, or as many bytes."""
    whole = -(-5 // core.per_unit) * core.per_unit
    for commands, size, expected in ((5, 10**6, whole), (5, 1, core.per_unit)):
        core.runner.send(json.dumps({"echo": {"first": FIRST, "commands": commands, "bytes": size}}))
        replies = core.runner._line("replies", LIMIT_S)
        assert len(replies) == expected
        assert wrong_reply(WORKLOAD, FIRST, replies) is None


def test_units_that_fail_are_counted_apart(core: Core) -> None:
    """Of a server without memory, which refuses what is written: the loop goes on, and the next slice knows of nothing.

    One command that fails fails its unit; all of its commands were sent. No connection of a failed unit stays open.
    """
    with Control(core.server.endpoint) as control:
        control.command("CONFIG", "SET", "maxmemory", "1")
        control.command("CONFIG", "RESETSTAT")
        failing = core.work()
        calls = calls_of(control)
        control.command("CONFIG", "SET", "maxmemory", "0")
        clients = control.command("CLIENT", "LIST").decode().splitlines()
        good = core.work()
    failed = sum(failing.errors.values())
    assert failed > 0
    assert calls["get"].calls + calls["set"].rejected == core.per_unit * (sum(failing.measured) + failed)
    assert len(failing.errors) == 1
    assert failing.first_error is not None
    assert "maxmemory" in failing.first_error
    assert len(failing.first_error) <= 500
    assert (good.errors, good.first_error) == ({}, None)
    assert sum(failing.lead_in) == sum(good.lead_in) == 0
    samples = core.runner.samples(LIMIT_S)
    assert [len(one) for one in samples] == [sum(failing.measured), sum(good.measured)]
    assert all((one > LEAST_NS).all() for one in samples)
    if core.scenario is Scenario.NEW_CONNECTION:
        assert len(clients) == 1


@pytest.mark.parametrize("name", CORES)
def test_the_bare_loop_performs_units_as_long_as_asked(core_of: Callable[[str], Core], name: str) -> None:
    """And counts them."""
    core = core_of(name)
    core.begin(Scenario.SYNC, Shape())
    with Control(core.server.endpoint) as control:
        control.command("CONFIG", "RESETSTAT")
        core.runner.send(json.dumps({"bare": {"first": 0, "ns": NS}}))
        bared: Bared = core.runner._line("bared", LIMIT_S)
        calls = calls_of(control)
    assert bared.ended.at_ns - bared.started.at_ns >= NS
    assert bared.units == sum(one.calls for one in calls.values())


@pytest.mark.parametrize("name", CORES)
def test_nothing_is_left_of_a_trial(core_of: Callable[[str], Core], name: str) -> None:
    """Once the next one is loaded: no connection, none of its threads and files, and none of its samples."""
    core = core_of(name)
    crowd = next(crowd for crowd in CROWDS if can(core.client, *crowd))
    held = []
    for _ in range(2):
        core.begin(*crowd)
        core.work()
        core.load(Scenario.SYNC, Shape())
        held.append(core.held())
        with Control(core.server.endpoint) as control:
            assert len(control.command("CLIENT", "LIST").decode().splitlines()) == 1
    core.runner.connect(LIMIT_S)
    worked = core.work()
    assert [len(one) for one in core.runner.samples(LIMIT_S)] == [sum(worked.measured)]
    assert all(after - before < WALKERS for before, after in zip(*held, strict=True))


@pytest.mark.parametrize("name", LIBRARIES)
def test_the_last_line_has_the_librarys_words(name: str, workload: Path, local_executor: LocalExecutor) -> None:
    """Where nobody listens, the process ends with 1, and its last words are an error's class and text."""
    client = one_client(name, SHIPPED.clients)
    need(client, local_executor)
    runner = local_executor.start(TrialRequest(client, Scenario.SYNC, Shape(), workload, NOWHERE))
    runner.load(LIMIT_S)
    runner.send('{"connect": {}}')
    with pytest.raises(RunnerFailedError, match=r"exited with code 1 before its result: \S+: \S"):
        runner._line("connected", LIMIT_S)
