"""Checks which RESP version a trial's connections speak, according to the server (CLIENT LIST), against the label.

CLIENT LIST is read while no slice runs. Connections of `new-connection` are gone by then: they are looked for while
replies are being verified.
"""

import contextlib
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from respmark.errors import TargetError, TargetLostError
from respmark.results.records import Handshake
from respmark.target.control import Control

RESP3: Final = 3
END_LIMIT_S: Final = 30.0


@dataclass
class ProtocolWatch:
    """Watches the connections that are opened from now on."""

    control: Control
    commands: frozenset[str]
    """Of the workload, in lower case: a connection that sent one has finished its handshake, and is the trial's."""
    _before: frozenset[str] = field(init=False)
    _seen: dict[str, int] = field(init=False, default_factory=dict)
    """RESP version by connection ID."""
    _is_told: bool = field(init=False)

    def __post_init__(self) -> None:
        clients = clients_of(self.control)
        self._before = frozenset(client["id"] for client in clients)
        self._is_told = any("resp" in client for client in clients)

    def opened(self) -> list[dict[str, str]]:
        """Return the fields of the connections that were opened since and are open now."""
        return [client for client in clients_of(self.control) if client["id"] not in self._before]

    def look(self) -> None:
        """Note the RESP version of the connections that are open now."""
        for client in self.opened() if self._is_told else ():
            if client.get("cmd") in self.commands and "resp" in client:
                self._seen[client["id"]] = int(client["resp"])

    @contextlib.contextmanager
    def looking(self) -> Iterator[None]:
        """Keep looking, in a thread; nobody else may use the control connection meanwhile."""
        stop = threading.Event()
        watcher = threading.Thread(target=self._look_until, args=(stop,), name="respmark-protocols")
        watcher.start()
        try:
            yield
        finally:
            stop.set()
            watcher.join(END_LIMIT_S)

    def _look_until(self, stop: threading.Event) -> None:
        # If the target is lost, whoever uses it next reports that.
        with contextlib.suppress(TargetLostError):
            while self._is_told and not stop.is_set():
                self.look()

    def found(self) -> dict[int, int] | None:
        """Return how many connections spoke each version; None: the server does not say."""
        return dict(Counter(self._seen.values())) if self._is_told else None


def clients_of(control: Control) -> list[dict[str, str]]:
    """Return the fields of every connection of the server; an empty list if this user may not ask.

    Raises:
        TargetLostError: it does not answer.
    """
    try:
        answer = control.command("CLIENT", "LIST")
    except TargetLostError:
        raise
    except TargetError:
        return []
    lines = answer.decode(errors="replace").splitlines() if isinstance(answer, bytes) else []
    clients = [{name: value for name, _, value in (part.partition("=") for part in line.split())} for line in lines]
    return [client for client in clients if "id" in client]


def protocol_mismatch(handshake: Handshake) -> str | None:
    """Return why the connections did not speak the RESP version of the label; None if they did, or if it is unknown."""
    asked = f"RESP{handshake.protocol} was asked for"
    if others := {version: n for version, n in (handshake.protocols or {}).items() if version != handshake.protocol}:
        version, count = min(others.items())
        return f"{asked}, {count:,} connection{'' if count == 1 else 's'} of the trial spoke RESP{version}"
    if handshake.protocol == RESP3 and not handshake.calls.get("hello"):
        return f"{asked}, and the trial's connections sent no HELLO"
    return None
