"""The server's counters at one moment, and the difference between two."""

import time
from dataclasses import dataclass
from typing import Final

from respmark.errors import TargetLostError
from respmark.evidence.info import command_calls, seconds, whole
from respmark.evidence.kernel import MachineCpu, machine_cpu
from respmark.results.records import Calls, Evidence, Expectation, Handshake
from respmark.target.control import Control
from respmark.target.info import info_text, parse_info

SETUP_COMMANDS: Final = frozenset({"hello", "auth", "select", "reset", "quit", "client"})
"""What every library may send to open a connection; a client's spec may name more."""
LISTED: Final = "client|list"
"""What the harness sends while `new-connection` is verified; no library sends it."""
OWN_COMMAND: Final = "info"
"""What the harness itself sends between two snapshots: the first one's INFO is counted only after its reply is made."""


@dataclass(frozen=True)
class Snapshot:
    """The raw text of INFO and the kernel's counters; parsed later, when no slice runs."""

    at_ns: int
    info: str
    machine: MachineCpu | None


def take(control: Control) -> Snapshot:
    """Read the counters now."""
    machine = machine_cpu()
    info = info_text(control, "all")
    return Snapshot(time.monotonic_ns(), info, machine)


@dataclass(frozen=True)
class Context:
    """What is needed to make evidence from the difference between two snapshots."""

    expectation: Expectation
    runner_cpu_ns: int
    """CPU time of the runner's processes in the slice."""
    server_is_local: bool
    connections_open: int = 0
    """Connections of the trial when the slice began."""
    setup_commands: frozenset[str] = frozenset()
    """Commands that the block's libraries send of their own accord: a client that waits may send them, too."""


def evidence_between(before: Snapshot, after: Snapshot, context: Context) -> Evidence:
    """Return what happened between two snapshots.

    Raises:
        TargetLostError: the server was restarted in between.
        InfoError: a counter is missing, or is not a number.
    """
    first, last = parse_info(before.info), parse_info(after.info)
    _check_same_server(first, last)

    def delta(name: str) -> int | None:
        return whole(last, name) - whole(first, name, "0") if name in last else None

    def beside_ours(name: str, ours: int) -> int | None:
        found = delta(name)
        return None if found is None else max(0, found - ours)

    def delta_ns(name: str) -> int:
        return max(0, round((seconds(last, name) - seconds(first, name)) * 1e9))

    server_ns = delta_ns("used_cpu_user") + delta_ns("used_cpu_sys")
    everything = _calls_between(command_calls(first), command_calls(last))
    calls = {name: count for name, count in everything.items() if name not in context.expectation.calls}
    library = {name: count for name, count in calls.items() if _is_one_of(name, context.setup_commands)}
    setup = {name: count for name, count in calls.items() if name not in library and _is_one_of(name, SETUP_COMMANDS)}
    return Evidence(
        elapsed_ns=after.at_ns - before.at_ns,
        workload_calls={name: count for name, count in everything.items() if name in context.expectation.calls},
        setup_calls=_counts(setup),
        library_calls=_counts(library),
        other_calls=_counts({name: calls[name] for name in calls.keys() - library.keys() - setup.keys()}),
        connections_received=whole(last, "total_connections_received") - whole(first, "total_connections_received"),
        connections_open=context.connections_open,
        connections_all=connections(after),
        tracking_clients=whole(last, "tracking_clients") if "tracking_clients" in last else None,
        replicas=whole(last, "connected_slaves", "0"),
        # Our own second INFO is one read.
        reads_processed=beside_ours("total_reads_processed", 1),
        keyspace_hits=delta("keyspace_hits"),
        keyspace_misses=delta("keyspace_misses"),
        evicted_keys=delta("evicted_keys"),
        expired_keys=delta("expired_keys"),
        network_input_bytes=delta("total_net_input_bytes"),
        network_output_bytes=beside_ours("total_net_output_bytes", len(before.info)),
        server_cpu_user_ns=delta_ns("used_cpu_user"),
        server_cpu_system_ns=delta_ns("used_cpu_sys"),
        other_cpu_ns=_other_cpu(before.machine, after.machine, context, server_ns),
        stolen_cpu_ns=_stolen(before.machine, after.machine),
        expected=context.expectation,
    )


def handshake_between(before: Snapshot, after: Snapshot) -> Handshake:
    """Return what the server saw while one trial connected.

    Raises:
        TargetLostError: the server was restarted in between.
    """
    first, last = parse_info(before.info), parse_info(after.info)
    _check_same_server(first, last)
    calls = _calls_between(command_calls(first), command_calls(last))
    calls.pop(LISTED, None)
    counter = "total_connections_received"
    return Handshake(connections_received=whole(last, counter) - whole(first, counter), calls=_counts(calls))


def connections(snapshot: Snapshot) -> int:
    """Return how many connections were open, without the harness's own."""
    return max(0, whole(parse_info(snapshot.info), "connected_clients") - 1)


def _check_same_server(first: dict[str, str], last: dict[str, str]) -> None:
    """Refuse to compare counters from before and after a restart of the server."""
    counter = "total_connections_received"
    if first.get("run_id") != last.get("run_id") or whole(last, counter) < whole(first, counter):
        message = "the target was restarted in the slice: its counters began anew and prove nothing"
        raise TargetLostError(message)


def _is_one_of(name: str, commands: frozenset[str]) -> bool:
    return name in commands or name.partition("|")[0] in commands


def _calls_between(first: dict[str, Calls], last: dict[str, Calls]) -> dict[str, Calls]:
    none = Calls(calls=0)
    differences = {
        name: Calls(
            calls=count.calls - first.get(name, none).calls,
            failed=count.failed - first.get(name, none).failed,
            rejected=count.rejected - first.get(name, none).rejected,
        )
        for name, count in last.items()
    }
    if own := differences.get(OWN_COMMAND):
        differences[OWN_COMMAND] = Calls(calls=max(0, own.calls - 1), failed=own.failed, rejected=own.rejected)
    return {name: count for name, count in differences.items() if count.calls or count.rejected}


def _counts(calls: dict[str, Calls]) -> dict[str, int]:
    return {name: count.calls + count.rejected for name, count in calls.items()}


def _other_cpu(before: MachineCpu | None, after: MachineCpu | None, context: Context, server_ns: int) -> int | None:
    if before is None or after is None:
        return None
    ours = context.runner_cpu_ns + (server_ns if context.server_is_local else 0)
    return max(0, after.busy_ns - before.busy_ns - ours)


def _stolen(before: MachineCpu | None, after: MachineCpu | None) -> int | None:
    return None if before is None or after is None else max(0, after.stolen_ns - before.stolen_ns)
