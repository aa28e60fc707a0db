"""Runners on other hosts, an agent a host: what the run needs of them, whatever carries the calls."""

import contextlib
import hashlib
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol, Self

from respmark.contract.lines import Started
from respmark.errors import NothingRanError, RunnerFailedError, RunnerMissingError, UnsupportedError
from respmark.machine.host_clock import HostClock, Reading
from respmark.machine.process import ENDING_LIMIT_S, Usage
from respmark.machine.sockets import Sockets
from respmark.runners.agent import AgentReply, Heard, HostFacts, machine_id
from respmark.runners.protocol import HostLoad, MakeRunner, OnHost, Place, TrialRequest
from respmark.runners.runner import Runner
from respmark.specs.client import Client, ClientKey, ClientSpec

CALL_LIMIT_S: Final = 10.0
"""What a call itself may take, on top of what it waits for."""
FILE_LIMIT_S: Final = 120.0
READINGS: Final = 20
"""Looks at a host's clock before the first trial."""
FRESH_NS: Final = 3_000_000
"""Counters that came with an answer so shortly ago are not asked for again."""


class HostCalls(Protocol):
    """Carries calls to the agent of one host."""

    def __call__(self, method: str, *arguments: Any, limit_s: float) -> AgentReply:  # noqa: ANN401 - the agent's own types
        """Call a method of the agent; raises RunnerFailedError if the host is gone, or does not answer in time."""


@dataclass(eq=False)
class Host(Place):
    """One host, by its agent: files are sent there, and moments that runners report translated to this machine's."""

    name: str
    """The only one of this name in the run."""
    address: str
    facts: HostFacts
    calls: HostCalls
    clock: HostClock = field(default_factory=HostClock)
    now: Callable[[], int] = time.monotonic_ns
    lost: str | None = None
    """Why nothing can be asked of it any more."""
    _files: dict[Path, str] = field(default_factory=dict)
    """What was sent, by its path here: where it is there."""
    _lock: threading.RLock = field(default_factory=threading.RLock)
    """Of what is known of it: processes on one host are called at the same time."""

    is_here: bool = field(init=False)
    """Whether it is this machine."""

    def __post_init__(self) -> None:
        self.is_here = self.facts.machine_id == machine_id()
        for _ in range(READINGS):
            self.call("clock")

    def call(self, method: str, *arguments: Any, limit_s: float = 0.0) -> AgentReply:  # noqa: ANN401 - as above
        """Call a method of the agent that may wait for `limit_s`; raises what it raised, with the host's name."""
        if self.lost is not None:
            raise RunnerFailedError(self.lost)
        asked_ns = self.now()
        try:
            answer = self.calls(method, *arguments, limit_s=limit_s + CALL_LIMIT_S)
        except RunnerFailedError as error:
            self.lost = f"host {self.name}: {error}"
            raise RunnerFailedError(self.lost) from error
        if not limit_s:  # an answer that was waited for says little about the clock
            with self._lock:
                self.clock.learn(Reading(asked_ns, answer.at_ns, self.now()))
        if (failure := answer.failure) is None:
            return answer
        raise (RunnerMissingError if failure.is_missing else RunnerFailedError)(f"host {self.name}: {failure.words}")

    def file(self, path: Path) -> str:
        """Send a file, unless it is there already, and return where it is there."""
        with self._lock:
            if path not in self._files:
                content = path.read_bytes()
                name = f"{hashlib.sha256(content).hexdigest()[:16]}-{path.name}"
                if not self.call("has", name).value:
                    self.call("put", name, content, limit_s=FILE_LIMIT_S)
                self._files[path] = f"{self.facts.folder}/{name}"
            return self._files[path]

    def theirs(self, ours_ns: int) -> int:
        """Return a moment of our clock by the one there."""
        return self.clock.theirs(ours_ns)

    def ours(self, theirs_ns: int) -> int:
        """Return a moment of the clock there by our own."""
        return self.clock.ours(theirs_ns)

    @property
    def prefix(self) -> str:
        """Return what sentences about a process there begin with."""
        return f"host {self.name}: "

    def on_host(self, load: HostLoad) -> OnHost:
        """Return which host it is, on which this has happened in slices."""
        return OnHost(self.name, self.is_here, self.clock.error_ns(self.now()), load)


@dataclass(eq=False)
class HostsExecutor:
    """Starts the processes of a trial on the hosts in turn."""

    hosts_in_use: Sequence[Host]
    clients: Mapping[ClientKey, ClientSpec]
    """Client specs, by language and library."""
    per_host: int = 1
    """How many processes a host gets before the next one gets any."""
    _started: list["RemoteProcess"] = field(default_factory=list)

    def missing(self, client: Client) -> str | None:
        """Return why a host does not have a client; None if every host has it."""
        for host in self.hosts_in_use:
            reason: str | None = host.call("missing", client).value
            if reason is not None:
                return f"on host {host.name}: {reason}"
        return None

    def start(self, request: TrialRequest, kind: MakeRunner | None = None) -> Runner:
        """Start one runner process, and give it its trial."""
        host = self.hosts_in_use[request.part // self.per_host % len(self.hosts_in_use)]
        host.file(request.workload)  # before anything is started: its disk may be full
        process = RemoteProcess(host, len(self._started), request)
        self._started.append(process)
        spec = self.clients[request.client.runner, request.client.library]
        runner = (kind or Runner)(process, spec.of_version(request.client.version).adapter, host)
        runner.give(request)
        return runner

    def cold_start(self, _request: TrialRequest, _limit_s: float) -> Started:
        """Refuse it: when a host is asked for a process is not known by its own clock."""
        raise UnsupportedError("cold starts are of processes on this machine: leave out --via dask")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._started:
            process.kill()


class RemoteProcess:
    """A process on another host, by the agent there; see `Process`."""

    exchange: tuple[Usage, Usage] | None = None

    def __init__(self, host: Host, number: int, request: TrialRequest) -> None:
        """Start it; `number` is the only one of this number in the run."""
        self._host, self._number = host, number
        self.stderr: Sequence[str] = ()
        self._usage: Usage | None = None
        self._counted_ns = 0
        self._unread: set[str] = set()
        """What came with the last answer, and nobody has asked for yet."""
        self._before: Usage | None = None
        self._is_over = False
        host.call("start", number, request)

    def forget_stderr(self) -> None:
        """Forget what it has printed to standard error so far."""
        self._call("forget_stderr")

    def write(self, line: str, at_ns: int | None = None) -> None:
        """Write one line to its input, at a moment of this machine's clock; None: now."""
        self._usage, self._unread = None, set()
        then = None if at_ns is None else self._host.clock.theirs(at_ns)
        self._before = self._host.call("write", self._number, line, then).value

    def read(self, limit_s: float) -> bytes | None:
        """Return the next line of its output, None at its end; raises TimeoutError if none comes within `limit_s`."""
        heard: Heard = self._host.call("read", self._number, limit_s, limit_s=limit_s).value
        self.stderr, self._usage, self._counted_ns = heard.stderr, heard.usage, self._host.now()
        self._unread = {"cpu_ns", "threads_ns", "compiling_ns"}
        self.exchange = None if self._before is None else (self._before, heard.usage)
        if not heard.came_in_time:
            raise TimeoutError
        return heard.line

    def cpu_ns(self) -> int | None:
        """Return its CPU time, as its host's kernel counts it."""
        usage = self._counted("cpu_ns")
        return None if usage is None else usage.cpu_ns

    def threads_ns(self) -> dict[int, int] | None:
        """Return the CPU time of each of its threads, as its host's kernel counts it."""
        usage = self._counted("threads_ns")
        return None if usage is None else usage.threads_ns

    def compiling_ns(self) -> int | None:
        """Return the CPU time of its compilers' threads, as its host's kernel counts it."""
        usage = self._counted("compiling_ns")
        return None if usage is None else usage.compiling_ns

    def sockets(self, port: int) -> list[Sockets] | None:
        """Return its connections to a port, as its host's kernel shows them."""
        found: list[Sockets] | None = self._call("sockets", port)
        return found

    def keep_off(self, _thread: int, _server: int) -> bool:
        """Return False: the server has no processor of another host."""
        return False

    def peak_memory_bytes(self) -> int | None:
        """Return its peak memory, as its host's kernel knows it."""
        peak: int | None = self._call("peak_memory_bytes")
        return peak

    def end(self, limit_s: float) -> int | None:
        """End its input, and return its exit code; None: it was killed, as it did not end."""
        code: int | None = self._call("end", limit_s, limit_s=limit_s)
        self._is_over = code is not None
        return code

    def ended(self) -> int | None:
        """Return the exit code of a program whose output has ended; None: it went on, and was killed."""
        code: int | None = self._call("ended", limit_s=ENDING_LIMIT_S)
        return code

    def why_it_ended(self, _code: int) -> None:
        """Return None: the exit code says it all."""

    def kill(self) -> None:
        """End it, if it is still running; a host that is gone has ended it, too."""
        if self._is_over:
            return
        self._is_over = True
        with contextlib.suppress(RunnerFailedError):
            self._host.call("forget", self._number)

    def _call(self, method: str, *arguments: Any, limit_s: float = 0.0) -> Any:  # noqa: ANN401 - as above
        value, self.stderr = self._host.call("call", self._number, method, *arguments, limit_s=limit_s).value
        return value

    def _counted(self, name: str) -> Usage | None:
        """Return its host's counts, or none if the host is lost: the next order shows that."""
        if name in self._unread:
            self._unread.remove(name)
        elif self._usage is None or self._host.now() - self._counted_ns > FRESH_NS:
            with contextlib.suppress(RunnerFailedError):
                self._usage, self._counted_ns = self._call("usage"), self._host.now()
        return self._usage


def check_alike(hosts: Sequence[Host], version: str) -> None:
    """Refuse hosts whose respmark is another than this one: they would measure by other rules."""
    others = [host for host in hosts if host.facts.respmark_version != version]
    if others:
        raise NothingRanError(
            f"host {others[0].name} has respmark {others[0].facts.respmark_version}, this machine {version}: "
            "install the same version on every host"
        )
