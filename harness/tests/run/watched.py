"""Runners that play scripts, and note what they go through."""

from typing import Any

from respmark.contract.trial import TrialRequest
from respmark.errors import RunnerFailedError
from respmark.execute.protocol import RunnerOrder
from respmark.specs.client import Client
from tests.fake_executor import FakeExecutor, FakeProcess, Script


class InterruptingError(RunnerFailedError):
    """Stands in a script for Ctrl-C while the runner is waited for."""


class Watched(FakeExecutor):
    """An executor that notes what its processes go through."""

    def __init__(self, script: Script, broken: int | None = None) -> None:
        super().__init__(script)
        self.log: list[str] = []
        self.limits: dict[str, float] = {}
        self.alive: list[object] = []
        self.processes: list[FakeProcess] = []
        self._broken = broken

    def start(self, client: Client, request: TrialRequest) -> FakeProcess:
        """Start a process that is watched, or none where this one is broken."""
        del client
        if request.workload.part == self._broken:
            message = "cannot start"
            raise RunnerFailedError(message)
        self.requests.append(request)
        process = WatchedProcess(request, self._script, self)
        self.alive.append(process)
        self.processes.append(process)
        return process


class WatchedProcess(FakeProcess):
    """Notes what it goes through."""

    def __init__(self, request: TrialRequest, script: Script, executor: Watched) -> None:
        super().__init__(request, script)
        self._executor = executor
        self._name = f"{request.trial_id}{f' {request.workload.part}' if request.workload.parts > 1 else ''}"

    def next_event(self, limit_s: float) -> Any:  # noqa: ANN401 - an event
        """Note the event."""
        try:
            event = super().next_event(limit_s)
        except InterruptingError as error:
            raise KeyboardInterrupt from error
        self._executor.limits[event.event] = limit_s
        self._executor.log.append(f"{event.event} {self._name}")
        return event

    def order(self, order: RunnerOrder) -> None:
        """Note it."""
        super().order(order)
        self._executor.log.append(f"order {order.order} {self._name}")

    def wait(self, limit_s: float) -> None:
        """Note it."""
        super().wait(limit_s)
        self._executor.log.append(f"wait {self._name}")

    def kill(self) -> None:
        """Note it."""
        if self in self._executor.alive:
            self._executor.alive.remove(self)
