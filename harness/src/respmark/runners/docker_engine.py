"""Docker: its program, engine and failures, the compose file, the runners' images, and what our projects left.

The guardian of a killed run starts it as a program (`python -m respmark.runners.docker_engine PROJECT`), which removes
what belongs to one compose project: containers and networks, found by their labels.
"""

import os
import shutil
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from python_on_whales import DockerClient
from python_on_whales.exceptions import DockerException, NoSuchContainer, NoSuchNetwork

from respmark import __version__, paths
from respmark.errors import ContainerError
from respmark.results.containers import Engine, Image

COMPOSE_FILE: Final = "docker-compose.yml"
"""Among the sources; images are built from the folders beside it."""
RUNNERS: Final = "runners"
"""The profile of the runners."""
ADVICE: Final = "docs/containers.md, `When it does not work`, explains what to do"
LAST_LINES: Final = 8
"""Of a build that failed."""
RUN_LABEL: Final = "org.respmark.run"
MACHINE_LABEL: Final = "org.respmark.machine"
PROJECT_LABEL: Final = "com.docker.compose.project"


@dataclass(frozen=True)
class Services:
    """The services of the compose file, by name, after the user's environment has been applied."""

    servers: dict[str, dict[str, Any]]
    runners: dict[str, dict[str, Any]]
    """One per language, by the runner's name."""


def client(project: str | None = None, files: tuple[Path, ...] = (), profiles: tuple[str, ...] = ()) -> DockerClient:
    """Return a docker client, for one compose project if it is named."""
    if (docker := shutil.which("docker")) is None:
        raise ContainerError(
            "docker is not installed (there is no `docker` on PATH): install Docker Engine with its compose plugin "
            "(https://docs.docker.com/engine/install), or measure without containers (--via local)"
        )
    return DockerClient(
        client_call=[docker],
        compose_project_name=project,
        compose_files=list(files),
        compose_profiles=list(profiles),
    )


def compose(project: str | None = None, override: Path | None = None) -> DockerClient:
    """Return a docker client for our compose file."""
    return client(project, (paths.sources() / COMPOSE_FILE, *([override] if override else [])), (RUNNERS,))


def services(docker: DockerClient) -> Services:
    """Read the compose file, as docker compose understands it."""
    with explained(f"reading {COMPOSE_FILE}"):
        found: dict[str, dict[str, Any]] = docker.compose.config(return_json=True)["services"]
    runners = {name: service for name, service in found.items() if RUNNERS in service.get("profiles", [])}
    return Services({name: service for name, service in found.items() if name not in runners}, runners)


@contextmanager
def explained(doing: str) -> Iterator[None]:
    """Turn docker's failures into errors with its last words."""
    try:
        yield
    except DockerException as error:
        said = " / ".join(last_lines(error.stderr or error.stdout or "")) or "nothing"
        raise ContainerError(f"{doing}: docker says: {said}; {ADVICE}") from error


def last_lines(said: str, count: int = 3) -> list[str]:
    """Return the last lines that are not blank."""
    return [line.strip() for line in said.splitlines() if line.strip()][-count:]


def examine(docker: DockerClient) -> Engine:
    """Ask the engine about itself."""
    with explained("asking the docker engine"):
        info = docker.system.info()
    # Some versions of `docker info` succeed although only the client could be asked.
    if not info.server_version:
        raise ContainerError(f"asking the docker engine: the docker daemon does not answer; {ADVICE}")
    with explained("asking docker compose"):
        version = docker.compose.version()
    return Engine(
        docker=info.server_version,
        compose=version.split()[-1].removeprefix("v"),
        operating_system=info.operating_system or "unknown",
        kernel=info.kernel_version or "unknown",
        cpus=info.n_cpu or 1,
        memory_bytes=info.mem_total or 0,
        security=[option.partition(",")[0].removeprefix("name=") for option in info.security_options or []],
    )


class Images:
    """Builds the images of services, and remembers which were built and which could not be."""

    def __init__(self, note: Callable[[str], None]) -> None:
        self._note = note
        self._built: dict[str, ContainerError | None] = {}
        self._lock = threading.Lock()

    def build(self, docker: DockerClient, service: str) -> None:
        """Build the image of one service; layers that did not change come from docker's cache."""
        with self._lock:
            if service not in self._built:
                self._built[service] = self._build(docker, service)
            if failed := self._built[service]:
                raise failed

    def _build(self, docker: DockerClient, service: str) -> ContainerError | None:
        self._note(f"building the image of `{service}`; the first time takes a minute or more")
        said: list[str] = []
        logs = docker.compose.build([service], progress="plain", build_args={"VERSION": __version__}, stream_logs=True)
        try:
            said += (line.decode(errors="replace") for _, line in logs)
        except DockerException:
            shown = "\n  ".join(last_lines("".join(said), LAST_LINES))
            return ContainerError(
                f"the image of `{service}` was not built: `docker compose build {service}` shows all of it; its last "
                f"lines:\n  {shown}"
            )
        return None


def describe(docker: DockerClient, names: list[str]) -> list[Image]:
    """Describe images that are here; one that has just disappeared is left out."""
    found = []
    for name in names:
        try:
            image = docker.image.inspect(name)
        except DockerException:
            continue
        labels = dict(sorted((image.config.labels or {}).items()))
        found.append(Image(name=name, id=image.id, size_bytes=image.size, labels=labels))
    return found


@dataclass
class Belongings:
    """What one project has."""

    project: str
    run: str
    machine: str
    containers: list[str] = field(default_factory=list)
    networks: list[str] = field(default_factory=list)

    @property
    def is_ours(self) -> bool:
        """Return whether a run on this machine made it; what a user starts with docker compose has no machine."""
        return self.machine == this_machine()

    @property
    def words(self) -> str:
        """Return what it has, in words."""
        counts = {"container": len(self.containers), "network": len(self.networks)}
        return ", ".join(f"{count} {noun}{'s' if count > 1 else ''}" for noun, count in counts.items() if count)


def this_machine() -> str:
    """Return what distinguishes this machine from others that use the same docker engine."""
    with suppress(OSError):
        return Path("/etc/machine-id").read_text().strip()
    return os.uname().nodename


def find_projects(docker: DockerClient, project: str | None = None) -> list[Belongings]:
    """Find everything that has our labels, in one project or in all."""
    found: dict[str, Belongings] = {}

    def of(labels: dict[str, str] | None) -> Belongings:
        given = {PROJECT_LABEL: "", RUN_LABEL: "", MACHINE_LABEL: "", **(labels or {})}
        return found.setdefault(
            given[PROJECT_LABEL], Belongings(given[PROJECT_LABEL], given[RUN_LABEL], given[MACHINE_LABEL])
        )

    filters: list[Any] = [("label", RUN_LABEL), ("label", f"{PROJECT_LABEL}={project}" if project else PROJECT_LABEL)]
    with explained("looking for containers and networks of runs"):
        # One may disappear while we look.
        for container in docker.container.list(all=True, filters=filters):
            with suppress(NoSuchContainer):
                of(container.config.labels).containers.append(container.id)
        for network in docker.network.list(filters=filters):
            with suppress(NoSuchNetwork):
                of(network.labels).networks.append(network.id)
    return list(found.values())


def remove_project(docker: DockerClient, found: Belongings) -> None:
    """Remove everything of one project: containers with their anonymous volumes first, then what they use."""
    with explained(f"removing what {found.project} left"):
        for container in found.containers:
            with suppress(NoSuchContainer):
                docker.container.remove(container, force=True, volumes=True)
        for network in found.networks:
            with suppress(NoSuchNetwork):
                docker.network.remove(network)


def sweep(docker: DockerClient, project: str) -> None:
    """Remove everything of one project of ours."""
    for found in find_projects(docker, project):
        remove_project(docker, found)


if __name__ == "__main__":
    sweep(client(), sys.argv[1])
