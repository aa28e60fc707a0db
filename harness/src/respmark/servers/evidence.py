"""What the server says: INFO at one moment, the difference between two, and CLIENT LIST."""

import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from respmark.errors import InfoError, TargetError, TargetLostError
from respmark.machine.kernel import MachineCpu, machine_cpu
from respmark.redaction import redacted
from respmark.servers.background import Sent
from respmark.servers.control import Control
from respmark.servers.info import NO_CALLS, Calls, Info, clients_of, info_text, parse_info

Value = TypeVar("Value")

OWN_COMMAND: Final = "info"
"""What the harness itself sends between two snapshots: the first one's INFO is counted only after its reply is made."""


def server_info(control: Control) -> dict[str, str]:
    """Return what the server says about itself, without passwords."""
    return {redacted(name): redacted(value) for name, value in parse_info(info_text(control, "server")).items()}


def server_version(info: dict[str, str]) -> str:
    """Return the server's name and version."""
    return Info(info).version


def counter(info: Mapping[str, str], name: str, default: str | None = None) -> int:
    """Return a count from INFO; raises InfoError if it is missing and has no default, or is not a whole number."""
    return _value(info, name, int, default)


def _nanoseconds(seconds: str) -> int:
    return round(float(seconds) * 1e9)


def _value(info: Mapping[str, str], name: str, read: Callable[[str], Value], default: str | None = None) -> Value:
    text = info.get(name, default)
    if text is None:
        raise InfoError(
            f"the target's INFO has no `{name}`: figures cannot be checked against this server's counters; is it a "
            "proxy, or a server that hides its counters?"
        )
    try:
        return read(text)
    except (ValueError, KeyError) as error:
        said = f"`{name}: {redacted(text)[:100]}`"
        raise InfoError(f"the target's INFO says {said}, which is not a count") from error


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

    def without(self, sent: Sent) -> "Evidence":
        """Return what happened besides what the harness itself sent."""
        left = {name: count._replace(calls=count.calls - sent.calls.get(name, 0)) for name, count in self.calls.items()}
        return replace(
            self,
            calls={name: count for name, count in left.items() if count.sent},
            reads=None if self.reads is None else self.reads - sent.reads,
            input_bytes=None if self.input_bytes is None else self.input_bytes - sent.input_bytes,
            hits=None if self.hits is None else self.hits - sent.hits,
        )


def evidence_between(before: Snapshot, after: Snapshot) -> Evidence:
    """Return what happened between two snapshots; raises TargetLostError if the server was restarted in between."""
    first, last = parse_info(before.info), parse_info(after.info)
    received = [counter(info, "total_connections_received") for info in (first, last)]
    if first.get("run_id") != last.get("run_id") or received[1] < received[0]:
        raise TargetLostError(
            "the target was restarted in the slice: its counters started again at 0 and prove nothing"
        )

    def delta(name: str) -> int | None:
        return counter(last, name) - counter(first, name, "0") if name in last else None

    def delta_ns(name: str) -> int:
        return max(0, _value(last, name, _nanoseconds) - _value(first, name, _nanoseconds))

    reads = delta("total_reads_processed")
    machine = after.machine.since(before.machine) if before.machine and after.machine else None
    return Evidence(
        elapsed_ns=after.at_ns - before.at_ns,
        calls=_calls_between(Info(first).calls, Info(last).calls),
        connections_received=received[1] - received[0],
        connections=connections(after),
        replicas=counter(last, "connected_slaves", "0"),
        tracking_clients=counter(last, "tracking_clients") if "tracking_clients" in last else None,
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
    return max(0, counter(parse_info(snapshot.info), "connected_clients") - 1)


def _calls_between(first: dict[str, Calls], last: dict[str, Calls]) -> dict[str, Calls]:
    found = {name: count.since(first.get(name, NO_CALLS)) for name, count in last.items()}
    if own := found.get(OWN_COMMAND):
        found[OWN_COMMAND] = own._replace(calls=max(0, own.calls - 1))
    return {name: count for name, count in found.items() if count.sent}


class NewConnections:
    """The connections that are opened from now on."""

    def __init__(self, control: Control) -> None:
        self._control = control
        clients = _clients_of(control)
        self._before = frozenset(client["id"] for client in clients)
        self._has_versions = any("resp" in client for client in clients)

    def fields(self) -> list[dict[str, str]]:
        """Return the fields of those that are open now."""
        return [client for client in _clients_of(self._control) if client["id"] not in self._before]

    def protocols(self, commands: frozenset[str]) -> dict[int, int] | None:
        """Return how many speak each RESP version; None: the server does not say.

        `commands` are those of the workload, in lower case: a connection that sent one last has finished its handshake,
        and is the trial's.
        """
        if not self._has_versions:
            return None
        return dict(Counter(int(one["resp"]) for one in self.fields() if one.get("cmd") in commands and "resp" in one))


def _clients_of(control: Control) -> list[dict[str, str]]:
    """Return the fields of every connection of the server; an empty list if this user may not ask."""
    try:
        answer = control.command("CLIENT", "LIST")
    except TargetLostError:
        raise
    except TargetError:
        return []
    return clients_of(answer).clients
