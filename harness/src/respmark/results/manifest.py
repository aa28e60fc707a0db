"""The manifest: everything about a run that its trials have in common."""

from datetime import datetime
from enum import StrEnum
from typing import Any

from pydantic import Field

from respmark.containers.manifest import Containers
from respmark.contract.base import Count, Message, PositiveCount, SchemaVersion, Seconds
from respmark.contract.description import Description
from respmark.contract.trial import Scenario, Shape
from respmark.placement import UNPINNED, Placement
from respmark.results.machine import Machine
from respmark.specs.client import Client


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


class PlannedCell(Message):
    """A cell of the plan."""

    cell_id: str
    client: Client
    language: str
    scenario: Scenario
    shape: Shape


class Manifest(Message):
    """The manifest of a run."""

    schema_version: SchemaVersion
    run_id: str
    respmark_version: str
    command_line: list[str]
    """As it was given, passwords replaced."""
    status: RunStatus
    started_at: datetime
    ended_at: datetime | None
    suite: dict[str, Any]
    """The suite's spec."""
    workload: dict[str, Any]
    """The workload's spec."""
    workload_sha256: str
    """Of the workload file that every runner read, with the spec's key prefix and without the run's own."""
    clients: list[str]
    cells: list[PlannedCell]
    """Every cell in the suite's order: tables keep it, and show those that a run did not reach."""
    rounds: PositiveCount
    warmup_s: Seconds
    warmup_by_runner_s: dict[str, Seconds] = Field(default_factory=dict)
    """Runners that warmed up for another time."""
    measure_s: Seconds
    seed: int
    trials: Count
    """Trials planned."""
    machine: Machine
    harness: dict[str, str]
    """Versions of Python and of the packages that the harness uses."""
    target: TargetDescription
    runners: list[Description] = Field(default_factory=list)
    """What each runner that is present says of itself."""
    placement: Placement = UNPINNED
    """Which CPUs target and clients had."""
    containers: Containers | None = None
    """Engine, images and limits, where trials ran in containers."""
    warnings: list[str] = Field(default_factory=list)
    """What `respmark doctor` would warn of on this machine, and what was found out during the run."""
