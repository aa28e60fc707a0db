"""What the run needs of whatever starts runners: processes here, containers elsewhere, a script in tests."""

from typing import Protocol, Self

from respmark.contract.description import Description
from respmark.contract.events import Connect, Finish, Loaded, Ready, Result, Slice, SliceOrder
from respmark.contract.trial import TrialRequest
from respmark.specs.client import Client

RunnerEvent = Loaded | Ready | Slice | Result
RunnerOrder = Connect | SliceOrder | Finish


class RunnerProcess(Protocol):
    """One runner at work on one trial."""

    def next_event(self, limit_s: float) -> RunnerEvent:
        """Return the next event.

        Raises:
            RunnerFailedError: none came within `limit_s`, or it ended, or it said something else.
        """

    def order(self, order: RunnerOrder) -> None:
        """Tell it what to do next; that it is gone shows at the next event."""

    def wait(self, limit_s: float) -> None:
        """Let it close, and wait for its orderly end.

        Raises:
            RunnerFailedError: it did not end within `limit_s`, or not with exit code 0.
        """

    def cpu_ns(self) -> int | None:
        """Return its CPU since it started as something other than itself counts it; None: nobody does."""

    def threads_ns(self) -> dict[int, int] | None:
        """Return the CPU of each of its threads since they started, as the kernel counts it; None: nobody does."""

    def compiling_ns(self) -> int | None:
        """Return the CPU of its just-in-time compilers so far, by the kernel's count; None: none, or nobody counts.

        A thread that ends takes its count along.
        """

    def peak_memory_bytes(self) -> int | None:
        """Return the largest resident set that it had, as the kernel says; None: nobody tells."""

    def kill(self) -> None:
        """End it, if it still runs."""


class Executor(Protocol):
    """Starts runners."""

    def describe(self, client: Client) -> Description:
        """Return what the runner of this client says of itself.

        Raises:
            RunnerMissingError: it is not installed; the message says in whose words, and what to do.
        """

    def start(self, client: Client, request: TrialRequest) -> RunnerProcess:
        """Start one runner process on a trial.

        Raises:
            RunnerMissingError: it is not installed.
        """

    def __enter__(self) -> Self:
        """Make ready to start runners."""

    def __exit__(self, *_: object) -> None:
        """End everything that was started."""
