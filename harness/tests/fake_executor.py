"""An executor that plays a script, for tests of everything above it: no process is started."""

from collections.abc import Callable, Iterable
from typing import Self

from respmark.contract.description import Description
from respmark.contract.trial import TrialRequest
from respmark.errors import RunnerFailedError, RunnerMissingError
from respmark.execute.protocol import RunnerEvent, RunnerOrder
from respmark.specs.client import Client

Step = RunnerEvent | RunnerFailedError
Script = Callable[[TrialRequest, list[RunnerOrder]], Iterable[Step]]
"""Gives the steps of one runner process; the list holds the orders that it was given so far."""


class FakeExecutor:
    """Answers every trial with the steps that `script` gives for it."""

    def __init__(self, script: Script, missing: dict[str, str] | None = None) -> None:
        self._script = script
        self._missing = missing or {}
        self.requests: list[TrialRequest] = []

    def describe(self, client: Client) -> Description:
        """Describe a runner that has whatever is asked for."""
        if client.runner in self._missing:
            raise RunnerMissingError(self._missing[client.runner])
        return Description(
            schema_version=2, runner=client.runner, runtime="a runtime", runtime_version="1", clients=[], missing=[]
        )

    def start(self, client: Client, request: TrialRequest) -> "FakeProcess":
        """Note the request and play its script, whoever the client is."""
        del client
        self.requests.append(request)
        return FakeProcess(request, self._script)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing was started."""


class FakeProcess:
    """Gives the script's events one by one."""

    def __init__(self, request: TrialRequest, script: Script) -> None:
        self.orders: list[RunnerOrder] = []
        self.compiled_ns: list[int] = []
        """What its compilers have used at one reading after the other; empty: it has none."""
        self._script = iter(script(request, self.orders))

    def next_event(self, limit_s: float) -> RunnerEvent:
        """Return or raise the script's next step."""
        step = next(self._script, None)
        if step is None:
            message = f"the script is at its end (limit {limit_s} s)"
            raise RunnerFailedError(message)
        if isinstance(step, RunnerFailedError):
            raise step
        return step

    def order(self, order: RunnerOrder) -> None:
        """Note the order."""
        self.orders.append(order)

    def collect(self, limit_s: float) -> None:
        """There is nothing to take over."""

    def wait(self, limit_s: float) -> None:
        """Nothing to wait for; `limit_s` is not used up."""

    def cpu_ns(self) -> None:
        """Nobody counts."""

    def compiling_ns(self) -> int | None:
        """Return the next reading."""
        return self.compiled_ns.pop(0) if self.compiled_ns else None

    def threads_ns(self) -> None:
        """Nobody counts."""

    def peak_memory_bytes(self) -> None:
        """Nobody tells."""

    def kill(self) -> None:
        """Nothing to end."""
