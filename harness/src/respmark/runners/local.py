"""Runners as processes on this machine."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Self

from respmark import paths
from respmark.errors import RunnerMissingError
from respmark.machine.cpus import placed
from respmark.machine.guardian import Guardian
from respmark.machine.process import LocalProcess
from respmark.machine.timer_slack import least_timer_slack
from respmark.runners.missing import not_set_up
from respmark.runners.protocol import HERE, MakeRunner, Place, TrialRequest
from respmark.runners.runner import Runner
from respmark.specs.client import Client, ClientKey, ClientSpec
from respmark.specs.runner import RunnerSpec


@dataclass(eq=False)
class LocalExecutor:
    """Starts runners as processes, each in its own process group."""

    kind: ClassVar[type[Runner]] = Runner
    """Class of the runners."""

    runners: Mapping[str, RunnerSpec]
    clients: Mapping[ClientKey, ClientSpec]
    """Client specs, by language and library."""
    guardian: Guardian
    build: Path = field(default_factory=paths.build)
    cpus: str | None = None
    """The only ones that runners may use."""
    place: Place = HERE
    _started: list[LocalProcess] = field(default_factory=list)

    def missing(self, client: Client) -> str | None:
        """Return what set-up says of a client that it could not make, and what to do; None if it can be started."""
        return not_set_up(client, self.runners[client.runner], self.build)

    def start(self, request: TrialRequest, kind: MakeRunner | None = None) -> Runner:
        """Start one runner process, and give it its trial."""
        runner = (kind or self.kind)(self.started(request), self._adapter(request.client), self.place)
        runner.give(request)
        return runner

    def started(self, request: TrialRequest) -> LocalProcess:
        """Start the process of a runner; whoever opened this executor ends it at the latest."""
        return self._begun(self._command(request.client), request.client)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._started:
            process.kill()

    def _command(self, client: Client) -> list[str]:
        return self.runners[client.runner].command_for(client)

    def _begun(self, command: list[str], client: Client) -> LocalProcess:
        spec = self.runners[client.runner]
        try:
            with placed(self.cpus), least_timer_slack():
                process = self._process(command, spec)
        except OSError as error:
            raise RunnerMissingError(f"{command[0]}: {error.strerror}; {spec.advice}") from error
        self._started.append(process)
        return process

    def _process(self, command: list[str], spec: RunnerSpec) -> LocalProcess:
        return LocalProcess(command, self.guardian, spec.compilers)

    def _adapter(self, client: Client) -> str:
        return self.clients[client.runner, client.library].of_version(client.version).adapter
