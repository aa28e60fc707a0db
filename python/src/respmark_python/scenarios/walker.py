"""A walker: one thread's (or task's) way through the workload, cut into units."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from respmark_python.clients.session import Lane, Session
from respmark_python.contract.trial import Trial
from respmark_python.recorder.health import collector_paused
from respmark_python.workload.commands import Workload
from respmark_python.workload.walk import Call, Command, walk, walk_slices

DEPTH_IS_A_UNIT: Final = frozenset({"burst", "batch", "transaction"})
"""Units that hold `depth` commands; the others hold one."""


@dataclass(frozen=True)
class Walker:
    """Where one walk begins, and what its units are."""

    lane: Lane
    calls: Sequence[Call]
    rows: Sequence[tuple[Any, ...]]
    first: int
    commands: int
    """Commands in a unit."""

    def units(self) -> Iterator[Command]:
        """Return the endless walk from the first command on, as units: what is called, and with which arguments."""
        perform = self.lane.perform
        if perform is None:
            return walk(self.calls, self.rows, self.first)
        return ((perform, (commands,)) for commands in walk_slices(self._pairs, self.first, self.commands))

    @cached_property
    def _pairs(self) -> Sequence[Command]:
        with collector_paused():
            return list(zip(self.calls, self.rows, strict=True))

    def replies(self, reply: Any) -> Sequence[Any]:
        """Return the replies that a unit returned."""
        return [reply] if self.lane.perform is None else reply


def sample_covers(trial: Trial) -> str:
    """Return what one latency sample of the trial covers."""
    names = {"batching": "batch", "transaction": "transaction", "new-connection": "connection"}
    return "burst" if trial.shape.window == "burst" else names.get(trial.scenario, "command")


def make_walkers(trial: Trial, workload: Workload, session: Session) -> list[Walker]:
    """Return a walker for each lane, everything that can be computed beforehand computed."""
    with collector_paused():
        rows = _rows(workload, session)
    calls: dict[int, list[Call]] = {}
    for lane in session.lanes:
        if id(lane.target) not in calls:
            methods = [session.method(lane.target, kind) for kind in workload.mix]
            calls[id(lane.target)] = [methods[kind] for kind in workload.columns.kinds]
    commands = (trial.shape.depth or 1) if sample_covers(trial) in DEPTH_IS_A_UNIT else 1
    lanes, part, parts = len(session.lanes), trial.workload.part, trial.workload.parts
    return [
        Walker(lane, calls[id(lane.target)], rows, workload.first_command(part * lanes + i, parts * lanes), commands)
        for i, lane in enumerate(session.lanes)
    ]


def _rows(workload: Workload, session: Session) -> Sequence[tuple[Any, ...]]:
    rows: list[tuple[Any, ...]] = list(workload.words())
    for number, kind in enumerate(workload.mix):
        if convert := session.arguments(kind):
            for index in workload.indices(number):
                rows[index] = convert(rows[index])
    return rows
