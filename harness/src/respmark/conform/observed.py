"""An executor whose runners reach the server through a recording proxy."""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Final, Self

from respmark.conform.observation import Claim
from respmark.contract.lines import Description, Loaded, Work, Worked
from respmark.errors import RunnerFailedError
from respmark.execute.protocol import Executor, Latencies, Runner, TrialRequest
from respmark.specs.client import Client
from respmark.specs.scenario import commands_per_unit
from respmark.wire.proxy import Proxy
from respmark.workload.workload import first_commands

LIMIT_S: Final = 20.0
"""The longest that a runner may be silent in a short trial, whatever goes wrong."""
TLS_LIMIT_S: Final = 60.0
"""The same over TLS: a runner that opens a thousand connections is silent during as many handshakes.

redis-py rereads the system's certificate authorities for each connection, which alone takes 26 s of CPU for a thousand.
"""


class ObservedExecutor:
    """Starts runners as `inner` does; marks in the trace when slices begin and end, and keeps what runners claim."""

    def __init__(self, inner: Executor, proxy: Proxy, commands: int) -> None:
        """`commands` is how many the workload has."""
        self._inner = inner
        self.proxy = proxy
        self.commands = commands
        self.errors: list[RunnerFailedError] = []
        """How runners failed, if they did."""
        self.claims: defaultdict[int, dict[int, Claim]] = defaultdict(dict)
        """By number of the slice and of the process."""

    @property
    def slices(self) -> tuple[dict[int, Claim], ...]:
        """Return the claims of each slice that every process has answered, by number of the process."""
        processes = max(map(len, self.claims.values()), default=0)
        return tuple(claims for _, claims in sorted(self.claims.items()) if len(claims) == processes)

    def describe(self, client: Client) -> Description:
        """Ask the runner."""
        return self._inner.describe(client)

    def start(self, request: TrialRequest) -> "ObservedRunner":
        """Start a runner whose target is a listener of the proxy."""
        moved = replace(request, target=self.proxy.endpoint_for(request.part))
        limit_s = LIMIT_S if moved.target.tls is None else TLS_LIMIT_S
        return ObservedRunner(self._inner.start(moved), self, moved, limit_s)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Do nothing: whoever opened the inner executor ends what was started."""


class ObservedRunner:
    """One runner at work; its moments are marked in the trace."""

    def __init__(self, inner: Runner, executor: ObservedExecutor, request: TrialRequest, limit_s: float) -> None:
        self._executor = executor
        self._request = request
        self._limit_s = limit_s
        self._inner = inner
        self._number = 0
        """Of the slice, counted from 1."""
        self._first_command = 0
        self.cpu_ns = inner.cpu_ns
        self.threads_ns = inner.threads_ns
        self.compiling_ns = inner.compiling_ns
        self.peak_memory_bytes = inner.peak_memory_bytes
        self.kill = inner.kill

    def load(self, limit_s: float) -> Loaded:
        """Ask the runner."""
        with self._noted():
            return self._inner.load(min(limit_s, self._limit_s))

    def connect(self, limit_s: float) -> None:
        """Let it connect, after marking `connect`."""
        self._mark("connect")
        with self._noted():
            self._inner.connect(min(limit_s, self._limit_s))

    def echo(self, commands: int, limit_s: float) -> list[Any]:
        """Let it verify, then mark `ready`."""
        with self._noted():
            replies = self._inner.echo(commands, min(limit_s, self._limit_s))
        self._mark("ready")
        return replies

    def work(self, work: Work) -> None:
        """Let it work, after marking `go`."""
        self._number += 1
        self._mark("go")
        self._first_command = work.first
        self._inner.work(work)

    def worked(self, limit_s: float) -> Worked:
        """Mark the answer as `end`, and keep the claim."""
        with self._noted():
            answer = self._inner.worked(min(limit_s, self._limit_s))
        self._mark("end")
        self._executor.claims[self._number][self._request.part] = self._claim(answer)
        return answer

    def collect(self, limit_s: float) -> None:
        """Ask the runner."""
        self._inner.collect(limit_s)

    def samples(self, limit_s: float) -> list[Latencies]:
        """Ask the runner."""
        with self._noted():
            return self._inner.samples(limit_s)

    def end(self, limit_s: float) -> None:
        """Mark `stop`, let the runner close, and wait for its orderly end."""
        self._mark("stop")
        with self._noted():
            self._inner.end(limit_s)

    def _mark(self, name: str) -> None:
        self._executor.proxy.mark(name, self._request.part)

    @contextmanager
    def _noted(self) -> Iterator[None]:
        try:
            yield
        except RunnerFailedError as error:
            self._executor.errors.append(error)
            raise

    def _claim(self, answer: Worked) -> Claim:
        request, begin = self._request, self._first_command
        per_unit = commands_per_unit(request.scenario, request.shape)
        firsts = first_commands(self._executor.commands, request.shape, request.scenario, request.part, begin)
        units = [sum(both) for both in zip(answer.lead_in, answer.measured, strict=True)]
        return Claim(
            first_command=begin,
            walkers=tuple((first, count * per_unit) for first, count in zip(firsts, units, strict=False)),
            lead_in=sum(answer.lead_in) * per_unit,
            measured=sum(answer.measured) * per_unit,
            measured_from_ns=answer.measured_from.at_ns,
            errors=answer.errors,
            first_error=answer.first_error,
        )
