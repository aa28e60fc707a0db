"""What became of a trial, of whatever kind, and its record."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal

from respmark.machine.sockets import Sockets
from respmark.plan.plan import Trial
from respmark.results.records import FORMAT, Handshake, Status, TrialRecord


@dataclass(frozen=True)
class Outcome:
    """What became of a trial; each field is that of its record, but for the last four."""

    status: Status
    reason: str | None = None
    stderr: list[str] = field(default_factory=list)
    versions: dict[str, str] = field(default_factory=dict)
    settings: dict[str, str | int | float | bool] = field(default_factory=dict)
    decodes_to: Literal["bytes", "text"] | None = None
    verified_replies: int = 0
    peak_memory_bytes: int = 0
    memory_bytes_per_key: float | None = None
    handshake: Handshake | None = None
    sockets: list[Sockets] | None = None
    record: type[TrialRecord] = TrialRecord
    """That of its kind."""
    measured: Mapping[str, Any] = field(default_factory=dict)
    """What only records of its kind have, by field."""
    has_figures: bool = False
    """Whether something was measured: a trial that was interrupted before that leaves no record."""
    saw_others: bool = False
    """Whether the server counted commands that no client.toml names; all keys are then rewritten."""

    def left(self, failure: "Outcome") -> "Outcome":
        """Return what became of a trial that has left its block for this reason: what is known of it stays."""
        return replace(self, status=failure.status, reason=failure.reason, stderr=failure.stderr)


OF_RECORD = (
    "status",
    "reason",
    "stderr",
    "versions",
    "settings",
    "decodes_to",
    "verified_replies",
    "peak_memory_bytes",
    "memory_bytes_per_key",
    "handshake",
    "sockets",
)
"""Fields of an outcome that are those of its record."""


def record_of(trial: Trial, outcome: Outcome, *, order: int, language: str, started_at: datetime) -> TrialRecord:
    """Return the record of a trial; `order` is its place in the run."""
    cell = trial.cell
    return outcome.record(
        trial_id=trial.id,
        format=FORMAT,
        cell_id=cell.id,
        block=cell.block,
        round=trial.round,
        order=order,
        client=cell.client,
        language=language,
        scenario=cell.scenario,
        shape=cell.shape,
        workload=cell.workload,
        server=cell.server,
        started_at=started_at,
        **{name: getattr(outcome, name) for name in OF_RECORD},
        **outcome.measured,
    )
