"""Where trials run: on this machine as processes, or in containers. Both give the run the same two things."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from respmark.containers.manifest import Containers
from respmark.execute.local import LocalExecutor
from respmark.execute.protocol import Executor
from respmark.placement import UNPINNED, Placement
from respmark.specs.catalogue import Catalogue
from respmark.specs.target import TargetSpec
from respmark.target.guardian import Guardian
from respmark.target.target import Target, open_target
from respmark.wire.proxy import HERE, Reach


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


def where(via: Via, placement: Placement, note: Callable[[str], None]) -> Where:
    """Return where trials run; `note` hears what takes long."""
    if via is Via.LOCAL:
        return Local(placement)
    # What speaks to docker takes long to load, and most runs do without.
    from respmark.execute.docker_place import in_containers  # noqa: PLC0415

    return in_containers(placement, note)
