"""Open loops in every language: what is due is performed, once, in order, and as late as is said.

With the client that does nothing, so that all is the runner's: one process of each language, which has one trial after
another; and with a library, whose server stands still.
"""

import base64
import os
import signal
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Final

import numpy as np
import pytest

from respmark.contract.lines import Arrivals, Work, Worked
from respmark.contract.trial import Scenario, Shape, Window
from respmark.kinds.loops.arrivals import own_units
from respmark.machine.guardian import Guardian
from respmark.runners.local import LocalExecutor
from respmark.runners.protocol import Latencies, TrialRequest
from respmark.runners.runner import Runner
from respmark.servers.control import Control
from respmark.servers.node import Node
from respmark.specs.naming import one_client
from tests.builders.plan import SHIPPED
from tests.integration.installed.conftest import CORES, LIMIT_S, NullRunners, can, need
from tests.runners.scripted import pid_of
from tests.user_server import start_user_server

MS: Final = 10**6
S: Final = 10**9
ROOM: Final = 4
LEAD_IN_NS: Final = 20 * MS
NS: Final = 200 * MS
RATE: Final = "1000"
SHAPES: Final = {
    "one walker": (Scenario.SYNC, Shape(rate=RATE)),
    "threads": (Scenario.THREADS, Shape(threads=3, connections=1, rate=RATE)),
    "batches": (Scenario.BATCHING, Shape(depth=2, rate=RATE)),
    "bursts": (Scenario.PIPELINING, Shape(depth=2, window=Window.BURST, rate=RATE)),
    "a sliding window": (Scenario.PIPELINING, Shape(depth=4, window=Window.SLIDING, rate=RATE)),
}
ONE_WALKER: Final = ("one walker", "batches", "bursts")


def can_open(name: str) -> bool:
    client = one_client(name, SHIPPED.clients)
    return SHIPPED.spec_of(client).why_not(client, *SHAPES["one walker"]) is None


pytestmark = [pytest.mark.timeout(300), pytest.mark.usefixtures("java_starts_soon")]


@dataclass
class OpenLoop:
    """A runner that has connected, and the slices that it is given."""

    runner: Runner
    folder: Path
    _slices: int = field(default=0)

    def begin(self, due: Latencies, at_ns: int, drain_ns: int = 60 * S, *, asleep: bool = False) -> None:
        """Let it work for a slice whose units are due at these times."""
        file = self.folder / f"{self._slices}.arrivals"
        self._slices += 1
        file.write_bytes(due.astype("<i8").tobytes())
        own = (own_units(file, LEAD_IN_NS),)
        arrivals = Arrivals(own=own, at=at_ns, drain_ns=drain_ns, awake_ns=0 if asleep else None)
        self.runner.work(Work(first=0, lead_in_ns=LEAD_IN_NS, ns=NS, keep=True, arrivals=arrivals))

    def end(self) -> tuple[Worked, Latencies]:
        """Return what it says of the slice, and each unit that was kept: its latency, when it was due, and its lag."""
        worked = self.runner.worked(LIMIT_S)
        return worked, self.runner.samples(LIMIT_S)[-1]


def cases() -> Iterator[tuple[str, str]]:
    """Yield each language with each shape that its null client has."""
    for language, (name, (scenario, shape)) in product(SHIPPED.languages, SHAPES.items()):
        if can(language, scenario, shape):
            yield language, name


@pytest.fixture(scope="module", params=cases(), ids=" ".join)
def case(request: pytest.FixtureRequest) -> tuple[str, str]:
    chosen: tuple[str, str] = request.param
    return chosen


@pytest.fixture
def loop(case: tuple[str, str], nulls: NullRunners, tmp_path: Path) -> OpenLoop:
    language, shape = case
    return OpenLoop(nulls.given(language, *SHAPES[shape]), tmp_path)


def poisson(units: int) -> Latencies:
    """Return so many times, at random, over a slice."""
    times: Latencies = np.ceil(np.sort(np.random.default_rng(1).uniform(0, LEAD_IN_NS + NS, units)))
    return times


def wait_until(time_ns: int) -> None:
    """Return at this time of the clock, or later."""
    while (left_ns := time_ns - time.monotonic_ns()) > 0:
        time.sleep(left_ns / S)


def stand_still(pid: int, at_ns: int) -> tuple[int, int]:
    """Stop a child for 100 ms; return from when to when it surely stood still, in ns after a moment."""
    os.kill(pid, signal.SIGSTOP)
    try:
        os.waitid(os.P_PID, pid, os.WSTOPPED | os.WNOWAIT)
        stopped_ns = time.monotonic_ns() - at_ns
        wait_until(at_ns + stopped_ns + 100 * MS)
        return stopped_ns, time.monotonic_ns() - at_ns
    finally:
        os.kill(pid, signal.SIGCONT)


def starts(kept: Latencies) -> Latencies:
    """Return when units started, in the order in which they were due."""
    ordered = kept[np.argsort(kept[:, 1], kind="stable")]
    times: Latencies = ordered[:, 1] + ordered[:, 2]
    return times


def test_every_unit_is_performed_once_and_none_before_it_is_due(loop: OpenLoop, case: tuple[str, str]) -> None:
    """In three slices: at even and at random times, and asleep between units, where the runner can.

    Of one walker, in order; each part lasts until its end.
    """
    even, can_sleep = np.arange(0.0, LEAD_IN_NS + NS, MS), SHIPPED.runners[case[0]].sleeps
    for due, asleep in ((even, False), (poisson(150), False), (even, can_sleep)):
        at_ns = time.monotonic_ns() + 30 * MS
        loop.begin(due, at_ns, asleep=asleep)
        worked, kept = loop.end()
        measured = due[due >= LEAD_IN_NS]
        assert (sum(worked.lead_in), sum(worked.measured)) == (len(due) - len(measured), len(measured))
        np.testing.assert_array_equal(np.sort(kept[:, 1]), measured)
        assert (kept[:, 2] >= 0).all()
        assert (kept[:, 0] >= 0).all()
        assert worked.measured_from.at_ns >= at_ns + LEAD_IN_NS
        assert worked.ended.at_ns >= at_ns + LEAD_IN_NS + NS
        assert worked.errors == {}
        if case[1] in ONE_WALKER:
            assert (np.diff(starts(kept)) >= 0).all()


def test_after_a_stop_everything_is_caught_up_with(loop: OpenLoop) -> None:
    """The program stands still for 100 ms: what was due meanwhile starts after that, and its lag says how late."""
    due = np.arange(0.0, LEAD_IN_NS + NS, MS)
    at_ns = time.monotonic_ns() + 30 * MS
    loop.begin(due, at_ns)
    wait_until(at_ns + LEAD_IN_NS + 20 * MS)
    stopped_ns, resumed_ns = stand_still(pid_of(loop.runner), at_ns)
    _, kept = loop.end()
    np.testing.assert_array_equal(np.sort(kept[:, 1]), due[due >= LEAD_IN_NS])
    meanwhile = kept[(kept[:, 1] > stopped_ns) & (kept[:, 1] < resumed_ns)]
    assert (meanwhile[:, 1] + meanwhile[:, 2] >= resumed_ns).all()


@pytest.fixture(scope="module")
def calm() -> Iterator[Node]:
    with closing(Guardian()) as guardian, closing(start_user_server(guardian)) as started:
        yield started


@pytest.fixture(scope="module", params=[name for name in CORES if can_open(name)])
def library(
    request: pytest.FixtureRequest,
    workload: Path,
    tmp_path_factory: pytest.TempPathFactory,
    local_executor: LocalExecutor,
    calm: Node,
) -> Iterator[OpenLoop]:
    """Return a library that has connected."""
    client = one_client(request.param, SHIPPED.clients)
    need(client, local_executor)
    runner = local_executor.start(TrialRequest(client, *SHAPES["one walker"], workload, calm.endpoint))
    runner.load(LIMIT_S)
    runner.connect(LIMIT_S)
    yield OpenLoop(runner, tmp_path_factory.mktemp("arrivals"))
    runner.kill()


def test_while_the_server_stands_still_all_that_is_due_waits(library: OpenLoop, calm: Node) -> None:
    """The server stops for 100 ms: every unit is performed, none of those that were due meanwhile before it goes on."""
    due = np.arange(0.0, LEAD_IN_NS + NS, MS)
    at_ns = time.monotonic_ns() + 30 * MS
    library.begin(due, at_ns)
    wait_until(at_ns + LEAD_IN_NS + 20 * MS)
    assert calm.pid is not None
    stopped_ns, resumed_ns = stand_still(calm.pid, at_ns)
    worked, kept = library.end()
    assert worked.errors == {}
    np.testing.assert_array_equal(np.sort(kept[:, 1]), due[due >= LEAD_IN_NS])
    meanwhile = kept[(kept[:, 1] > stopped_ns) & (kept[:, 1] < resumed_ns)]
    assert (meanwhile.sum(axis=1) >= resumed_ns).all()  # latency, when it was due, and lag: when it was done
    assert (np.diff(starts(kept)) >= 0).all()


def test_units_that_fail_are_kept_with_a_negative_latency(library: OpenLoop, calm: Node) -> None:
    """Of a server without memory, which refuses what is written: they are no completed units, and hold up no other."""
    due = np.arange(0.0, LEAD_IN_NS + NS, MS)
    with Control(calm.endpoint) as control:
        control.command("CONFIG", "SET", "maxmemory", "1")
        library.begin(due, time.monotonic_ns() + 30 * MS)
        worked, kept = library.end()
        control.command("CONFIG", "SET", "maxmemory", "0")
    failed = sum(worked.errors.values())
    assert failed > 0
    assert sum(worked.lead_in) + sum(worked.measured) + failed == len(due)
    np.testing.assert_array_equal(np.sort(kept[:, 1]), due[due >= LEAD_IN_NS])
    assert (kept[:, 0] > 0).sum() == sum(worked.measured)
    assert (kept[:, 2] >= 0).all()


def test_nothing_starts_after_the_drain(loop: OpenLoop, case: tuple[str, str]) -> None:
    """Too much is due for it; what one walker leaves out is what was due last. Nothing starts if it is too late.

    Whoever has looked at the clock in time may be held up before it notes when it starts: once, and then sees that.
    """
    shape = SHAPES[case[1]][1]
    places = (shape.threads or 1) * (shape.depth or 1 if shape.window is Window.SLIDING else 1)
    due = np.sort(np.concatenate([[0.0], np.full(50_000, float(LEAD_IN_NS))]))
    drain_ns = MS
    close_ns = LEAD_IN_NS + NS + drain_ns
    for late_ns in (-30 * MS, close_ns - 3 * MS, close_ns):
        loop.begin(due, time.monotonic_ns() - late_ns, drain_ns)
        worked, kept = loop.end()
        assert (starts(kept) >= close_ns).sum() <= places
        if late_ns == close_ns:
            assert (sum(worked.lead_in), sum(worked.measured), len(kept)) == (0, 0, 0)
        if case[1] in ONE_WALKER:
            np.testing.assert_array_equal(kept[:, 1], due[due >= LEAD_IN_NS][: len(kept)])


@pytest.mark.parametrize("language", SHIPPED.languages)
def test_units_that_have_no_room_are_counted(
    nulls: NullRunners, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, language: str
) -> None:
    """All three numbers of a unit are kept, or none."""
    monkeypatch.setattr("respmark.runners.runner.SAMPLES", ROOM)
    loop = OpenLoop(nulls.given(language, *SHAPES["one walker"]), tmp_path)
    due = np.full(2000, float(LEAD_IN_NS))
    loop.begin(due, time.monotonic_ns())
    assert sum(loop.runner.worked(LIMIT_S).measured) == len(due)
    loop.runner.send('{"samples": {}}')
    found = loop.runner._line("samples", LIMIT_S)
    columns = {len(base64.b64decode(one)) // 8 for one in (found.latencies, found.due, found.lags)}
    assert columns == {sum(found.counts)}
    assert ROOM <= sum(found.counts) == len(due) - found.dropped < len(due)
