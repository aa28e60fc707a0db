"""The adapter, as it would stand in python/src/respmark_python/clients/: the only place that imports the library."""

import platform
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from respmark_python.clients.refusals import refusal, unreachable
from respmark_python.clients.session import Lane
from respmark_python.contract.description import ClientDescription, ScenarioSupport
from respmark_python.contract.trial import Trial
from respmark_python.errors import TargetError, UnsupportedError
from respmark_python.workload.commands import Kind, Words
from respmark_python.workload.walk import Call, Command

from tests.conform.walkthrough import tinyresp

NAME: Final = "tinyresp"
BATCHED: Final = ScenarioSupport(forms=("batched",))


def describe() -> ClientDescription:
    """Say what this library can do here."""
    scenarios = {name: ScenarioSupport() for name in ("sync", "batching", "new-connection")}
    return ClientDescription(NAME, tinyresp.__version__, {}, {}, {**scenarios, "transaction": BATCHED})


class TinyRespSession:
    """One trial's connections."""

    ok = b"OK"
    pong = b"PONG"
    decodes_to = "bytes"
    failures: tuple[type[Exception], ...] = (tinyresp.ReplyError, OSError)
    settings: Mapping[str, str | int | float | bool] = {}
    versions: Final = {NAME: tinyresp.__version__, "CPython": platform.python_version()}

    def __init__(self, trial: Trial) -> None:
        self.endpoint = trial.target
        self._opened: list[tinyresp.Connection] = []
        if trial.scenario not in LANES:
            raise UnsupportedError(f"{NAME} has no form of {trial.scenario}")
        self.check_target()
        self.lanes = [LANES[trial.scenario](self)]

    def connect(self) -> tinyresp.Connection:
        """Open a connection."""
        return tinyresp.Connection(self.endpoint.host, self.endpoint.port, self.endpoint.unix_socket)

    def sync(self) -> Lane:
        """A unit is one command."""
        return Lane(self._open())

    def batching(self) -> Lane:
        """A unit is one call of `batch`."""
        connection = self._open()
        return Lane(None, lambda commands: connection.batch([words for _, words in commands]))

    def transaction(self) -> Lane:
        """A unit is one call of `transaction`."""
        connection = self._open()
        return Lane(None, lambda commands: connection.transaction([words for _, words in commands]))

    def new_connection(self) -> Lane:
        """A unit connects, sends its command, closes."""

        def once(commands: Iterable[Command]) -> list[Any]:
            connection = self.connect()
            try:
                return connection.batch([words for _, words in commands])
            finally:
                connection.close()

        return Lane(None, once)

    def method(self, target: Any, kind: Kind) -> Call:  # noqa: ANN401, ARG002 - as the protocol has it
        """Return what sends this kind of command."""
        # Where a unit is a batch, the library takes the words and no method is called.
        return target.call if target else tuple

    def arguments(self, kind: Kind) -> Callable[[Words], tuple[Any, ...]]:
        """Return what makes a command's words bytes, before the clock starts."""
        name = kind.name.encode()
        return lambda words: (name, *(word if isinstance(word, bytes) else str(word).encode() for word in words))

    def refusal(self, error: Exception) -> TargetError | None:
        """Return what to tell the user when the error means that the target refused us, or cannot be reached."""
        known = refusal(error, self.endpoint.address)
        return known or (unreachable(error, self.endpoint.address) if isinstance(error, OSError) else None)

    def check_target(self) -> None:
        """Connect once."""
        try:
            self.connect().close()
        except OSError as error:
            raise unreachable(error, self.endpoint.address) from error

    def close(self) -> None:
        """Close every connection."""
        for connection in self._opened:
            connection.close()

    def _open(self) -> tinyresp.Connection:
        self._opened.append(self.connect())
        return self._opened[-1]


LANES: Final[dict[str, Callable[[TinyRespSession], Lane]]] = {
    "sync": TinyRespSession.sync,
    "batching": TinyRespSession.batching,
    "transaction": TinyRespSession.transaction,
    "new-connection": TinyRespSession.new_connection,
}
