"""Finds and removes what belongs to our compose projects, by its labels: containers and networks.

The guardian of a killed run starts it as a program (`python -m respmark.containers.sweep PROJECT`).
"""

import os
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from python_on_whales import DockerClient
from python_on_whales.exceptions import NoSuchContainer, NoSuchNetwork

from respmark.containers.engine import client, explained

RUN_LABEL: Final = "org.respmark.run"
MACHINE_LABEL: Final = "org.respmark.machine"
PROJECT_LABEL: Final = "com.docker.compose.project"


@dataclass
class Found:
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


def find(docker: DockerClient, project: str | None = None) -> list[Found]:
    """Find everything that has our labels, in one project or in all."""
    found: dict[str, Found] = {}

    def of(labels: dict[str, str] | None) -> Found:
        given = {PROJECT_LABEL: "", RUN_LABEL: "", MACHINE_LABEL: "", **(labels or {})}
        return found.setdefault(
            given[PROJECT_LABEL], Found(given[PROJECT_LABEL], given[RUN_LABEL], given[MACHINE_LABEL])
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


def remove(docker: DockerClient, found: Found) -> None:
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
    for found in find(docker, project):
        remove(docker, found)


if __name__ == "__main__":
    sweep(client(), sys.argv[1])
