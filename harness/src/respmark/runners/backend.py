"""How runners and target are started: as processes on this machine, in containers, or on hosts of a cluster."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from respmark.machine.guardian import Guardian
from respmark.machine.limits import allow_many_connections
from respmark.machine.placement import UNPINNED, BackendName, HostsWanted, Placement
from respmark.network.relay import LOOPBACK, ListenAddress
from respmark.results.containers import Containers
from respmark.results.manifest import HostDescription
from respmark.runners.local import LocalExecutor
from respmark.runners.protocol import Executor
from respmark.servers.target import Target, open_target
from respmark.specs.catalogue import Catalogue
from respmark.specs.client import Client
from respmark.specs.target import TargetSpec

if TYPE_CHECKING:
    from respmark.runners.docker_engine import Images


class OpenBackend(Protocol):
    """A backend, opened for one run."""

    @property
    def executor(self) -> Executor:
        """Return the executor, which starts runners."""

    @property
    def listen_address(self) -> ListenAddress:
        """Return where a proxy must listen for runners to reach it."""

    def open_target(self, spec: TargetSpec, *, allow_flush: bool) -> Target:
        """Start or reach the server that a spec names.

        Raises TargetError if it cannot be reached, or refused us, NothingRanError if it cannot be started,
        InvalidRequestError if this backend's runners cannot reach it.
        """

    def containers(self, clients: Iterable[Client]) -> Containers | None:
        """Return what the manifest says about the containers of these clients; None if there are none."""

    @property
    def hosts(self) -> list[HostDescription]:
        """Return what the manifest says about the hosts of clients; empty: they are on this machine alone."""


@dataclass(frozen=True)
class OpenLocal:
    """Processes on this machine, opened for one run."""

    executor: LocalExecutor
    guardian: Guardian
    placement: Placement
    listen_address: ListenAddress = LOOPBACK

    def open_target(self, spec: TargetSpec, *, allow_flush: bool) -> Target:
        """Start or reach the server."""
        return open_target(spec, self.guardian, allow_flush=allow_flush, cpus=self.placement.target)

    def containers(self, _clients: Iterable[Client]) -> None:
        """Return None: there are no containers."""

    @property
    def hosts(self) -> list[HostDescription]:
        """Return nothing: they are on this machine alone."""
        return []


@dataclass(frozen=True)
class Backend:
    """A way to start runners and target: processes on this machine or on hosts, or containers."""

    placement: Placement = UNPINNED
    """Which CPUs target and clients get."""
    images: "Images | None" = None
    """The images of containers, each built once for everything that this backend opens; None: processes."""
    wanted: HostsWanted | None = None
    """The hosts of clients; None: this machine."""

    @contextmanager
    def open(self, catalogue: Catalogue, guardian: Guardian, share: Path, run: str) -> Iterator[OpenBackend]:
        """Open it for the run of this name; `share` is the folder from which runners read the workload.

        Raises ContainerError if docker is needed and not available, or refuses us.
        """
        allow_many_connections()
        if self.images is not None:
            from respmark.runners.docker import open_docker  # noqa: PLC0415 - takes long to load, and few runs need it

            with open_docker(
                self.images, catalogue, guardian, placement=self.placement, share=share, run=run
            ) as opened:
                yield opened
            return
        if self.wanted is not None:
            from respmark.runners.open_hosts import open_hosts  # noqa: PLC0415 - as above

            with open_hosts(self.wanted, catalogue.every_client, guardian, self.placement) as on_hosts:
                yield on_hosts
            return
        cpus = self.placement.clients
        with LocalExecutor(catalogue.runners, catalogue.every_client, guardian, cpus=cpus) as executor:
            yield OpenLocal(executor, guardian, self.placement)


def backend_named(
    via: BackendName, placement: Placement, note: Callable[[str], None], wanted: HostsWanted | None = None
) -> Backend:
    """Return the backend of this name; `note` is called with what takes long, `wanted` are the hosts of a cluster."""
    if via is not BackendName.DOCKER:
        return Backend(placement, wanted=wanted)
    from respmark.runners.docker_engine import Images  # noqa: PLC0415 - takes long to load, and few runs need it

    return Backend(placement, Images(note))
