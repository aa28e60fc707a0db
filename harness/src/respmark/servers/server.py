"""A server in use: its endpoint, its control connection, and what we may do to it."""

import contextlib
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from functools import partial
from typing import Final

from respmark.contract.trial import Endpoint
from respmark.errors import AnotherServerError, InvalidRequestError, ServerError
from respmark.machine.guardian import Guardian
from respmark.machine.kernel import threads_cpu_ns, together_ns
from respmark.servers.cluster import Cluster, connected, connected_by_any
from respmark.servers.control import Control
from respmark.servers.group import spawn_group
from respmark.servers.info import check_run_id, keys_in, run_ids_of
from respmark.servers.node import Node, StandBefore, spawn
from respmark.servers.sentinels import spawn_watched
from respmark.servers.url import address, is_loopback, parse_url
from respmark.specs.server import ContainerServer, ServerKind, ServerSpec, SpawnedServer

STARTS: Final[Mapping[ServerKind | None, Callable[[SpawnedServer, Guardian, str | None], Node]]] = {
    None: spawn,
    "cluster": spawn_group,
    "sentinel": spawn_watched,
}
"""How a server of each kind is started."""


class Server:
    """The server under test."""

    others: tuple[Endpoint, ...] = ()
    """Of a cluster that was already there, the nodes by which it is reached if the one that was named is gone."""

    def __init__(self, node: Node, *, allow_flush: bool) -> None:
        """Connect to a server that is there; `allow_flush`: its keys may be lost."""
        self.node = node
        self._allow_flush = allow_flush
        self._connect()

    def _connect(self, run_ids: frozenset[str] | None = None) -> None:
        self.node.endpoint, self.control = connected_by_any((self.endpoint, *self.others), self.node.direct)
        self._is_open = True
        self.run_ids = run_ids or run_ids_of(self.control)
        if self.run_ids is not None and not self.spawned:
            if self.is_cluster:
                self.others = tuple(one.endpoint for one in self.control.every if one.endpoint != self.endpoint)
            for node in self.control.every:
                node.check = partial(check_run_id, run_ids=self.run_ids)

    def reconnect(self) -> None:
        """Start a server of ours again, or reconnect to the server that was there before, and to no other."""
        self.control.close()
        self.node.start_again()
        self._connect(None if self.spawned else self.known_run_ids)
        if not self.spawned:
            try:
                self._check_nodes(self.control)
            except ServerError:
                self.control.close()
                raise

    @property
    def endpoint(self) -> Endpoint:
        """Return where we reach it."""
        return self.node.endpoint

    @property
    def spawned(self) -> bool:
        """Return whether we started it."""
        return self.node.program is not None

    @property
    def is_cluster(self) -> bool:
        """Return whether it is one, however many nodes it has."""
        return isinstance(self.control, Cluster)

    @property
    def kind(self) -> ServerKind | None:
        """Return what it is if it is more than one address."""
        if self.is_cluster:
            return "cluster"
        return "sentinel" if self.endpoint.sentinels else None

    @property
    def pid(self) -> int | None:
        """Return the server's process ID, if we started it on this machine, and it is one process."""
        return self.node.pids[0] if len(self.node.pids) == 1 else None

    def threads_ns(self) -> dict[int, int] | None:
        """Return the CPU time of each of its threads, by the kernel's count; None if it is not ours, or not here."""
        return together_ns(map(threads_cpu_ns, self.node.pids)) if self.node.pids else None

    @property
    def for_runners(self) -> Endpoint:
        """Return how runners reach it."""
        return self.told(self.node.for_runners or self.endpoint)

    def told(self, endpoint: Endpoint) -> Endpoint:
        """Return an address with what clients are told of the server."""
        return endpoint.model_copy(update={"cluster": True}) if self.is_cluster else endpoint

    def for_client(self, *, avoids_tls: bool) -> Endpoint:
        """Return how the runner of a client reaches it; refuse one that avoids TLS where there is nothing else."""
        if not avoids_tls or self.for_runners.tls is None:
            return self.for_runners
        if self.node.secured is None:
            raise InvalidRequestError(
                f"the server at {address(self.for_runners)} accepts only TLS: a client with tls=off needs a server "
                "that respmark starts (--server spawned-tls)"
            )
        return self.told(self.endpoint)

    @property
    def local(self) -> bool:
        """Return whether it runs on this machine, as far as its address shows."""
        return is_loopback(self.endpoint)

    @property
    def known_run_ids(self) -> frozenset[str]:
        """Return the `run_id` of each node; refuse a server that does not report any."""
        if self.run_ids is not None:
            return self.run_ids
        raise AnotherServerError(
            f"the server at {address(self.endpoint)} reports no run_id (INFO server); respmark cannot verify that it "
            "is the same server, so it writes nothing to it"
        )

    def alive(self) -> bool:
        """Return whether the server still answers on our connection."""
        with contextlib.suppress(ServerError):
            self.control.on_each("PING")
            return True
        return False

    def flush(self) -> None:
        """Empty the database, if we started the server or the user said that this server's keys may be lost."""
        if not (self.spawned or self._allow_flush):
            raise ServerError(
                f"the database at {address(self.endpoint)} was not started by respmark and may not be emptied"
            )
        if not self.spawned:
            self._check_nodes(self.control)
        self.control.on_each("FLUSHDB")

    def _check_nodes(self, control: Control) -> None:
        for node in control.nodes:
            check_run_id(node, self.known_run_ids)

    def make_room(self) -> None:
        """Ensure that the database of a server that we did not start is empty before we write to it."""
        keys = keys_in(self.control)
        if keys and not self._allow_flush:
            raise ServerError(
                f"database {self.endpoint.database} of the server at {address(self.endpoint)} holds {keys:,} keys; "
                "respmark measures in an empty database and never empties one that holds other keys. Name an empty "
                "database (redis://host:port/NUMBER), or pass --allow-flush if these keys may be lost"
            )
        if keys:
            self.flush()
        self.known_run_ids  # noqa: B018 - refuses a server that has none

    def check_address(self) -> None:
        """Raise AnotherServerError if a new connection to this address, as runners make, reaches a different server."""
        self.control.on_each("PING")  # it may have been closed while it was idle, and keys are about to be written
        try:
            with closing(connected(self.endpoint)) as another:
                self._check_nodes(another)
        except AnotherServerError:
            raise
        except ServerError:
            # It has no connection free, or is gone: the runner will find the same, and report it for its trial.
            return

    def close(self) -> None:
        """Close the connection, and stop the server if we started it; do nothing if that is already done."""
        if not self._is_open:
            return
        self._is_open = False
        self.control.close()
        self.node.close()


def with_nodes(server: Server, check: Callable[[Endpoint], None]) -> Server:
    """Return a server where each of its nodes says that it is there and passes a check; else close it first."""
    with ExitStack() as opened:
        opened.callback(server.close)
        for node in server.control.every:
            check(node.endpoint)
        opened.pop_all()
    return server


def open_server(
    spec: ServerSpec,
    guardian: Guardian,
    *,
    allow_flush: bool,
    cpus: str | None = None,
    before: StandBefore | None = None,
) -> Server:
    """Start or reach the server that a spec names; if we start it, it gets these CPUs.

    `before` is for clusters: what it puts there stands before each node.
    """
    if isinstance(spec, ContainerServer):
        raise InvalidRequestError(f"server `{spec.name}` is a container; add --via docker, or choose another server")
    if isinstance(spec, SpawnedServer):
        if before is not None:
            return Server(spawn_group(spec, guardian, cpus, before), allow_flush=True)
        return Server(STARTS[spec.kind](spec, guardian, cpus), allow_flush=True)
    return Server(Node(parse_url(spec.url)), allow_flush=allow_flush)
