"""The server's counters at one moment, and the difference between two."""

import time
from dataclasses import dataclass
from typing import Final

from respmark.errors import TargetLostError
from respmark.evidence.info import Calls, command_calls, nanoseconds, whole
from respmark.evidence.kernel import MachineCpu, machine_cpu
from respmark.target.control import Control
from respmark.target.info import info_text, parse_info

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
class Evidence:
    """What happened between two snapshots; None stands for a counter that this server or kernel does not have.

    The harness's own command is left out.
    """

    elapsed_ns: int
    calls: dict[str, Calls]
    """By command, those that were sent."""
    connections_received: int
    connections: int
    """All that were open in the end, without the harness's own."""
    replicas: int
    tracking_clients: int | None
    """Connections whose reads the server remembered in the end."""
    reads: int | None
    input_bytes: int | None
    hits: int | None
    misses: int | None
    evicted_keys: int | None
    expired_keys: int | None
    server_cpu_ns: int
    machine_cpu_ns: int | None
    """CPU of all processes of this machine."""
    stolen_cpu_ns: int | None


def evidence_between(before: Snapshot, after: Snapshot) -> Evidence:
    """Return what happened between two snapshots; raises TargetLostError if the server was restarted in between."""
    first, last = parse_info(before.info), parse_info(after.info)
    counter = "total_connections_received"
    if first.get("run_id") != last.get("run_id") or whole(last, counter) < whole(first, counter):
        raise TargetLostError("the target was restarted in the slice: its counters began anew and prove nothing")

    def delta(name: str) -> int | None:
        return whole(last, name) - whole(first, name, "0") if name in last else None

    def delta_ns(name: str) -> int:
        return max(0, nanoseconds(last, name) - nanoseconds(first, name))

    reads = delta("total_reads_processed")
    machine = after.machine.since(before.machine) if before.machine and after.machine else None
    return Evidence(
        elapsed_ns=after.at_ns - before.at_ns,
        calls=_calls_between(command_calls(first), command_calls(last)),
        connections_received=whole(last, counter) - whole(first, counter),
        connections=connections(after),
        replicas=whole(last, "connected_slaves", "0"),
        tracking_clients=whole(last, "tracking_clients") if "tracking_clients" in last else None,
        reads=None if reads is None else max(0, reads - 1),
        input_bytes=delta("total_net_input_bytes"),
        hits=delta("keyspace_hits"),
        misses=delta("keyspace_misses"),
        evicted_keys=delta("evicted_keys"),
        expired_keys=delta("expired_keys"),
        server_cpu_ns=delta_ns("used_cpu_user") + delta_ns("used_cpu_sys"),
        machine_cpu_ns=machine.busy_ns if machine else None,
        stolen_cpu_ns=machine.stolen_ns if machine else None,
    )


def connections(snapshot: Snapshot) -> int:
    """Return how many connections were open, without the harness's own."""
    return max(0, whole(parse_info(snapshot.info), "connected_clients") - 1)


def _calls_between(first: dict[str, Calls], last: dict[str, Calls]) -> dict[str, Calls]:
    found = {name: count.since(first.get(name, Calls(0))) for name, count in last.items()}
    if own := found.get(OWN_COMMAND):
        found[OWN_COMMAND] = own._replace(calls=max(0, own.calls - 1))
    return {name: count for name, count in found.items() if count.sent}
