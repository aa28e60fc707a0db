"""The adapter, as it would stand in python/src/respmark_python/clients/: the only place that imports the library."""

import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from respmark_python.clients.refusals import refusal, unreachable
from respmark_python.clients.session import Lane
from respmark_python.contract.description import ClientDescription, ScenarioSupport
from respmark_python.contract.trial import Trial
from respmark_python.errors import TargetError, UnsupportedError
from respmark_python.workload.commands import Call, Command
from respmark_python.workload.workload import Kind, Word

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
        self._connections: list[tinyresp.Connection] = []
        if trial.scenario not in LANES:
            raise UnsupportedError(f"{NAME} has no form of {trial.scenario}")
        self.lanes = [LANES[trial.scenario](self)]

    def local_cache(self) -> None:
        """There is no cache."""

    def connect(self) -> None:
        """Open what the trial uses; the target is asked in any case."""
        try:
            for connection in self._connections:
                connection.connect()
            if not self._connections:
                self._once([])
        except OSError as error:
            raise unreachable(error, self.endpoint.address) from error

    def sync(self) -> Lane:
        """A unit is one command."""
        return Lane(self._connection())

    def batching(self) -> Lane:
        """A unit is one call of `batch`."""
        connection = self._connection()
        return Lane(None, lambda commands: connection.batch(words_of(commands)))

    def transaction(self) -> Lane:
        """A unit is one call of `transaction`."""
        connection = self._connection()
        return Lane(None, lambda commands: connection.transaction(words_of(commands)))

    def new_connection(self) -> Lane:
        """A unit connects, sends its command, closes."""
        return Lane(None, self._once)

    def method(self, target: Any, kind: Kind) -> Call:  # noqa: ANN401 - as the protocol has it
        """Return what sends this kind of command; where a unit is a batch, what returns the command's words."""
        name = kind.name.encode()
        if target is None:
            return lambda *words: (name, *map(to_bytes, words))
        return lambda *words: target.call(name, *map(to_bytes, words))

    def arguments(self, _kind: Kind, words: Sequence[Word]) -> tuple[Any, ...]:
        """Return what it is called with: every command is called with its own words."""
        return tuple(words)

    def refusal(self, error: Exception) -> TargetError | None:
        """Return what to tell the user when the error means that the target refused us, or cannot be reached."""
        known = refusal(error, self.endpoint.address)
        return known or (unreachable(error, self.endpoint.address) if isinstance(error, OSError) else None)

    def close(self) -> None:
        """Close every connection."""
        for connection in self._connections:
            connection.close()

    def _connection(self) -> tinyresp.Connection:
        connection = self._new()
        self._connections.append(connection)
        return connection

    def _new(self) -> tinyresp.Connection:
        target = self.endpoint
        return tinyresp.Connection(target.host, target.port, target.unix_socket, target.password)

    def _once(self, commands: Iterable[Command]) -> list[Any]:
        connection = self._new()
        connection.connect()
        try:
            return connection.batch(words_of(commands))
        finally:
            connection.close()


def words_of(commands: Iterable[Command]) -> list[tuple[bytes, ...]]:
    """Return the commands' words, as the library takes them."""
    return [call(key) if value is None else call(key, value) for key, (call, value) in commands]


def to_bytes(word: str | bytes) -> bytes:
    """Return a word of a command as the library takes it."""
    return word if isinstance(word, bytes) else word.encode()


LANES: Final[dict[str, Callable[[TinyRespSession], Lane]]] = {
    "sync": TinyRespSession.sync,
    "batching": TinyRespSession.batching,
    "transaction": TinyRespSession.transaction,
    "new-connection": TinyRespSession.new_connection,
}
