"""A primary among servers that the run started together, and the replica that takes its place.

What is asked of it is the same of every such group: whose keys the primary has, what is done to it, and when a replica
has taken its place. How a replica is promoted, and how clients are told, is the group's own: here, a cluster's; that
of sentinels is beside them.
"""

import signal
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, Final, Literal, NamedTuple

from respmark.servers.cluster import Cluster
from respmark.servers.control import Control
from respmark.servers.info import Info, info_text, parse_info
from respmark.servers.node import OwnNode

How = Literal["killed", "paused", "replaced"]
"""What becomes of the primary; `replaced`: a replica is told to take over from it in good order."""
PRIMARY: Final = b"master"
"""What ROLE calls a server that takes writes."""


class Connections(NamedTuple):
    """Connections to a node, by its own counters."""

    received: int
    """Since it was started, from whomever."""
    replicas: int
    """Open, of its replicas."""
    still_open: int
    """Open, of clients: neither the harness's own nor those between nodes."""

    def opened_since(self, before: "Connections") -> int:
        """Return how many clients have opened since then."""
        return self.received - before.received - max(0, self.replicas - before.replicas)


class Failover(ABC):
    """One primary of a group and its replicas, over the harness's connection to each node."""

    has_others: bool
    """Whether other primaries have keys, too."""

    def __init__(
        self, primary: OwnNode, control: Control, replicas: Sequence[Control], every: Sequence[Control]
    ) -> None:
        """`control` leads to the primary, `replicas` to those that may take its place, `every` to all nodes."""
        self.primary, self._control = primary, control
        self.replicas = replicas
        self.answering = list(every)
        """The nodes that can be asked."""
        self.successor: Control | None = None
        """The replica that is the primary now."""

    def is_affected(self, _key: bytes) -> bool:
        """Return whether the primary holds a key, before anything is done to it."""
        return True

    @abstractmethod
    def hand_over(self) -> None:
        """Tell a replica to take over from the primary."""

    @abstractmethod
    def is_told(self) -> bool:
        """Return whether whoever clients may ask tells them of the successor, and takes their commands."""

    @abstractmethod
    def holding(self, key: bytes) -> Control:
        """Return the connection to the primary that holds a key now."""

    def begin(self, how: How) -> None:
        """Do to the primary what is to be done to it; raises ServerError."""
        match how:
            case "killed":
                self.primary.stop(signal.SIGKILL)
            case "paused":
                self.primary.pause()
            case "replaced":
                self.hand_over()
                return
        self.answering.remove(self._control)

    def resume(self) -> None:
        """Let a primary go on that was paused."""
        self.primary.resume()

    def is_over(self) -> bool:
        """Return whether a replica is the primary now, and clients are told so; raises ServerError."""
        self.successor = next((one for one in self.replicas if self._is_primary(one)), None)
        return self.successor is not None and self.is_told()

    def values(self, keys: Sequence[bytes]) -> list[int]:
        """Return the counters that the primaries hold; one that is missing counts as 0."""
        return _counters((self.holding(key), key) for key in keys)

    def copies(self, keys: Sequence[bytes]) -> list[list[int]]:
        """Return the counters that each replica holds of the primary's keys."""
        return [_counters((one, key) for key in keys) for one in self.replicas]

    def connections(self) -> dict[Control, Connections]:
        """Return the connections to each node that answers."""
        return {one: self._connections_to(one) for one in self.answering}

    def _is_primary(self, node: Control) -> bool:
        return bool(node.command("ROLE")[0] == PRIMARY)

    def _connections_to(self, node: Control) -> Connections:
        return _connections(Info.read(info_text(node, "default")))


class ClusterFailover(Failover):
    """Of a cluster's last primary: the first one has the address that clients are given."""

    def __init__(self, cluster: Cluster, members: Sequence[OwnNode], primaries: int) -> None:
        """So many of the members are its primaries: the first ones."""
        primary, direct = members[primaries - 1], {one.endpoint.port: one for one in cluster.every}
        self._announced = {direct[one.endpoint.port]: one.announced.port for one in members}
        by_port = {port: control for control, port in self._announced.items()}
        ranges: list[list[Any]] = cluster.command("CLUSTER", "SLOTS")
        (own,) = (one for one in ranges if one[2][1] == primary.announced.port)
        replicas = [by_port[copy[1]] for copy in own[3:]]
        super().__init__(primary, by_port[primary.announced.port], replicas, cluster.every)
        self._cluster, self._slot, self.has_others = cluster, own[0], primaries > 1
        for replica in self.replicas:
            replica.command("READONLY")  # it would send us on to its primary

    def is_affected(self, key: bytes) -> bool:
        """Return whether the key's slot is the primary's."""
        return self._cluster.holding(key) is self._control

    def holding(self, key: bytes) -> Control:
        """Return the connection to the primary that holds a key now."""
        return (self.successor or self._control) if self.is_affected(key) else self._cluster.holding(key)

    def hand_over(self) -> None:
        """Tell the first replica to take over, which waits until it has all that the primary has written."""
        self.replicas[0].command("CLUSTER", "FAILOVER")

    def is_told(self) -> bool:
        """Return whether every node that answers names the successor for the primary's slots, and takes commands."""
        return all(map(self._tells, self.answering))

    def _tells(self, node: Control) -> bool:
        ranges: list[list[Any]] = node.command("CLUSTER", "SLOTS")
        named = [one[2][1] for one in ranges if one[0] <= self._slot <= one[1]]
        is_ok = parse_info(node.command("CLUSTER", "INFO").decode())["cluster_state"] == "ok"
        return is_ok and self.successor is not None and named == [self._announced[self.successor]]


def _counters(places: Iterable[tuple[Control, bytes]]) -> list[int]:
    """Return the counters at their places; a node is asked for all of its own at once."""
    asked = list(places)
    of_node: defaultdict[Control, list[bytes]] = defaultdict(list)
    for control, key in asked:
        of_node[control].append(key)
    found: dict[bytes, int] = {}
    for control, keys in of_node.items():
        for key, value in zip(keys, control.send_all([("GET", key) for key in keys]), strict=True):
            if isinstance(value, Exception):
                raise value
            found[key] = int(value or 0)
    return [found[key] for _, key in asked]


def _connections(info: Info) -> Connections:
    counted = {name: info.count(name) or 0 for name in ("total_connections_received", "connected_clients")}
    received, still_open = counted.values()
    # That to its primary is among its clients.
    has_primary = info.fields.get("role") == "slave" and info.fields.get("master_link_status") == "up"
    return Connections(received, info.count("connected_slaves") or 0, max(0, still_open - 1 - has_primary))
