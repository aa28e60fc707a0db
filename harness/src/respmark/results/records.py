"""What a run stores about each trial, of whatever kind: one line of `trials.jsonl`."""

from datetime import datetime
from enum import StrEnum
from typing import Final, Literal

from pydantic import Field

from respmark.contract.base import Count, Message, PositiveCount
from respmark.contract.trial import Scenario, Shape
from respmark.machine.sockets import Sockets
from respmark.specs.client import Client

FORMAT: Final = 2
"""Number of the format of a run's files: manifest and records. Whatever an earlier respmark could not read adds 1."""


class Status(StrEnum):
    """What became of a trial or a cell; reports show each status and leave none out."""

    OK = "ok"
    FAILED = "failed"
    UNSUPPORTED = "unsupported"
    """The library cannot express the scenario."""
    MISSING = "missing"
    """The client is not installed here."""
    NOT_MEASURED = "not measured"
    """Only of cells: the run ended before it was measured."""


class Handshake(Message):
    """What the server saw from the order to connect until every reply of the verification was read."""

    connections_received: Count
    calls: dict[str, Count]
    """By command."""
    protocol: Literal[2, 3] | None = None
    """RESP version that the client's label says."""
    protocols: dict[int, Count] | None = None
    """How many connections spoke each RESP version, according to CLIENT LIST; null if the server does not report it."""


class TrialRecord(Message):
    """One trial, measured or not; each kind of trial adds what only it has."""

    trial_id: str
    format: Literal[2]
    """Number of the format of a run's files: `FORMAT`."""
    cell_id: str
    block: str
    """The trials of one round and block took turns: these are compared."""
    round: PositiveCount
    order: PositiveCount
    """Its place in the run, counted from 1."""
    client: Client
    language: str
    scenario: Scenario
    shape: Shape
    workload: str
    """Name of its workload."""
    server: str
    """Name of its server."""
    started_at: datetime
    status: Status
    reason: str | None = None
    """Why it is not `ok`, or what an `ok` trial lost."""
    stderr: list[str] = Field(default_factory=list)
    """Last lines of the runner's standard error, if it failed."""
    versions: dict[str, str] = Field(default_factory=dict)
    """What was really loaded: the library under its own name, its dependencies, the runtime."""
    settings: dict[str, str | int | float | bool] = Field(default_factory=dict)
    """Runtime flags and settings that bear on the figures (heap, JIT, garbage collector)."""
    decodes_to: Literal["bytes", "text"] | None = None
    """What the client decodes a GET reply to."""
    verified_replies: Count = 0
    """Replies checked against the workload, all processes together."""
    peak_memory_bytes: Count = 0
    """Peak resident sets of the runner's processes, added up."""
    memory_bytes_per_key: float | None = None
    """The server's memory for a key of the workload, with its value; null if others may have written to it, too."""
    handshake: Handshake | None = None
    sockets: list[Sockets] | None = None
    """What the library asked of the kernel for the connections that were open after the verification, those of all
    processes together. Null: none was open (`new-connection` closes each), it is a unix socket, the client runs in a
    container, or the kernel does not let respmark look; and in runs measured before it was stored."""

    @property
    def measured_s(self) -> float:
        """Return how much time was measured."""
        return 0.0

    @property
    def rps(self) -> float | None:
        """Return the median of its throughputs; None if that is none of its figures."""
        return None

    @property
    def was_steady(self) -> bool:
        """Return whether it had warmed up when it began to be measured; true where there is no warm-up."""
        return True

    @property
    def is_off_core(self) -> bool | None:
        """Return whether it was kept off the server's CPU; None: that was not decided."""
        return None


def on_server(client: str, server: str | None) -> str:
    """Return a client's name, with that of its server if the run has several."""
    return client if server is None else f"{client} on {server}"
