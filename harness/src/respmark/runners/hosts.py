"""Runners on other hosts, an agent a host: what the run needs of them, whatever carries the calls.

Moments that runners report are translated to this machine's clock, so that nothing else in a run knows of another.
"""

import contextlib
import hashlib
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Protocol, Self

from respmark.contract.lines import Loaded, Moment, Started, Work, Worked
from respmark.errors import NothingRanError, RunnerFailedError, RunnerMissingError, UnsupportedError
from respmark.machine.host_clock import HostClock, Reading
from respmark.machine.sockets import Sockets
from respmark.runners.agent import FAILURES, AgentReply, Counters, HostFacts, machine_id
from respmark.runners.protocol import NO_LOAD, HostLoad, Latencies, OnHost, TrialRequest
from respmark.specs.client import Client

CALL_LIMIT_S: Final = 10.0
"""What a call itself may take, on top of what it waits for."""
FILE_LIMIT_S: Final = 120.0
NOTHING_COUNTED: Final = Counters(None, None, None)
READINGS: Final = 20
"""Looks at a host's clock before the first trial."""
FRESH_NS: Final = 3_000_000
"""Counters that came with an answer so shortly ago are not asked for again."""


class HostCalls(Protocol):
    """Carries calls to the agent of one host."""

    def __call__(self, method: str, *arguments: Any, limit_s: float) -> AgentReply:  # noqa: ANN401 - the agent's own types
        """Call a method of the agent; raises RunnerFailedError if the host is gone, or does not answer in time."""


@dataclass(eq=False)
class Host:
    """One host, by its agent."""

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
    """What was sent, by its path here: the name that it has there."""
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
        words = f"host {self.name}: {failure.words}"
        kind = FAILURES.get(failure.kind)
        if kind is RunnerMissingError or kind is None:
            raise (RunnerMissingError if kind else RunnerFailedError)(words)
        raise kind(words, failure.code, failure.stderr)

    def file(self, path: Path) -> str:
        """Send a file, unless it is there already, and return the name that it has there."""
        with self._lock:
            if path not in self._files:
                content = path.read_bytes()
                name = f"{hashlib.sha256(content).hexdigest()[:16]}-{path.name}"
                if not self.call("has", name).value:
                    self.call("put", name, content, limit_s=FILE_LIMIT_S)
                self._files[path] = name
            return self._files[path]


@dataclass(eq=False)
class HostsExecutor:
    """Starts the processes of a trial on the hosts in turn."""

    hosts: Sequence[Host]
    per_host: int = 1
    """How many processes a host gets before the next one gets any."""
    _started: list["HostRunner"] = field(default_factory=list)

    def missing(self, client: Client) -> str | None:
        """Return why a host does not have a client; None if every host has it."""
        for host in self.hosts:
            reason: str | None = host.call("missing", client).value
            if reason is not None:
                return f"on host {host.name}: {reason}"
        return None

    def start(self, request: TrialRequest) -> "HostRunner":
        """Start one runner process, and give it its trial."""
        runner = HostRunner(self.hosts[request.part // self.per_host % len(self.hosts)], len(self._started))
        self._started.append(runner)
        runner.start(request)
        return runner

    def cold_start(self, _request: TrialRequest, _limit_s: float) -> Started:
        """Refuse it: when a host is asked for a process is not known by its own clock."""
        raise UnsupportedError("cold starts are of processes on this machine: leave out --via dask")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for runner in self._started:
            runner.kill()


class HostRunner:
    """One runner process on another host, see `Runner`."""

    def __init__(self, host: Host, number: int) -> None:
        """`number` is the only one of this number in the run."""
        self._host, self._number = host, number
        self._counters: Counters | None = None
        self._counted_ns = 0
        self._unread: set[str] = set()
        """Counters that came with the last slice's answer, and that nobody has asked for yet."""
        self._is_over = False
        self._load: HostLoad = NO_LOAD

    @property
    def host(self) -> OnHost:
        """Return which host it is on."""
        host = self._host
        return OnHost(host.name, host.is_here, host.clock.error_ns(host.now()), self._load)

    def start(self, trial: TrialRequest) -> None:
        """Start it, and give it its trial."""
        self._host.call("start", self._number, self._there(trial))

    def give(self, trial: TrialRequest) -> None:
        """Give it a trial."""
        self._load = NO_LOAD
        self._host.call("give", self._number, self._there(trial))

    def load(self, limit_s: float) -> Loaded:
        """Wait until the trial is loaded."""
        loaded: Loaded = self._call("load", limit_s)
        return loaded

    def connect(self, limit_s: float) -> None:
        """Let it open its connections."""
        self._call("connect", limit_s)

    def echo(self, commands: int, limit_s: float) -> list[Any]:
        """Return its replies to the workload's first commands."""
        replies: list[Any] = self._call("echo", limit_s, commands)
        return replies

    def work(self, work: Work, at_ns: int | None = None) -> None:
        """Let it work for a slice that begins at a moment of this machine's clock; None: now."""
        clock = self._host.clock
        if (arrivals := work.arrivals) is not None:
            there = {"file": self._host.file(Path(arrivals.file)), "at": clock.theirs(arrivals.at)}
            work = work.model_copy(update={"arrivals": arrivals.model_copy(update=there)})
        self._counters, self._unread = None, set()
        self._host.call("work", self._number, work, None if at_ns is None else clock.theirs(at_ns))

    def worked(self, limit_s: float) -> Worked:
        """Wait until the slice is over."""
        answer = self._host.call("worked", self._number, limit_s, limit_s=limit_s)
        self._learn(answer)
        self._unread = {"cpu_ns", "threads_ns", "compiling_ns"}
        self._load += answer.load or NO_LOAD
        found: Worked = answer.value
        moments = {name: self._here(getattr(found, name)) for name in ("started", "measured_from", "ended")}
        return found.model_copy(update=moments)

    def collect(self, limit_s: float) -> None:
        """Return None: the agent has taken over its latencies, if there was little room left, after the slice."""

    def samples(self, limit_s: float) -> list[Latencies]:
        """Return the latencies of each slice that kept them."""
        found: list[Latencies] = self._call("samples", limit_s)
        return found

    def end(self, limit_s: float) -> None:
        """Let it close, and wait for its orderly end."""
        self._host.call("call", self._number, "end", limit_s, limit_s=limit_s)
        self._is_over = True

    def cpu_ns(self) -> int | None:
        """Return its CPU time, as its host's kernel counts it."""
        return self._count("cpu_ns").cpu_ns

    def threads_ns(self) -> dict[int, int] | None:
        """Return the CPU time of each of its threads, as its host's kernel counts it."""
        return self._count("threads_ns").threads_ns

    def compiling_ns(self) -> int | None:
        """Return the CPU time of its compilers' threads, as its host's kernel counts it."""
        return self._count("compiling_ns").compiling_ns

    def peak_memory_bytes(self) -> int | None:
        """Return its peak memory, as its host's kernel knows it."""
        peak: int | None = self._call("peak_memory_bytes")
        return peak

    def sockets(self) -> list[Sockets] | None:
        """Return its connections, as its host's kernel shows them."""
        found: list[Sockets] | None = self._call("sockets")
        return found

    def keep_off(self, _thread: int, _server: int) -> bool:
        """Return False: the server has no processor of another host."""
        return False

    def kill(self) -> None:
        """End it, if it is still running; a host that is gone has ended it, too."""
        if self._is_over:
            return
        self._is_over = True
        with contextlib.suppress(RunnerFailedError):
            self._host.call("forget", self._number)

    def _call(self, method: str, limit_s: float = 0.0, *before: Any) -> Any:  # noqa: ANN401 - as above
        limits = (limit_s,) if limit_s else ()
        answer = self._host.call("call", self._number, method, *before, *limits, limit_s=limit_s)
        self._learn(answer)
        return answer.value

    def _count(self, name: str) -> Counters:
        """Return its host's counts, or none if the host is lost: the next order shows that."""
        if name in self._unread:
            self._unread.remove(name)
        elif self._counters is None or self._host.now() - self._counted_ns > FRESH_NS:
            with contextlib.suppress(RunnerFailedError):
                self._call("cpu_ns")
        return self._counters or NOTHING_COUNTED

    def _learn(self, answer: AgentReply) -> None:
        self._counters, self._counted_ns = answer.counters, self._host.now()

    def _there(self, trial: TrialRequest) -> TrialRequest:
        return replace(trial, workload=Path(self._host.file(trial.workload)))

    def _here(self, moment: Moment) -> Moment:
        return moment._replace(at_ns=max(0, self._host.clock.ours(moment.at_ns)))


def check_alike(hosts: Sequence[Host], version: str) -> None:
    """Refuse hosts whose respmark is another than this one: they would measure by other rules."""
    others = [host for host in hosts if host.facts.respmark_version != version]
    if others:
        raise NothingRanError(
            f"host {others[0].name} has respmark {others[0].facts.respmark_version}, this machine {version}: "
            "install the same version on every host"
        )
