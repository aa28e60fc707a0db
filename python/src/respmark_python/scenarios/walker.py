"""A walker: one thread's (or task's) way through the workload, cut into units."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, repeat
from typing import Any, Final

from respmark_python.clients.session import Lane, Session
from respmark_python.contract.trial import Trial
from respmark_python.workload.commands import Workload
from respmark_python.workload.walk import Command, Commands, Step, bind, materialise, walk

DEPTH_IS_A_UNIT: Final = frozenset({"burst", "batch", "transaction"})
"""Units that hold `depth` commands; the others hold one."""


@dataclass(frozen=True)
class Walker:
    """Which commands are walked, from where, and what a unit of them is."""

    lane: Lane
    commands: Commands
    steps: Sequence[Step]
    offset: int
    """How far from a slice's first command this walker starts."""
    per_unit: int
    """Commands in a unit."""

    def first(self, first_command: int) -> int:
        """Return where the walker starts in a slice that starts there."""
        return (first_command + self.offset) % len(self.commands.keys)

    def units(self, first_command: int) -> Iterator[Command]:
        """Return the endless walk as units: each is called like a command, if need be with commands as its key."""
        commands = walk(self.commands, self.steps, self.first(first_command))
        if self.lane.perform is None:
            return commands
        batches = map(islice, repeat(commands), repeat(self.per_unit))
        return zip(batches, repeat((self.lane.perform, None)), strict=False)

    def replies(self, reply: Any) -> Sequence[Any]:
        """Return the replies that a unit returned."""
        return [reply] if self.lane.perform is None else reply


def sample_covers(trial: Trial) -> str:
    """Return what one latency sample of the trial covers."""
    names = {"batching": "batch", "transaction": "transaction", "new-connection": "connection"}
    return "burst" if trial.shape.window == "burst" else names.get(trial.scenario, "command")


def make_walkers(trial: Trial, workload: Workload, session: Session) -> list[Walker]:
    """Return a walker for each lane, everything that can be computed beforehand computed."""
    form = bytes.decode if session.decodes_to == "text" else bytes
    commands = materialise(workload, session.arguments, form)
    per_unit = (trial.shape.depth or 1) if sample_covers(trial) in DEPTH_IS_A_UNIT else 1
    lanes, part, parts = len(session.lanes), trial.workload.part, trial.workload.parts
    offsets = [(part * lanes + i) * workload.commands // (parts * lanes) for i in range(lanes)]
    steps = {id(lane.target): _steps(workload, commands, session, lane.target) for lane in session.lanes}
    return [
        Walker(lane, commands, steps[id(lane.target)], offset, per_unit)
        for lane, offset in zip(session.lanes, offsets, strict=True)
    ]


def _steps(workload: Workload, commands: Commands, session: Session, target: Any) -> list[Step]:
    methods = [session.method(target, kind) for kind in workload.mix]
    return [
        bind(methods[number], workload.mix[number], session.arguments, value) for number, value in commands.distinct
    ]
