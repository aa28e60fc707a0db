"""What a plan is made of."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from respmark.contract.trial import Scenario, Shape
from respmark.specs.client import Client
from respmark.specs.suite import SuiteSpec
from respmark.workload.spec import WorkloadSpec


@dataclass(frozen=True)
class Cell:
    """One client in one scenario and shape: what all rounds of a trial have in common."""

    client: Client
    scenario: Scenario
    shape: Shape
    unsupported: str | None
    """Why it cannot be measured, or None."""

    @property
    def id(self) -> str:
        """Return the cell's name, fit for a file name and the same in every run."""
        words = [self.client.name, str(self.scenario), *shape_words(self.shape)]
        return "--".join(re.sub(r"[^A-Za-z0-9.=@+_-]+", "+", word).strip("+") for word in words)


@dataclass(frozen=True)
class Trial:
    """One cell, measured once."""

    cell: Cell
    round: int
    """Counted from 1."""

    @property
    def id(self) -> str:
        """Return the trial's name: its cell's and its round."""
        return f"{self.cell.id}--round={self.round}"


@dataclass(frozen=True)
class Settings:
    """What holds for every trial of a plan."""

    suite: str
    workload: WorkloadSpec
    target: str
    rounds: int
    warmup_s: float
    measure_s: float
    seed: int
    warmup_by_runner_s: Mapping[str, float] = field(default_factory=dict)
    """Runners that warm up longer or shorter than the others."""

    def warmup_for(self, client: Client) -> float:
        """Return how long the client warms up, in seconds."""
        return self.warmup_by_runner_s.get(client.runner, self.warmup_s)


@dataclass(frozen=True)
class Plan:
    """Every cell in the suite's order, and the trials in the order in which they run."""

    settings: Settings
    suite: SuiteSpec
    cells: tuple[Cell, ...]
    """Those that cannot be measured among them."""
    trials: tuple[Trial, ...]

    @property
    def unsupported(self) -> list[Cell]:
        """Return the cells that cannot be measured."""
        return [cell for cell in self.cells if cell.unsupported is not None]

    @property
    def clients(self) -> list[Client]:
        """Return every client once, in the suite's order."""
        return list({cell.client.name: cell.client for cell in self.cells}.values())


def shape_words(shape: Shape) -> list[str]:
    """Return the shape as `name=value` words; what does not apply, and one process, is left out."""
    fields = shape.model_dump(mode="json", exclude_defaults=True)
    return [f"{name}={value}" for name, value in fields.items()]
