"""Server specs: the server under test and how it is reached."""

import operator
from typing import Final, Literal, Self

from pydantic import Field, model_validator

from respmark.contract.base import Count, Message, PositiveCount

MOST_NODES: Final = 100
"""Of primaries, of the replicas of each, and of sentinels."""
ServerKind = Literal["cluster", "sentinel"]
"""What a server is that is more than one address: `sentinel` is one that sentinels watch."""

OURS: Final = frozenset(
    {
        *("port", "bind", "dir", "daemonize", "requirepass", "unixsocket", "unixsocketperm", "user"),
        *("cluster-enabled", "cluster-config-file", "cluster-port", "cluster-announce-ip", "masterauth", "replicaof"),
    }
)
"""Settings of a server that respmark starts; with them it finds the server again, and keeps others out."""


class ServerWheel(Message):
    """A server's program in a Python wheel, which somebody else than its makers built; it is unpacked on demand."""

    pins: str
    """File with the wheel's version and hashes."""
    folder: str
    """Where it is unpacked, in the folder of builds."""
    program: str
    """Where in the wheel it is; `{platform}` is such as `linux-x86_64`."""


class SpawnedServer(Message):
    """A server that respmark starts and stops."""

    name: str
    summary: str
    servers: tuple[str, ...] = ()
    """Programs to look for on PATH, in this order; then the wheel's."""
    wheel: ServerWheel | None = None
    program: str | None = None
    """This program and no other: what `--server PATH` names."""
    transport: Literal["tcp", "unix", "tls"] = "tcp"
    """`tls`: it also listens without TLS, for the control connection, whose commands are no client's."""
    allocator: Literal["own", "jemalloc"] = "own"
    """`jemalloc`: the machine's libjemalloc takes the place of what the program was built with."""
    primaries: PositiveCount | None = Field(default=None, le=MOST_NODES, exclude_if=lambda given: given is None)
    """How many nodes of a cluster share the slots; null: the server is in no cluster. 1 is a cluster of one node."""
    replicas: Count = Field(default=0, le=MOST_NODES, exclude_if=operator.not_)
    """How many copies each of them has, or the one primary that sentinels watch."""
    sentinels: Count = Field(default=0, le=MOST_NODES, exclude_if=operator.not_)
    """How many sentinels watch a primary and its replicas; 0: none do."""
    settings: dict[str, str] = Field(default_factory=dict)
    """Further settings, as the server's configuration file has them, such as `io-threads`."""

    @property
    def io_threads(self) -> int:
        """Return how many threads it was asked to have for reading and writing; 1 if that is no number."""
        asked = self.settings.get("io-threads", "1")
        return int(asked) if asked.isdigit() else 1

    @property
    def kind(self) -> ServerKind | None:
        """Return what it is if it is more than one address."""
        if self.primaries is not None:
            return "cluster"
        return "sentinel" if self.sentinels else None

    @model_validator(mode="after")
    def _starts_something(self) -> Self:
        if not (self.servers or self.wheel or self.program):
            raise ValueError("a server that respmark starts needs `servers` (programs on PATH) or a `wheel`")
        if ours := sorted(name for name in self.settings if name in OURS or name.startswith("tls-")):
            raise ValueError(f"`{ours[0]}` is set by respmark")
        self._check_nodes()
        return self

    def _check_nodes(self) -> None:
        if self.replicas and self.kind is None:
            raise ValueError("replicas are those of a cluster's primaries: add `primaries`, or `sentinels`")
        if self.primaries is not None and self.transport == "unix":
            raise ValueError("the nodes of a cluster are reached by TCP: `transport` cannot be unix")
        if not self.sentinels:
            return
        if self.primaries is not None:
            raise ValueError("a cluster has no sentinels: leave out `primaries`, or `sentinels`")
        if not self.replicas:
            raise ValueError("sentinels need a replica that can take the primary's place: add `replicas`")
        if self.transport != "tcp":
            raise ValueError("sentinels tell clients one port, which is without TLS: `transport` must be tcp")


class ContainerServer(Message):
    """A server in a container of its own, for runners in containers."""

    name: str
    summary: str
    service: str
    """The service in docker-compose.yml that is started."""


class UrlServer(Message):
    """A server that is already there."""

    name: str
    summary: str
    url: str
    """redis://, rediss:// or unix://; the password may be in RESPMARK_SERVER_PASSWORD instead."""


ServerSpec = SpawnedServer | ContainerServer | UrlServer


def processes_of(spec: ServerSpec) -> int:
    """Return how many processes a server is, as far as its spec says; sentinels, which do next to nothing, are none."""
    return (spec.primaries or 1) * (1 + spec.replicas) if isinstance(spec, SpawnedServer) else 1
