"""Runners as processes on this machine."""

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Self

from respmark.contract.description import Description
from respmark.contract.trial import TrialRequest
from respmark.errors import NoDescriptionError, RunnerMissingError
from respmark.execute.contract3 import Contract3Process, beside
from respmark.execute.inquiry import NAME, inquire, write_workload
from respmark.execute.process import LocalProcess, start_program
from respmark.execute.protocol import RunnerProcess
from respmark.paths import BUILD
from respmark.placement import placed
from respmark.specs.client import Client, ClientKey, ClientSpec
from respmark.specs.runner import RunnerSpec
from respmark.target.folders import guarded_folder
from respmark.target.guardian import Guardian


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
        self._started: list[LocalProcess] = []
        self._descriptions: dict[str, Description] = {}

    def describe(self, client: Client) -> Description:
        """Return what the runner says of this client, asking once."""
        if client.name not in self._descriptions:
            self._descriptions[client.name] = self._inquire(client)
        return self._descriptions[client.name]

    def start(self, client: Client, request: TrialRequest) -> RunnerProcess:
        """Start one runner process, and give it its trial."""
        compilers = self._runners[client.runner].compilers
        process = LocalProcess(self._spawn(client), self._guardian, compilers)
        self._started.append(process)
        spec = self._clients[client.runner, client.library]
        return Contract3Process(process, request, spec, beside(request.workload.path))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._started:
            process.kill()

    def _command(self, client: Client) -> list[str]:
        return self._runners[client.runner].command_for(client)

    def _spawn(self, client: Client) -> "subprocess.Popen[bytes]":
        command = self._command(client)
        try:
            with placed(self._cpus):
                return start_program(command)
        except OSError as error:
            raise RunnerMissingError(self._missing(client, f"{command[0]}: {error.strerror}")) from error

    def _inquire(self, client: Client) -> Description:
        runner, spec = self._runners[client.runner], self._clients[client.runner, client.library]
        with guarded_folder(self._guardian, "inquiry") as folder:
            write_workload(folder)
            process = LocalProcess(self._spawn(client), self._guardian)
            try:
                return inquire(process, client, spec, runner, str(folder / NAME))
            except NoDescriptionError as error:
                raise RunnerMissingError(self._missing(client, str(error))) from error

    def _missing(self, client: Client, said: str) -> str:
        """Say why the client is missing: what set-up found, or else what has just happened."""
        spec = self._runners[client.runner]
        for name in (f"{client.runner}@{client.installation}", client.runner):
            if "sentence" in (status := _status(self._build / "status" / f"{name}.json")):
                return f"{status.get('sentence', said)}; {status.get('advice', spec.advice)}"
        if spec.setup and not (self._build / client.runner / client.installation).exists():
            return f"not set up yet; `respmark run` does it, and so does: respmark setup {client.installed}"
        library = self._clients.get((client.runner, client.library))
        if library and client.version and client.version not in library.versions:
            adapter = library.adapter_of(client.version)
            return f"{said}; the adapter, {adapter}, may be for other versions of {client.library}: name one of those"
        return f"{said}; {spec.advice}"


def _status(path: Path) -> dict[str, str]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}
