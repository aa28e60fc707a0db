"""Hosts of a Dask cluster: Dask places an agent on each worker and carries its calls; no other module knows of it."""

import contextlib
import logging
import re
import socket
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from respmark import __version__, paths
from respmark.contract.trial import Endpoint
from respmark.errors import InvalidRequestError, NothingRanError, RespmarkError, RunnerFailedError
from respmark.machine.guardian import Guardian
from respmark.machine.limits import allow_many_connections
from respmark.machine.placement import Placement
from respmark.network.relay import LOOPBACK, ListenAddress
from respmark.results.manifest import HostDescription
from respmark.runners.agent import Agent, AgentReply, HostFacts, machine_id, why_not_now
from respmark.runners.hosts import CALL_LIMIT_S, Host, HostCalls, HostsExecutor, check_alike
from respmark.servers.node import Node, StandBefore
from respmark.servers.server import Server, open_server, with_nodes
from respmark.servers.url import address, is_loopback, parse_url
from respmark.specs.catalogue import Catalogue
from respmark.specs.client import Client
from respmark.specs.server import ServerSpec, UrlServer

try:
    import distributed
except ImportError as error:
    in_checkout = f"{sys.executable} -m uv pip install --python {sys.executable} distributed"
    how = in_checkout if paths.is_checkout() else "pip install 'respmark[dask]'"
    raise NothingRanError(f"--via dask needs Dask, which is not installed; type: {how}") from error

LOCAL: Final = re.compile(r"local:([1-9]\d?)")
"""`local:3`: a cluster of three workers on this machine, for trying."""
CONNECT_LIMIT_S: Final = 10.0
START_LIMIT_S: Final = 60.0
LOOK_S: Final = 0.5
"""How often a host that does not answer is looked for among the scheduler's workers."""


@dataclass(frozen=True)
class Cluster:
    """A Dask cluster, connected."""

    client: "distributed.Client"
    address: str
    """Of its scheduler."""

    @property
    def is_encrypted(self) -> bool:
        """Return whether what is sent to workers cannot be read on the way."""
        return self.address.startswith("tls://")

    @property
    def workers(self) -> list[str]:
        """Return the addresses of its workers, in the order of their names."""
        known = self.client.scheduler_info(n_workers=-1)["workers"]
        return [address for _, address in sorted((str(one.get("name", "")), address) for address, one in known.items())]

    def has(self, worker: str) -> bool:
        """Return whether a worker is there, and a scheduler that knows of it."""
        try:
            return self.client.status == "running" and worker in self.workers
        except (OSError, TimeoutError, RuntimeError):
            return False

    def clients(self, most: int | None = None) -> list[str]:
        """Return the addresses of so many workers, None: of all; raises NothingRanError if there are fewer."""
        found = self.workers
        if len(found) < (most or 1):
            has = f"only {len(found)}" if found else "no worker"
            asks = f"--hosts asks for {most}" if most else "clients need at least one"
            raise NothingRanError(f"the Dask cluster at {self.address} has {has}; {asks}")
        return found[:most]

    def machines(self, workers: Sequence[str]) -> dict[str, str]:
        """Return the machine of each worker; raises NothingRanError if one lacks respmark."""
        try:
            found: dict[str, str] = self.client.run(machine_id, workers=list(workers))
        except (ImportError, RuntimeError) as error:
            raise NothingRanError(
                f"respmark is not installed on every worker of {self.address}: install the same version there ({error})"
            ) from error
        return found

    def check_free(self, workers: Collection[str]) -> None:
        """Raise NothingRanError if another run is measuring on the machine of one of these workers.

        One worker of each machine is enough; two at once would be in each other's way.
        """
        found: dict[str, str | None] = self.client.run(why_not_now, workers=list(workers))
        for worker, why in found.items():
            if why is not None:
                raise NothingRanError(f"no run can begin on the host of the Dask worker at {worker}: {why}")


@contextmanager
def cluster(scheduler: str) -> Iterator[Cluster]:
    """Connect to a scheduler, or start a cluster here (`local:3`).

    Raises NothingRanError if it cannot be reached, InvalidRequestError if it is not an address.
    """
    with contextlib.ExitStack() as stack:
        address = scheduler
        if (local := LOCAL.fullmatch(scheduler)) is not None:
            made = distributed.LocalCluster(  # type: ignore[no-untyped-call]
                n_workers=int(local[1]),
                threads_per_worker=1,
                processes=True,
                host="127.0.0.1",
                dashboard_address="127.0.0.1:0",  # any that is free: it cannot be switched off
                memory_limit=0,
                silence_logs=logging.CRITICAL,
            )
            address = stack.enter_context(made).scheduler_address
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        try:
            client = stack.enter_context(
                distributed.Client(  # type: ignore[no-untyped-call]
                    address, timeout=CONNECT_LIMIT_S, name="respmark"
                )
            )
        except (ValueError, TypeError) as error:
            raise InvalidRequestError(
                f"--scheduler {scheduler}: write an address such as tcp://10.0.0.5:8786, or local:3 ({error})"
            ) from error
        except OSError as error:
            raise NothingRanError(f"the Dask scheduler at {address} cannot be reached: {error}") from error
        yield Cluster(client, address)


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

    def open_server(self, spec: ServerSpec, *, allow_flush: bool, before: StandBefore | None = None) -> Server:
        """Start the server here, or reach the one that there is; refuse one that a host cannot reach."""
        elsewhere = [host for host in self.hosts_in_use if not host.is_here]
        if not isinstance(spec, UrlServer):
            if elsewhere:
                raise InvalidRequestError(
                    f"a server that respmark starts listens on this machine's loopback alone, and host "
                    f"{elsewhere[0].name} is another machine: name a server that all hosts reach (--server URL)"
                )
            cpus = self.placement.server
            return open_server(spec, self.guardian, allow_flush=allow_flush, cpus=cpus, before=before)
        endpoint = parse_url(spec.url)
        check = partial(check_reached, hosts=[host.name for host in elsewhere])
        check(endpoint)
        is_open = elsewhere and not self.connected.is_encrypted and not self.may_be_read
        if endpoint.password is not None and is_open:
            raise InvalidRequestError(
                f"the scheduler at {self.connected.address} is not encrypted, and the server's password would be sent "
                "over it: use a scheduler with TLS (tls://…), or --insecure-scheduler on a network that you trust"
            )
        return with_nodes(Server(Node(endpoint), allow_flush=allow_flush), check)

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


def check_reached(endpoint: Endpoint, hosts: Sequence[str]) -> None:
    """Refuse, with an InvalidRequestError, a server or a node of a cluster that hosts elsewhere cannot reach."""
    if hosts and is_loopback(endpoint):
        raise InvalidRequestError(
            f"the server at {address(endpoint)} is this machine's own: host {hosts[0]} cannot reach it there; name it "
            "by an address of the network, as the nodes of a cluster must (cluster-announce-ip)"
        )


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


@contextmanager
def open_agents(connected: Cluster, chosen: Sequence[str]) -> Iterator[list[Host]]:
    """Open an agent on each of these workers; close them at the end.

    Raises NothingRanError if an agent cannot be opened.
    """
    machines = connected.machines(chosen)
    hosts: list[Host] = []
    locked = {machine_id()}
    try:
        for worker in chosen:
            takes_lock = machines[worker] not in locked
            locked.add(machines[worker])
            hosts.append(_opened(connected, worker, [host.name for host in hosts], takes_lock=takes_lock))
        check_alike(hosts, __version__)
        yield hosts
    finally:
        for host in hosts:
            # A host that is gone has nothing left: its guardian saw to that.
            with contextlib.suppress(RunnerFailedError):
                host.call("close", limit_s=CALL_LIMIT_S)


def _opened(connected: Cluster, worker: str, names: list[str], *, takes_lock: bool) -> Host:
    created = connected.client.submit(
        Agent, takes_lock=takes_lock, actor=True, workers=[worker], allow_other_workers=False, pure=False, retries=0
    )
    try:
        calls = _calls(connected, worker, created.result(timeout=START_LIMIT_S))
        facts: HostFacts = calls("facts", limit_s=CALL_LIMIT_S).value
        same = sum(name.partition("#")[0] == facts.name for name in names)
        host = Host(f"{facts.name}#{same + 1}" if same else facts.name, worker, facts, calls)
    except (RespmarkError, OSError, ImportError, RuntimeError, TimeoutError) as error:
        raise NothingRanError(f"no agent on the Dask worker at {worker}: {error}") from error
    return host


def _calls(connected: Cluster, worker: str, actor: Any) -> HostCalls:  # noqa: ANN401 - Dask has no types
    def call(method: str, *arguments: Any, limit_s: float) -> AgentReply:  # noqa: ANN401 - the agent's own types
        try:
            future, waited_s = getattr(actor, method)(*arguments), 0.0
            while True:
                try:
                    answer: AgentReply = future.result(timeout=LOOK_S)
                except TimeoutError:
                    waited_s += LOOK_S
                    if waited_s > limit_s or not connected.has(worker):
                        raise
                else:
                    return answer
        except (TimeoutError, OSError, ValueError, RuntimeError, distributed.client.FutureCancelledError) as error:
            why = (
                "the worker, or the scheduler, is gone"
                if not connected.has(worker)
                else f"no answer within {limit_s:.0f} s"
            )
            raise RunnerFailedError(f"the host of the Dask worker at {worker} is lost: {why}") from error

    return call


def own_address(peer: str) -> str:
    """Return the address of this machine's interface on the way to a peer (`tcp://10.0.0.5:8786`)."""
    host, _, port = peer.rpartition("//")[2].rpartition(":")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        asking.connect((host, int(port)))  # sends nothing: the kernel only chooses the way
        found: str = asking.getsockname()[0]
    return found
