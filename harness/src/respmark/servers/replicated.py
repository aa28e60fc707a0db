"""Primaries and their replicas: the harness's connections to each, and which they are as sentinels tell."""

from collections.abc import Sequence
from typing import Final

from respmark.contract.trial import WATCHED_NAME, Endpoint
from respmark.servers.control import Control

DOWN: Final = "s_down"
"""Among the flags of a replica that does not answer its sentinel."""


class Replicated(Control):
    """The harness's connections to primaries and to replicas; as a connection, it is that to the first primary."""

    def __init__(self, primaries: Sequence[Endpoint], replicas: Sequence[Endpoint]) -> None:
        super().__init__(primaries[0])
        self._others = [Control(endpoint) for endpoint in primaries[1:]]
        self._replicas = [Control(endpoint) for endpoint in replicas]

    def open(self, *greeting: str) -> "Replicated":
        """Connect to every node."""
        super().open(*greeting)
        for one in self.every[1:]:
            one.open(*greeting)
        return self

    def close(self) -> None:
        """Close every connection."""
        super().close()
        for one in self.every[1:]:
            one.close()

    @property
    def nodes(self) -> list[Control]:
        """Return the connections to the primaries."""
        return [self, *self._others]

    @property
    def replicas(self) -> list[Control]:
        """Return the connections to the replicas."""
        return self._replicas


def told_by_sentinels(endpoint: Endpoint) -> Replicated:
    """Return the primary that the first sentinel names, and those of its replicas that answer."""
    host, port = endpoint.sentinels[0]
    with Control(endpoint.model_copy(update={"host": host, "port": port})) as sentinel:
        primary = address_of_primary(sentinel)
        replies = sentinel.command("SENTINEL", "REPLICAS", WATCHED_NAME)
    copies = [fields_of(reply) for reply in replies]
    replicas = [(copy["ip"], int(copy["port"])) for copy in copies if DOWN not in copy["flags"].split(",")]

    def at(place: tuple[str, int]) -> Endpoint:
        return endpoint.model_copy(update={"host": place[0], "port": place[1]})

    return Replicated([at(primary)], [at(one) for one in replicas])


def address_of_primary(sentinel: Control) -> tuple[str, int]:
    """Return the host and port at which a sentinel says that the primary is."""
    host, port = sentinel.command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", WATCHED_NAME)
    return host.decode(), int(port)


def fields_of(reply: Sequence[bytes]) -> dict[str, str]:
    """Return the fields of a reply that has names and values in turn."""
    words = [word.decode() for word in reply]
    return dict(zip(words[::2], words[1::2], strict=True))
