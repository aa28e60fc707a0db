"""Scenario specs: the definitions in words."""

from typing import Self

from pydantic import Field, model_validator

from respmark.contract.base import Message
from respmark.contract.trial import SampleCovers, Scenario, Shape, Window
from respmark.specs.suite import ANY_SHAPE, ShapeAxes, TrialsSpec


class UsualTrials(Message):
    """A scenario's shapes and workloads where nobody names others."""

    shape: ShapeAxes = ANY_SHAPE
    workloads: tuple[str, ...] = ()
    """Empty: the suite's."""


class ScenarioSpec(Message):
    """One scenario, as `specs/scenarios.toml` gives it."""

    summary: str
    wire: str
    """What goes on the wire, for each connection."""
    usual: UsualTrials = Field(default_factory=UsualTrials, exclude=True)
    """What is measured where the scenario is asked for and the suite lacks it; a run's manifest does not repeat it."""


class ScenarioSpecs(Message):
    """All scenarios, by name."""

    scenarios: dict[Scenario, ScenarioSpec]

    @model_validator(mode="after")
    def _usual_shapes_fit(self) -> Self:
        for scenario, spec in self.scenarios.items():
            usual_trials(scenario, spec)
        return self


def usual_trials(scenario: Scenario, spec: ScenarioSpec) -> TrialsSpec:
    """Return the trials of a scenario that is asked for of a suite that lacks it."""
    return TrialsSpec(scenario=scenario, shape=spec.usual.shape, workloads=spec.usual.workloads)


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
