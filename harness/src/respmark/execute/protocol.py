"""What the run needs of an executor, whether it starts processes, containers, or, in tests, a script."""

from typing import Protocol, Self

from respmark.contract.events import Connect, Finish, Loaded, Ready, Result, Slice, SliceOrder
from respmark.contract.trial import TrialRequest
from respmark.execute.describer import Describer
from respmark.specs.client import Client

RunnerEvent = Loaded | Ready | Slice | Result
RunnerOrder = Connect | SliceOrder | Finish


class RunnerProcess(Protocol):
    """One runner process, at work on one trial."""

    def next_event(self, limit_s: float) -> RunnerEvent:
        """Return the next event.

        Raises:
            RunnerFailedError: none came within `limit_s`, the runner ended, or it said something else.
        """

    def order(self, order: RunnerOrder) -> None:
        """Send it an order; if it is gone, `next_event` will show that."""

    def collect(self, limit_s: float) -> None:
        """Take over what it keeps of slices, if it has little room left; called when no slice runs.

        Raises:
            RunnerFailedError: it did not hand it over within `limit_s`.
        """

    def wait(self, limit_s: float) -> None:
        """Let it close, and wait for its orderly end.

        Raises:
            RunnerFailedError: it did not end within `limit_s`, or its exit code was not 0.
        """

    def cpu_ns(self) -> int | None:
        """Return its CPU time since it started, as counted by something other than itself; None if not counted."""

    def threads_ns(self) -> dict[int, int] | None:
        """Return the CPU time of each of its threads since it started, by the kernel's count; None if not counted."""

    def compiling_ns(self) -> int | None:
        """Return the CPU time of its just-in-time compilers so far; None if it has none, or they are not counted.

        By the kernel's count, from which a thread disappears when it ends.
        """

    def peak_memory_bytes(self) -> int | None:
        """Return the largest resident set that it has had, by the kernel's count; None if not known."""

    def kill(self) -> None:
        """End it, if it is still running."""


class Executor(Describer, Protocol):
    """Starts runners."""

    def start(self, client: Client, request: TrialRequest) -> RunnerProcess:
        """Start one runner process, and give it a trial.

        Raises:
            RunnerMissingError: it is not installed.
        """

    def __enter__(self) -> Self:
        """Get ready to start runners."""

    def __exit__(self, *_: object) -> None:
        """End everything that was started."""
