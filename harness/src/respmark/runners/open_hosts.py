"""The backend on hosts of a Dask cluster: an agent a host, against a server that all of them reach."""

import socket
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from respmark.errors import InvalidRequestError
from respmark.machine.guardian import Guardian
from respmark.machine.limits import allow_many_connections
from respmark.machine.placement import Placement
from respmark.network.relay import LOOPBACK, ListenAddress
from respmark.results.manifest import HostDescription
from respmark.runners.dask_hosts import LOCAL, Cluster, cluster, open_agents
from respmark.runners.hosts import HostsExecutor
from respmark.servers.node import Node
from respmark.servers.target import Target, open_target
from respmark.servers.url import address, is_loopback, parse_url
from respmark.specs.catalogue import Catalogue
from respmark.specs.client import Client
from respmark.specs.target import TargetSpec, UrlTarget


@dataclass(eq=False, kw_only=True)
class DaskExecutor(HostsExecutor):
    """Starts the processes of a trial on the hosts of a Dask cluster in turn."""

    connected: Cluster
    guardian: Guardian
    placement: Placement
    may_be_read: bool
    """Whether passwords may be sent to a scheduler without TLS."""

    @property
    def listen_address(self) -> ListenAddress:
        """Return where a proxy must listen for every host to reach it."""
        if all(host.is_here for host in self.hosts_in_use):
            return LOOPBACK
        own = own_address(self.connected.address)
        return ListenAddress(own, own)

    def open_target(self, spec: TargetSpec, *, allow_flush: bool) -> Target:
        """Start the server here, or reach the one that there is; refuse one that a host cannot reach."""
        elsewhere = [host for host in self.hosts_in_use if not host.is_here]
        if not isinstance(spec, UrlTarget):
            if elsewhere:
                raise InvalidRequestError(
                    f"a server that respmark starts listens on this machine's loopback alone, and host "
                    f"{elsewhere[0].name} is another machine: name a server that all hosts reach (--server URL)"
                )
            return open_target(spec, self.guardian, allow_flush=allow_flush, cpus=self.placement.target)
        endpoint = parse_url(spec.url)
        if elsewhere and is_loopback(endpoint):
            raise InvalidRequestError(
                f"the server at {address(endpoint)} is this machine's own: host {elsewhere[0].name} cannot reach it "
                "there; name it by an address of the network"
            )
        is_open = elsewhere and not self.connected.is_encrypted and not self.may_be_read
        if endpoint.password is not None and is_open:
            raise InvalidRequestError(
                f"the scheduler at {self.connected.address} is not encrypted, and the server's password would be sent "
                "over it: use a scheduler with TLS (tls://…), or --insecure-scheduler on a network that you trust"
            )
        return Target(Node(endpoint), allow_flush=allow_flush)

    def containers(self, _clients: Iterable[Client]) -> None:
        """Return None: there are no containers."""

    @property
    def hosts(self) -> list[HostDescription]:
        """Return what the manifest says about the hosts."""
        return [
            HostDescription(
                name=host.name,
                address=host.address,
                machine=host.facts.machine,
                is_here=host.is_here,
                clock_error_ns=host.clock.error_ns(host.now()),
                versions={"respmark": host.facts.respmark_version, "Python": host.facts.python},
            )
            for host in self.hosts_in_use
        ]


@contextmanager
def open_hosts(
    catalogue: Catalogue,
    guardian: Guardian,
    _share: Path,
    _run: str,
    *,
    placement: Placement,
    scheduler: str,
    most: int | None = None,
    per_host: int = 1,
    may_be_read: bool = False,
) -> Iterator[DaskExecutor]:
    """Connect to a cluster, and open an agent on each of so many workers, None: on all; see `OpenExecutor`.

    `per_host` is how many processes of a client a host gets before the next one gets any, `may_be_read` whether
    passwords may be sent to a scheduler without TLS.

    Raises NothingRanError if the scheduler cannot be reached, or an agent cannot be opened.
    """
    allow_many_connections()
    with (
        cluster(scheduler) as connected,
        open_agents(connected, connected.clients(most)) as agents,
        DaskExecutor(
            agents,
            catalogue.every_client,
            per_host,
            connected=connected,
            guardian=guardian,
            placement=placement,
            may_be_read=may_be_read,
        ) as executor,
    ):
        yield executor


def on_every_free_machine(
    scheduler: str, most: int | None, call: Callable[[Collection[str]], list[str]], names: Collection[str]
) -> list[str]:
    """Call a function once on each machine that runs clients, and return what it said there, with the machine's name.

    Raises NothingRanError, before anything is called, if another run is measuring on one of the run's machines.
    """
    with cluster(scheduler) as connected:
        machines = connected.machines(connected.clients(most))
        chosen = {machine: worker for worker, machine in machines.items()}.values()
        connected.check_free(chosen)
        said: dict[str, list[str]] = connected.client.run(call, names, workers=list(chosen))
    return [f"{worker}: {one}" for worker, lines in said.items() for one in lines]


def is_local(scheduler: str) -> bool:
    """Return whether the cluster is one that the run starts on this machine."""
    return LOCAL.fullmatch(scheduler) is not None


def own_address(peer: str) -> str:
    """Return the address of this machine's interface on the way to a peer (`tcp://10.0.0.5:8786`)."""
    host, _, port = peer.rpartition("//")[2].rpartition(":")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        asking.connect((host, int(port)))  # sends nothing: the kernel only chooses the way
        found: str = asking.getsockname()[0]
    return found
