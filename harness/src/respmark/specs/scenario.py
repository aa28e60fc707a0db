"""Scenario specs: the definitions in words."""

from respmark.contract.base import Message
from respmark.contract.events import SampleCovers
from respmark.contract.trial import Scenario, Shape, Window


class ScenarioSpec(Message):
    """One scenario, as `specs/scenarios.toml` gives it."""

    summary: str
    wire: str
    """What goes on the wire, for each connection."""


class ScenarioSpecs(Message):
    """All scenarios, by name."""

    scenarios: dict[Scenario, ScenarioSpec]


def sample_covers(scenario: Scenario, shape: Shape) -> SampleCovers:
    """Return what one latency sample covers: the scenario's unit."""
    units = {
        Scenario.BATCHING: SampleCovers.BATCH,
        Scenario.TRANSACTION: SampleCovers.TRANSACTION,
        Scenario.NEW_CONNECTION: SampleCovers.CONNECTION,
    }
    if scenario is Scenario.PIPELINING and shape.window is Window.BURST:
        return SampleCovers.BURST
    return units.get(scenario, SampleCovers.COMMAND)


def commands_per_unit(scenario: Scenario, shape: Shape) -> int:
    """Return how many commands of the workload one unit has."""
    whole = {SampleCovers.BURST, SampleCovers.BATCH, SampleCovers.TRANSACTION}
    return (shape.depth or 1) if sample_covers(scenario, shape) in whole else 1
