"""The open loops: every unit starts once it is due, none is left out, and what is kept of it adds up."""

import asyncio
import base64
import os
from array import array
from math import inf
from pathlib import Path
from time import monotonic_ns
from typing import Any

import pytest

import arrivals
from arrivals import Alarm, read_arrivals, wait_until
from conftest import MakeSlices
from doubles import Adapter, TaskAdapter, WaitingAdapter, WaitingTaskAdapter, order, write_dues, write_workload
from samples import hand_over
from scenarios import Slices

MS = 10**6
S = 10**9
BURST = {"depth": 4, "window": "burst"}
SLIDING = {"depth": 4, "window": "sliding"}


@pytest.fixture
def workload(tmp_path: Path) -> Path:
    """Return a workload of eight GETs."""
    return write_workload(tmp_path, *["GET"] * 8)


def work(
    slices: Slices,
    folder: Path,
    dues: list[int],
    *,
    at: int,
    drain_ns: int = 60 * S,
    asleep: bool = False,
    **given: Any,
) -> Any:
    """Do a slice whose units are due at these times; the lead-in has those before 1 ms."""
    lead_in = sum(due < MS for due in dues)
    arrivals = {"file": str(write_dues(folder, dues)), "at": at, "lead_in": lead_in, "drain_ns": drain_ns}
    arrivals |= {"awake_ns": 0} if asleep else {}
    firsts = (8 * walker // slices.walkers for walker in range(slices.walkers))
    return slices.work({**order(4 * MS, *firsts, lead_in_ns=MS), **given, "arrivals": arrivals})


def kept(slices: Slices) -> tuple[dict[str, Any], list[tuple[float, float, float]]]:
    """Return what is handed over, and due time, lag and latency of each unit."""
    handed = hand_over(slices.samples)
    columns = [array("d", base64.b64decode(handed[name])) for name in ("due", "lags", "latencies")]
    return handed, list(zip(*columns, strict=True))


@pytest.mark.parametrize("adapter", [Adapter, TaskAdapter])
def test_walkers_share_the_units_and_each_takes_its_own_commands(
    make_slices: MakeSlices, workload: Path, tmp_path: Path, adapter: type[Adapter]
) -> None:
    """Across the parts."""
    slices = make_slices(workload, made := adapter(), "threads", shape={"threads": 2, "connections": 1}, open=True)
    dues = [3 * MS // 5 * k for k in range(8)]
    found = work(slices, tmp_path, dues, at=monotonic_ns(), first=[4, 6])
    assert (sum(found["lead_in"]), sum(found["measured"])) == (2, 6)
    assert sorted(due for due, _, _ in kept(slices)[1]) == dues[2:]
    walks = ([f"k{(begin + i) % 8}" for i in range(8)] for begin in (4, 6))
    counts = [sum(counts) for counts in zip(found["lead_in"], found["measured"], strict=True)]
    taken = [key for walk, count in zip(walks, counts, strict=True) for key in walk[:count]]
    assert sorted(made.asked) == sorted(("GET", key) for key in taken)


@pytest.mark.parametrize("adapter", [WaitingAdapter, WaitingTaskAdapter])
def test_while_a_walker_is_busy_the_others_perform_what_is_due(
    make_slices: MakeSlices, workload: Path, tmp_path: Path, adapter: type[WaitingAdapter]
) -> None:
    """The first command returns only after all others have: no unit is bound to the walker that performs it."""
    slices = make_slices(workload, adapter(9), "threads", shape={"threads": 2, "connections": 1}, open=True)
    found = work(slices, tmp_path, [MS] * 10, at=monotonic_ns())
    assert sorted(found["measured"]) == [1, 9]


def test_the_places_of_a_sliding_window_take_units_in_the_order_in_which_they_are_due(
    make_slices: MakeSlices, workload: Path, tmp_path: Path
) -> None:
    """And commands in theirs."""
    slices = make_slices(workload, made := TaskAdapter(), "pipelining", shape=SLIDING, open=True)
    dues = [3 * MS // 10 * k for k in range(8)]
    assert work(slices, tmp_path, dues, at=monotonic_ns() + MS)["measured"] == [4]
    assert made.asked == [("GET", f"k{i}") for i in range(8)]
    assert sorted(due for due, _, _ in kept(slices)[1]) == dues[4:]


def test_the_unit_before_may_be_of_the_other_part(tmp_path: Path) -> None:
    """The first unit has none."""
    given = {"file": str(write_dues(tmp_path, [1, 3, 5, 7, 9])), "at": 0, "lead_in": 2, "drain_ns": 0}
    parts = read_arrivals({**order(5, lead_in_ns=5), "arrivals": given})
    assert [list(part.queue) for part in parts] == [[(1, -inf), (3, 1)], [(5, 3), (7, 5), (9, 7)]]


class Clock:
    """A clock that goes on by 1,000 ns with each reading, and by sleeping; some sleeps end late."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, late_ns: int = 0) -> None:
        self.now_ns, self.late_ns, self.slept_until, self.turns = 0, late_ns, list[int](), 0
        monkeypatch.setattr(arrivals, "monotonic_ns", self.read)
        monkeypatch.setattr(arrivals, "sleep", self.sleep)
        monkeypatch.setattr(arrivals, "select", self.give_a_turn)

    def read(self) -> int:
        """Return the time."""
        self.now_ns += 1_000
        return self.now_ns

    def sleep(self, seconds: float) -> None:
        """Note until when."""
        self.slept_until.append(self.now_ns + round(seconds * S))
        self.now_ns = self.slept_until[-1] + self.late_ns

    def give_a_turn(self, *_nothing: Any) -> None:
        """Count it."""
        self.turns += 1


@pytest.mark.parametrize(
    ("before", "awake_ns", "slept_until", "turns"),
    [
        (-inf, 20_000, [980_000], 19),
        (500_000, 20_000, [980_000], 19),
        (990_000, 20_000, [990_000], 9),
        (1_000_000, 20_000, [1_000_000], 0),
        (-inf, 0, [1_000_000], 0),
        (990_000, 0, [1_000_000], 0),
    ],
)
def test_who_waits_is_awake_once_the_unit_before_is_due(
    monkeypatch: pytest.MonkeyPatch, before: float, awake_ns: int, slept_until: list[int], turns: int
) -> None:
    """And gives others a turn between two readings of the clock."""
    clock = Clock(monkeypatch)
    wait_until(0, 1_000_000, before, awake_ns)
    assert (clock.slept_until, clock.turns) == (slept_until, turns)
    assert clock.now_ns >= 1_000_000


def test_who_sleeps_too_long_or_comes_too_late_does_not_wait_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock is read once more, or once."""
    clock = Clock(monkeypatch, late_ns=50_000)
    wait_until(0, 1_000_000)
    assert clock.now_ns == 980_000 + 50_000 + 1_000
    wait_until(0, 1_000_000)
    assert (clock.now_ns, len(clock.slept_until), clock.turns) == (980_000 + 50_000 + 2_000, 1, 0)


class Timer:
    """Expires as soon as it is set, and lets the clock have gone on for that long."""

    def __init__(self, clock: Clock) -> None:
        self.clock, self.descriptor = clock, os.eventfd(0)

    def set(self, after_ns: float) -> None:
        """Expire."""
        self.clock.sleep(after_ns / S)
        os.eventfd_write(self.descriptor, 1)

    def read(self) -> None:
        """Make it wait for the next expiry."""
        os.eventfd_read(self.descriptor)

    def close(self) -> None:
        """Give it back."""
        os.close(self.descriptor)


def test_tasks_have_one_timer_which_is_set_once_the_unit_before_is_due(monkeypatch: pytest.MonkeyPatch) -> None:
    """It expires 20 µs before the next; a unit that is due sooner after another has none."""
    clock, woken = Clock(monkeypatch), list[int]()
    monkeypatch.setattr(arrivals, "KernelTimer", lambda: Timer(clock))

    async def wait(alarm: Alarm, time_ns: int) -> None:
        await alarm.at(time_ns)
        woken.append(time_ns)
        assert clock.now_ns >= time_ns

    async def wait_for_all() -> None:
        alarm = Alarm()
        await asyncio.gather(*(wait(alarm, time_ns) for time_ns in (1_000_000, 1_010_000, 2_000_000)))
        alarm.close()

    asyncio.run(wait_for_all())
    assert (clock.slept_until, woken) == ([980_000, 1_980_000], [1_000_000, 1_010_000, 2_000_000])
