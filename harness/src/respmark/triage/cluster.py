"""The nodes of a cluster: those that the server itself names, and no others."""

from collections.abc import Iterator
from typing import Final

from respmark.contract.trial import Endpoint
from respmark.triage.asking import Asker
from respmark.triage.logs import text

UNUSABLE: Final = frozenset({"noaddr", "fail", "handshake", "myself"})
"""Flags of nodes that cannot be asked, and of the one that answers."""


def other_nodes(asker: Asker, info: dict[str, str]) -> tuple[Endpoint, ...]:
    """Return the other nodes of the server's cluster; none if it is in no cluster, or does not say."""
    if info.get("cluster_enabled") != "1":
        return ()
    answer = asker.ask("CLUSTER", "NODES")
    return tuple(_nodes(text(answer or b""), asker.control.endpoint))


def _nodes(answer: str, endpoint: Endpoint) -> Iterator[Endpoint]:
    """Yield the nodes of a reply to CLUSTER NODES, to be reached as the one that gave it."""
    for line in answer.splitlines():
        _, place, flags, *_ = (*line.split(), "", "", "")
        where, *names = place.split(",")
        host, _, port = where.partition("@")[0].rpartition(":")
        if UNUSABLE.isdisjoint(flags.split(",")) and host and port.isdecimal():
            # A certificate is for the name, not for the address.
            host = names[0] if endpoint.tls and names and names[0] else host
            yield endpoint.model_copy(update={"host": host.strip("[]"), "port": int(port), "unix_socket": None})
