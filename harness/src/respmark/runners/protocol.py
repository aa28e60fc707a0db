"""What a runner needs of its process and of the machine that it is on, and what starts it: three kinds of place."""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from respmark.contract.lines import Started
from respmark.contract.trial import Endpoint, Scenario, Shape
from respmark.machine.guardian import Guardian
from respmark.machine.placement import Placement
from respmark.machine.process import Usage
from respmark.network.relay import ListenAddress
from respmark.results.containers import Containers
from respmark.results.manifest import HostDescription
from respmark.servers.node import StandBefore
from respmark.servers.server import Server
from respmark.specs.catalogue import Catalogue
from respmark.specs.client import Client
from respmark.specs.server import ServerSpec

if TYPE_CHECKING:
    from respmark.machine.process import LocalProcess
    from respmark.runners.hosts import RemoteProcess
    from respmark.runners.runner import Runner

    Process: TypeAlias = LocalProcess | RemoteProcess
    """A process of a runner: here, in a container, or on a host."""

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
    server: Endpoint
    part: int = 0
    """The process's number, from 0 on."""
    limits: str | None = None
    """What bounds the client's waits, where its server is to fail; None: the client has no such option."""


@dataclass(frozen=True)
class HostLoad:
    """What a host's processors did while one runner worked there, from order to answer, in ns; of several slices."""

    lasted_ns: int = 0
    busy_ns: int = 0
    """Of all programs, on all processors."""
    own_ns: int = 0
    """Of the runner."""

    @classmethod
    def between(cls, before: Usage, after: Usage) -> "HostLoad":
        """Return what happened between two readings; nothing where the kernel does not say."""
        if before.machine is None or after.machine is None or before.cpu_ns is None or after.cpu_ns is None:
            return NO_LOAD
        busy_ns = after.machine.since(before.machine).busy_ns
        return cls(after.at_ns - before.at_ns, busy_ns, max(0, after.cpu_ns - before.cpu_ns))

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


class Place:
    """Where processes are: this machine, where files are where we have them, and moments are ours."""

    @property
    def prefix(self) -> str:
        """Return what sentences about a process there begin with."""
        return ""

    def file(self, path: Path) -> str:
        """Return where a process sees a file of ours."""
        return str(path)

    def theirs(self, ours_ns: int) -> int:
        """Return a moment of our clock by the one there."""
        return ours_ns

    def ours(self, theirs_ns: int) -> int:
        """Return a moment of the clock there by our own."""
        return theirs_ns

    def on_host(self, _load: HostLoad) -> OnHost | None:
        """Return which of several hosts it is, on which this has happened in slices; None: this machine."""


HERE: Final = Place()


MakeRunner = Callable[["Process", str, Place], "Runner"]
"""Returns a runner from its process, the file of its client's adapter, and the place."""


class Executor(Protocol):
    """Starts runners, and reaches servers that they reach, in one kind of place: here, in containers, on hosts."""

    @property
    def placement(self) -> Placement:
        """Return which CPUs server and clients get."""

    @property
    def listen_address(self) -> ListenAddress:
        """Return where a relay or a proxy must listen for runners to reach it."""

    def missing(self, client: Client) -> str | None:
        """Return why the client cannot be started here, and what to do about it; None if it can."""

    def start(self, request: TrialRequest, kind: MakeRunner | None = None) -> "Runner":
        """Start one runner process, and give it its trial; raises RunnerMissingError if its program is not there.

        `kind` makes a runner that drives the process in its own way.
        """

    def cold_start(self, request: TrialRequest, limit_s: float) -> Started:
        """Let the client's second program start, send one command and end; raises what `start` and runners do."""

    def open_server(self, spec: ServerSpec, *, allow_flush: bool, before: StandBefore | None = None) -> Server:
        """Start or reach the server that a spec names; `before` each node that is started comes what stands there.

        Raises ServerError if it cannot be reached, or refused us, NothingRanError if it cannot be started,
        InvalidRequestError if runners cannot reach it.
        """

    def containers(self, clients: Iterable[Client]) -> Containers | None:
        """Return what the manifest says about the containers of these clients; None if there are none."""

    @property
    def hosts(self) -> list[HostDescription]:
        """Return what the manifest says about the hosts of clients; empty: they are on this machine alone."""


OpenExecutor = Callable[[Catalogue, Guardian, Path, str], AbstractContextManager[Executor]]
"""Gets ready to start runners for the run of a name, and ends everything that was started; runners may read the folder.

Two phases, as one way to start runners may be opened for several runs: images are built once for all of them.
"""
