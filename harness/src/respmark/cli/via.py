"""Where clients run: all that `--via` and its options mean before anything starts."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING

from cyclopts import Parameter

from respmark.cli.help import PLACE
from respmark.cli.options import Flag, PinOptions, tell
from respmark.errors import InvalidRequestError
from respmark.machine.placement import Placement
from respmark.specs.catalogue import Catalogue
from respmark.specs.client import Client
from respmark.specs.server import ServerSpec

if TYPE_CHECKING:  # `--help` needs none of it, and it takes long to load
    from respmark.runners.protocol import OpenExecutor
    from respmark.setup.prepare import Prepared


class Way(StrEnum):
    """Where clients run."""

    LOCAL = "local"
    DOCKER = "docker"
    DASK = "dask"


@Parameter(name="*", group=PLACE)
@dataclass(frozen=True)
class Via:
    """Where clients run."""

    via: Way = Way.LOCAL
    """`local`: clients are processes here. `docker`: each is a container, and so is the server. `dask`: they are
    processes on the hosts of a Dask cluster."""
    scheduler: str | None = None
    """With `--via dask`, the cluster whose workers run the clients: its scheduler's address (`tcp://10.0.0.5:8786`), or
    `local:3`, three workers on this machine, for trying."""
    hosts: int | None = None
    """With `--via dask`, use so many of the workers, an agent on each; default: all. `--processes` spread over them."""
    per_host: int = 1
    """With `--via dask`, give a host so many of a client's processes before the next host gets any."""
    insecure_scheduler: Flag = False
    """With `--via dask`, send a server's password to hosts through a scheduler without TLS."""

    @property
    def is_docker(self) -> bool:
        """Return whether clients and server are containers."""
        return self.via is Way.DOCKER

    @property
    def has_hosts(self) -> bool:
        """Return whether clients are on hosts of a cluster."""
        return self.via is Way.DASK

    def check(self, clients: Collection[Client], servers: Sequence[ServerSpec], catalogue: Catalogue) -> None:
        """Refuse, with an InvalidRequestError, what cannot be had this way, and options of another."""
        if not self.has_hosts:
            given = [one.name for one in fields(self)[1:] if getattr(self, one.name) != one.default]
            if given:
                options = ", ".join(f"--{name.replace('_', '-')}" for name in given)
                raise InvalidRequestError(f"{options}: only with --via dask")
        elif self.scheduler is None:
            raise InvalidRequestError("--via dask needs --scheduler, such as tcp://10.0.0.5:8786, or local:3")
        for name, number in (("hosts", self.hosts), ("per-host", self.per_host)):
            if number is not None and number < 1:
                raise InvalidRequestError(f"--{name} must be at least 1 (is {number})")
        if self.is_docker:
            from respmark.runners.docker import check_possible  # noqa: PLC0415 - takes long to load, and few runs need it

            check_possible(clients, catalogue, servers)

    def set_up(self, clients: Collection[Client], servers: Sequence[ServerSpec], catalogue: Catalogue) -> "Prepared":
        """Set up what is to be measured where clients run; images are built later.

        Raises what `check` does, and NothingRanError if another run is measuring: set-up would distort its figures.
        """
        from respmark.cli.setup import set_up  # noqa: PLC0415 - takes long to load
        from respmark.setup.prepare import Prepared  # noqa: PLC0415 - takes long to load

        self.check(clients, servers, catalogue)
        if self.is_docker:
            return Prepared()
        if self.scheduler is not None:
            from respmark.runners.dask import is_local, on_every_free_machine  # noqa: PLC0415 - takes long to load
            from respmark.setup.on_host import prepare_here  # noqa: PLC0415 - takes long to load

            if not is_local(self.scheduler):
                set_up((), catalogue, servers)
                names = sorted({client.installed for client in clients})
                for said in on_every_free_machine(self.scheduler, self.hosts, prepare_here, names):
                    tell(said)
                return Prepared()
        return set_up(clients, catalogue, servers)

    def placement(self, pins: PinOptions, servers: Sequence[ServerSpec]) -> Placement:
        """Return which CPUs server and clients get; threads of containers and other hosts are not ours to place."""
        return pins.placement(servers, by_thread=self.via is Way.LOCAL)

    def opener(self, placement: Placement) -> "OpenExecutor":
        """Return what gets ready to start runners."""
        if self.is_docker:
            from respmark.runners.docker import open_docker  # noqa: PLC0415 - takes long to load, and few runs need it
            from respmark.runners.docker_engine import Images  # noqa: PLC0415 - takes long to load

            return partial(open_docker, placement=placement, images=Images(tell))
        if self.scheduler is not None:
            from respmark.runners.dask import open_hosts  # noqa: PLC0415 - takes long to load

            return partial(
                open_hosts,
                placement=placement,
                scheduler=self.scheduler,
                most=self.hosts,
                per_host=self.per_host,
                may_be_read=self.insecure_scheduler,
            )
        from respmark.runners.local import open_local  # noqa: PLC0415 - takes long to load

        return partial(open_local, placement=placement)

    @property
    def words(self) -> str | None:
        """Return where runners are, in words; None: they are processes here."""
        if self.is_docker:
            return "each runner in a container of its own, the server in another"
        if self.has_hosts:
            each = "all its workers" if self.hosts is None else f"{self.hosts} of its workers"
            return f"each runner on a host of the cluster at {self.scheduler}: {each}"
        return None
