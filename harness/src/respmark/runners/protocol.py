"""What the run needs of an executor, whether it starts processes, containers, or, in tests, a script."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol, Self

import numpy as np
import numpy.typing as npt

from respmark.contract.lines import Loaded, Started, Work, Worked
from respmark.contract.trial import Endpoint, Scenario, Shape
from respmark.machine.sockets import Sockets
from respmark.specs.client import Client

Latencies = npt.NDArray[np.float64]
"""In nanoseconds; of open loops, a row a unit: its latency, negative if it failed, when it was due, and its lag."""


@dataclass(frozen=True)
class TrialRequest:
    """One trial, for one of its runner processes."""

    client: Client
    scenario: Scenario
    shape: Shape
    workload: Path
    """The file of columns that the runner reads."""
    target: Endpoint
    part: int = 0
    """The process's number, from 0 on."""


@dataclass(frozen=True)
class HostLoad:
    """What a host's processors did while one runner worked there, from order to answer, in ns; of several slices."""

    lasted_ns: int = 0
    busy_ns: int = 0
    """Of all programs, on all processors."""
    own_ns: int = 0
    """Of the runner."""

    def __add__(self, other: "HostLoad") -> "HostLoad":
        return HostLoad(self.lasted_ns + other.lasted_ns, self.busy_ns + other.busy_ns, self.own_ns + other.own_ns)


NO_LOAD: Final = HostLoad()


@dataclass(frozen=True)
class OnHost:
    """Where a runner is that is not simply a process or a container of this machine."""

    name: str
    """The only host of this name in the run."""
    is_here: bool
    """Whether it is this machine, and its CPU time this machine's."""
    clock_error_ns: int
    """By how much moments that the runner reports may be wrong, as they are by another clock."""
    load: HostLoad = NO_LOAD
    """In the slices since the runner was given its trial; zero where the kernel does not say."""


class Runner(Protocol):
    """One runner process; it works on one trial after the other.

    Whatever waits does so for at most `limit_s`, and raises `RunnerFailedError` if the runner did not answer, ended, or
    said something else; `UnsupportedError` where this machine or server cannot do it.
    """

    @property
    def host(self) -> OnHost | None:
        """Return which of several hosts it is on; None: this machine."""

    def give(self, trial: TrialRequest) -> None:
        """Give it another trial of its client, in place of the one that it has; `load` waits for its answer."""

    def load(self, limit_s: float) -> Loaded:
        """Wait until the trial is loaded, and everything of the one before is closed."""

    def connect(self, limit_s: float) -> None:
        """Let it open its connections."""

    def echo(self, commands: int, limit_s: float) -> list[Any]:
        """Return its replies to whole units of the workload's first commands, at least this many or 1 MB."""

    def work(self, work: Work, at_ns: int | None = None) -> None:
        """Let it work for a slice; if it is gone, `worked` will show that.

        Runners of several hosts begin together, at a moment of this machine's clock; None: now.
        """

    def worked(self, limit_s: float) -> Worked:
        """Wait until the slice is over."""

    def collect(self, limit_s: float) -> None:
        """Take over its latencies, if it has little room left; called when no slice runs."""

    def samples(self, limit_s: float) -> list[Latencies]:
        """Return the latencies of each slice of its trial that kept them."""

    def end(self, limit_s: float) -> None:
        """Let it close, and wait for its orderly end."""

    def cpu_ns(self) -> int | None:
        """Return its CPU time since it started, as counted by something other than itself; None if not counted."""

    def threads_ns(self) -> dict[int, int] | None:
        """Return the CPU time of each of its threads since it started, by the kernel's count; None if not counted."""

    def compiling_ns(self) -> int | None:
        """Return the kernel's CPU time of its compilers' threads that have not ended; None if not counted."""

    def sockets(self) -> list[Sockets] | None:
        """Return its connections to its server, by what was asked of the kernel for them; None if not known."""

    def keep_off(self, thread: int, server: int) -> bool:
        """Keep a thread off the CPUs of a server's process on its machine, if it has others; return whether it is."""

    def peak_memory_bytes(self) -> int | None:
        """Return the largest resident set since it was given its trial, by the kernel's count; None if not known."""

    def kill(self) -> None:
        """End it, if it is still running."""


class Executor(Protocol):
    """Starts runners."""

    def missing(self, client: Client) -> str | None:
        """Return why the client cannot be started here, and what to do about it; None if it can."""

    def start(self, request: TrialRequest) -> Runner:
        """Start one runner process, and give it its trial; raises RunnerMissingError if its program is not there."""

    def cold_start(self, request: TrialRequest, limit_s: float) -> Started:
        """Let the client's second program start, send one command and end; raises what `start` and runners do."""

    def __enter__(self) -> Self:
        """Get ready to start runners."""

    def __exit__(self, *_: object) -> None:
        """End everything that was started."""
