"""What a run leaves behind: one record a trial, and the manifest of the run."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, PlainSerializer

from respmark.contract.base import Count, Message, Nanoseconds, PositiveCount, ResultsVersion, Seconds
from respmark.contract.events import Loaded, Ready, Result, Slice, SliceOrder
from respmark.contract.trial import Scenario, Shape
from respmark.results.slice_arrays import in_arrays
from respmark.specs.client import Client


class Status(StrEnum):
    """What became of a trial or a cell; each is shown, none is left out."""

    OK = "ok"
    FAILED = "failed"
    UNSUPPORTED = "unsupported"
    """The library cannot express it."""
    MISSING = "missing"
    """Not installed here."""
    NOT_MEASURED = "not measured"
    """Of a cell only: the run ended before it."""


class Calls(Message):
    """What the server counted for one command in a slice."""

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
    input_bytes: Count | None = None
    """Of the commands as RESP arrays, MULTI and EXEC among them; null in records that were written before."""
    local_reads: Count | None = None
    """GETs of the workload in `caching`, those among them that no server saw; null elsewhere."""
    local_hits_most: Count | None = None
    """Of these, so many can have been answered by a cache of the shape's size; null elsewhere."""


class Evidence(Message):
    """What the server, and this machine's kernel, say happened in one slice."""

    elapsed_ns: Nanoseconds
    """Between the two readings of the server's counters; a little more than the slice."""
    workload_calls: dict[str, Calls]
    """Calls of the workload's commands, of MULTI and of EXEC among them, by command."""
    setup_calls: dict[str, Count]
    """Handshakes (HELLO, AUTH, SELECT, CLIENT, ...): so many a new connection."""
    library_calls: dict[str, Count] = Field(default_factory=dict)
    """What the block's libraries send of their own accord, as their specs say: so many a connection, and a second."""
    other_calls: dict[str, Count]
    """Anything else: commands that nobody should have sent, unless the server's replicas did."""
    connections_received: Count
    """Connections accepted in the slice."""
    connections_open: Count
    """Connections of this trial open when the slice began; those of clients that wait are not among them."""
    connections_all: Count = 0
    """Everybody's connections when the slice ended, the harness's own left out."""
    tracking_clients: Count | None = None
    """Connections whose reads the server remembered when the slice ended; null before Redis 6."""
    replicas: Count = 0
    """Of the server, when the slice ended."""
    reads_processed: Count | None
    """Reads that the server did, the harness's own left out; null before Redis 6.

    Like every counter below, it is null where the server does not have it: that is not zero."""
    keyspace_hits: Count | None
    keyspace_misses: Count | None
    evicted_keys: Count | None
    expired_keys: Count | None
    network_input_bytes: Count | None
    network_output_bytes: Count | None
    """The harness's own INFO replies left out."""
    server_cpu_user_ns: Nanoseconds
    server_cpu_system_ns: Nanoseconds
    other_cpu_ns: Nanoseconds | None
    """CPU of all processes on this machine but the runner's and, where it runs here, the server's."""
    stolen_cpu_ns: Nanoseconds | None
    """CPU that the hypervisor gave to others."""
    expected: Expectation


class Handshake(Message):
    """What the server saw between the order `connect` and `ready`."""

    connections_received: Count
    calls: dict[str, Count]
    """By command: the handshake's, and those of the verification."""
    protocol: Literal[2, 3] | None = None
    """RESP version that the client's label says; null in records that were written before."""
    protocols: dict[int, Count] | None = None
    """How many of the connections that carried commands of the verification spoke each RESP version, by CLIENT LIST;
    null: the server does not tell (before Redis 7), or this user may not ask. Of `new-connection`, those that were
    caught while they were open."""


class WarmUp(Message):
    """How a trial was warmed up: slices that are not kept."""

    slices: Count
    work_s: Seconds
    """What they lasted together."""
    is_steady: bool
    """False: the limit was reached while throughput or CPU per command still showed a trend, or compilers were busy."""
    compiling_percent: float | None = None
    """CPU of its just-in-time compilers in the last eight slices, in percent of their time; null: it has none, nobody
    counted, or the record was written before."""
    is_apart_from_server: bool = False
    """Whether its one busy thread may not use the server's CPU from then on."""


class SliceRecord(Message):
    """One slice of a trial, with what the server saw of it."""

    lap: PositiveCount
    turn: PositiveCount
    """Its place in the lap, counted from 1."""
    answers: list[Slice]
    """One a process."""
    order: SliceOrder
    """What was asked for."""
    ordered_ns: Nanoseconds
    """Before the order was sent, by the harness's CLOCK_MONOTONIC."""
    answered_ns: Nanoseconds
    """After the last answer was read."""
    evidence: Evidence
    cpu_by_kernel_ns: Count | None
    """CPU of all runner processes from order to answer, as the kernel or their containers' control groups counted."""
    client_thread_ns: Count | None = None
    """CPU of the runner's busiest thread in that time; null: nobody counted by thread."""
    server_thread_ns: Count | None = None
    """CPU of the server's busiest thread in that time; null: it does not run here, or not as a process of the run."""
    compiling_ns: Count | None = None
    """CPU of the runner's just-in-time compilers in that time; null: it has none with threads of their own, or nobody
    counted. With much of it, the lap has another slice, which counts in place of this one."""
    mismatch: str | None
    """Why this slice is not counted; null: the server's counters back it."""


class TrialRecord(Message):
    """One trial, measured or not, as its file under `trials/` holds it."""

    schema_version: ResultsVersion
    trial_id: str
    cell_id: str
    block: str
    """The trials of one round and block took turns: what is compared."""
    round: PositiveCount
    order: PositiveCount
    """Its place in the run, counted from 1."""
    client: Client
    language: str
    scenario: Scenario
    shape: Shape
    workload: str
    started_at: datetime
    status: Status
    reason: str | None
    """Why it is not `ok`."""
    stderr: list[str] = Field(default_factory=list)
    """Last lines of the runner's standard error, where it failed."""
    loaded: list[Loaded] = Field(default_factory=list)
    """One a process."""
    ready: list[Ready] = Field(default_factory=list)
    """One a process."""
    handshake: Handshake | None = None
    warm_up: WarmUp | None = None
    slices: Annotated[
        Sequence[SliceRecord], AfterValidator(in_arrays), PlainSerializer(list, return_type=list[SliceRecord])
    ] = ()
    """In the order in which they ran; those of the warm-up are not among them."""
    results: Sequence[Result] = ()
    """One a process; kept where a claim is not backed, too."""
