"""Removes what belongs to our compose projects: containers, networks and volumes; nothing without our label.

The guardian of a killed run starts it as a program (`python -m respmark.containers.sweep PROJECT`).
"""

import contextlib
import sys
from collections.abc import Callable
from dataclasses import dataclass, field

from python_on_whales import DockerClient
from python_on_whales.exceptions import DockerException, NoSuchContainer, NoSuchNetwork, NoSuchVolume

from respmark.containers.engine import client, explained
from respmark.containers.ownership import OWNER_LABEL, PROJECT_LABEL, RUN_LABEL, Owner, state

BY_HAND = "by-hand"
"""The run's name for what a user started with docker compose."""


@dataclass
class Found:
    """What one project has."""

    project: str
    run: str
    owner: str
    containers: list[str] = field(default_factory=list)
    networks: list[str] = field(default_factory=list)
    volumes: list[str] = field(default_factory=list)

    @property
    def state(self) -> Owner:
        """Return whether its run is still going on; what a user started by hand is not ours to remove."""
        return Owner.ELSEWHERE if self.run == BY_HAND else state(self.owner)

    @property
    def words(self) -> str:
        """Return what it has, in words."""
        counts = {"container": self.containers, "network": self.networks, "volume": self.volumes}
        return ", ".join(f"{len(ids)} {noun}{'s' if len(ids) > 1 else ''}" for noun, ids in counts.items() if ids)


def find(docker: DockerClient, project: str | None = None) -> list[Found]:
    """Find everything that has our labels, in one project or in all.

    Raises:
        ContainerError: docker did not answer.
    """
    found: dict[str, Found] = {}

    def of(labels: dict[str, str] | None) -> Found | None:
        labels = labels or {}
        if RUN_LABEL not in labels or PROJECT_LABEL not in labels:
            return None
        name = labels[PROJECT_LABEL]
        return found.setdefault(name, Found(name, labels[RUN_LABEL], labels.get(OWNER_LABEL, "")))

    label = f"{PROJECT_LABEL}={project}" if project else RUN_LABEL
    with explained("looking for containers, networks and volumes of runs"):
        for container in docker.container.list(all=True, filters=[("label", label)]):
            # One may disappear while we look.
            with contextlib.suppress(NoSuchContainer):
                if one := of(container.config.labels):
                    one.containers.append(container.id)
        for network in docker.network.list(filters=[("label", label)]):
            with contextlib.suppress(NoSuchNetwork):
                if one := of(network.labels):
                    one.networks.append(network.id)
        for volume in docker.volume.list(filters=[("label", label)]):
            with contextlib.suppress(NoSuchVolume):
                if one := of(volume.labels):
                    one.volumes.append(volume.name)
    return list(found.values())


def remove(docker: DockerClient, found: Found) -> None:
    """Remove everything of one project: containers with their anonymous volumes first, then what they use.

    Raises:
        ContainerError: docker refused.
    """
    with explained(f"removing what {found.project} left"):
        _each(lambda one: docker.container.remove(one, force=True, volumes=True), found.containers, NoSuchContainer)
        _each(docker.network.remove, found.networks, NoSuchNetwork)
        _each(docker.volume.remove, found.volumes, NoSuchVolume)


def sweep(docker: DockerClient, project: str) -> None:
    """Remove everything of one project of ours.

    Raises:
        ContainerError: docker refused, or did not answer.
    """
    for found in find(docker, project):
        remove(docker, found)


def _each(act: Callable[[str], object], names: list[str], gone: type[DockerException]) -> None:
    for name in names:
        with contextlib.suppress(gone):
            act(name)


if __name__ == "__main__":
    sweep(client(), sys.argv[1])
