"""Several servers that the run starts as one cluster: who has which slots, and when it is ready."""

import secrets
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Final, cast

from pydantic import SecretStr

from respmark.contract.trial import Endpoint
from respmark.errors import ServerError
from respmark.machine.guardian import Guardian
from respmark.servers.cluster import SLOTS, Cluster
from respmark.servers.control import Control
from respmark.servers.failover import ClusterFailover, Failover
from respmark.servers.info import Info, info_text, parse_info
from respmark.servers.node import Common, Node, OwnNode, StandBefore, spawn
from respmark.specs.server import SpawnedServer

FORM_LIMIT_S: Final = 30.0
"""Until nodes know each other and take commands: a cluster's primary waits for 2 s after its start, and sentinels tell
each other of themselves every 2 s."""
PAUSE_S: Final = 0.01
NO_CLUSTER: Final = "did not become a cluster"


class Group(Node):
    """Several nodes that are one cluster; where it is reached, is where its first node is."""

    def __init__(self, nodes: Sequence[OwnNode], primaries: int) -> None:
        """Form a cluster of nodes that have been started: of so many primaries, and the others their replicas."""
        first = nodes[0]
        super().__init__(first.endpoint, first.program, self._close, None, first.for_runners, first.secured)
        self.members, self._primaries = nodes, primaries
        self._form()

    @property
    def pids(self) -> list[int]:
        """Return the IDs of the processes."""
        return [pid for node in self.members for pid in node.pids]

    def direct(self, told: Endpoint) -> Endpoint:
        """Return where we reach the node that tells clients that it is there."""
        return next((one.endpoint for one in self.members if one.announced.port == told.port), told)

    def start_again(self) -> None:
        """Start every node again, where it was but without its keys, and make one cluster of them once more."""
        for node in self.members:
            node.stop()
        for node in self.members:
            node.forget()  # who has keys would take their slots
            node.start()
        self._form()

    def failover(self, control: Control) -> Failover:
        """Return what can be done to a primary of it, and asked of its replica, over our connection to the cluster."""
        return ClusterFailover(cast("Cluster", control), self.members, self._primaries)

    def _close(self) -> None:
        for node in self.members:
            node.close()

    def _form(self) -> None:
        with ExitStack() as held:
            controls = [held.enter_context(Control(node.endpoint)) for node in self.members]
            primaries, replicas = controls[: self._primaries], controls[self._primaries :]
            for number, control in enumerate(primaries):
                first, end = (SLOTS * one // len(primaries) for one in (number, number + 1))
                control.command("CLUSTER", "ADDSLOTS", *range(first, end))
                control.command("CLUSTER", "SET-CONFIG-EPOCH", number + 1)
            for node in self.members[1:]:
                # The nodes' own connections have TLS, too, and their ports follow from that.
                port = node.secured.port if node.secured else node.endpoint.port
                controls[0].command("CLUSTER", "MEET", node.endpoint.host or "", port or 0)
            wait_until(lambda: all(_knows(one, len(controls)) for one in controls), NO_CLUSTER)
            ids = [one.command("CLUSTER", "MYID") for one in primaries]
            for place, control in enumerate(replicas):
                control.command("CLUSTER", "REPLICATE", ids[place % len(ids)])
            wait_until(lambda: all(map(_is_ready, controls)) and all(map(is_linked, replicas)), NO_CLUSTER)
            for control in primaries if replicas else ():
                # Nobody is told of a replica that has received nothing yet.
                control.command("FLUSHALL")
            wait_until(lambda: all(_copies(one) == len(replicas) for one in controls), NO_CLUSTER)


def spawn_group(
    spec: SpawnedServer, guardian: Guardian, cpus: str | None = None, before: StandBefore | None = None
) -> Group:
    """Start the nodes of a cluster, all with one password, and wait until it takes commands.

    What stands `before` each node is there before the node, as the nodes reach one another through it.
    """
    primaries, common = spec.primaries or 1, Common(SecretStr(secrets.token_urlsafe(24)), before)
    with ExitStack() as started:
        nodes: list[OwnNode] = []
        for _ in range(primaries * (1 + spec.replicas)):
            nodes.append(spawn(spec, guardian, cpus, common))
            started.callback(nodes[-1].close)
            if nodes[0].secured is not None:
                common = replace(common, certificates=nodes[0].secured.certificates)
        group = Group(nodes, primaries)
        started.pop_all()
    return group


def wait_until(holds: Callable[[], bool], what: str) -> None:
    """Wait until something holds; raises ServerError with what did not become of the nodes."""
    deadline = time.monotonic() + FORM_LIMIT_S
    while not holds():
        if time.monotonic() >= deadline:
            raise ServerError(f"the nodes that the run started {what} within {FORM_LIMIT_S:g} s")
        time.sleep(PAUSE_S)


def _knows(control: Control, nodes: int) -> bool:
    """Return whether a node has met so many, itself included."""
    lines = control.command("CLUSTER", "NODES").decode().splitlines()
    return len(lines) == nodes and not any("handshake" in line for line in lines)


def _copies(control: Control) -> int:
    """Return how many replicas a node tells clients of."""
    return sum(len(copies) for _first, _last, _primary, *copies in control.command("CLUSTER", "SLOTS"))


def _is_ready(control: Control) -> bool:
    found = parse_info(control.command("CLUSTER", "INFO").decode())
    return (found["cluster_state"], found["cluster_slots_ok"]) == ("ok", str(SLOTS))


def is_linked(control: Control) -> bool:
    """Return whether a replica has what its primary has."""
    return Info.read(info_text(control, "replication")).fields.get("master_link_status") == "up"
