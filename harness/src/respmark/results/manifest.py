"""The manifest: everything about a run that its trials have in common."""

from collections.abc import Collection, Mapping
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Literal, Self

from pydantic import Field

from respmark.contract.base import Count, Message, PositiveCount, Seconds
from respmark.contract.trial import Scenario, Shape
from respmark.machine.description import Machine
from respmark.machine.placement import UNPINNED, Placement
from respmark.results.containers import Containers
from respmark.specs.client import Client
from respmark.specs.scenario import ScenarioSpec


class RunStatus(StrEnum):
    """How far a run got."""

    RUNNING = "running"
    COMPLETE = "complete"
    INTERRUPTED = "interrupted"
    STOPPED = "stopped"
    """An error ended it before its last trial."""


class ServerDescription(Message):
    """A server under test."""

    address: str
    """Host and port, or socket; never a password."""
    spawned: bool
    """Whether the run started it."""
    program: str | None
    allocator: str | None = None
    """What allocates its memory, as INFO names it."""
    version: str
    """Such as `valkey 8.1.0` or `redis 7.0.15`, and who built it if a wheel brought it."""
    info: dict[str, str]
    """The server's answer to INFO server before the first trial."""


class RoundTripDescription(Message):
    """A relay between clients and server, as it was calibrated before the first trial.

    Each node of a cluster has one of its own: then figures are of the slowest, and CPU of all.
    """

    server: str
    """Name of the server."""
    asked_ms: float
    p50_ms: float
    """Of PING through the relay, with what relay and server themselves take."""
    p99_ms: float
    alone_ms: float
    """p50 of PING through the relay when it holds nothing."""
    cpu_s: float | None = None
    """CPU that the relay used in the run; null while it runs."""
    relays: int = Field(default=1, exclude_if=lambda given: given == 1)
    """How many there are."""


class HostDescription(Message):
    """A host on which clients ran."""

    name: str
    address: str
    """Of the worker that its agent lives in."""
    machine: Machine
    is_here: bool
    """Whether it is the machine of the harness."""
    clock_error_ns: Count
    """By how much its clock, translated to the harness's, may have been wrong before the first trial."""
    versions: dict[str, str] = Field(default_factory=dict)
    """Of respmark and Python there."""


class WorkloadDescription(Message):
    """A workload, as every runner read it."""

    spec: dict[str, Any]
    sha256: str
    """Hash of its file, with the spec's key prefix and without the run's own."""


class CellDescription(Message):
    """A cell of the plan."""

    cell_id: str
    client: Client
    language: str
    scenario: Scenario
    shape: Shape
    block: str
    workload: str
    """Name of its workload."""
    server: str
    """Name of its server."""


class Until(Message):
    """How narrow comparisons were to become, and how long that could take."""

    half_width: Annotated[float, Field(gt=0, lt=1)]
    """Half width to reach in the intervals of RPS and client CPU, as a fraction of the ratio."""
    budget_s: Seconds
    """No round of a block is started that is estimated to end later, but for the first two."""
    looks: PositiveCount
    """Intervals are those of so many looks at the figures: each has its share of the error."""


class Manifest(Message):
    """The manifest of a run."""

    format: Literal[2]
    """Number of the format of a run's files; `records.FORMAT`."""
    run_id: str
    respmark_version: str
    command_line: list[str]
    """As it was given, with passwords replaced."""
    status: RunStatus
    started_at: datetime
    ended_at: datetime | None
    resumed_at: list[datetime] = Field(default_factory=list)
    """When it was resumed after it had been cut short."""
    suite: dict[str, Any]
    """The suite's spec."""
    workloads: Annotated[dict[str, WorkloadDescription], Field(min_length=1)]
    """Every workload that a cell has, by name; the suite's own is the first."""
    scenarios: dict[Scenario, ScenarioSpec] = Field(default_factory=dict)
    """Specs of its cells' scenarios when it was measured."""
    clients: list[str]
    named_clients: list[str] = Field(default_factory=list)
    """Those of them that the user named, each of which has a line in the answer; empty: all are the suite's."""
    control: str | None = None
    """The client that is in every block of a series of releases (`respmark versions`), which are named in their order;
    null: the run is none."""
    cells: list[CellDescription]
    """Every cell, in the suite's order: tables keep this order, and show cells that the run did not reach."""
    rounds: PositiveCount
    laps: PositiveCount
    """Slices of each trial in a round."""
    slice_s: Seconds
    """Length of the measured part of a slice."""
    lead_in_s: Seconds
    """Length of the same work at a slice's start, which is not measured."""
    warmup_limit_s: Seconds
    """The longest that a client works before its first lap."""
    processes: Literal["block", "round"] = "round"
    """How long a client's processes live: each trial has its own, which end with its block; in runs that do not say so,
    they served one block of a round after the other."""
    seed: int
    trials: Count
    """How many trials were planned."""
    minutes: float | None = None
    """Only in runs of earlier versions, in which blocks had about as many laps as `laps` says, so that the run ended in
    so many minutes; null: exactly as many."""
    time_limit_s: Seconds | None = None
    """The longest that the run was to take, which may have left it fewer rounds; null: as long as its rounds took."""
    wall_s: Seconds | None = None
    """How long the run took, with everything that it prepared; null while it runs."""
    measured_s: Seconds | None = None
    """How much of `wall_s` was slices that count, without their lead-ins."""
    until: Until | None = None
    """How narrow comparisons were to become; null if the run only had the rounds that were asked for."""
    machine: Machine
    harness: dict[str, str]
    """Versions of Python and of the packages that the harness uses."""
    servers: Annotated[dict[str, ServerDescription], Field(min_length=1)]
    """Every server that a cell has, by name; the suite's own is the first."""
    round_trips: list[RoundTripDescription] = Field(default_factory=list)
    """Those that relays made (`--rtt`)."""
    packages: dict[str, dict[str, str]] = Field(default_factory=dict)
    """For each client that set-up made here (`redis-py`, `redis-py@4.5.5`): its packages, with their versions."""
    commits: dict[str, str] = Field(default_factory=dict)
    """For each client that is a build from a git checkout: its commit, with `-dirty` if its files were changed."""
    compilers: dict[str, tuple[str, ...]] | None = None
    """Compiler threads that must be idle before a runner's clients are warm, by runner; null if none was looked at."""
    placement: Placement = UNPINNED
    """Which CPUs server and clients had."""
    containers: Containers | None = None
    """Engine, images and limits, if trials ran in containers."""
    hosts: list[HostDescription] = Field(default_factory=list)
    """Where clients ran, if not on this machine alone."""
    warnings: list[str] = Field(default_factory=list)
    """What `respmark doctor` would warn about on this machine, and what was noticed during the run."""

    def of(self, scenarios: Collection[Scenario]) -> Self:
        """Return the same with the cells of these scenarios alone: each kind of trial has figures of its own."""
        return self.model_copy(update={"cells": [cell for cell in self.cells if cell.scenario in scenarios]})

    @property
    def first_workload(self) -> str:
        """Return the name of the suite's own workload, or of the first that was asked for."""
        return next(iter(self.workloads))

    @property
    def first_server(self) -> str:
        """Return the name of the suite's own server, or of the first that was asked for."""
        return next(iter(self.servers))

    def defined(self, shipped: Mapping[Scenario, ScenarioSpec]) -> dict[Scenario, ScenarioSpec]:
        """Return the specs of its scenarios; those that it does not have are taken from `shipped`."""
        return {**shipped, **self.scenarios}

    @property
    def is_about_memory(self) -> bool:
        """Return whether its suite is about what connections cost in memory."""
        return self.suite.get("about") == "memory"

    @property
    def looks(self) -> int:
        """Return for how many looks at the run's own figures intervals are corrected."""
        return 1 if self.until is None else self.until.looks
