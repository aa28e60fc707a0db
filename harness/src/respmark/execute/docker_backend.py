"""The backend in containers: runners' images, a private network, a target in a container or reachable from one."""

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from respmark.containers.engine import Images, compose, describe, examine, services
from respmark.containers.manifest import Containers, Engine, Limits
from respmark.containers.project import SERVER_PORT, Project, Served, project
from respmark.contract.trial import Endpoint
from respmark.errors import InvalidRequestError
from respmark.execute.backend import OpenBackend
from respmark.execute.docker import DockerExecutor
from respmark.placement import UNPINNED, Placement
from respmark.specs.catalogue import Catalogue
from respmark.specs.target import ContainerTarget, SpawnedTarget, TargetSpec
from respmark.target.guardian import Guardian
from respmark.target.target import Reached, Target
from respmark.target.url import address, is_loopback, parse_url
from respmark.wire.proxy import ListenAddress

DEFAULT_SERVICE: Final = "valkey"


@dataclass
class OpenDocker:
    """The containers of one run."""

    executor: DockerExecutor
    project: Project
    engine: Engine
    _served: Served | None = None

    def open_target(self, spec: TargetSpec, *, allow_flush: bool) -> Target:
        """Start the server in a container, or reach one that containers can reach as well."""
        if isinstance(spec, ContainerTarget | SpawnedTarget):
            return Target(partial(self._serve, service_of(spec)), allow_flush=True)
        endpoint = parse_url(spec.url)
        check_reachable(endpoint)
        return Target(partial(Reached, endpoint), allow_flush=allow_flush)

    @property
    def listen_address(self) -> ListenAddress:
        """Return this machine's address on the private network; with Docker Desktop, its own name for the host."""
        gateway = self.project.gateway()
        return (
            ListenAddress(gateway, gateway) if _is_ours(gateway) else ListenAddress("127.0.0.1", "host.docker.internal")
        )

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
            partial(self.project.stop, service),
            served.image,
            for_runners=Endpoint(host=served.address, port=SERVER_PORT, password=self.project.password),
        )

    def _cgroup_version(self) -> int | None:
        counter = self.project.cpu_counter(self._served.container) if self._served else None
        return counter.version if counter else None


@dataclass(frozen=True)
class DockerBackend:
    """Runners and target in containers."""

    images: Images
    """Shared by everything that this backend opens: each is built once."""
    placement: Placement = UNPINNED

    @contextmanager
    def open(self, catalogue: Catalogue, guardian: Guardian, share: Path, run: str) -> Iterator[OpenBackend]:
        """Open it; raises ContainerError if docker is not available, or refuses us."""
        engine = examine(compose())
        # The container runs as another user, who must be able to look into the folder.
        share.chmod(0o755)
        with (
            project(run, share, self.placement, guardian) as made,
            DockerExecutor(
                catalogue.runners, catalogue.every_client, made, self.images, guardian, share=share
            ) as executor,
        ):
            yield OpenDocker(executor, made, engine)


def in_containers(placement: Placement, note: Callable[[str], None]) -> DockerBackend:
    """Return the backend; images are built when they are needed, and `note` is called with a line about it."""
    return DockerBackend(Images(note), placement)


def service_of(spec: ContainerTarget | SpawnedTarget) -> str:
    """Return the compose service that serves as this target; raises InvalidRequestError if none can."""
    if isinstance(spec, ContainerTarget):
        return spec.service
    if spec.transport != "tcp" or spec.settings or not spec.servers:
        what = {"unix": "a unix socket", "tls": "TLS", "tcp": "a program or settings of its own"}[spec.transport]
        raise InvalidRequestError(
            f"target `{spec.name}` has {what}, which the servers of docker-compose.yml have not: name the target "
            "`valkey` or `redis`, or measure with --via local"
        )
    return DEFAULT_SERVICE


def check_reachable(endpoint: Endpoint) -> None:
    """Refuse, with an InvalidRequestError, a server that runners in containers cannot reach the way we do."""
    if is_loopback(endpoint):
        raise InvalidRequestError(
            f"runners in containers cannot reach {address(endpoint)}: there, it is the container itself; name the "
            "machine's address in the network, or use --server valkey"
        )
    if endpoint.tls is not None and (endpoint.tls.ca_file or endpoint.tls.certificate_file or endpoint.tls.key_file):
        raise InvalidRequestError(
            "certificate files are not carried into containers: measure this target with --via local"
        )


def _is_ours(host: str) -> bool:
    with suppress(OSError), socket.create_server((host, 0)):
        return True
    return False
