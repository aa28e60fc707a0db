"""What holds at the beginning of every connection: it speaks the RESP version that the client's label says."""

from collections.abc import Iterator

from respmark.conform.observation import Deviation, Observation
from respmark.wire.shape import RESP2, handshake_of, handshake_words, protocol_of
from respmark.wire.trace import ConnectionTrace


def speaks_its_protocol(seen: Observation, protocol: int) -> Iterator[Deviation]:
    """Every connection that carried commands of the workload spoke this version from the first of them on."""
    public = frozenset(seen.trace.subject.commands)
    for connection in seen.trace.connections:
        if _carried(connection, public) and protocol_of(connection, public) != protocol:
            words = ", ".join(handshake_words(connection, public)) or "nothing"
            begin = next((command.order for command in handshake_of(connection, public)), connection.opened)
            yield Deviation(
                _asked(protocol),
                f"connection {connection.number} speaks RESP{protocol_of(connection, public)}: {words} came before",
                begin,
            )
            return


def _carried(connection: ConnectionTrace, public: frozenset[str]) -> bool:
    return any(command.name in public for command in connection.commands)


def _asked(protocol: int) -> str:
    hello = "no HELLO, or HELLO 2," if protocol == RESP2 else f"HELLO {protocol}"
    return f"RESP{protocol}, as the client's label says: {hello} before a connection's first command"
