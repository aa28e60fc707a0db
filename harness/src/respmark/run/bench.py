"""What every trial of a run is measured with."""

from dataclasses import dataclass

from respmark.evidence.expectation import Expectations
from respmark.execute.protocol import Executor
from respmark.plan.trial import Settings
from respmark.target.state import DatabaseState
from respmark.target.target import Target


@dataclass(frozen=True)
class Bench:
    """What every trial of a run is measured with."""

    settings: Settings
    executor: Executor
    target: Target
    state: DatabaseState
    expectations: Expectations
    workload_path: str
    commands: int
    """Of the workload file."""
    setup_commands: dict[str, frozenset[str]]
    """By library: what it sends of its own accord."""
