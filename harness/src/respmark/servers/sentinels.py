"""A primary and its replicas that the run starts, and sentinels, which tell clients who the primary is."""

import secrets
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Final, TypeVar

from pydantic import SecretStr

from respmark.contract.trial import WATCHED_NAME, Endpoint
from respmark.errors import ServerLostError
from respmark.machine.guardian import Guardian
from respmark.servers.control import Control
from respmark.servers.failover import Connections, Failover
from respmark.servers.group import is_linked, wait_until
from respmark.servers.info import clients_of
from respmark.servers.node import Common, Node, OwnNode, quoted, spawn, started
from respmark.servers.replicated import address_of_primary, fields_of
from respmark.specs.server import SpawnedServer

Answer = TypeVar("Answer")
DOWN_AFTER_MS: Final = 2_000
"""A primary that has not answered a sentinel for so long is down, as that sentinel sees it."""
FAILOVER_TIMEOUT_MS: Final = 10_000
"""Until a failover that came to nothing may be tried again, twice this long."""
FILE: Final = "sentinel.conf"
"""In a sentinel's folder: how it is configured, and what it has learned since."""


class Sentinel(OwnNode):
    """A sentinel, which knows nothing but the primary when it starts."""

    def __init__(self, spec: SpawnedServer, guardian: Guardian, primary: Endpoint) -> None:
        """Choose its address; it lets clients in with the password with which the primary does."""
        super().__init__(spec, guardian, None, Common(primary.password))
        self._primary, self._file = primary, self.folder / FILE
        self._quorum = spec.sentinels // 2 + 1
        self._command, self._configuration = [str(self.program), str(self._file), "--sentinel"], ""

    def start(self) -> None:
        """Start it, and wait until it answers; raises ServerError if it does not."""
        self._file.unlink(missing_ok=True)
        self._file.touch(mode=0o600)
        self._file.write_text(self._settings(), encoding="utf-8")
        super().start()

    def _settings(self) -> str:
        primary, password = self._primary, self.endpoint.password
        given = quoted(password.get_secret_value()) if password else '""'
        lines = [
            f"port {self.endpoint.port}",
            f"bind {self.endpoint.host}",
            f"dir {quoted(str(self.folder))}",
            f"requirepass {given}",  # with which sentinels let each other in, too
            f"sentinel monitor {WATCHED_NAME} {primary.host} {primary.port} {self._quorum}",
            f"sentinel auth-pass {WATCHED_NAME} {given}",
            f"sentinel down-after-milliseconds {WATCHED_NAME} {DOWN_AFTER_MS}",
            f"sentinel failover-timeout {WATCHED_NAME} {FAILOVER_TIMEOUT_MS}",
        ]
        return "\n".join([*lines, ""])


class WatchedNodes(Node):
    """A primary, its replicas and sentinels; where it is reached, is where the primary was when it was started."""

    def __init__(self, members: Sequence[OwnNode], sentinels: Sequence[Sentinel]) -> None:
        """Wait until sentinels know each other and all members, the first of which is the primary; all have started."""
        first = members[0]
        told = tuple((str(one.endpoint.host), one.endpoint.port or 0) for one in sentinels)
        super().__init__(first.endpoint.model_copy(update={"sentinels": told}), first.program, self._close)
        self.members, self.sentinels = members, sentinels
        self._wait_until_all_are_known()

    @property
    def pids(self) -> list[int]:
        """Return the IDs of the processes that have keys: sentinels do next to nothing."""
        return [pid for node in self.members for pid in node.pids]

    def start_again(self) -> None:
        """Start every node again, where it was but without its keys, and the first one as the primary."""
        for node in (*self.sentinels, *self.members):
            node.stop()
        for node in self.members:
            node.forget()
            node.start()
        replicate(self.members)
        for one in self.sentinels:
            one.start()
        self._wait_until_all_are_known()

    def failover(self, control: Control) -> Failover:
        """Return what can be done to the primary, and asked of its replica, over our connection to both."""
        return SentinelFailover(control, self.members[0], [one.endpoint for one in self.sentinels])

    def _close(self) -> None:
        for node in (*self.sentinels, *self.members):  # nobody is promoted while nodes end
            node.close()

    def _wait_until_all_are_known(self) -> None:
        known = {"num-slaves": len(self.members) - 1, "num-other-sentinels": len(self.sentinels) - 1}
        with ExitStack() as held:
            controls = [held.enter_context(Control(one.endpoint)) for one in self.sentinels]
            wait_until(lambda: all(_knows(one, known) for one in controls), "were not all known to their sentinels")


class SentinelFailover(Failover):
    """Of the primary that sentinels watch."""

    has_others = False

    def __init__(self, control: Control, primary: OwnNode, sentinels: Sequence[Endpoint]) -> None:
        super().__init__(primary, control, control.replicas, control.every)
        self._sentinels = sentinels
        self._theirs: dict[Control, set[str]] = {one: set() for one in control.every}
        """Of each node, the IDs of the connections that sentinels have opened."""

    def holding(self, _key: bytes) -> Control:
        """Return the connection to the primary of now."""
        return self.successor or self._control

    def hand_over(self) -> None:
        """Tell a sentinel to let a replica take over."""
        with Control(self._sentinels[0]) as sentinel:
            sentinel.command("SENTINEL", "FAILOVER", WATCHED_NAME)

    def is_told(self) -> bool:
        """Return whether a sentinel names the successor; the others hear it from that one, and clients ask several."""
        return any(map(self._tells, self._sentinels))

    def _tells(self, endpoint: Endpoint) -> bool:
        with Control(endpoint) as sentinel:
            _, port = address_of_primary(sentinel)
        return self.successor is not None and port == self.successor.endpoint.port

    def _is_primary(self, node: Control) -> bool:
        return _asked(node, super()._is_primary)

    def _connections_to(self, node: Control) -> Connections:
        """Those of sentinels are no clients': they connect anew when a node's role has changed."""
        clients = clients_of(_asked(node, lambda one: one.command("CLIENT", "LIST"))).clients
        theirs = {client["id"] for client in clients if client.get("name", "").startswith("sentinel-")}
        self._theirs[node] |= theirs
        found = _asked(node, super()._connections_to)
        return found._replace(
            received=found.received - len(self._theirs[node]), still_open=found.still_open - len(theirs)
        )


def _asked(node: Control, ask: Callable[[Control], Answer]) -> Answer:
    """Ask a node, over a new connection if it was closed: sentinels close all to a node whose role they change."""
    try:
        return ask(node)
    except ServerLostError:
        return ask(node.open())


def spawn_watched(spec: SpawnedServer, guardian: Guardian, cpus: str | None = None) -> WatchedNodes:
    """Start a primary, its replicas and their sentinels, all with one password, and wait until sentinels know them."""
    common = Common(SecretStr(secrets.token_urlsafe(24)))
    with ExitStack() as began:
        members: list[OwnNode] = []
        for _ in range(1 + spec.replicas):
            members.append(spawn(spec, guardian, cpus, common))
            began.callback(members[-1].close)
        # A sentinel asks the primary for replicas when it starts, and then not for 10 s.
        replicate(members)
        sentinels: list[Sentinel] = []
        for _ in range(spec.sentinels):
            sentinels.append(started(lambda: Sentinel(spec, guardian, members[0].endpoint)))
            began.callback(sentinels[-1].close)
        watched = WatchedNodes(members, sentinels)
        began.pop_all()
    return watched


def replicate(nodes: Sequence[OwnNode]) -> None:
    """Make all nodes but the first one its replicas, and wait until they have what it has."""
    primary = nodes[0].endpoint
    with ExitStack() as held:
        replicas = [held.enter_context(Control(node.endpoint)) for node in nodes[1:]]
        for one in replicas:
            one.command("REPLICAOF", str(primary.host), primary.port or 0)
        wait_until(lambda: all(map(is_linked, replicas)), "were not replicas")


def _knows(sentinel: Control, known: dict[str, int]) -> bool:
    found = fields_of(sentinel.command("SENTINEL", "MASTER", WATCHED_NAME))
    return all(int(found[name]) == count for name, count in known.items())
