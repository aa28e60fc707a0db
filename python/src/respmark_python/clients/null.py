"""No client at all: its commands do nothing. A trial of it shows what the loop itself costs every client.

It is loaded by name only, and is not among the clients that `describe` lists.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from respmark_python.clients.session import Lane
from respmark_python.contract.trial import Trial
from respmark_python.errors import TargetError, UnsupportedError
from respmark_python.workload.commands import Call
from respmark_python.workload.workload import Kind, Word

NAME: Final = "null"


class NullSession:
    """One trial of nothing."""

    ok: object = None
    pong: object = None
    decodes_to = "bytes"
    failures: tuple[type[Exception], ...] = ()
    settings: Mapping[str, str | int | float | bool] = {}
    versions: Final[Mapping[str, str]] = {NAME: "0"}

    def __init__(self, trial: Trial) -> None:
        if trial.scenario != "sync":
            raise UnsupportedError(f"{NAME} has only the scenario sync")
        self.lanes: Sequence[Lane] = [Lane(self)]

    def method(self, _target: Any, _kind: Kind) -> Call:
        """Return a function that does nothing."""
        return _nothing

    def arguments(self, _kind: Kind, words: Sequence[Word]) -> tuple[Any, ...]:
        """Return the words as they are."""
        return tuple(words)

    def local_cache(self) -> None:
        """There is no cache."""

    def connect(self) -> None:
        """There is nothing to connect to."""

    def refusal(self, _error: Exception) -> TargetError | None:
        """Nobody refuses anything."""
        return None

    def close(self) -> None:
        """There is nothing to close."""


def _nothing(_key: Any = None, _value: Any = None, *_others: Any) -> None:
    return None
