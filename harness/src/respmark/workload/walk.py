"""Which walker sends which commands of the workload, by the contract ("Which commands")."""

from typing import Final

from respmark.contract.trial import Scenario, Shape

WALKING: Final = frozenset({Scenario.THREADS, Scenario.POOL, Scenario.PIPELINING})
"""Scenarios whose threads are walkers."""


def first_commands(commands: int, shape: Shape, scenario: Scenario, part: int, first_command: int = 0) -> list[int]:
    """Return where each walker of a process begins, in a slice that begins at `first_command`."""
    walkers = (shape.threads or 1) if scenario in WALKING else 1
    count = shape.processes * walkers
    numbers = range(part * walkers, (part + 1) * walkers)
    return [(first_command + number * commands // count) % commands for number in numbers]
