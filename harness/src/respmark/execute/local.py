"""Runners as processes on this machine."""

from collections.abc import Mapping
from pathlib import Path
from typing import Self

from respmark.contract.lines import Description
from respmark.errors import NoDescriptionError, RunnerMissingError
from respmark.execute.inquiry import inquire, write_workload
from respmark.execute.missing import not_set_up
from respmark.execute.process import start_program
from respmark.execute.protocol import TrialRequest
from respmark.execute.runner import LocalRunner
from respmark.paths import BUILD
from respmark.placement import placed
from respmark.specs.client import Client, ClientKey, ClientSpec
from respmark.specs.runner import RunnerSpec
from respmark.target.guardian import Guardian, guarded_folder


class LocalExecutor:
    """Starts runners as processes, each in its own process group."""

    def __init__(
        self,
        runners: Mapping[str, RunnerSpec],
        clients: Mapping[ClientKey, ClientSpec],
        guardian: Guardian,
        build: Path = BUILD,
        cpus: str | None = None,
    ) -> None:
        """`cpus` are the only ones that runners may use; `clients` are those that they drive."""
        self._runners = runners
        self._clients = clients
        self._guardian = guardian
        self._build = build
        self._cpus = cpus
        self._started: list[LocalRunner] = []
        self._answers: dict[tuple[str, str], Description | RunnerMissingError] = {}
        """What runners said of each client, by runner and client."""

    def describe(self, client: Client) -> Description:
        """Return what the runner says of this client, asking once."""
        key = (client.runner, client.name)
        if key not in self._answers:
            self._answers[key] = self._asked(client)
        answer = self._answers[key]
        if isinstance(answer, RunnerMissingError):
            raise answer
        return answer

    def start(self, request: TrialRequest) -> LocalRunner:
        """Start one runner process, and give it its trial."""
        client = request.client
        runner = self._spawn(client)
        self._started.append(runner)
        runner.give(request, self._clients[client.runner, client.library].of_version(client.version).adapter)
        return runner

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for runner in self._started:
            runner.kill()

    def _command(self, client: Client) -> list[str]:
        return self._runners[client.runner].command_for(client)

    def _spawn(self, client: Client) -> LocalRunner:
        command = self._command(client)
        try:
            with placed(self._cpus):
                process = start_program(command)
        except OSError as error:
            raise RunnerMissingError(self._missing(client, f"{command[0]}: {error.strerror}")) from error
        return LocalRunner(process, self._guardian, self._runners[client.runner].compilers)

    def _asked(self, client: Client) -> Description | RunnerMissingError:
        try:
            return self._inquire(client)
        except RunnerMissingError as error:
            return error
        except NoDescriptionError as error:
            return RunnerMissingError(self._missing(client, str(error)))

    def _inquire(self, client: Client) -> Description:
        runner, spec = self._runners[client.runner], self._clients[client.runner, client.library]
        with guarded_folder(self._guardian, "inquiry") as folder:
            write_workload(folder)
            return inquire(self._spawn(client), client, spec, runner, folder)

    def _missing(self, client: Client, said: str) -> str:
        """Say why the client is missing: what set-up found, or else what has just happened."""
        spec = self._runners[client.runner]
        if reason := not_set_up(client, spec, self._build):
            return reason
        library = self._clients.get((client.runner, client.library))
        if library and client.version and client.version not in library.versions:
            adapter = library.of_version(client.version).adapter
            return f"{said}; the adapter, {adapter}, may be for other versions of {client.library}: name one of those"
        return f"{said}; {spec.advice}"
