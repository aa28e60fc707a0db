"""An executor whose runners reach the server through a recording proxy."""

from typing import Final, Self

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
    """Starts runners as `inner` does, and tells the proxy when slices begin and end."""

    def __init__(self, inner: Executor, proxy: Proxy) -> None:
        self._inner = inner
        self._proxy = proxy
        self.failures: list[RunnerFailedError] = []
        """How runners failed, if they did."""

    def describe(self, client: Client) -> Description:
        """Ask the runner."""
        return self._inner.describe(client)

    def start(self, client: Client, request: TrialRequest) -> "ObservedProcess":
        """Start a runner whose target is a listener of the proxy."""
        part = request.workload.part
        moved = request.model_copy(update={"target": self._proxy.endpoint_for(part)})
        limit_s = LIMIT_S if moved.target.tls is None else TLS_LIMIT_S
        return ObservedProcess(self._inner.start(client, moved), self._proxy, part, self.failures, limit_s)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Do nothing: whoever opened the inner executor ends what was started."""


class ObservedProcess:
    """One runner at work; its moments are marked in the trace."""

    def __init__(
        self, inner: RunnerProcess, proxy: Proxy, part: int, failures: list[RunnerFailedError], limit_s: float
    ) -> None:
        self._inner = inner
        self._proxy = proxy
        self._part = part
        self._failures = failures
        self._limit_s = limit_s

    def next_event(self, limit_s: float) -> RunnerEvent:
        """Return the next event; mark `ready`, and mark a slice's answer as `end`."""
        try:
            event = self._inner.next_event(min(limit_s, self._limit_s))
        except RunnerFailedError as error:
            self._failures.append(error)
            raise
        if isinstance(event, Ready):
            self._proxy.mark("ready", self._part)
        elif isinstance(event, Slice):
            self._proxy.mark("end", self._part)
        return event

    def order(self, order: RunnerOrder) -> None:
        """Pass the order on, after marking `connect`, or an ordered slice as `go`."""
        if isinstance(order, Connect):
            self._proxy.mark("connect", self._part)
        elif isinstance(order, SliceOrder):
            self._proxy.mark("go", self._part)
        self._inner.order(order)

    def collect(self, limit_s: float) -> None:
        """Ask the inner process."""
        self._inner.collect(limit_s)

    def wait(self, limit_s: float) -> None:
        """Mark `stop`, let the runner close, and wait for its orderly end."""
        self._proxy.mark("stop", self._part)
        try:
            self._inner.wait(limit_s)
        except RunnerFailedError as error:
            self._failures.append(error)
            raise

    def cpu_ns(self) -> int | None:
        """Ask the inner process."""
        return self._inner.cpu_ns()

    def threads_ns(self) -> dict[int, int] | None:
        """Ask the inner process."""
        return self._inner.threads_ns()

    def compiling_ns(self) -> int | None:
        """Ask the inner process."""
        return self._inner.compiling_ns()

    def peak_memory_bytes(self) -> int | None:
        """Ask the inner process."""
        return self._inner.peak_memory_bytes()

    def kill(self) -> None:
        """End it, if it still runs."""
        self._inner.kill()
