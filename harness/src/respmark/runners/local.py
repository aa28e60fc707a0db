"""Runners as processes on this machine."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Self

from respmark import paths
from respmark.contract.lines import Started
from respmark.errors import RunnerMissingError
from respmark.machine.guardian import Guardian
from respmark.machine.placement import placed
from respmark.machine.timer_slack import least_timer_slack
from respmark.runners.missing import not_set_up
from respmark.runners.protocol import TrialRequest
from respmark.runners.runner import LocalRunner
from respmark.specs.client import Client, ClientKey, ClientSpec
from respmark.specs.runner import RunnerSpec


@dataclass(eq=False)
class LocalExecutor:
    """Starts runners as processes, each in its own process group."""

    kind: ClassVar[type[LocalRunner]] = LocalRunner
    """What it starts."""

    runners: Mapping[str, RunnerSpec]
    clients: Mapping[ClientKey, ClientSpec]
    """Those that the runners drive."""
    guardian: Guardian
    build: Path = field(default_factory=paths.build)
    cpus: str | None = None
    """The only ones that runners may use."""
    _started: list[LocalRunner] = field(default_factory=list)

    def missing(self, client: Client) -> str | None:
        """Return what set-up says of a client that it could not make, and what to do; None if it can be started."""
        return not_set_up(client, self.runners[client.runner], self.build)

    def start(self, request: TrialRequest) -> LocalRunner:
        """Start one runner process, and give it its trial."""
        runner = self._spawn(request.client)
        self._started.append(runner)
        runner.give(request)
        return runner

    def cold_start(self, request: TrialRequest, limit_s: float) -> Started:
        """Let the client's second program start, send one command and end."""
        spec = self.runners[request.client.runner]
        program = self._begun(spec.filled(spec.cold_start, request.client), request.client)
        try:
            program.give(request)
            found = program.started(limit_s)
            program.end(limit_s)
        finally:
            program.kill()
        return found

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for runner in self._started:
            runner.kill()

    def _command(self, client: Client) -> list[str]:
        return self.runners[client.runner].command_for(client)

    def _spawn(self, client: Client) -> LocalRunner:
        return self._begun(self._command(client), client)

    def _begun(self, command: list[str], client: Client) -> LocalRunner:
        spec = self.runners[client.runner]
        try:
            with placed(self.cpus), least_timer_slack():
                return self.kind(command, self.guardian, spec.compilers, self._adapter(client))
        except OSError as error:
            raise RunnerMissingError(f"{command[0]}: {error.strerror}; {spec.advice}") from error

    def _adapter(self, client: Client) -> str:
        return self.clients[client.runner, client.library].of_version(client.version).adapter
