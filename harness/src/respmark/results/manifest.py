"""The manifest: everything about a run that its trials have in common."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from pydantic import Field

from respmark.containers.manifest import Containers
from respmark.contract.base import Count, Message, PositiveCount, ResultsVersion, Seconds
from respmark.contract.description import Description
from respmark.contract.trial import Scenario, Shape
from respmark.placement import UNPINNED, Placement
from respmark.results.machine import Machine
from respmark.specs.client import Client
from respmark.specs.scenario import ScenarioSpec


class RunStatus(StrEnum):
    """How far a run came."""

    RUNNING = "running"
    COMPLETE = "complete"
    INTERRUPTED = "interrupted"
    STOPPED = "stopped"
    """An error ended it before its last trial."""


class TargetDescription(Message):
    """The server under test."""

    name: str
    address: str
    """Host and port, or socket; never a password."""
    spawned: bool
    """Whether the run started it."""
    program: str | None
    version: str
    """`valkey 8.1.0` or `redis 7.0.15`."""
    info: dict[str, str]
    """INFO server, as the server gave it before the first trial."""


class WorkloadDescription(Message):
    """A workload, as every runner read it."""

    spec: dict[str, Any]
    sha256: str
    """Of its file, with the spec's key prefix and without the run's own."""


class PlannedCell(Message):
    """A cell of the plan."""

    cell_id: str
    client: Client
    language: str
    scenario: Scenario
    shape: Shape
    block: str | None = None
    """The block in which it was compared; null in version 1, which had none."""
    workload: str | None = None
    """Name of its workload, one of `other_workloads`; null: the suite's own."""


class Until(Message):
    """How narrow comparisons were to become, and what that may cost."""

    half_width: Annotated[float, Field(gt=0, lt=1)]
    """Of the intervals of RPS and client CPU, as a part of the ratio."""
    budget_s: Seconds
    """No round begins that is estimated to end later."""
    looks: PositiveCount
    """How often the run may look at its figures; each look has its share of the error."""


class Manifest(Message):
    """The manifest of a run."""

    schema_version: ResultsVersion
    run_id: str
    respmark_version: str
    command_line: list[str]
    """As it was given, passwords replaced."""
    status: RunStatus
    started_at: datetime
    ended_at: datetime | None
    resumed_at: list[datetime] = Field(default_factory=list)
    """When it went on after it had been cut short."""
    suite: dict[str, Any]
    """The suite's spec."""
    workload: dict[str, Any]
    """Spec of the suite's own workload: that of every cell that names no other."""
    workload_sha256: str
    """Of its file that every runner read, with the spec's key prefix and without the run's own."""
    other_workloads: dict[str, WorkloadDescription] = Field(default_factory=dict)
    """Those that cells name beside it, by name; none in records that were written before."""
    scenarios: dict[Scenario, ScenarioSpec] = Field(default_factory=dict)
    """What the scenarios of its cells were when it was measured; none in records that were written before."""
    clients: list[str]
    cells: list[PlannedCell]
    """Every cell in the suite's order: tables keep it, and show those that a run did not reach."""
    rounds: PositiveCount
    laps: PositiveCount | None = None
    """Slices of each trial in a round; this and the next three are null in version 1."""
    slice_s: Seconds | None = None
    """The measured part of a slice."""
    lead_in_s: Seconds | None = None
    """The same work at a slice's start, not measured."""
    warmup_limit_s: Seconds | None = None
    """The most work of a client before its first lap."""
    warmup_s: Seconds | None = None
    """Of version 1, as the next two."""
    warmup_by_runner_s: dict[str, Seconds] = Field(default_factory=dict)
    measure_s: Seconds | None = None
    seed: int
    trials: Count
    """Trials planned."""
    until: Until | None = None
    """Whether the run went on until its comparisons were narrow; null: it had the rounds that were asked for."""
    machine: Machine
    harness: dict[str, str]
    """Versions of Python and of the packages that the harness uses."""
    target: TargetDescription
    runners: list[Description] = Field(default_factory=list)
    """What each runner that is present says of itself."""
    compilers: dict[str, tuple[str, ...]] | None = None
    """By runner the threads that must be idle before its clients are warm; null in records that were written before."""
    placement: Placement = UNPINNED
    """Which CPUs target and clients had."""
    containers: Containers | None = None
    """Engine, images and limits, where trials ran in containers."""
    warnings: list[str] = Field(default_factory=list)
    """What `respmark doctor` would warn of on this machine, and what was found out during the run."""

    @property
    def workloads(self) -> dict[str, WorkloadDescription]:
        """Return every workload that a cell has, by name, in the order of the cells."""
        own = WorkloadDescription(spec=self.workload, sha256=self.workload_sha256)
        every = {self.workload["name"]: own, **self.other_workloads}
        names = dict.fromkeys(cell.workload or self.workload["name"] for cell in self.cells)
        return {name: every[name] for name in names or [self.workload["name"]]}

    def defined(self, shipped: Mapping[Scenario, ScenarioSpec]) -> dict[Scenario, ScenarioSpec]:
        """Return what its scenarios are; those that it does not say are as shipped."""
        return {**shipped, **self.scenarios}

    @property
    def looks(self) -> int:
        """Return how often the run was allowed to look at its own figures."""
        return 1 if self.until is None else self.until.looks
