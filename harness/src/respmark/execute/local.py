"""Runners as processes on this machine."""

import json
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final, Self

from pydantic import ValidationError

from respmark.contract.base import SCHEMA_VERSION
from respmark.contract.description import Description, MissingClient
from respmark.contract.trial import TrialRequest
from respmark.errors import NoDescriptionError, RunnerMissingError
from respmark.execute.contract3 import CONTRACT, Contract3Process, beside
from respmark.execute.inquiry import NAME, inquire, write_workload
from respmark.execute.process import LocalProcess, start_program
from respmark.execute.protocol import RunnerProcess
from respmark.paths import BUILD
from respmark.placement import placed
from respmark.specs.client import Client, ClientKey, ClientSpec
from respmark.specs.runner import RunnerSpec
from respmark.target.guardian import Guardian
from respmark.target.process_group import end_child, swept

DESCRIBE_LIMIT_S: Final = 30.0


class LocalExecutor:
    """Starts runners as processes, each in its own process group."""

    def __init__(
        self,
        runners: Mapping[str, RunnerSpec],
        guardian: Guardian,
        build: Path = BUILD,
        cpus: str | None = None,
        clients: Mapping[ClientKey, ClientSpec] = MappingProxyType({}),
    ) -> None:
        """`cpus` are the only ones that runners may use; `clients` are those of runners of contract 3."""
        self._runners = runners
        self._clients = clients
        self._guardian = guardian
        self._build = build
        self._cpus = cpus
        self._started: list[LocalProcess] = []
        self._descriptions: dict[tuple[str, str], Description] = {}

    def describe(self, client: Client) -> Description:
        """Return the runner's description, asking once for each environment, and of contract 3 for each client."""
        is_old = self._runners[client.runner].contract < CONTRACT
        key = (client.runner, client.environment if is_old else client.name)
        if key not in self._descriptions:
            self._descriptions[key] = self._ask(client) if is_old else self._inquire(client)
        return self._descriptions[key]

    def start(self, client: Client, request: TrialRequest) -> RunnerProcess:
        """Start one runner process, and give it its trial."""
        spec = self._runners[client.runner]
        is_old = spec.contract < CONTRACT
        started = self._spawn([*self._command(client), *(["run"] if is_old else [])], client)
        process = LocalProcess(started, self._guardian, spec.compilers)
        self._started.append(process)
        if is_old:
            process.send(request.model_dump_json())
            return process
        return Contract3Process(
            process, request, self._clients[client.runner, client.library], beside(request.workload.path)
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._started:
            process.kill()

    def _command(self, client: Client) -> list[str]:
        return self._runners[client.runner].command_for(client)

    def _spawn(self, command: list[str], client: Client) -> "subprocess.Popen[bytes]":
        try:
            with placed(self._cpus):
                return start_program(command)
        except OSError as error:
            raise RunnerMissingError(self._missing(client, f"{command[0]}: {error.strerror}")) from error

    def _ask(self, client: Client) -> Description:
        process = self._spawn([*self._command(client), "describe"], client)
        try:
            return self._explained(ask(process, self._guardian, DESCRIBE_LIMIT_S), client)
        except NoDescriptionError as error:
            raise RunnerMissingError(self._missing(client, str(error))) from error

    def _inquire(self, client: Client) -> Description:
        runner, spec = self._runners[client.runner], self._clients[client.runner, client.library]
        with tempfile.TemporaryDirectory(prefix="respmark-inquiry-") as folder:
            write_workload(Path(folder))
            process = LocalProcess(self._spawn(self._command(client), client), self._guardian)
            try:
                return inquire(process, client, spec, runner, str(Path(folder) / NAME))
            except NoDescriptionError as error:
                raise RunnerMissingError(self._missing(client, str(error))) from error

    def _explained(self, description: Description, client: Client) -> Description:
        """Return the description, with what set-up found about missing libraries: a runner may work without some."""
        return description.model_copy(update={"missing": [self._why(one, client) for one in description.missing]})

    def _why(self, missing: MissingClient, client: Client) -> MissingClient:
        environment = missing.library if client.version is None else client.installation
        status = _status(self._build / "status" / f"{client.runner}@{environment}.json")
        if "sentence" not in status:
            return missing
        advice = status.get("advice", missing.advice)
        return missing.model_copy(update={"reason": status.get("sentence", missing.reason), "advice": advice})

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


def ask(process: "subprocess.Popen[bytes]", guardian: Guardian, limit_s: float) -> Description:
    """Return the answer of a runner that was started with `describe`, and end the runner.

    Raises:
        NoDescriptionError: it gave no usable answer.
    """
    guardian.protect_process(process.pid)
    try:
        with swept(process):
            output, errors = process.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired as error:
        end_child(process)
        process.communicate()
        guardian.release_process(process.pid)
        raise NoDescriptionError(f"`describe` gave no answer in {limit_s:.0f} s") from error
    guardian.release_process(process.pid)
    last = errors.decode(errors="replace").strip().splitlines()[-1:]
    if process.returncode != 0:
        said = f"`describe` ended with exit code {process.returncode}: {' '.join(last) or 'no word'}"
        raise NoDescriptionError(said)
    try:
        description = Description.model_validate_json(output)
    except ValidationError as error:
        said = f"`describe` does not answer as the contract asks: {error.errors()[0]['msg']}"
        raise NoDescriptionError(said) from error
    if description.schema_version != SCHEMA_VERSION:
        said = f"the runner keeps version {description.schema_version} of the contract, this harness {SCHEMA_VERSION}"
        raise NoDescriptionError(said)
    return description


def _status(path: Path) -> dict[str, str]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}
