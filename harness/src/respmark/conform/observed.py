"""An executor whose runners reach the server through a recording proxy."""

from collections import defaultdict
from typing import Final, Self

from respmark.conform.observation import Claim
from respmark.contract.description import Description
from respmark.contract.events import Connect, Ready, Slice, SliceOrder
from respmark.contract.trial import TrialRequest
from respmark.errors import RunnerFailedError
from respmark.execute.protocol import Executor, RunnerEvent, RunnerOrder, RunnerProcess
from respmark.specs.client import Client
from respmark.wire.proxy import Proxy

LIMIT_S: Final = 20.0
"""The longest that a runner may be silent in a short trial, whatever goes wrong."""
TLS_LIMIT_S: Final = 60.0
"""The same over TLS: a runner that opens a thousand connections is silent during as many handshakes.

redis-py rereads the system's certificate authorities for each connection, which alone takes 26 s of CPU for a thousand.
"""


class ObservedExecutor:
    """Starts runners as `inner` does; marks in the trace when slices begin and end, and keeps what runners claim."""

    def __init__(self, inner: Executor, proxy: Proxy) -> None:
        self._inner = inner
        self.proxy = proxy
        self.errors: list[RunnerFailedError] = []
        """How runners failed, if they did."""
        self.claims: defaultdict[int, dict[int, Claim]] = defaultdict(dict)
        """By number of the slice and of the process."""

    @property
    def slices(self) -> tuple[dict[int, Claim], ...]:
        """Return the slices that every process has answered."""
        processes = max(map(len, self.claims.values()), default=0)
        return tuple(claims for _, claims in sorted(self.claims.items()) if len(claims) == processes)

    def describe(self, client: Client) -> Description:
        """Ask the runner."""
        return self._inner.describe(client)

    def start(self, client: Client, request: TrialRequest) -> "ObservedProcess":
        """Start a runner whose target is a listener of the proxy."""
        part = request.workload.part
        moved = request.model_copy(update={"target": self.proxy.endpoint_for(part)})
        limit_s = LIMIT_S if moved.target.tls is None else TLS_LIMIT_S
        return ObservedProcess(self._inner.start(client, moved), self, part, limit_s)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Do nothing: whoever opened the inner executor ends what was started."""


class ObservedProcess:
    """One runner at work; its moments are marked in the trace."""

    def __init__(self, inner: RunnerProcess, executor: ObservedExecutor, part: int, limit_s: float) -> None:
        self._executor = executor
        self._part = part
        self._limit_s = limit_s
        self._inner = inner
        self._first_command = 0
        self.cpu_ns = inner.cpu_ns
        self.threads_ns = inner.threads_ns
        self.compiling_ns = inner.compiling_ns
        self.peak_memory_bytes = inner.peak_memory_bytes
        self.collect = inner.collect
        self.kill = inner.kill

    def next_event(self, limit_s: float) -> RunnerEvent:
        """Return the next event; mark `ready`, and mark a slice's answer as `end`."""
        try:
            event = self._inner.next_event(min(limit_s, self._limit_s))
        except RunnerFailedError as error:
            self._executor.errors.append(error)
            raise
        if isinstance(event, Ready):
            self._executor.proxy.mark("ready", self._part)
        elif isinstance(event, Slice):
            self._executor.proxy.mark("end", self._part)
            self._executor.claims[event.slice][self._part] = _claim(event, self._first_command)
        return event

    def order(self, order: RunnerOrder) -> None:
        """Pass the order on, after marking `connect`, or an ordered slice as `go`."""
        if isinstance(order, Connect):
            self._executor.proxy.mark("connect", self._part)
        elif isinstance(order, SliceOrder):
            self._executor.proxy.mark("go", self._part)
            self._first_command = order.first_command
        self._inner.order(order)

    def wait(self, limit_s: float) -> None:
        """Mark `stop`, let the runner close, and wait for its orderly end."""
        self._executor.proxy.mark("stop", self._part)
        try:
            self._inner.wait(limit_s)
        except RunnerFailedError as error:
            self._executor.errors.append(error)
            raise


def _claim(answer: Slice, first_command: int) -> Claim:
    return Claim(
        first_command=first_command,
        walkers=tuple((segment.first_command, segment.operations) for segment in answer.segments),
        lead_in=answer.lead_in.operations,
        measured=answer.measured.operations,
        measured_from_ns=answer.measured_from.at_ns,
        errors=dict(answer.errors),
        first_error=answer.first_error,
    )
