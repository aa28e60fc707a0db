"""Runners as processes on this machine, and what they say they can do here."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Self

from respmark.contract.base import SCHEMA_VERSION
from respmark.contract.lines import ClientDescription, Description, Loaded
from respmark.contract.trial import Endpoint, Scenario, Shape
from respmark.errors import NoDescriptionError, RunnerFailedError, RunnerMissingError, UnsupportedError
from respmark.machine.guardian import Guardian, guarded_folder
from respmark.machine.placement import placed
from respmark.machine.timer_slack import least_timer_slack
from respmark.paths import BUILD
from respmark.runners.missing import not_set_up
from respmark.runners.protocol import TrialRequest
from respmark.runners.runner import CONTRACT, LocalRunner
from respmark.specs.client import Client, ClientKey, ClientSpec
from respmark.specs.naming import RESP2, RESP3
from respmark.specs.runner import RunnerSpec
from respmark.workload import columns
from respmark.workload.spec import CommandSpec, KeyArgument, SizeSpec, WorkloadSpec
from respmark.workload.workload import generate

NAME: Final = "inquiry.columns"
"""Name of the workload file of a runner that answers an inquiry, or rests."""
LIMIT_S: Final = 30.0
SMALL: Final = WorkloadSpec(
    name="inquiry",
    summary="one GET",
    commands=1,
    preload_keys=1,
    key_digits=12,  # drivers have no others
    sizes=SizeSpec(mean_bytes=1, standard_deviation_bytes=0, min_bytes=1, max_bytes=1),
    mix=(CommandSpec(name="GET", share=1, keys=1, arguments=(KeyArgument(),)),),
)


@dataclass(eq=False)
class LocalExecutor:
    """Starts runners as processes, each in its own process group."""

    runners: Mapping[str, RunnerSpec]
    clients: Mapping[ClientKey, ClientSpec]
    """Those that the runners drive."""
    guardian: Guardian
    build: Path = BUILD
    cpus: str | None = None
    """The only ones that runners may use."""
    _started: list[LocalRunner] = field(default_factory=list)
    _answers: dict[tuple[str, str], Description | RunnerMissingError] = field(default_factory=dict)
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
        runner = self._spawn(request.client)
        self._started.append(runner)
        runner.give(request)
        return runner

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for runner in self._started:
            runner.kill()

    def _command(self, client: Client) -> list[str]:
        return self.runners[client.runner].command_for(client)

    def _spawn(self, client: Client) -> LocalRunner:
        command = self._command(client)
        try:
            with placed(self.cpus), least_timer_slack():
                return LocalRunner(command, self.guardian, self.runners[client.runner].compilers, self._adapter(client))
        except OSError as error:
            raise RunnerMissingError(self._missing(client, f"{command[0]}: {error.strerror}")) from error

    def _adapter(self, client: Client) -> str:
        return self.clients[client.runner, client.library].of_version(client.version).adapter

    def _asked(self, client: Client) -> Description | RunnerMissingError:
        try:
            return self._inquire(client)
        except RunnerMissingError as error:
            return error
        except NoDescriptionError as error:
            return RunnerMissingError(self._missing(client, str(error)))

    def _inquire(self, client: Client) -> Description:
        with guarded_folder(self.guardian, "inquiry") as folder:
            write_workload(folder)
            return self._answered(client, folder)

    def _answered(self, client: Client, folder: Path) -> Description:
        """Return what a runner loads for this client; `folder` is where it sees the workload file."""
        process, spec = self._spawn(client), self.clients[client.runner, client.library]
        request = TrialRequest(client, Scenario.SYNC, Shape(), folder / NAME, Endpoint(host="127.0.0.1", port=1))
        loaded = Loaded(contract=CONTRACT, versions={})
        try:
            process.give(request)
            with suppress(UnsupportedError):
                loaded = process.load(LIMIT_S)
            process.end(LIMIT_S)
        except RunnerFailedError as error:
            raise NoDescriptionError(error.stderr[-1] if error.stderr else str(error)) from error
        finally:
            process.kill()
        if loaded.contract != CONTRACT:
            raise NoDescriptionError(f"the runner keeps contract {loaded.contract}, this harness {CONTRACT}")
        return _description(client, spec, self.runners[client.runner], loaded)

    def _missing(self, client: Client, said: str) -> str:
        """Say why the client is missing: what set-up found, or else what has just happened."""
        spec = self.runners[client.runner]
        if reason := not_set_up(client, spec, self.build):
            return reason
        library = self.clients.get((client.runner, client.library))
        if library and client.version and client.version not in library.versions:
            adapter = library.of_version(client.version).adapter
            return f"{said}; the adapter, {adapter}, may be for other versions of {client.library}: name one of those"
        return f"{said}; {spec.advice}"


def write_workload(folder: Path) -> None:
    """Write the file of a runner that answers an inquiry, or rests."""
    columns.write(generate(SMALL, seed=0), folder / NAME)


def _description(client: Client, spec: ClientSpec, runner: RunnerSpec, loaded: Loaded) -> Description:
    described = ClientDescription(
        library=client.library,
        version=loaded.versions.get(client.library, client.version or spec.version),
        dependencies={
            name: one for name, one in loaded.versions.items() if name not in {client.library, runner.runtime}
        },
        options={name: list(values) for name, values in spec.of_version(client.version).options.items()},
        protocol=RESP3 if loaded.settings.get("protocol", spec.protocol) == RESP3 else RESP2,
        scenarios=spec.of_version(client.version).scenarios,
        differences=[*spec.differs, *runner.differs],
    )
    return Description(
        schema_version=SCHEMA_VERSION,
        runner=runner.name,
        runtime=runner.runtime,
        runtime_version=loaded.versions.get(runner.runtime, ""),
        clients=[described],
    )
