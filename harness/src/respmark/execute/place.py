"""Where trials run: on this machine as processes, or in containers. Both give the run the same two things."""

import socket
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Final, Protocol

from respmark.containers.compose import compose, services
from respmark.containers.engine import Engine, examine
from respmark.containers.images import Images, describe
from respmark.containers.manifest import Containers, Limits
from respmark.containers.project import SERVER_PORT, Project, Served, project
from respmark.contract.trial import Endpoint
from respmark.errors import InvalidRequestError
from respmark.execute.docker import DockerExecutor
from respmark.execute.local import LocalExecutor
from respmark.execute.protocol import Executor
from respmark.placement import UNPINNED, Placement
from respmark.specs.catalogue import Catalogue
from respmark.specs.target import ContainerTarget, SpawnedTarget, TargetSpec
from respmark.target.guardian import Guardian
from respmark.target.target import Reached, Target, open_target
from respmark.target.url import address, is_loopback, parse_url
from respmark.wire.proxy import HERE, Reach

DEFAULT_SERVICE: Final = "valkey"


class Via(StrEnum):
    """Where runners run."""

    LOCAL = "local"
    DOCKER = "docker"


class Place(Protocol):
    """Somewhere trials can run, opened for one run."""

    @property
    def executor(self) -> Executor:
        """Return what starts runners."""

    @property
    def reach(self) -> Reach:
        """Return where a proxy must listen so that runners reach it."""

    def open_target(self, spec: TargetSpec, *, allow_flush: bool) -> Target:
        """Start or reach the server that a spec names.

        Raises:
            TargetError: it cannot be reached, or refused us.
            NothingRanError: it cannot be started.
            InvalidRequestError: runners here cannot reach it.
        """

    def containers(self) -> Containers | None:
        """Return what the manifest says of containers, where there are any."""


class Where(Protocol):
    """How to open a place."""

    @property
    def placement(self) -> Placement:
        """Return which CPUs target and clients get there."""

    def open(self, catalogue: Catalogue, guardian: Guardian, share: Path, run: str) -> AbstractContextManager[Place]:
        """Open it for a run of this name; `share` is the folder that runners read the workload from."""


@dataclass(frozen=True)
class LocalPlace:
    """This machine."""

    executor: LocalExecutor
    guardian: Guardian
    placement: Placement
    reach: Reach = HERE

    def open_target(self, spec: TargetSpec, *, allow_flush: bool) -> Target:
        """Start or reach the server."""
        return open_target(spec, self.guardian, allow_flush=allow_flush, cpus=self.placement.target)

    def containers(self) -> None:
        """There are none."""


@dataclass(frozen=True)
class Local:
    """Processes on this machine."""

    placement: Placement = UNPINNED

    @contextmanager
    def open(self, catalogue: Catalogue, guardian: Guardian, share: Path, run: str) -> Iterator[Place]:
        """Open it; `share` and `run` need nothing done here."""
        del share, run
        with LocalExecutor(catalogue.runners, guardian, cpus=self.placement.clients) as executor:
            yield LocalPlace(executor, guardian, self.placement)


@dataclass(frozen=True)
class ContainerServer:
    """A server in a container, as a target sees it."""

    program: str
    service: str
    project: Project

    @property
    def pid(self) -> None:
        """Its processes are the engine's."""

    def stop(self) -> None:
        """Remove it."""
        self.project.stop(self.service)


@dataclass
class DockerPlace:
    """The containers of one run."""

    executor: DockerExecutor
    project: Project
    engine: Engine
    _served: Served | None = None

    def open_target(self, spec: TargetSpec, *, allow_flush: bool) -> Target:
        """Start the server in a container, or reach one that containers reach as well."""
        if isinstance(spec, ContainerTarget | SpawnedTarget):
            return Target(partial(self._serve, service_of(spec)), allow_flush=True)
        endpoint = parse_url(spec.url)
        check_reachable(endpoint)
        return Target(partial(Reached, endpoint), allow_flush=allow_flush)

    @property
    def reach(self) -> Reach:
        """Return this machine's address on the private network; Docker Desktop has another way to its host."""
        gateway = self.project.gateway()
        return Reach(gateway, gateway) if _is_ours(gateway) else Reach("127.0.0.1", "host.docker.internal")

    def containers(self) -> Containers:
        """Return the engine, the images, and what containers may use."""
        docker = self.project.docker
        known = services(docker)
        every = known.targets | known.runners
        used = [*([self._served.service] if self._served else []), *self.executor.services]
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

    def _serve(self, service: str) -> Reached:
        served = self._served = self.project.serve(service)
        return Reached(
            Endpoint(host="127.0.0.1", port=served.published, password=self.project.password),
            ContainerServer(served.image, service, self.project),
            for_runners=Endpoint(host=served.address, port=SERVER_PORT, password=self.project.password),
        )

    def _cgroup_version(self) -> int | None:
        counter = self.project.cpu_counter(self._served.container) if self._served else None
        return counter.version if counter else None


@dataclass(frozen=True)
class Docker:
    """Containers."""

    images: Images
    """Shared by everything that is opened: each is built once."""
    placement: Placement = UNPINNED

    @contextmanager
    def open(self, catalogue: Catalogue, guardian: Guardian, share: Path, run: str) -> Iterator[Place]:
        """Open it.

        Raises:
            ContainerError: docker is not there, or does not let us.
        """
        engine = examine(compose())
        # The container's user is another than ours: it must be able to look into the folder.
        share.chmod(0o755)
        with (
            project(run, share, self.placement, guardian) as made,
            DockerExecutor(catalogue.runners, made, self.images, guardian) as executor,
        ):
            yield DockerPlace(executor, made, engine)


def where(via: Via, placement: Placement, note: Callable[[str], None]) -> Where:
    """Return where trials run; `note` hears what takes long."""
    return Docker(Images(note), placement) if via is Via.DOCKER else Local(placement)


def service_of(spec: ContainerTarget | SpawnedTarget) -> str:
    """Return the compose service that serves as this target.

    Raises:
        InvalidRequestError: the target is something that a container of ours is not.
    """
    if isinstance(spec, ContainerTarget):
        return spec.service
    if spec.transport != "tcp" or spec.arguments:
        what = {"unix": "a unix socket", "tls": "TLS", "tcp": "settings of its own"}[spec.transport]
        message = (
            f"target `{spec.name}` has {what}, which the servers of docker-compose.yml have not: name the target "
            "`valkey` or `redis`, or measure with --via local"
        )
        raise InvalidRequestError(message)
    return DEFAULT_SERVICE


def check_reachable(endpoint: Endpoint) -> None:
    """Refuse a server that runners in containers cannot reach as we do.

    Raises:
        InvalidRequestError: says why, and what to do.
    """
    if is_loopback(endpoint):
        message = (
            f"runners in containers cannot reach {address(endpoint)}: there, it is the container itself; name the "
            "machine's address in the network, or use --target valkey"
        )
        raise InvalidRequestError(message)
    if endpoint.tls is not None and (endpoint.tls.ca_file or endpoint.tls.certificate_file or endpoint.tls.key_file):
        message = "certificate files are not carried into containers: measure this target with --via local"
        raise InvalidRequestError(message)


def _is_ours(host: str) -> bool:
    """Tell whether an address is one of this machine's."""
    with suppress(OSError), socket.create_server((host, 0)):
        return True
    return False
