"""Runners as processes on this machine."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Self

from respmark import paths
from respmark.contract.lines import Started
from respmark.errors import RunnerMissingError
from respmark.machine.cpus import placed
from respmark.machine.guardian import Guardian
from respmark.machine.limits import allow_many_connections
from respmark.machine.placement import UNPINNED, Placement
from respmark.machine.process import LocalProcess
from respmark.machine.timer_slack import least_timer_slack
from respmark.network.relay import LOOPBACK, ListenAddress
from respmark.results.containers import Containers
from respmark.results.manifest import HostDescription
from respmark.runners.missing import not_set_up
from respmark.runners.protocol import HERE, MakeRunner, Place, TrialRequest
from respmark.runners.runner import Runner
from respmark.servers.node import StandBefore
from respmark.servers.server import Server, open_server
from respmark.specs.catalogue import Catalogue
from respmark.specs.client import Client, ClientKey, ClientSpec
from respmark.specs.runner import RunnerSpec
from respmark.specs.server import ServerSpec


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
    placement: Placement = UNPINNED
    place: Place = HERE
    _started: list[LocalProcess] = field(default_factory=list)

    def missing(self, client: Client) -> str | None:
        """Return what set-up says of a client that it could not make, and what to do; None if it can be started."""
        return not_set_up(client, self.runners[client.runner], self.build)

    def start(self, request: TrialRequest, kind: MakeRunner | None = None) -> Runner:
        """Start one runner process, and give it its trial."""
        runner = (kind or self.kind)(self.started(request), *self._program_of(request.client))
        runner.give(request)
        return runner

    def cold_start(self, request: TrialRequest, limit_s: float) -> Started:
        """Let the client's second program start, send one command and end."""
        spec = self.runners[request.client.runner]
        process = self._begun(spec.filled(spec.cold_start, request.client), request.client)
        program = self.kind(process, *self._program_of(request.client))
        try:
            program.give(request)
            found = program.started(limit_s)
            program.end(limit_s)
        finally:
            program.kill()
        return found

    def started(self, request: TrialRequest) -> LocalProcess:
        """Start the process of a runner; whoever opened this executor ends it at the latest."""
        return self._begun(self._command(request.client), request.client)

    @property
    def listen_address(self) -> ListenAddress:
        """Return this machine's loopback."""
        return LOOPBACK

    def open_server(self, spec: ServerSpec, *, allow_flush: bool, before: StandBefore | None = None) -> Server:
        """Start or reach the server that a spec names."""
        cpus = self.placement.server
        return open_server(spec, self.guardian, allow_flush=allow_flush, cpus=cpus, before=before)

    def containers(self, _clients: Iterable[Client]) -> Containers | None:
        """Return None: there are no containers."""

    @property
    def hosts(self) -> list[HostDescription]:
        """Return nothing: they are on this machine alone."""
        return []

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
            with placed(self.placement.clients), least_timer_slack():
                process = LocalProcess(command, self.guardian, spec.compilers)
        except OSError as error:
            raise RunnerMissingError(f"{command[0]}: {error.strerror}; {spec.advice}") from error
        self._started.append(process)
        return process

    def _program_of(self, client: Client) -> tuple[str, Place]:
        return self.clients[client.runner, client.library].of_version(client.version).adapter, self.place


@contextmanager
def open_local(
    catalogue: Catalogue, guardian: Guardian, _share: Path, _run: str, *, placement: Placement = UNPINNED
) -> Iterator[LocalExecutor]:
    """Get ready to start processes on this machine; see `OpenExecutor`."""
    allow_many_connections()
    with LocalExecutor(catalogue.runners, catalogue.every_client, guardian, placement=placement) as executor:
        yield executor
