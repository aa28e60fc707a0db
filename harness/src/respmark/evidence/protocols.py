"""Checks which RESP version a trial's connections speak, according to the server (CLIENT LIST), against the label.

Connections of `new-connection` are gone when CLIENT LIST is read; there, only the number of HELLO says something.
"""

from collections import Counter
from typing import Final

from respmark.errors import TargetError, TargetLostError
from respmark.results.records import Handshake
from respmark.target.control import Control

RESP3: Final = 3


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


def protocol_mismatch(handshake: Handshake) -> str | None:
    """Return why the connections did not speak the RESP version of the label; None if they did, or if it is unknown."""
    asked = f"RESP{handshake.protocol} was asked for"
    if others := {version: n for version, n in (handshake.protocols or {}).items() if version != handshake.protocol}:
        version, count = min(others.items())
        return f"{asked}, {count:,} connection{'' if count == 1 else 's'} of the trial spoke RESP{version}"
    if handshake.protocol == RESP3 and not handshake.calls.get("hello"):
        return f"{asked}, and the trial's connections sent no HELLO"
    return None


def _clients_of(control: Control) -> list[dict[str, str]]:
    """Return the fields of every connection of the server; an empty list if this user may not ask."""
    try:
        answer = control.command("CLIENT", "LIST")
    except TargetLostError:
        raise
    except TargetError:
        return []
    lines = answer.decode(errors="replace").splitlines() if isinstance(answer, bytes) else []
    clients = [{name: value for name, _, value in (part.partition("=") for part in line.split())} for line in lines]
    return [client for client in clients if "id" in client]
