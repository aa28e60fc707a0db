"""The loops do what their scenario says, shown with calls that need no server."""

import asyncio
from collections.abc import Callable, Iterator
from itertools import repeat
from typing import Any

import pytest

from respmark_python.clients.session import Lane
from respmark_python.recorder.tally import Tally, TargetLostError, make_storage
from respmark_python.recorder.window import Window
from respmark_python.scenarios.loops import run_unit_tasks, run_units
from respmark_python.scenarios.walker import Walker, make_walkers, sample_covers
from respmark_python.workload.commands import Kind, Words, Workload
from respmark_python.workload.walk import Command
from runner import parsed


class FakeSession:
    """A session whose methods only return what they were given."""

    def __init__(self, *lanes: Lane) -> None:
        self.lanes = lanes

    def method(self, target: Any, kind: Kind) -> Callable[..., Any]:
        """Return what notes the command."""
        return lambda *words: (target, kind.name, *words)

    def arguments(self, kind: Kind) -> Callable[[Words], tuple[Any, ...]] | None:
        """Turn the words of PING into something else."""
        return (lambda _: ("pong",)) if kind.name == "PING" else None


def walk_with(call: Callable[..., Any], duration_s: float = 0.02) -> tuple[Tally, int]:
    """Run units of this call through a window; return the tally, and how many there were."""
    done = 0

    def counted() -> Any:
        nonlocal done
        done += 1
        return call()

    window = Window(duration_s)
    tally = Tally(make_storage(1)[0], window)
    window.open()
    run_units(zip(repeat(counted), repeat(())), tally, (ValueError,))
    return tally, done


def test_every_unit_is_one_sample() -> None:
    """Each unit that succeeds is counted once and has one sample."""
    tally, done = walk_with(lambda: None)
    units = tally.units
    tally.fold()
    assert done == units == sum(tally.histogram.counts.values()) > 0
    assert tally.ended_ns >= tally.half.elapsed_ns if tally.half else False


def test_a_unit_that_fails_counts_as_an_error_only() -> None:
    """A unit that raises adds to the errors, by its class, and the loop goes on."""
    turns: Iterator[int] = iter(range(1_000_000))

    def every_third_fails() -> None:
        if next(turns) % 3 == 0:
            raise ValueError("third")

    tally, done = walk_with(every_third_fails)
    assert tally.units + tally.errors["ValueError"] == done
    assert 0 < tally.units < done
    assert str(tally.first_error) == "third"


def test_the_target_is_lost_after_25_failures_in_a_row() -> None:
    """Nothing but failures ends the walk."""

    def fails() -> None:
        raise ValueError("always")

    with pytest.raises(TargetLostError, match="25 units in a row failed") as caught:
        walk_with(fails, 60)
    assert caught.value.exit_code == 4


def test_what_the_library_does_not_raise_is_a_fault() -> None:
    """An exception that is not the library's own is not counted away."""
    with pytest.raises(ZeroDivisionError):
        walk_with(lambda: 1 // 0)


def test_a_small_storage_loses_nothing() -> None:
    """Samples beyond the storage are folded on the way."""
    window = Window(0.02)
    tally = Tally(make_storage(1)[0][:10], window)
    window.open()
    run_units(zip(repeat(lambda: None), repeat(())), tally, ())
    units = tally.units
    tally.fold()
    assert units == sum(tally.histogram.counts.values()) > 10


def test_tasks_share_walk_and_tally() -> None:
    """Tasks of a sliding window take turns on one walk; each unit counts once, the last in flight too."""
    taken: list[int] = []

    async def unit(number: int) -> None:
        await asyncio.sleep(0)
        taken.append(number)
        if number == 7:
            raise ValueError("seven")

    async def measure() -> Tally:
        window = Window(0.02)
        tally = Tally(make_storage(1)[0], window)
        units = ((unit, (number,)) for number in range(1_000_000))
        window.open()
        tally.begin()
        await asyncio.gather(*[run_unit_tasks(units, tally, (ValueError,)) for _ in range(5)])
        return tally

    tally = asyncio.run(measure())
    assert taken == list(range(len(taken)))
    assert (tally.units, dict(tally.errors)) == (len(taken) - 1, {"ValueError": 1})


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


def test_every_walker_of_every_process_starts_elsewhere(workload: Workload) -> None:
    """Walker i of part p is number p * threads + i of all."""
    walkers: list[Walker] = []
    for part in range(2):
        place = {"path": "unused", "part": part, "parts": 2}
        request = parsed("threads", {"threads": 3, "connections": 1}, workload=place)
        walkers += make_walkers(request, workload, FakeSession(*[Lane("client")] * 3))  # type: ignore[arg-type]
    assert [walker.first for walker in walkers] == [0, 40, 80, 120, 160, 200]


def test_walkers_of_one_client_share_its_calls(workload: Workload) -> None:
    """A client's commands are bound once, however many threads use it; arguments are shared by all clients."""
    request = parsed("threads", {"threads": 3, "connections": 2})
    one, two, three = make_walkers(
        request,
        workload,
        FakeSession(Lane("a"), Lane("b"), Lane("a")),  # type: ignore[arg-type]
    )
    assert one.calls is three.calls
    assert one.calls is not two.calls
    assert one.rows is two.rows


def test_a_unit_is_a_call_or_a_performance(workload: Workload) -> None:
    """Without `perform` a unit is one bound command; with it, a slice of the walk."""
    plain = make_walkers(parsed(), workload, FakeSession(Lane("client")))[0]  # type: ignore[arg-type]
    call, arguments = next(plain.units())
    assert call(*arguments) == ("client", "GET", "key:0000004")
    assert plain.replies(b"value") == [b"value"]

    def perform(commands: list[Command]) -> list[Any]:
        return [call(*words) for call, words in commands]

    batch = parsed("batching", {"depth": 4})
    batched = make_walkers(batch, workload, FakeSession(Lane("pipe", perform)))[0]  # type: ignore[arg-type]
    call, arguments = next(batched.units())
    assert [reply[1] for reply in call(*arguments)] == ["GET", "GETRANGE", "GET", "PING"]
    assert call(*arguments)[3][2] == "pong"
