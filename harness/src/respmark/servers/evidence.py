"""What the server says: INFO at one moment, the difference between two, and CLIENT LIST."""

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final, TypeVar

from respmark.errors import InfoError, ServerError, ServerLostError
from respmark.machine.kernel import MachineCpu, machine_cpu
from respmark.redaction import redacted
from respmark.servers.background import Sent
from respmark.servers.control import Control
from respmark.servers.info import NO_CALLS, Calls, Info, clients_of, info_text, parse_info
from respmark.workload.commands import known

Value = TypeVar("Value")

ASK: Final = "ASK"
"""The error that names the node to which a key has been moved ahead of its slot."""
REDIRECTS: Final = ("MOVED", ASK)
"""Errors that name the node of a cluster that has the key's slot."""
NOT_ADDED: Final = frozenset({"calls", "by_node", "machine_cpu_ns", "stolen_cpu_ns"})
"""Fields that are no sum over nodes."""
BETWEEN_NODES: Final = "cluster|syncslots"
"""What nodes send each other where one moves slots to another."""
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
            f"the server's INFO has no `{name}`: figures cannot be checked against this server's counters; is it a "
            "proxy, or a server that hides its counters?"
        )
    try:
        return read(text)
    except (ValueError, KeyError) as error:
        said = f"`{name}: {redacted(text)[:100]}`"
        raise InfoError(f"the server's INFO says {said}, which is not a count") from error


@dataclass(frozen=True)
class Snapshot:
    """The raw text of INFO and the kernel's counters; parsed later, when no slice runs."""

    at_ns: int
    infos: tuple[str, ...]
    """Of every node that keys are written to."""
    machine: MachineCpu | None
    replicas: tuple[str, ...] = ()
    """Of every node that only keeps copies."""


def take(control: Control) -> Snapshot:
    """Read the counters now."""
    machine = machine_cpu()
    infos = tuple(info_text(node, "all") for node in control.nodes)
    replicas = tuple(info_text(node, "all") for node in control.replicas)
    return Snapshot(time.monotonic_ns(), infos, machine, replicas)


@dataclass(frozen=True)
class Evidence:
    """What happened between two snapshots; None stands for a counter that this server or kernel does not have.

    The harness's own command is left out. Of several nodes, it is the sum; of replicas, only what clients did there:
    what their primaries sent them is no evidence.
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
    redirects: int = 0
    """Commands that a node did not carry out, but said which one would."""
    asks: int = 0
    """So many of these are of slots that were being moved: the client must say ASKING to the other node."""
    by_node: tuple[Mapping[str, Calls], ...] = ()
    """`calls` of each primary, then of each replica, what others did there included."""
    machine_cpu_ns: int | None = None
    """CPU of all processes of this machine."""
    stolen_cpu_ns: int | None = None

    def without(self, sent: Sent) -> "Evidence":
        """Return what happened besides what the harness itself sent."""
        left = {name: count._replace(calls=count.calls - sent.calls.get(name, 0)) for name, count in self.calls.items()}
        moves = sent.moved_slots is not None
        return replace(
            self,
            calls={name: count for name, count in left.items() if count.sent},
            reads=None if self.reads is None or moves else self.reads - sent.reads,
            input_bytes=None if self.input_bytes is None or moves else self.input_bytes - sent.input_bytes,
            hits=None if self.hits is None else self.hits - sent.hits,
        )


def evidence_between(before: Snapshot, after: Snapshot) -> Evidence:
    """Return what happened between two snapshots; raises ServerLostError if a server was restarted in between."""
    primaries = [_of_node(*both) for both in zip(before.infos, after.infos, strict=True)]
    copies = [_of_node(*both) for both in zip(before.replicas, after.replicas, strict=True)]
    found = _added(primaries)
    if copies:
        found = _with_copies(found, _added(copies))
    machine = after.machine.since(before.machine) if before.machine and after.machine else None
    return replace(
        found,
        elapsed_ns=after.at_ns - before.at_ns,
        machine_cpu_ns=machine.busy_ns if machine else None,
        stolen_cpu_ns=machine.stolen_ns if machine else None,
        by_node=tuple(one.calls for one in (*primaries, *copies)),
    )


def _of_node(before: str, after: str) -> Evidence:
    """Return what happened on one node between two readings of its INFO."""
    first, last = parse_info(before), parse_info(after)
    received = [counter(info, "total_connections_received") for info in (first, last)]
    if first.get("run_id") != last.get("run_id") or received[1] < received[0]:
        raise ServerLostError(
            "the server was restarted in the slice: its counters started again at 0 and prove nothing"
        )

    def delta(name: str) -> int | None:
        return counter(last, name) - counter(first, name, "0") if name in last else None

    def delta_ns(name: str) -> int:
        return max(0, _value(last, name, _nanoseconds) - _value(first, name, _nanoseconds))

    reads, (erred, errs) = delta("total_reads_processed"), (Info(info).errors for info in (first, last))
    return Evidence(
        elapsed_ns=0,
        calls=_calls_between(Info(first).calls, Info(last).calls),
        connections_received=received[1] - received[0],
        connections=_connections(after),
        replicas=counter(last, "connected_slaves", "0"),
        tracking_clients=counter(last, "tracking_clients") if "tracking_clients" in last else None,
        reads=None if reads is None else max(0, reads - 1),
        input_bytes=delta("total_net_input_bytes"),
        hits=delta("keyspace_hits"),
        misses=delta("keyspace_misses"),
        evicted_keys=delta("evicted_keys"),
        expired_keys=delta("expired_keys"),
        server_cpu_ns=delta_ns("used_cpu_user") + delta_ns("used_cpu_sys"),
        redirects=sum(errs.get(name, 0) - erred.get(name, 0) for name in REDIRECTS),
        asks=errs.get(ASK, 0) - erred.get(ASK, 0),
    )


def _added(several: Sequence[Evidence]) -> Evidence:
    """Return the sum over nodes; a counter that one of them lacks is unknown."""
    if len(several) == 1:
        return several[0]

    def total(name: str) -> Any:  # noqa: ANN401 - a count, or None where it may be missing
        found = [getattr(one, name) for one in several]
        return None if None in found else sum(found)

    calls: dict[str, Calls] = {}
    for one in several:
        for name, count in one.calls.items():
            calls[name] = calls.get(name, NO_CALLS).plus(count)
    counts = {one.name: total(one.name) for one in fields(Evidence) if one.name not in NOT_ADDED}
    return Evidence(calls=calls, **counts)


def _with_copies(found: Evidence, copies: Evidence) -> Evidence:
    """Add what clients did on replicas: connect, and read."""
    reads = {name: calls for name, calls in copies.calls.items() if known(name.upper()).only_reads}
    one, other = replace(found, reads=None, input_bytes=None), replace(copies, calls=reads, replicas=0)
    return _added([one, other])


def connections(snapshot: Snapshot) -> int:
    """Return how many connections were open, without the harness's own, and those over which nodes moved keys."""
    of_nodes = sum(counter(parse_info(info), "migrate_cached_sockets", "0") for info in snapshot.infos)
    return max(0, sum(map(_connections, (*snapshot.infos, *snapshot.replicas))) - of_nodes)


def _connections(info: str) -> int:
    return max(0, counter(parse_info(info), "connected_clients") - 1)


def _calls_between(first: dict[str, Calls], last: dict[str, Calls]) -> dict[str, Calls]:
    found = {name: count.since(first.get(name, NO_CALLS)) for name, count in last.items()}
    if own := found.get(OWN_COMMAND):
        found[OWN_COMMAND] = own._replace(calls=max(0, own.calls - 1))
    return {name: count for name, count in found.items() if count.sent and name != BETWEEN_NODES}


class NewConnections:
    """The connections that are opened from now on."""

    def __init__(self, control: Control) -> None:
        self._control = control
        clients = _clients_of(control)
        self._before = frozenset(map(_identity, clients))
        self._has_versions = any("resp" in client for client in clients)

    def fields(self) -> list[dict[str, str]]:
        """Return the fields of those that are open now."""
        return [client for client in _clients_of(self._control) if _identity(client) not in self._before]

    def protocols(self, commands: frozenset[str]) -> dict[int, int] | None:
        """Return how many speak each RESP version; None: the server does not say.

        `commands` are those of the workload, in lower case: a connection that sent one last has finished its handshake,
        and is the trial's.
        """
        if not self._has_versions:
            return None
        return dict(Counter(int(one["resp"]) for one in self.fields() if one.get("cmd") in commands and "resp" in one))


def _identity(client: Mapping[str, str]) -> tuple[str, str]:
    """Return what no other connection has: each node counts its own."""
    return client.get("laddr", ""), client["id"]


def _clients_of(control: Control) -> list[dict[str, str]]:
    """Return the fields of every connection of the server; an empty list if this user may not ask."""
    try:
        answers = [node.command("CLIENT", "LIST") for node in control.every]
    except ServerLostError:
        raise
    except ServerError:
        return []
    return [client for answer in answers for client in clients_of(answer).clients]
