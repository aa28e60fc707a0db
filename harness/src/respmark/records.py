"""What a run leaves behind: one record a trial, and the manifest of the run."""

from datetime import datetime
from enum import StrEnum

from pydantic import Field

from respmark.contract.base import Count, Message, Nanoseconds, PositiveCount, SchemaVersion, Seconds
from respmark.contract.events import Ready, Result
from respmark.contract.trial import Scenario, Shape
from respmark.specs.client import Client


class Status(StrEnum):
    """What became of a trial or a cell; each is shown, none is left out."""

    OK = "ok"
    FAILED = "failed"
    UNSUPPORTED = "unsupported"
    MISSING = "missing"


class Calls(Message):
    """What the server counted for one command in the window."""

    calls: Count
    failed: Count = 0
    """Of these, ended in an error reply."""
    rejected: Count = 0
    """Refused before they ran (no permission, wrong state); not among `calls`."""


class Expectation(Message):
    """What the server must have counted if the runner's claim is true."""

    calls: dict[str, Count]
    """By command, lower case as the server writes it."""
    hits: Count | None
    """GETs of a key that exists; null where the mix has other reading commands."""
    misses: Count | None


class Evidence(Message):
    """What the server, and this machine's kernel, say happened between `go` and the end."""

    elapsed_ns: Nanoseconds
    """Between the two readings of the server's counters; a little more than the window."""
    workload_calls: dict[str, Calls]
    """Calls of the workload's commands, of MULTI and of EXEC among them, by command."""
    setup_calls: dict[str, Count]
    """Handshakes and set-up (HELLO, AUTH, SELECT, CLIENT, ...), counted apart."""
    other_calls: dict[str, Count]
    """Anything else: commands that nobody should have sent."""
    connections_received: Count
    """Connections accepted in the window."""
    connections_open: Count
    """Connections open at `go`, the harness's own left out."""
    reads_processed: Count | None
    """Reads that the server did, the harness's own left out; null before Redis 6."""
    keyspace_hits: Count
    keyspace_misses: Count
    evicted_keys: Count
    expired_keys: Count
    network_input_bytes: Count
    network_output_bytes: Count
    """The harness's own INFO replies left out."""
    server_cpu_user_ns: Nanoseconds
    server_cpu_system_ns: Nanoseconds
    other_cpu_ns: Nanoseconds | None
    """CPU of all processes on this machine but the runner's and, where it runs here, the server's."""
    stolen_cpu_ns: Nanoseconds | None
    """CPU that the hypervisor gave to others."""
    expected: Expectation


class TrialRecord(Message):
    """One trial, measured or not, as its file under `trials/` holds it."""

    schema_version: SchemaVersion
    trial_id: str
    cell_id: str
    round: PositiveCount
    order: PositiveCount
    """Its place in the run, counted from 1."""
    client: Client
    language: str
    scenario: Scenario
    shape: Shape
    workload: str
    warmup_s: Seconds
    measure_s: Seconds
    started_at: datetime
    status: Status
    reason: str | None
    """Why it is not `ok`."""
    stderr: list[str] = Field(default_factory=list)
    """Last lines of the runner's standard error, where it failed."""
    ready: list[Ready] = Field(default_factory=list)
    """One a process."""
    results: list[Result] = Field(default_factory=list)
    """One a process; kept where the claim was refuted, too."""
    evidence: Evidence | None = None
    counted_cpu_ns: Count | None = None
    """CPU of all runner processes over the window as their containers' control groups counted it; null: nobody did."""
