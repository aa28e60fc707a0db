"""The docker engine: whether it is there, and what it is."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from python_on_whales import DockerClient
from python_on_whales.exceptions import DockerException

from respmark.containers.errors import explain
from respmark.containers.manifest import Engine
from respmark.errors import ContainerError


def find_docker() -> str:
    """Return the path of docker's command-line program.

    Raises:
        ContainerError: there is none.
    """
    if found := shutil.which("docker"):
        return found
    message = (
        "docker is not installed (there is no `docker` on PATH): install Docker Engine with its compose plugin "
        "(https://docs.docker.com/engine/install), or measure without containers (--via local)"
    )
    raise ContainerError(message)


def client(project: str | None = None, files: tuple[Path, ...] = (), profiles: tuple[str, ...] = ()) -> DockerClient:
    """Return a docker client, for one compose project if it is named.

    Raises:
        ContainerError: docker is not installed.
    """
    return DockerClient(
        client_call=[find_docker()],
        compose_project_name=project,
        compose_files=list(files),
        compose_profiles=list(profiles),
    )


@contextmanager
def explained(doing: str) -> Iterator[None]:
    """Turn docker's failures into errors that say what they mean.

    Raises:
        ContainerError: docker failed.
    """
    try:
        yield
    except DockerException as error:
        raise explain(doing, "\n".join(filter(None, [error.stdout, error.stderr]))) from error


def examine(docker: DockerClient) -> Engine:
    """Ask the engine about itself.

    Raises:
        ContainerError: it does not answer, does not let us in, or has no compose.
    """
    with explained("asking the docker engine"):
        info = docker.system.info()
    # Some versions of `docker info` succeed although only the client could be asked.
    if not info.server_version:
        raise explain("asking the docker engine", "Cannot connect to the Docker daemon")
    with explained("asking docker compose"):
        compose = docker.compose.version()
    return Engine(
        docker=info.server_version,
        compose=compose.split()[-1].removeprefix("v"),
        operating_system=info.operating_system or "unknown",
        kernel=info.kernel_version or "unknown",
        cpus=info.n_cpu or 1,
        memory_bytes=info.mem_total or 0,
        security=[option.partition(",")[0].removeprefix("name=") for option in info.security_options or []],
    )
