"""What a run stores about each trial: its record, slices and evidence."""

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
    """What became of a trial or a cell; reports show each status and leave none out."""

    OK = "ok"
    FAILED = "failed"
    UNSUPPORTED = "unsupported"
    """The library cannot express the scenario."""
    MISSING = "missing"
    """The client is not installed here."""
    NOT_MEASURED = "not measured"
    """Only of cells: the run ended before it was measured."""


class Calls(Message):
    """What the server counted for one command in a slice."""

    calls: Count
    failed: Count = 0
    """How many of these ended in an error reply."""
    rejected: Count = 0
    """Calls that were refused before they ran (no permission, wrong state); not included in `calls`."""


class Expectation(Message):
    """What the server must have counted if the runner's claim is true."""

    calls: dict[str, Count]
    """Calls by command, in lower case as the server writes it."""
    hits: Count | None
    """GETs of a key that exists; null if the mix has other commands that read."""
    misses: Count | None
    input_bytes: Count | None = None
    """Size of the commands as RESP arrays, including MULTI and EXEC; null in older records."""
    local_reads: Count | None = None
    """GETs of the workload in `caching`, including those that the server did not see; null in other scenarios."""
    local_hits_most: Count | None = None
    """How many of these a cache of the shape's size can have answered at most; null in other scenarios."""


class Evidence(Message):
    """What the server, and this machine's kernel, say happened in one slice."""

    elapsed_ns: Nanoseconds
    """Time between the two readings of the server's counters; a little longer than the slice."""
    workload_calls: dict[str, Calls]
    """Calls of the workload's commands, including MULTI and EXEC, by command."""
    setup_calls: dict[str, Count]
    """Calls of handshakes (HELLO, AUTH, SELECT, CLIENT, ...): a limited number is allowed per new connection."""
    library_calls: dict[str, Count] = Field(default_factory=dict)
    """Calls that the block's libraries make of their own accord, as their specs say: a limited number is allowed per
    connection and second."""
    other_calls: dict[str, Count]
    """Anything else: a few may be a library's or a replica's own, more were sent by somebody else."""
    connections_received: Count
    """Connections accepted during the slice."""
    connections_open: Count
    """Connections of this trial that were open when the slice began, without those of waiting clients."""
    connections_all: Count = 0
    """All connections when the slice ended, except the harness's own."""
    tracking_clients: Count | None = None
    """Connections whose reads the server remembered when the slice ended; null before Redis 6."""
    replicas: Count = 0
    """Replicas of the server when the slice ended."""
    reads_processed: Count | None
    """Reads that the server did, except the harness's own; null before Redis 6.

    Like every counter below, it is null if the server does not have it, which is not the same as 0."""
    keyspace_hits: Count | None
    keyspace_misses: Count | None
    evicted_keys: Count | None
    expired_keys: Count | None
    network_input_bytes: Count | None
    network_output_bytes: Count | None
    """Without the replies to the harness's own INFO."""
    server_cpu_user_ns: Nanoseconds
    server_cpu_system_ns: Nanoseconds
    other_cpu_ns: Nanoseconds | None
    """CPU of all processes on this machine except the runner's and, if it runs here, the server's."""
    stolen_cpu_ns: Nanoseconds | None
    """CPU that the hypervisor gave to other machines."""
    expected: Expectation


class Handshake(Message):
    """What the server saw between the order `connect` and the event `ready`."""

    connections_received: Count
    calls: dict[str, Count]
    """Calls of the handshake and of the verification, by command."""
    protocol: Literal[2, 3] | None = None
    """RESP version that the client's label says; null in older records."""
    protocols: dict[int, Count] | None = None
    """How many of the connections that carried commands of the verification spoke each RESP version, according to
    CLIENT LIST; null if the server does not report it (before Redis 7), or this user may not ask. In `new-connection`,
    only those that were seen while they were open."""


class WarmUp(Message):
    """How a trial was warmed up: slices that are not kept, first beside other clients, then alone."""

    slices: Count
    work_s: Seconds
    """How long they lasted together."""
    together_s: Seconds = 0.0
    """How much of that was beside other clients; 0 in older records."""
    is_steady: bool
    """Judged alone. False if the limit was reached while throughput or CPU per command still showed a trend, or
    compilers were busy."""
    compiling_percent: float | None = None
    """CPU of its just-in-time compilers in the last eight slices, in percent of their time; null if it has none, if it
    was not counted, or in older records."""
    is_apart_from_server: bool = False
    """Whether its one busy thread is kept off the server's CPU from then on."""


class SliceRecord(Message):
    """One slice of a trial, with what the server saw of it."""

    lap: PositiveCount
    turn: PositiveCount
    """Its place in the lap, counted from 1."""
    answers: list[Slice]
    """One per process."""
    order: SliceOrder
    """The order that asked for it."""
    ordered_ns: Nanoseconds
    """Just before the order was sent, by the harness's CLOCK_MONOTONIC."""
    answered_ns: Nanoseconds
    """Just after the last answer was read."""
    evidence: Evidence
    cpu_by_kernel_ns: Count | None
    """CPU of all runner processes from order to answer, as the kernel or their containers' control groups counted
    it."""
    client_thread_ns: Count | None = None
    """CPU of the runner's busiest thread in that time; null if CPU was not counted by thread."""
    server_thread_ns: Count | None = None
    """CPU of the server's busiest thread in that time; null if the server is not a process that the run started
    here."""
    compiling_ns: Count | None = None
    """CPU of the runner's just-in-time compilers in that time; null if none have threads of their own, or it was not
    counted. If it is high, the lap has another slice, which counts instead of this one."""
    mismatch: str | None
    """Why this slice is not counted; null if the server's counters back it."""


class TrialRecord(Message):
    """One trial, measured or not, as its file under `trials/` holds it."""

    schema_version: ResultsVersion
    trial_id: str
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
    started_at: datetime
    status: Status
    reason: str | None
    """Why it is not `ok`, or what an `ok` trial lost."""
    stderr: list[str] = Field(default_factory=list)
    """Last lines of the runner's standard error, if it failed."""
    loaded: list[Loaded] = Field(default_factory=list)
    """One per process."""
    ready: list[Ready] = Field(default_factory=list)
    """One per process."""
    handshake: Handshake | None = None
    warm_up: WarmUp | None = None
    slices: Annotated[
        Sequence[SliceRecord], AfterValidator(in_arrays), PlainSerializer(list, return_type=list[SliceRecord])
    ] = ()
    """In the order in which they ran, without those of the warm-up."""
    results: Sequence[Result] = ()
    """One per process; kept even if a claim is not backed."""
