"""What every trial of a run is measured with."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from respmark.contract.base import SCHEMA_VERSION
from respmark.contract.trial import TrialRequest, WorkloadPart
from respmark.evidence.expectation import Expectations
from respmark.execute.protocol import Executor
from respmark.plan.trial import Settings, Trial
from respmark.specs.client import ClientSpec
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
    clients: dict[str, ClientSpec] = field(default_factory=dict)
    """By library: what its options mean."""
    versions: dict[str, Mapping[str, str]] = field(default_factory=dict)
    """By client: what its first trial loaded."""
    clock: Callable[[], int] = time.monotonic_ns
    """What runners' moments are held against."""

    def request(self, trial: Trial, part: int) -> TrialRequest:
        """Return what one runner process of a trial is told."""
        cell = trial.cell
        return TrialRequest(
            schema_version=SCHEMA_VERSION,
            trial_id=trial.id,
            client=cell.client.choice,
            scenario=cell.scenario,
            shape=cell.shape,
            workload=WorkloadPart(path=self.workload_path, part=part, parts=cell.shape.processes),
            target=self.target.for_client(avoids_tls=cell.client.avoids_tls),
        )
