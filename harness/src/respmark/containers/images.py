"""The runners' images: built from the checkout before a run, each once, however many ask for it."""

import threading
from collections.abc import Callable
from typing import Final

from python_on_whales import DockerClient
from python_on_whales.exceptions import DockerException

from respmark import __version__
from respmark.containers.engine import last_lines
from respmark.containers.manifest import Image
from respmark.errors import ContainerError

LAST_LINES: Final = 8
"""Of a build that failed."""


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
