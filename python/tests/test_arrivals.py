"""The open loops: every unit starts once it is due, none is left out, and what is kept of it adds up."""

import base64
from array import array
from pathlib import Path
from time import monotonic_ns
from typing import Any

import pytest

from conftest import MakeSlices
from doubles import Adapter, TaskAdapter, WaitingAdapter, WaitingTaskAdapter, order, write_arrivals, write_workload
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
    dues: list[float],
    *,
    at: int,
    drain_ns: int = 60 * S,
    asleep: bool = False,
    **given: Any,
) -> Any:
    """Do a slice whose units are due at these times; the lead-in has those before 1 ms."""
    arrivals = {"file": str(write_arrivals(folder, dues)), "at": at, "drain_ns": drain_ns}
    arrivals |= {"awake_ns": 0} if asleep else {}
    return slices.work({**order(4 * MS, lead_in_ns=MS), **given, "arrivals": arrivals})


def kept(slices: Slices) -> tuple[dict[str, Any], list[tuple[float, float, float]]]:
    """Return what is handed over, and due time, lag and latency of each unit."""
    handed = hand_over(slices.samples)
    columns = [array("d", base64.b64decode(handed[name])) for name in ("due", "lags", "latencies")]
    return handed, list(zip(*columns, strict=True))


@pytest.mark.parametrize("adapter", [Adapter, TaskAdapter])
@pytest.mark.parametrize("asleep", [False, True])
def test_a_unit_starts_when_it_is_due_and_its_times_add_up(
    make_slices: MakeSlices, workload: Path, tmp_path: Path, adapter: type[Adapter], *, asleep: bool
) -> None:
    """Due time and lag lead to its start, and its latency to its end; the parts last as long as asked."""
    called: list[int] = []
    slices = make_slices(workload, adapter(lambda *_words: called.append(monotonic_ns())), open=True)
    dues = [0, 0.5 * MS, 1 * MS, 2 * MS, 2 * MS, 2.5 * MS]
    found = work(slices, tmp_path, dues, at=(at := monotonic_ns() + MS), asleep=asleep)
    assert (found["lead_in"], found["measured"]) == ([2], [4])
    handed, units = kept(slices)
    assert (handed["counts"], handed["dropped"]) == ([4], 0)
    assert [due for due, _, _ in units] == [1 * MS, 2 * MS, 2 * MS, 2.5 * MS]
    for (due, lag, latency), moment in zip(units, called[2:], strict=True):
        assert 0 <= lag <= moment - at - due <= lag + latency
    assert found["measured_from"][0] >= at + MS
    assert found["ended"][0] >= at + 5 * MS
    assert kept(slices)[0] == {"latencies": "", "due": "", "lags": "", "counts": [], "dropped": 0}


@pytest.mark.parametrize(
    ("adapter", "scenario", "shape", "commands"),
    [
        (Adapter, "sync", {}, 1),
        (Adapter, "threads", {"threads": 3, "connections": 1}, 1),
        (TaskAdapter, "threads", {"threads": 3, "connections": 1}, 1),
        (TaskAdapter, "pipelining", BURST, 4),
        (TaskAdapter, "pipelining", SLIDING, 1),
        (TaskAdapter, "pipelining", {**SLIDING, "threads": 3}, 1),
    ],
)
def test_late_units_start_at_once_and_none_is_left_out(
    make_slices: MakeSlices,
    workload: Path,
    tmp_path: Path,
    adapter: type[Adapter],
    scenario: str,
    shape: dict[str, Any],
    commands: int,
) -> None:
    """All of it should have happened a second ago."""
    slices = make_slices(workload, made := adapter(), scenario, shape=shape, open=True)
    dues = [0.25 * MS * k for k in range(20)]
    found = work(slices, tmp_path, dues, at=monotonic_ns() - S)
    assert (sum(found["lead_in"]), sum(found["measured"]), len(made.asked)) == (4, 16, 20 * commands)
    _, units = kept(slices)
    assert sorted(due for due, _, _ in units) == dues[4:]
    assert all(lag + due >= S for due, lag, _ in units)


@pytest.mark.parametrize("adapter", [Adapter, TaskAdapter])
def test_of_two_processes_each_has_every_second_unit_and_its_walkers_share_them(
    make_slices: MakeSlices, workload: Path, tmp_path: Path, adapter: type[Adapter]
) -> None:
    """Across the parts; each walker takes its own commands: the second process's begin at numbers 4 and 6 of eight."""
    slices = make_slices(
        workload, made := adapter(), "threads", shape={"threads": 2, "connections": 1}, part=1, parts=2, open=True
    )
    dues = [0.3 * MS * k for k in range(16)]
    found = work(slices, tmp_path, dues, at=monotonic_ns())
    assert (sum(found["lead_in"]), sum(found["measured"])) == (2, 6)
    assert sorted(due for due, _, _ in kept(slices)[1]) == dues[5::2]
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
    dues = [0.3 * MS * k for k in range(8)]
    assert work(slices, tmp_path, dues, at=monotonic_ns() + MS)["measured"] == [4]
    assert made.asked == [("GET", f"k{i}") for i in range(8)]
    assert sorted(due for due, _, _ in kept(slices)[1]) == dues[4:]


@pytest.mark.parametrize("adapter", [Adapter, TaskAdapter])
@pytest.mark.parametrize("threads", [1, 3])
def test_what_has_not_started_when_the_part_is_closed_never_does(
    make_slices: MakeSlices, workload: Path, tmp_path: Path, adapter: type[Adapter], threads: int
) -> None:
    """Here the lead-in is closed before it begins; its units take no commands."""
    shape = {"threads": threads, "connections": 1}
    slices = make_slices(workload, made := adapter(), "threads", shape=shape, open=True)
    found = work(slices, tmp_path, [0, 0, 0, MS, MS, MS], at=monotonic_ns() - 2 * MS, drain_ns=MS, ns=300 * MS)
    assert (found["lead_in"], sum(found["measured"])) == ([0] * threads, 3)
    assert len(made.asked) == len(kept(slices)[1]) == 3


@pytest.mark.parametrize("adapter", [Adapter, TaskAdapter])
def test_a_failed_unit_is_counted_as_an_error_and_kept_with_a_negative_latency(
    make_slices: MakeSlices, workload: Path, tmp_path: Path, adapter: type[Adapter]
) -> None:
    """It is no completed unit; those of the lead-in are not kept, like all others."""

    def fail(_name: str, key: str) -> None:
        if key in {"k0", "k2"}:
            raise OSError(key)

    slices = make_slices(workload, adapter(fail), open=True)
    found = work(slices, tmp_path, [0, 0, MS, MS, MS], at=monotonic_ns())
    assert (found["lead_in"], found["measured"], found["errors"]) == ([1], [2], {"OSError": 2})
    assert [latency < 0 for _, _, latency in kept(slices)[1]] == [True, False, False]


def test_what_does_not_fit_is_dropped_and_counted(make_slices: MakeSlices, workload: Path, tmp_path: Path) -> None:
    """All three numbers of a unit, or none."""
    slices = make_slices(workload, Adapter(), samples=1, open=True)
    (room,) = {len(samples.storage) for samples in slices.samples}
    work(slices, tmp_path, [MS] * (room + 5), at=monotonic_ns())
    handed, units = kept(slices)
    assert (handed["counts"], handed["dropped"], len(units)) == ([room], 5, room)
