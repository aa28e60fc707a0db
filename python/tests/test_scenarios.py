"""Loops and slices do what their scenario says, shown with calls that need no server."""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator, Sequence
from itertools import count, islice, repeat
from typing import Any, NamedTuple

import pytest

from respmark_python.clients.session import Lane
from respmark_python.contract.events import Moment, Segment, Work
from respmark_python.contract.orders import SliceOrder
from respmark_python.recorder import samples as samples_module
from respmark_python.recorder.moment import opening_moment
from respmark_python.recorder.samples import Samples, make_samples
from respmark_python.scenarios import failures as failures_module
from respmark_python.scenarios import loop
from respmark_python.scenarios import slices as slices_module
from respmark_python.scenarios.failures import Failures, LostError
from respmark_python.scenarios.layout import sample_covers
from respmark_python.scenarios.loop import run_unit_tasks, run_units
from respmark_python.scenarios.registry import make_slices, make_walkers
from respmark_python.scenarios.slices import Slices
from respmark_python.workload.commands import Command
from respmark_python.workload.workload import Kind, Word, Workload
from runner import parsed

ONE_UNIT_NS = 1
"""So short a time that each thread or task performs one unit in it."""


class FakeSession:
    """A session whose methods only note what they were given, and who called."""

    failures = (ValueError,)
    decodes_to = "bytes"

    def __init__(self, *lanes: Lane) -> None:
        self.lanes = lanes
        self.keys: list[str] = []
        self.callers: list[object] = []
        self.in_flight = 0

    def local_cache(self) -> None:
        """There is no cache."""

    def close(self) -> None:
        """There is nothing to close."""

    def arguments(self, _kind: Kind, words: Sequence[Word]) -> tuple[Any, ...]:
        """Return the words as they are."""
        return tuple(words)

    def method(self, target: Any, kind: Kind) -> Callable[..., Any]:
        """Return what notes the command."""

        def send(*words: str) -> Any:
            self.keys.append(words[0] if words else "")
            self.callers.append(threading.get_ident())
            return (target, kind.name, *words)

        return send


class FakeTaskSession(FakeSession):
    """The same with coroutines that take two turns of the event loop."""

    def __init__(self, *lanes: Lane) -> None:
        super().__init__(*lanes)
        self._runner = asyncio.Runner()

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Run the coroutine on the session's event loop."""
        return self._runner.run(work)

    def close(self) -> None:
        """End the tasks."""
        self._runner.close()

    def method(self, target: Any, kind: Kind) -> Callable[..., Any]:
        """Return what notes the command."""
        note = super().method(target, kind)

        async def send(*words: str) -> Any:
            reply = note(*words)
            self.callers[-1] = asyncio.current_task()
            self.in_flight += 1
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            self.in_flight -= 1
            return reply

        return send


def order(first_command: int = 0, **changes: Any) -> SliceOrder:
    """Return the order of a slice in which each thread or task performs two units."""
    base = {"slice": 1, "duration_ns": ONE_UNIT_NS, "lead_in_ns": ONE_UNIT_NS, "keep_samples": True}
    return SliceOrder(**{**base, "first_command": first_command, **changes})


@pytest.fixture
def ticks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give loops and samples a clock that goes on by one with each reading, from 0 on."""
    clock = count().__next__
    for module in (loop, samples_module, failures_module):
        monkeypatch.setattr(module, "monotonic_ns", clock)


def units_of(call: Callable[[Any], Any]) -> Iterator[Command]:
    """Return endless units of this call."""
    return zip(repeat("key"), repeat((call, None)), strict=True)


def kept(samples: Samples) -> int:
    """Return how many samples are kept."""
    samples.end_part(keep=True)
    samples.fold()
    return samples.histogram.counts.total()


@pytest.mark.usefixtures("ticks")
def test_every_unit_is_one_sample_and_one_look_at_the_clock() -> None:
    """The clock is read once to begin and once after each unit; each unit has one sample."""
    (samples,) = make_samples(1)
    calls: list[str] = []
    run_units(units_of(calls.append), samples, Failures((), samples), 7)
    assert len(calls) == 7
    assert kept(samples) == 7
    assert samples.histogram.pairs() == [(1, 7)]


@pytest.mark.usefixtures("ticks")
def test_a_unit_that_fails_counts_as_an_error_only() -> None:
    """A unit that raises adds to the errors, by its class, and the loop goes on."""
    turns, (samples,) = count(), make_samples(1)
    failures = Failures((ValueError,), samples)

    def every_third_fails(_key: str) -> None:
        if next(turns) % 3 == 0:
            raise ValueError("third")

    run_units(units_of(every_third_fails), samples, failures, 100)
    units, errors = samples.end_part(keep=False), failures.errors["ValueError"]
    assert units + errors == next(turns)
    assert errors == -(-(units + errors) // 3)
    assert str(failures.first_error) == "third"


def fails(_key: str) -> None:
    """Stand for a target that is lost."""
    raise ValueError("always")


def test_the_target_is_lost_after_25_failures_in_a_row() -> None:
    """Nothing but failures ends the walk, also when slices are so short that each holds one of them."""
    (samples,) = make_samples(1)
    failures = Failures((ValueError,), samples)
    for _ in range(24):
        run_units(units_of(fails), samples, failures, 0)
        samples.end_part(keep=True)
    with pytest.raises(LostError, match="25 units in a row failed") as caught:
        run_units(units_of(fails), samples, failures, 0)
    assert caught.value.exit_code == 4


def test_what_the_library_does_not_raise_is_a_fault() -> None:
    """An exception that is not the library's own is not counted away."""
    (samples,) = make_samples(1)
    with pytest.raises(ValueError, match="always"):
        run_units(units_of(fails), samples, Failures((OSError,), samples), 0)


@pytest.mark.usefixtures("ticks")
def test_a_small_storage_loses_nothing() -> None:
    """Samples beyond the storage are folded on the way."""
    samples = Samples(make_samples(1)[0].storage[:10])
    calls: list[str] = []
    run_units(units_of(calls.append), samples, Failures((), samples), 45)
    assert kept(samples) == len(calls) > 40


@pytest.mark.usefixtures("ticks")
def test_tasks_share_one_walk() -> None:
    """Tasks of a sliding window take turns on one walk; each unit counts once, the last in flight too."""
    taken: list[int] = []
    samples = make_samples(5)
    failures = [Failures((ValueError,), own) for own in samples]

    async def unit(number: int) -> None:
        await asyncio.sleep(0)
        taken.append(number)
        if number == 7:
            raise ValueError("seven")

    async def measure() -> None:
        units: Iterator[Command] = zip(count(), repeat((unit, None)), strict=False)
        await asyncio.gather(*[run_unit_tasks(units, *own, 40) for own in zip(samples, failures, strict=True)])

    asyncio.run(measure())
    assert taken == list(range(len(taken)))
    assert sum(own.end_part(keep=True) for own in samples) == len(taken) - 1
    assert [own.errors["ValueError"] for own in failures].count(1) == 1


@pytest.mark.parametrize(
    ("scenario", "shape", "covers"),
    [
        ("sync", {}, "command"),
        ("batching", {"depth": 2}, "batch"),
        ("transaction", {"depth": 2, "form": "batched"}, "transaction"),
        ("pipelining", {"depth": 2, "window": "burst"}, "burst"),
        ("pipelining", {"depth": 2, "window": "sliding"}, "command"),
        ("threads", {"threads": 2, "connections": 1}, "command"),
        ("pool", {"threads": 2, "max_total": 1}, "command"),
        ("new-connection", {}, "connection"),
    ],
)
def test_what_a_sample_covers(scenario: str, shape: dict[str, Any], covers: str) -> None:
    """Each scenario's sample covers what the contract says."""
    assert sample_covers(parsed(scenario, shape)) == covers


@pytest.mark.parametrize(("first", "starts"), [(0, [0, 40, 80, 120, 160, 200]), (130, [130, 170, 210, 10, 50, 90])])
def test_every_walker_of_every_process_starts_elsewhere(first: int, starts: list[int], workload: Workload) -> None:
    """Walker i of part p is number p * threads + i of all; a slice's first command moves them all, round the end."""
    walkers = []
    for part in range(2):
        place = {"path": "unused", "part": part, "parts": 2}
        request = parsed("threads", {"threads": 3, "connections": 1}, workload=place)
        walkers += make_walkers(request, workload, FakeSession(*[Lane("client")] * 3))  # type: ignore[arg-type]
    assert [walker.first(first) for walker in walkers] == starts
    keys = [workload.key(workload.columns.keys[start]) for start in starts]
    assert [next(walker.units(first))[0] for walker in walkers] == keys


def test_walkers_share_their_memory(workload: Workload) -> None:
    """Keys and steps are made once, however many threads there are; a client's methods are bound once."""
    request = parsed("threads", {"threads": 3, "connections": 2})
    one, two, three = make_walkers(
        request,
        workload,
        FakeSession(Lane("a"), Lane("b"), Lane("a")),  # type: ignore[arg-type]
    )
    assert one.commands is two.commands is three.commands
    assert one.steps is three.steps
    assert one.steps is not two.steps


def test_a_unit_is_a_call_or_a_performance(workload: Workload) -> None:
    """Without `perform` a unit is one bound command; with it, the next commands of the walk, `depth` at a time."""
    session = FakeSession(Lane("client"))
    plain = make_walkers(parsed(), workload, session)[0]  # type: ignore[arg-type]
    key, (call, value) = next(plain.units(0))
    assert (call(key), value) == (("client", "GET", "key:0000004"), None)
    assert plain.replies(b"value") == [b"value"]

    def perform(commands: Iterator[Command]) -> list[Any]:
        return [key for key, _ in commands]

    batch = parsed("batching", {"depth": 100})
    walker = make_walkers(batch, workload, FakeSession(Lane("pipe", perform)))[0]  # type: ignore[arg-type]
    batches = [perform(commands) for commands, (perform, _) in islice(walker.units(200), 2)]
    keys = [workload.key(key) for key in workload.columns.keys]
    assert batches == [(keys * 2)[200:300], keys[60:160]]


SHAPES: dict[str, tuple[str, dict[str, Any], int, int]] = {
    "sync": ("sync", {}, 1, 1),
    "threads": ("threads", {"threads": 3, "connections": 1}, 3, 3),
    "sliding": ("pipelining", {"depth": 4, "window": "sliding"}, 1, 4),
}
"""Scenario, shape, walkers, and threads or tasks."""


class Running(NamedTuple):
    """What works on slices, its session, and how many walkers and threads or tasks there are."""

    slices: Slices
    session: FakeSession
    walkers: int
    workers: int


@pytest.fixture(params=SHAPES)
def running(request: pytest.FixtureRequest, workload: Workload) -> Iterator[Running]:
    """Start threads or tasks, and end the tasks."""
    scenario, shape, walkers, workers = SHAPES[request.param]
    make = FakeTaskSession if scenario == "pipelining" else FakeSession
    session = make(*[Lane("client")] * walkers)
    slices = make_slices(parsed(scenario, shape), workload, session)  # type: ignore[arg-type]
    slices.start()
    yield Running(slices, session, walkers, workers)
    session.close()


def test_a_slice_has_a_lead_in_and_a_measured_part(running: Running, workload: Workload) -> None:
    """Both are counted apart; the segments cover both, and the measured part goes on where the lead-in stopped."""
    slices, session, walkers, workers = running
    done = slices.work_slice("test", order(200))
    assert (done.lead_in, done.measured) == (Work(workers, workers), Work(workers, workers))
    starts = [(200 + i * workload.commands // walkers) % workload.commands for i in range(walkers)]
    each = 2 * workers // walkers
    assert done.segments == [Segment(start, each) for start in starts]
    numbers = [(start + i) % workload.commands for start in starts for i in range(each)]
    assert sorted(filter(None, session.keys)) == sorted(
        workload.key(workload.columns.keys[i]) for i in numbers if workload.kind(i).arguments
    )
    assert done.started.at_ns <= done.measured_from.at_ns <= done.ended.at_ns


def test_a_slice_may_have_no_lead_in(running: Running, workload: Workload) -> None:
    """Without a lead-in its work is 0, and the measured part begins at the slice's first command."""
    slices, session, _, workers = running
    done = slices.work_slice("test", order(4, lead_in_ns=0))
    assert (done.lead_in, done.measured.units) == (Work(0, 0), workers)
    assert workload.key(workload.columns.keys[4]) in session.keys


def test_only_samples_to_keep_are_kept(running: Running) -> None:
    """Of a slice that is to be kept the measured part's samples stay, of others none."""
    slices, _, _, workers = running
    slices.work_slice("test", order(keep_samples=False))
    assert [samples.index for samples in slices.samples] == [0] * workers
    slices.work_slice("test", order())
    assert [samples.index for samples in slices.samples] == [1] * workers


def test_threads_and_tasks_live_on(running: Running) -> None:
    """All slices are worked by the same threads or tasks, as many as the scenario has."""
    slices, session, _, workers = running
    by_slice = []
    for _ in range(3):
        session.callers.clear()
        slices.work_slice("test", order())
        by_slice.append(set(session.callers))
    assert by_slice[0] == by_slice[1] == by_slice[2]
    assert len(by_slice[0]) == workers


def test_nothing_is_in_flight_at_any_moment(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """At each moment of a slice every command that was issued is complete."""
    slices, session, _, workers = running
    seen: list[int] = []

    def note() -> Moment:
        seen.append(session.in_flight)
        return opening_moment()

    monkeypatch.setattr(slices_module, "opening_moment", note)
    monkeypatch.setattr(slices_module, "closing_moment", note)
    slices.work_slice("test", order())
    assert seen == [0, 0, 0]
    assert len(session.keys) == 2 * workers


def test_errors_of_all_threads_and_tasks_are_told(running: Running) -> None:
    """Units that fail are counted by kind, over both parts, with the first message shortened; they are no work."""
    slices, session, _, workers = running

    class Failing:
        def append(self, _key: str) -> None:
            raise ValueError("x" * 600)

    session.keys = Failing()  # type: ignore[assignment]
    done = slices.work_slice("test", order())
    assert dict(done.errors) == {"ValueError": 2 * workers}
    assert (done.first_error or "").startswith("ValueError: xxx")
    assert len(done.first_error or "") == 500
    assert done.measured == Work(0, 0)
    assert {segment.operations for segment in done.segments} == {0}


def test_a_fault_of_a_thread_or_task_ends_the_slice(running: Running) -> None:
    """What is not the library's own error reaches the main thread, wherever it was raised."""
    slices, session, *_ = running
    session.keys = None  # type: ignore[assignment]
    with pytest.raises(AttributeError):
        slices.work_slice("test", order())
