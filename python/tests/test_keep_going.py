"""An application that keeps going: what is due is performed and logged, whatever the client raises."""

import asyncio
import json
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from conftest import MakeSlices
from doubles import Adapter, TaskAdapter, keep_going, write_workload

S = 10**9
FAR = 100 * S


@pytest.fixture
def workload(tmp_path: Path) -> Path:
    """Return a workload of four GETs."""
    return write_workload(tmp_path, "GET", "GET", "GET", "GET")


def lines(folder: Path) -> list[dict[str, Any]]:
    """Return the log."""
    return [json.loads(line) for line in (folder / "log").read_text().splitlines()]


@pytest.mark.parametrize("adapter", [Adapter, TaskAdapter])
def test_what_is_due_is_performed_and_logged(
    make_slices: MakeSlices, workload: Path, tmp_path: Path, adapter: type[Adapter]
) -> None:
    """Each walker takes its own commands, and a unit that fails is logged with its error; the end comes last."""

    def act(_name: str, key: str) -> Any:
        if key == "k1":
            raise LookupError("no" * 1000)
        return {b"f": b"v"}

    slices = make_slices(workload, adapter(act), "threads", shape={"threads": 2, "connections": 1})
    assert slices.keep_going(keep_going(tmp_path, [0, 0, 0, 1000], FAR, 0, 2)) == {}
    slices.close()
    *units, end = lines(tmp_path)
    began = {line["unit"]: line["walker"] for line in units if "began" in line}
    ended = {line["unit"]: line for line in units if "ended" in line}
    assert sorted(began) == sorted(ended) == [0, 1, 2, 3]
    assert {unit: line["walker"] for unit, line in ended.items()} == began
    replied = {"map": [[{"bytes": "Zg=="}, {"bytes": "dg=="}]]}
    assert all(line["reply"] == replied for line in ended.values() if "reply" in line)
    failed = [line for line in ended.values() if "error" in line]
    assert {(line["error"], line["text"]) for line in failed} <= {("LookupError", "no" * 250)}
    assert list(end) == ["closed"]


def hangs(event: Event) -> Adapter:
    """Return an adapter whose commands hang until the event."""
    return Adapter(lambda *_words: event.wait())


def hangs_as_task(_event: Event) -> Adapter:
    """Return one whose commands hang for ever."""
    adapter = TaskAdapter()
    adapter.commands["GET"] = lambda *_words: asyncio.get_running_loop().create_future()
    return adapter


@pytest.mark.parametrize("hanging", [hangs, hangs_as_task])
def test_a_walker_that_hangs_is_not_waited_for(
    make_slices: MakeSlices, workload: Path, tmp_path: Path, hanging: Any
) -> None:
    """Its unit has begun and not ended; nothing is logged once the client is closed."""
    slices = make_slices(workload, hanging(event := Event()))
    slices.keep_going(keep_going(tmp_path, [0, 0], S // 2, 0))
    slices.close()
    event.set()
    assert [sorted(line) for line in lines(tmp_path)] == [["began", "unit", "walker"], ["closed"]]
