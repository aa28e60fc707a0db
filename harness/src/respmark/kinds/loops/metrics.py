"""The metrics of loops: every figure of a cell is defined here, once.

A field of `LoopFigures` defines a metric: JSON, CSV, the table in docs/reading-results.md, ratios, what `--fail-on`
judges and charts are made from it. `columns` has the order of the tables' columns, and figures that share one.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

import polars as pl
from polars import col

from respmark.contract.trial import SampleCovers
from respmark.figures.metric import (
    HIGHEST,
    LOWEST,
    MEDIAN,
    SUM,
    WHOLE_MEDIAN,
    Compared,
    Figures,
    Over,
    known_median,
    metric,
)
from respmark.histogram import Histogram, Pairs, merge, percentiles_ns
from respmark.kinds.loops.rounds import counted, responses

PERCENT: Final = "% of one processor"
US: Final = "µs per command"
WITH_RATE: Final = "with a rate (--rate)"
ENOUGH: Final = 100
"""Samples beyond a percentile of an open loop."""
SATURATED_PERCENT: Final = 90.0
"""A thread that uses this much of one processor has no more to give, nor has a machine that uses this much of all."""


def _per(part: str | pl.Expr, whole: str | pl.Expr, times: float = 1) -> pl.Expr:
    """Return a quotient; null if the part is unknown or the whole is 0."""
    part, whole = (col(one) if isinstance(one, str) else one for one in (part, whole))
    return pl.when(whole > 0).then(part / whole * times)


RPS: Final = _per("operations", "elapsed_ns", 1e9)
CLIENT_PERCENT: Final = _per("client_cpu_ns", "elapsed_ns", 100)
SERVER_PERCENT: Final = _per("server_cpu_ns", "evidence_ns", 100)
CLIENT_THREAD_PERCENT: Final = _per("client_thread_ns", "lasted_ns", 100)
SERVER_THREAD_PERCENT: Final = _per("server_thread_ns", "lasted_ns", 100)
STOLEN_PERCENT: Final = _per("stolen_cpu_ns", "evidence_ns", 100)
OTHER_PERCENT: Final = _per("other_cpu_ns", "evidence_ns", 100)
MACHINE_PERCENT: Final = (
    CLIENT_PERCENT
    + pl.when(col("server_thread_ns").is_not_null()).then(SERVER_PERCENT).otherwise(0)
    + OTHER_PERCENT.fill_null(0)
    + STOLEN_PERCENT.fill_null(0)
) / col("cpus")
"""How much of all processors of the machine is used, in % of each; the threads of a server elsewhere are not known."""


class Bottleneck(StrEnum):
    """What limits the throughput of a cell."""

    CLIENT_CPU = "client CPU"
    SERVER_CPU = "server CPU"
    MACHINE_CPU = "machine CPU"
    ROUND_TRIP = "round trip"


BUSY: Final = pl.concat_list(
    # Each process may have its own processor: their sum says nothing about any one of them.
    CLIENT_PERCENT / col("processes"),
    CLIENT_THREAD_PERCENT,
    SERVER_PERCENT,
    SERVER_THREAD_PERCENT,
    MACHINE_PERCENT,
)


def _bottleneck(rounds: Sequence[Sequence[float | None]]) -> Bottleneck | None:
    """Return what limits a cell; None if unknown.

    That is a saturated thread, all processors of the machine together, or the round trip if both sides have room.
    """
    client, client_thread, server, server_thread, machine = (
        known_median(one) or 0 for one in zip(*rounds, strict=True)
    )
    if max(client_thread, server_thread) >= SATURATED_PERCENT:
        return Bottleneck.CLIENT_CPU if client_thread >= server_thread else Bottleneck.SERVER_CPU
    if machine >= SATURATED_PERCENT:
        return Bottleneck.MACHINE_CPU
    return Bottleneck.ROUND_TRIP if max(client, server) < SATURATED_PERCENT else None


@dataclass(frozen=True)
class Enough:
    """The samples of an open loop, of which a percentile needs a hundred beyond it."""

    samples: Pairs

    def for_percentile(self, percentile: float) -> Pairs:
        """Return them if there are enough, else none."""
        histogram = Histogram.of(self.samples)
        return histogram if histogram.samples * (100 - percentile) / 100 >= ENOUGH else ()


def _percentile(percentile: float) -> Over:
    def of(samples: Pairs | Enough) -> float | None:
        if isinstance(samples, Enough):
            samples = samples.for_percentile(percentile)
        return next((value_ns / 1e6 for value_ns in percentiles_ns(samples, [percentile])), None)

    return Over("all samples together", of)


def _of_rounds(percentile: float) -> Over:
    """Return the percentile of what open loops keep besides their responses, whose samples it takes as these do."""
    responses_too = _percentile(percentile)

    def of(rounds: Iterable[Pairs | None]) -> float | None:
        found: float | None = responses_too.combine(Enough(merge(filter(None, rounds))))
        return found

    return Over(responses_too.words, of)


def _calls(rounds: Iterable[Iterable[str]]) -> dict[str, int]:
    return dict(sum((Counter(json.loads(calls)) for one in rounds for calls in one), Counter[str]()))


def _each_second(found: Mapping[str, Any]) -> float | None:
    asked = sum(_calls([found["topology_calls"]]).values())
    return asked / found["evidence_ns"] * 1e9 if found["evidence_ns"] else None


def _spread(rounds: Iterable[Iterable[str]]) -> float | None:
    reads = [count for count in _calls(rounds).values() if count]
    return min(reads) / max(reads) if reads else None


def _sum(values: Sequence[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _least(values: Sequence[float | None]) -> float | None:
    return min((value for value in values if value is not None), default=None)


def _most(values: Sequence[float | None]) -> float | None:
    return max((value for value in values if value is not None), default=None)


class LoopFigures(Figures):
    """The figures of a cell of loops."""

    operations: int = metric("commands", col("operations"), SUM)
    """Commands of the workload completed in the measured parts of slices."""
    rps_median: float = metric(
        "commands/s",
        RPS,
        MEDIAN,
        compared=Compared(
            "rps",
            "RPS",
            ("operations", "elapsed_ns"),
            counted,
            is_cost=False,
            in_series=True,
            noun="throughput",
        ),
    )
    """RPS: commands of the workload completed per second, without MULTI and EXEC. Measured by the runner's monotonic
    clock from the end of the lead-in to the last reply of the slice."""
    rps_min: float = metric("commands/s", RPS, LOWEST)
    """RPS of the slowest round."""
    rps_max: float = metric("commands/s", RPS, HIGHEST)
    """RPS of the fastest round."""
    client_cpu_percent: float = metric(PERCENT, CLIENT_PERCENT, MEDIAN)
    """User and system time of the runner process, all threads, by its own count, over exactly the measured part of a
    slice. The kernel, or the container's control group, counts it as well (`kernel_cpu_ns` in the trial's record): the
    tables name a client whose two counts differ."""
    client_cpu_us_per_command: float | None = metric(
        US,
        _per("client_ns", "commands", 1e-3),
        MEDIAN,
        compared=Compared("client_cpu", "client CPU", ("client_ns", "commands"), counted, in_series=True),
    )
    """The client's CPU per command, counted from the first slice to the last, including its waits: the steadier figure,
    and what a user pays for. Empty with a rate, as its runner reads the clock until a unit is due; in
    `queue-poll` it sleeps instead."""
    server_cpu_percent: float = metric(PERCENT, SERVER_PERCENT, MEDIAN)
    """The server's CPU while the slices ran: INFO `used_cpu_user` + `used_cpu_sys`."""
    server_cpu_us_per_command: float = metric(
        US,
        _per("server_cpu_ns", "commands", 1e-3),
        MEDIAN,
        compared=Compared("server_cpu", "server CPU", ("server_cpu_ns", "commands"), counted),
    )
    """The server's CPU per command, from the same counters."""
    other_cpu_percent: float | None = metric(PERCENT, OTHER_PERCENT, MEDIAN)
    """CPU of everything on the machine except the runner, a local server and a relay, from `/proc/stat`."""
    commands_per_read: float | None = metric("commands", _per("server_commands", "reads"), MEDIAN)
    """Commands that the server counted, divided by `total_reads_processed`: how deep the client really pipelines.
    Handshakes are included in both."""
    input_bytes_per_read: float | None = metric("bytes", _per("input_bytes", "reads"), MEDIAN, in_csv=False)
    """Bytes that the server read from all clients, divided by its reads."""
    connections_received: int = metric("connections", col("connections_received"), WHOLE_MEDIAN)
    """Connections that the server accepted during its slices."""
    connections_open: int = metric("connections", col("connections_open"), WHOLE_MEDIAN)
    """Connections of the trial that were open when its first slice began."""
    hit_ratio: float | None = metric("0 to 1", _per("hits", col("hits") + col("misses")), MEDIAN)
    """Hits / (hits + misses), as the server counted them."""
    local_hit_ratio: float | None = metric(
        "0 to 1", _per(col("local_reads") - col("local_misses"), "local_reads"), MEDIAN
    )
    """In `caching`: the share of the claimed GETs that the local cache answered."""
    local_invalidations_per_second: float | None = metric(
        "entries/s", _per("local_invalidations", "lasted_ns", 1e9), MEDIAN
    )
    """In `caching`: entries that the local cache dropped because the server said so, after the client's own SETs and
    those of other clients in their turns, per second of its slices."""
    sample_covers: SampleCovers = metric(
        "", col("sample_covers"), Over("the same in all", lambda values: SampleCovers(values[0]))
    )
    """What one latency sample covers: a `command`, `burst`, `batch`, `transaction` or `connection`."""
    p50_ms: float | None = metric(
        "ms", None, _percentile(50), compared=Compared("p50", "p50", ("p50_ns", "one"), responses, only=WITH_RATE)
    )
    """Median latency of what one sample covers; HdrHistogram with 3 digits. With a rate, from due to done."""
    p99_ms: float | None = metric(
        "ms", None, _percentile(99), compared=Compared("p99", "p99", ("p99_ns", "one"), responses, only=WITH_RATE)
    )
    """99th percentile of that latency. With a rate, a percentile needs a hundred samples beyond it."""
    p999_ms: float | None = metric("ms", None, _percentile(99.9))
    """99.9th percentile of that latency."""
    max_ms: float | None = metric("ms", col("max_ns") / 1e6, Over("highest", _most))
    """Longest latency, exact; null for reference drivers, which keep none."""
    unended_ms: float | None = metric("ms", col("unended_ns") / 1e6, Over("lowest", _least), in_csv=False)
    """The shortest time after which a unit was given up that was due and never began: a latency that is as long or
    longer is at least so long."""
    service_p50_ms: float | None = metric("ms", col("service"), _of_rounds(50))
    """With a rate: median of the time from begin to done."""
    service_p99_ms: float | None = metric("ms", col("service"), _of_rounds(99))
    """With a rate: 99th percentile of the time from begin to done."""
    lag_p99_ms: float | None = metric("ms", col("lag"), _of_rounds(99))
    """With a rate: 99th percentile of the lag."""
    due: int | None = metric("units", col("due"), Over("sum", _sum))
    """With a rate: units that were due."""
    unstarted: int | None = metric("units", col("unstarted"), Over("sum", _sum))
    """With a rate: units that were due and never began."""
    backlog: int | None = metric("units", col("backlog"), Over("highest", _most))
    """With a rate: the most units that were due and had not begun."""
    saturated_slices: int | None = metric("slices", col("saturated"), Over("sum", _sum))
    """With a rate: slices at whose end more units waited than were just due, and more than at half time."""
    bottleneck: Bottleneck | None = metric("", BUSY, Over("of their medians", _bottleneck))
    """`client CPU` or `server CPU` if that side's busiest thread uses at least 90 % of a processor (the busier one if
    both do); `machine CPU` if runner, local server, other programs and the hypervisor use at least 90 % of all
    processors; `round trip` if neither side as a whole uses 90 % of one. Otherwise empty: not determined, for example
    if threads take turns holding a lock."""
    client_thread_percent: float | None = metric(PERCENT, CLIENT_THREAD_PERCENT, MEDIAN)
    """CPU of the client's busiest thread."""
    server_thread_percent: float | None = metric(PERCENT, SERVER_THREAD_PERCENT, MEDIAN)
    """CPU of the server's busiest thread; only if the run started the server on this machine."""
    stolen_percent: float | None = metric(PERCENT, STOLEN_PERCENT, MEDIAN)
    """CPU that the hypervisor gave to other machines."""
    own_commands: dict[str, int] = metric("commands", col("own_commands"), Over("sum", _calls), in_csv=False)
    """What its library, or that of a waiting client, sent of its own accord during its slices, by command."""
    drift_percent: float | None = metric("%", col("drift_percent"), MEDIAN)
    """Change of throughput from a round's earlier slices to its later ones; the tables report more than 10 %."""
    peak_memory_bytes: int = metric("bytes", col("peak_memory_bytes"), WHOLE_MEDIAN)
    """Peak resident sets of the runner's processes, added up, workload included; Java touches its heap of 256 MiB at
    the start."""
    cpu_accounts_percent: float | None = metric(
        "%", (_per("kernel_cpu_ns", "slice_cpu_ns") - 1) * 100, MEDIAN, in_csv=False
    )
    """How far the kernel's count of client CPU is above the runner's own: 0 if they agree, null if it did not count."""
    outside_percent: float | None = metric("%", _per("outside_ns", "lasted_ns", 100), MEDIAN, in_csv=False)
    """Time from the order to work to the last answer in which no process worked; the tables report more than 10 %."""
    apart_percent: float | None = metric("%", 100 - _per("together_ns", "elapsed_ns", 100), MEDIAN, in_csv=False)
    """Measured time in which not all processes worked, because some began later or ended earlier; the tables report
    more than 20 %. Null if there is one process."""
    slices: int = metric("slices", col("slices"), SUM)
    """Slices that count."""
    slices_repeated: int = metric("slices", col("repeated"), SUM, in_csv=False)
    """Slices that do not count and were repeated: just-in-time compilers used more than a tenth of their time."""
    waiting_cpu_percent: float | None = metric(PERCENT, _per("waiting_cpu_ns", "waited_ns", 100), MEDIAN)
    """CPU that the client used between its slices; above 3 %, the tables name the client."""
    warmup_s: float | None = metric("s", col("warmup_s"), MEDIAN)
    """Time that the client worked before its first slice that counts."""
    rounds_not_steady: int = metric("rounds", 1 - col("is_steady").cast(pl.Int64), SUM, in_csv=False)
    """Rounds that began before the client was steady: its warm-up reached the limit first."""
    lag_p50_ms: float | None = metric("ms", col("lag"), _of_rounds(50))
    """With a rate: median of the lag, the time from due to begin."""
    rounds_apart: int = metric("rounds", col("is_apart").cast(pl.Int64), SUM)
    """Rounds in which the client's one busy thread was kept off the server's CPU."""
    memory_bytes_per_key: float | None = metric(
        "bytes",
        col("memory_bytes_per_key"),
        MEDIAN,
        compared=Compared(
            "server_memory",
            "server memory",
            ("memory_bytes_per_key", "one"),
            counted,
            of_place=True,
            of_clients=False,
        ),
    )
    """The server's memory for a key of the workload, with its value: by how much `used_memory` of INFO had grown when
    all were written, divided by their number. Clients' buffers are not in it; the hash table's growth is, so it differs
    a little with what else the block has. Empty with fewer than 1,000 keys,
    and on a server that the run did not start: others may write to it."""
    element_ms: float | None = metric(
        "ms",
        _per("element_wait_ns", "elements", 1e-6),
        MEDIAN,
        compared=Compared("element", "time to the element", ("element_wait_ns", "elements"), counted, of_clients=False),
    )
    """Where the run pushes elements to a list: how long they waited until the client had them, on average."""
    calls_per_command: float | None = metric(
        "calls", _per("split_calls", "commands"), MEDIAN, in_csv=False, head="server calls\nper command"
    )
    """On a cluster, where a command's keys are across slots: in how many the library split it, as the nodes counted."""
    stale_reads_per_write: float | None = metric(
        "reads", _per("stale_reads", "writes"), MEDIAN, in_csv=False, head="stale reads\nper write"
    )
    """Where each key is written, read and deleted in turn: reads after each acknowledged write that did not find it,
    because a replica answered that did not have it yet."""
    stale_ms: float | None = metric(
        "ms",
        _per(col("stale_reads") * col("elapsed_ns"), col("writes") * col("operations"), 1e-6),
        MEDIAN,
        in_csv=False,
    )
    """How long that lasted on average: so many reads, each as long as the client's commands took on average."""
    reads_per_unit: float | None = metric(
        "reads",
        pl.when(col("redirects").is_not_null() & (col("reads") > 0)).then(
            _per(col("reads") * col("operations"), col("commands") * col("units"))
        ),
        MEDIAN,
        in_csv=False,
    )
    """On a cluster: reads that its primaries did for what one latency sample covers: round trips, or more where a
    request is longer than a read. Handshakes are included. Empty with replicas, and where the run moves slots."""
    redirects: int | None = metric("commands", col("redirects"), Over("sum", _sum), in_csv=False)
    """On a cluster: commands that a node did not carry out but sent on (MOVED, ASK); the tables report them."""
    asks: int | None = metric("commands", col("asks"), Over("sum", _sum), in_csv=False)
    """So many of them with ASK: their slot was being moved."""
    askings: int | None = metric("commands", col("askings"), Over("sum", _sum), in_csv=False)
    """ASKINGs that clients sent; one is due before each command that ASK has sent on."""
    moved_slots: int | None = metric("slots", col("moved_slots"), Over("sum", _sum), in_csv=False)
    """Slots that the run moved while slices worked."""
    redirected_percent: float | None = metric(
        "% of commands",
        pl.when(col("moved_slots").is_not_null()).then(_per("redirects", "commands", 100)),
        MEDIAN,
        in_csv=False,
    )
    """Where the run moves slots: the share of commands that a node sent on."""
    redirects_per_move: float | None = metric("redirects", _per("redirects", "moved_slots"), MEDIAN, in_csv=False)
    """The same for each slot that moved: 1 if one command shows a client where a slot is now, fewer if it learns that
    before, more if it goes on to ask the node that had the slot."""
    topology_calls_per_s: float | None = metric(
        "calls/s",
        pl.when(col("redirects").is_not_null()).then(pl.struct("topology_calls", "evidence_ns")),
        Over("median", lambda rounds: known_median(map(_each_second, filter(None, rounds)))),
        in_csv=False,
    )
    """On a cluster: how often clients asked for its nodes, its commands or its state (CLUSTER, COMMAND, INFO), per
    second of its slices, waiting clients of the block included."""
    topology_calls: dict[str, int] = metric("commands", col("topology_calls"), Over("sum", _calls), in_csv=False)
    """The same by command, in all slices."""
    node_reads: dict[str, int] = metric("commands", col("node_reads"), Over("sum", _calls), in_csv=False)
    """On a cluster: the workload's reads that each node carried out, by primary and replica."""
    node_spread: float | None = metric("0 to 1", col("node_reads"), Over("of their sum", _spread), in_csv=False)
    """Of the nodes that carried out any of them: the fewest reads of one, divided by the most."""


def samples_of(cell: Mapping[str, Any], samples: Pairs) -> Pairs | Enough:
    """Return the samples of a cell by its rounds; with a rate, a percentile needs enough of them."""
    return Enough(samples) if any(due is not None for due in cell["due"]) else samples
