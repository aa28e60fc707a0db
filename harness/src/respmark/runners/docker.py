"""The backend in containers: runners' images, a private network, a server in a container or reachable from one."""

import os
import socket
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from respmark import paths
from respmark.contract.lines import Started
from respmark.contract.trial import Endpoint
from respmark.errors import ContainerError, InvalidRequestError, RunnerMissingError, UnsupportedError
from respmark.machine.guardian import Guardian
from respmark.machine.limits import allow_many_connections
from respmark.machine.placement import Placement
from respmark.machine.process import LocalProcess
from respmark.network.relay import ListenAddress
from respmark.results.containers import Containers, Engine, Limits
from respmark.runners.compose import SHARE, CpuCounter, Project, project
from respmark.runners.docker_engine import Images, compose, describe, examine, services
from respmark.runners.local import LocalExecutor
from respmark.runners.protocol import Place, TrialRequest
from respmark.servers.node import Node, StandBefore
from respmark.servers.server import Server, with_nodes
from respmark.servers.url import address, is_loopback, parse_url
from respmark.specs.catalogue import Catalogue
from respmark.specs.client import Client
from respmark.specs.own import own_client
from respmark.specs.server import ContainerServer, ServerSpec, SpawnedServer, UrlServer

DEFAULT_SERVICE: Final = "valkey"
CHECKOUT: Final = "/respmark"
"""Where images have what the checkout has: the same command starts a runner in both."""
DOCKERFILE: Final = "Dockerfile"
"""In the folder of each language that has an image."""
DOCKER_FAILED: Final = frozenset({125, 126, 127})
"""Exit codes of docker itself, which no runner uses."""


class InContainer(Place):
    """Containers see the files of the run's folder in their share."""

    def file(self, path: Path) -> str:
        """Return where containers see a file of the share."""
        return f"{SHARE}/{path.name}"


@dataclass(eq=False, kw_only=True)
class DockerExecutor(LocalExecutor):
    """Starts each runner process in its own container."""

    project: Project
    images: Images
    engine: Engine
    place: Place = field(default_factory=InContainer)

    def missing(self, client: Client) -> str | None:
        """Return why the client is in no image, or why its image cannot be built; None if it is here."""
        pinned = self.clients[client.runner, client.library].versions.get(client.version or "")
        if pinned is not None and pinned.setup is not None:
            return f"images have no {client.installed}: that is a package of the system; leave out --via docker"
        try:
            self.images.build(self.project.docker, client.runner)
        except ContainerError as error:
            return str(error)
        return None

    def cold_start(self, _request: TrialRequest, _limit_s: float) -> Started:
        """Refuse it: what would be measured is the start of a container."""
        raise UnsupportedError("cold starts are of processes on this machine: leave out --via docker")

    def started(self, request: TrialRequest) -> "ContainerProcess":
        """Start a container with one runner process."""
        # With this machine's kernel they have its CLOCK_MONOTONIC.
        if request.shape.rate is not None and self.engine.kernel != os.uname().release:
            raise UnsupportedError(
                "a rate needs containers on this machine's own kernel: a virtual machine (Docker Desktop) has its own "
                "clock, so units would be due at wrong times; leave out --via docker"
            )
        client = request.client
        if (reason := self.missing(client)) is not None:
            raise RunnerMissingError(reason)
        runner, name = self.runners[client.runner], self.project.new_name(client.runner)
        command = self.project.run_command(client.runner, name, runner.command_for(client, Path(CHECKOUT)))
        process = ContainerProcess(command, self.guardian, self.project, name, runner.compilers)
        self._started.append(process)
        return process

    def open_server(self, spec: ServerSpec, *, allow_flush: bool, before: StandBefore | None = None) -> Server:  # noqa: ARG002 - no cluster is started in containers
        """Start the server in a container, or reach one that containers can reach as well."""
        if isinstance(spec, ContainerServer | SpawnedServer):
            return Server(self.project.serve(service_of(spec)), allow_flush=True)
        endpoint = parse_url(spec.url)
        check_reachable(endpoint)
        return with_nodes(Server(Node(endpoint), allow_flush=allow_flush), check_reachable)

    @property
    def listen_address(self) -> ListenAddress:
        """Return this machine's address on the private network; with Docker Desktop, its own name for the host."""
        gateway = self.project.gateway()
        return (
            ListenAddress(gateway, gateway) if _is_ours(gateway) else ListenAddress("127.0.0.1", "host.docker.internal")
        )

    def containers(self, clients: Iterable[Client]) -> Containers:
        """Return the engine, the images, which are built now for these clients, and what containers may use."""
        docker = self.project.docker
        known = services(docker)
        every = known.servers | known.runners
        runners = (client.runner for client in clients if self.missing(client) is None)
        used = [*self.project.served, *dict.fromkeys(runners)]
        return Containers(
            engine=self.engine,
            cgroup_version=self._cgroup_version(),
            images=describe(docker, [every[name]["image"] for name in used]),
            limits=[
                Limits(
                    service=name,
                    memory_bytes=int(every[name]["mem_limit"]) if "mem_limit" in every[name] else None,
                    cpus=every[name].get("cpuset") or None,
                )
                for name in used
            ],
        )

    def _cgroup_version(self) -> int | None:
        counters = map(self.project.cpu_counter, self.project.served.values())
        return next((counter.version for counter in counters if counter), None)


class ContainerProcess(LocalProcess):
    """A runner in a container; the process here is docker's client, which passes on its streams."""

    _counter: CpuCounter | None = None

    def __init__(
        self, command: list[str], guardian: Guardian, project: Project, name: str, compilers: Collection[str] = ()
    ) -> None:
        super().__init__(command, guardian, compilers)
        self._project, self._name = project, name
        self._removed = False

    def read(self, limit_s: float) -> bytes | None:
        """Return the next line; after the first one, `loaded`, the container's CPU counter can be read."""
        line = super().read(limit_s)
        if self._counter is None:
            self._counter = self._project.cpu_counter(self._name)
        return line

    def cpu_ns(self) -> int | None:
        """Return the CPU time that the container's control group counts."""
        return None if self._counter is None else self._counter.read_ns()

    def threads_ns(self) -> None:
        """Return None: a control group does not count by thread."""

    def sockets(self, _port: int) -> None:
        """Return None: the process here is docker's client, and has no connection to the server."""

    def pids(self) -> list[int]:
        """Return the processes of the container."""
        return [] if self._counter is None else self._counter.pids()

    def end(self, limit_s: float) -> int | None:
        """End its input, wait for its orderly end, and remove the container."""
        code = super().end(limit_s)
        if code == 0:
            self._removed = self._project.remove(self._name)
        return code

    def kill(self) -> None:
        """Remove the container, then end docker's client, which alone would leave the container running."""
        if self._removed:
            return
        there = self._project.remove(self._name)
        super().kill()
        if not there:
            # It may have been created after we asked and before its client ended.
            self._project.remove(self._name)
        self._removed = True

    def why_it_ended(self, code: int) -> str | None:
        """Return whether it wanted too much memory, or docker could not start it."""
        if self._project.killed_for_memory(self._name):
            return (
                "the container was killed because the runner exceeded its memory limit; raise RESPMARK_RUNNER_MEMORY "
                "(docs/containers.md), or use a smaller workload"
            )
        if code in DOCKER_FAILED and self.stderr:
            return f"the container did not start: {self.stderr[-1]}"
        return None


@contextmanager
def open_docker(
    catalogue: Catalogue, guardian: Guardian, share: Path, run: str, *, placement: Placement, images: Images
) -> Iterator[DockerExecutor]:
    """Get ready to start the containers of one run; see `OpenExecutor`.

    Raises ContainerError if docker is not available, or refuses us.
    """
    allow_many_connections()
    engine = examine(compose())
    # The container runs as another user, who must be able to look into the folder.
    share.chmod(0o755)
    with (
        project(run, share, placement, guardian) as made,
        DockerExecutor(
            catalogue.runners,
            catalogue.every_client,
            guardian,
            placement=placement,
            project=made,
            images=images,
            engine=engine,
        ) as executor,
    ):
        yield executor


def service_of(spec: ContainerServer | SpawnedServer) -> str:
    """Return the compose service that serves as this server; raises InvalidRequestError if none can."""
    if isinstance(spec, ContainerServer):
        return spec.service
    if what := _unsupported(spec):
        raise InvalidRequestError(
            f"--server {spec.name}: {what} are not supported with --via docker; use `valkey` or `redis` from "
            "docker-compose.yml, in the versions that VALKEY_VERSION and REDIS_VERSION name, or leave out --via docker"
        )
    return DEFAULT_SERVICE


def _unsupported(spec: SpawnedServer) -> str | None:
    """Return what containers cannot have of a server that respmark starts as a process, or None."""
    if spec.kind is not None:
        return {"cluster": "clusters that respmark starts", "sentinel": "sentinels"}[spec.kind]
    if spec.transport != "tcp":
        return {"unix": "unix sockets", "tls": "servers with TLS"}[spec.transport]
    if spec.settings or spec.allocator != "own":
        return "server settings in [brackets]"
    return "other versions and programs" if spec.program or not spec.servers else None


def check_possible(clients: Iterable[Client], catalogue: Catalogue, servers: Iterable[ServerSpec]) -> None:
    """Refuse, with an InvalidRequestError, clients and servers that containers cannot have, before anything starts."""
    for client in clients:
        if not (paths.sources() / client.runner / DOCKERFILE).is_file():
            raise InvalidRequestError(f"{client.name} is not available in containers: leave out --via docker")
        if own_client(client.library):
            raise InvalidRequestError(
                f"{client.name}: images have the clients of the checkout only: leave out --via docker"
            )
        if client.version is not None and client.version not in catalogue.spec_of(client).pinned:
            raise InvalidRequestError(
                f"{client.name}: images contain pinned versions only "
                f"({client.library}@* lists them); leave out --via docker to measure any version"
            )
    names: dict[str, str] = {}
    for spec in servers:
        if isinstance(spec, UrlServer):
            check_reachable(parse_url(spec.url))
        elif (first := names.setdefault(service_of(spec), spec.name)) != spec.name:
            raise InvalidRequestError(f"--server {first} --server {spec.name}: in containers, both are the same server")


def check_reachable(endpoint: Endpoint) -> None:
    """Refuse, with an InvalidRequestError, a server that runners in containers cannot reach the way we do."""
    if is_loopback(endpoint):
        raise InvalidRequestError(
            f"runners in containers cannot reach {address(endpoint)}: each container has its own loopback "
            "interface and files; give the machine's network address, or use --server valkey"
        )
    if endpoint.tls is not None and (endpoint.tls.ca_file or endpoint.tls.certificate_file or endpoint.tls.key_file):
        raise InvalidRequestError(
            "certificate files are not available in containers: measure this server with --via local"
        )


def _is_ours(host: str) -> bool:
    with suppress(OSError), socket.create_server((host, 0)):
        return True
    return False
