"""What a client library looks like to the scenarios."""

from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, runtime_checkable

from respmark_python.contract.events import LocalCache
from respmark_python.errors import TargetError
from respmark_python.workload.commands import Call
from respmark_python.workload.walker import Perform
from respmark_python.workload.workload import Kind, Word

Value = TypeVar("Value")


@dataclass(frozen=True)
class Lane:
    """What one walker drives: the object whose methods are the commands, and how to perform a unit with it.

    Without `perform`, a unit is one command: its method is called and returns the reply.
    """

    target: Any
    perform: Perform | None = None


class Session(Protocol):
    """One client, made for one trial."""

    @property
    def lanes(self) -> Sequence[Lane]:
        """One for each walker."""

    @property
    def failures(self) -> tuple[type[Exception], ...]:
        """What a unit raises when it fails."""

    @property
    def ok(self) -> object:
        """The library's form of the reply `OK`."""

    @property
    def pong(self) -> object:
        """The library's form of the reply `PONG`."""

    @property
    def decodes_to(self) -> str:
        """What values are in both directions: bytes or text; the reply to a GET is decoded to it."""

    @property
    def settings(self) -> Mapping[str, str | int | float | bool]:
        """What a reader must know about how the library is used."""

    @property
    def versions(self) -> Mapping[str, str]:
        """The versions that are really loaded."""

    def method(self, target: Any, kind: Kind) -> Call:
        """Return the target's method for this kind of command, for a call with `arguments`.

        Raises:
            UnsupportedError: the library has none.
        """

    def arguments(self, kind: Kind, words: Sequence[Word]) -> tuple[Any, ...]:
        """Return the method's arguments for a command's words."""

    def local_cache(self) -> LocalCache | None:
        """Return what the client's own cache has done so far; None: the client has none."""

    def connect(self) -> None:
        """Open every connection that the trial uses.

        Raises:
            TargetError: the target cannot be reached, or refused the runner.
        """

    def refusal(self, error: Exception) -> TargetError | None:
        """Return what the error means if the target refused the runner or cannot be reached; None otherwise."""

    def close(self) -> None:
        """Close every connection."""


@runtime_checkable
class RunsTasks(Protocol):
    """A session with an event loop."""

    def run(self, work: Coroutine[Any, Any, Value]) -> Value:
        """Run the coroutine on the session's event loop."""


class TaskSession(Session, RunsTasks, Protocol):
    """A session whose methods and units are coroutines."""
