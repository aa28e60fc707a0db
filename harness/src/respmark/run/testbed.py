"""What is open while a run measures: servers, round trips, places for runners, workload files."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

from respmark.contract.trial import Endpoint
from respmark.errors import InvalidRequestError, UnsupportedError
from respmark.machine.awake import kept_awake
from respmark.machine.guardian import Guardian, guarded_folder
from respmark.network.relay import Relay
from respmark.network.round_trip import RoundTrip
from respmark.plan.plan import Plan, PlannedCell, Settings, Trial
from respmark.plan.unsupported import why_no_client, why_not_there
from respmark.results.manifest import Until
from respmark.run.relays import Relays
from respmark.runners.local import open_local
from respmark.runners.protocol import Executor, OpenExecutor, TrialRequest
from respmark.runners.runner import Runner
from respmark.servers.background import subscribers
from respmark.servers.node import StandBefore
from respmark.servers.preload import PreloadedKeys
from respmark.servers.server import Server
from respmark.servers.state import DatabaseState
from respmark.specs.catalogue import Catalogue
from respmark.specs.client import Client, ClientSpec
from respmark.specs.one_thread import OneThread
from respmark.specs.runner import RunnerSpec
from respmark.specs.server import ServerSpec, SpawnedServer
from respmark.workload import columns
from respmark.workload.spec import WorkloadSpec
from respmark.workload.workload import Workload, draw_prefix, generate, preload_sizes, with_prefix


@dataclass(frozen=True)
class OpenOptions:
    """What to measure, and where its results go."""

    plan: Plan
    catalogue: Catalogue
    folder: Path
    command_line: Sequence[str]
    warnings: Sequence[str] = ()
    allow_flush: bool = False
    until: Until | None = None
    """How narrow comparisons are to become, for the manifest: whoever opens the run sees to it."""
    limit_s: float | None = None
    """How long the run may take, with what it took before it was resumed; None: as long as it needs."""
    fills_limit: bool = False
    """Whether further rounds come after the plan's while there is time."""
    opener: OpenExecutor = open_local
    """Opens what starts runners, and servers for them."""
    resume: bool = False
    """Continue the run in the folder."""
    packages: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """What set-up resolved: for each client, the packages in its environment, and their versions."""
    commits: Mapping[str, str] = field(default_factory=dict)
    """Of clients that are builds of the user's, where git knows it."""


@dataclass(frozen=True)
class WorkloadFile:
    """A workload of the run, generated and written to a file."""

    workload: Workload
    """Its keys begin with a prefix that was drawn for this workload in this run."""
    path: Path
    """The file of its columns, which runners read."""

    @property
    def commands(self) -> int:
        """Return how many commands it has."""
        return self.workload.header.commands


@dataclass(frozen=True)
class ServerInUse:
    """A server of the run."""

    server: Server
    state: DatabaseState
    round_trips: Mapping[float, Sequence[RoundTrip]] = field(default_factory=dict)
    """Relays to its nodes, clients' first one first, by the round trip in ms that they make."""
    relay: Relay | None = None
    """The relay of every client that has no round trip of its own."""

    def endpoint(self, client: Client, rtt_ms: float | None) -> Endpoint:
        """Return where a client reaches it."""
        if self.relay is not None:
            return self.server.told(self.relay.endpoint)
        if rtt_ms is not None:
            return self.server.told(self.round_trips[rtt_ms][0].relay.endpoint)
        return self.server.for_client(avoids_tls=client.avoids_tls)


@dataclass(frozen=True)
class Testbed:
    """What all trials of a run share, fixed when it opens; what is learned from trials is in `RunState`."""

    settings: Settings
    executor: Executor
    servers: Mapping[str, ServerInUse]
    """By name."""
    workloads: Mapping[str, WorkloadFile]
    """By name."""
    runners: Mapping[str, RunnerSpec]
    """By name."""
    files: Path
    """A folder from which runners may read, for what is written for them during the run."""
    clients: Mapping[str, ClientSpec] = field(default_factory=dict)
    """By library: the spec, which says what its options mean and what it sends of its own accord."""
    server_specs: Mapping[str, ServerSpec] = field(default_factory=dict)
    """By name: how another server of the same kind is started."""
    one_thread: OneThread = field(default_factory=OneThread)
    """Which clients work with one thread."""
    clock: Callable[[], int] = time.monotonic_ns

    def library_commands(self, clients: Iterable[Client]) -> frozenset[str]:
        """Return the commands that the libraries of these clients send of their own accord."""
        known = [(self.clients[one.library], one.version) for one in clients if one.library in self.clients]
        # In lower case, as servers count them.
        return frozenset(name.lower() for spec, version in known for name in spec.of_version(version).own_commands)

    def workload_of(self, cell: PlannedCell) -> WorkloadFile:
        """Return the workload of a cell, on keys that are where its scenario needs them."""
        return self.workloads[self._keys_of(cell)]

    def _keys_of(self, cell: PlannedCell) -> str:
        """Return the name of its workload; on a cluster, or compared with one, all keys may be in one slot."""
        in_one = one_slot(cell.workload)
        is_wanted = self.settings.workloads[cell.workload].slots_in(cell.scenario) == "one"
        return in_one if is_wanted and in_one in self.workloads else cell.workload

    def restore(self, cells: Iterable[PlannedCell]) -> None:
        """Restore the databases' state for trials of these cells; raises what `DatabaseState.restore` does."""
        by_server: dict[str, list[PlannedCell]] = {}
        for cell in cells:
            by_server.setdefault(cell.server, []).append(cell)
        for name, here in by_server.items():
            in_use = self.servers[name]
            in_use.state.restore(in_use.server, {self._keys_of(cell) for cell in here})

    @contextmanager
    def listening(self, cells: Iterable[PlannedCell]) -> Iterator[None]:
        """Let subscribers listen to what the workloads of these cells publish; raises what `subscribers` does."""
        with ExitStack() as held:
            for server, name in dict.fromkeys((cell.server, cell.workload) for cell in cells):
                spec, endpoint = self.settings.workloads[name], self.servers[server].server.endpoint
                if spec.channel is not None and spec.subscribers:
                    held.enter_context(subscribers(endpoint, spec.channel, spec.subscribers))
            yield

    def round_trips_of(self, cells: Iterable[PlannedCell]) -> list[RoundTrip]:
        """Return the round trips behind which these cells are measured, each once."""
        wanted = dict.fromkeys((one.server, one.shape.rtt_ms) for one in cells)
        every = (self.servers[server].round_trips[rtt_ms] for server, rtt_ms in wanted if rtt_ms is not None)
        return list(chain.from_iterable(every))

    @contextmanager
    def own_server(
        self, cell: PlannedCell, settings: Mapping[str, str], before: StandBefore | None = None
    ) -> Iterator[ServerInUse]:
        """Start a server for one trial alone, with further settings; one that is not ours is shared.

        `before` is for clusters: what it puts there stands before each node.
        """
        spec, shared = self.server_specs[cell.server], self.servers[cell.server]
        if not isinstance(spec, SpawnedServer):
            yield shared
            return
        own = spec.model_copy(update={"settings": {**spec.settings, **settings}})
        with closing(self.executor.open_server(own, allow_flush=False, before=before)) as server:
            yield ServerInUse(server, shared.state.of_another())

    def servers_of(self, cells: Iterable[PlannedCell]) -> list[ServerInUse]:
        """Return the servers of these cells, each once."""
        return [self.servers[name] for name in dict.fromkeys(cell.server for cell in cells)]

    def start(self, trial: Trial, part: int) -> Runner:
        """Start a process for one part of a trial: it has no past, and ends with the trial."""
        cell = trial.cell
        endpoint, workload = self.endpoint_of(cell), self.workload_of(cell).path
        has_limits = cell.shape.fault is not None and self.clients[cell.client.library].limits
        limits = cell.client.limits if has_limits else None
        request = TrialRequest(cell.client, cell.scenario, cell.shape, workload, endpoint, part, limits)
        return self.executor.start(request)

    def endpoint_of(self, cell: PlannedCell) -> Endpoint:
        """Return where a cell's client reaches its server; raises what `check_place` does."""
        self.check_place(cell)
        return self.servers[cell.server].endpoint(cell.client, cell.shape.rtt_ms)

    def check_place(self, cell: PlannedCell) -> None:
        """Raise UnsupportedError if the server proves to be a cluster, or none, and the client cannot do it there."""
        spec, server = self.clients.get(cell.client.library), self.servers[cell.server].server
        kind, primaries = server.kind, len(server.control.nodes)
        if spec is None or not (kind or spec.is_for_clusters(cell.client)):
            return
        workload = self.settings.workloads[cell.workload]
        reason = why_not_there(cell, workload, kind) or why_no_client(cell, spec, workload, kind, primaries)
        if reason is not None:
            raise UnsupportedError(reason)


def one_slot(workload: str) -> str:
    """Return the name of a workload's keys that are all in one slot."""
    return f"{workload} in one slot"


def make_testbed(
    settings: Settings,
    catalogue: Catalogue,
    executor: Executor,
    servers: Mapping[str, Server],
    *,
    guardian: Guardian,
    share: Path,
    note: Callable[[str], None],
) -> Testbed:
    """Return a run's testbed, its workloads in `share` for runners."""
    made = {name: _made(spec, settings.seed, share, draw_prefix()) for name, spec in settings.workloads.items()}
    if any(server.is_cluster for server in servers.values()):
        specs = [spec.model_copy(update={"name": one_slot(name)}) for name, spec in settings.workloads.items()]
        made |= {spec.name: _made(spec, settings.seed, share, draw_prefix(one_slot=True)) for spec in specs}
    keys = [PreloadedKeys(one.workload, preload_sizes(one.workload.header, settings.seed)) for one in made.values()]
    return Testbed(
        settings,
        executor,
        {name: ServerInUse(server, DatabaseState(keys, guardian, note)) for name, server in servers.items()},
        made,
        catalogue.runners,
        share,
        catalogue.clients,
        server_specs={name: catalogue.server(given) for name, given in settings.servers.items()},
        one_thread=catalogue.one_thread,
    )


def _made(spec: WorkloadSpec, seed: int, share: Path, prefix: str) -> WorkloadFile:
    workload, path = with_prefix(generate(spec, seed), prefix), share / f"{spec.name}.columns"
    columns.write(workload, path)
    return WorkloadFile(workload, path)


@contextmanager
def opened_testbed(
    options: OpenOptions, guardian: Guardian, note: Callable[[str], None] = lambda _text: None
) -> Iterator[Testbed]:
    """Open what the trials of a run need, and close it afterwards; no other run may measure on this machine."""
    with guarded_folder(guardian) as folder, ExitStack() as stack:
        # Runners may read only `share`, a subfolder of the run's private folder.
        share = folder / "share"
        share.mkdir()
        executor = stack.enter_context(options.opener(options.catalogue, guardian, share, options.folder.name))
        if executor.placement.awake:
            stack.enter_context(kept_awake())
        relays = {name: Relays(lambda: executor.listen_address, stack) for name in options.plan.settings.servers}
        opened = {name: _server(name, options, executor, stack, one) for name, one in relays.items()}
        bed = make_testbed(
            options.plan.settings,
            options.catalogue,
            executor,
            opened,
            guardian=guardian,
            share=share,
            note=note,
        )
        in_use = {
            name: replace(one, round_trips=_round_trips(options, name, one.server, relays[name], note=note))
            for name, one in bed.servers.items()
        }
        for one in in_use.values():
            stack.enter_context(closing(one.state))
        yield replace(bed, servers=in_use)


def _server(name: str, options: OpenOptions, executor: Executor, stack: ExitStack, relays: Relays) -> Server:
    spec = options.catalogue.server(options.plan.settings.servers[name])
    is_group = isinstance(spec, SpawnedServer) and spec.primaries is not None
    before = relays.put_before if is_group and _asked_ms(options, name) else None
    server = stack.enter_context(closing(executor.open_server(spec, allow_flush=options.allow_flush, before=before)))
    for client in options.plan.clients:
        server.for_client(avoids_tls=client.avoids_tls)  # refuses what is impossible, before anything is written
    return server


def _asked_ms(options: OpenOptions, name: str) -> list[float]:
    shapes = [cell.shape for cell in options.plan.cells if cell.server == name]
    return sorted({shape.rtt_ms for shape in shapes if shape.rtt_ms is not None})


def _round_trips(
    options: OpenOptions, name: str, server: Server, relays: Relays, *, note: Callable[[str], None]
) -> dict[float, list[RoundTrip]]:
    asked = _asked_ms(options, name)
    if asked and any(client.avoids_tls for client in options.plan.clients):
        raise InvalidRequestError(
            "--rtt delays a single address of the server, and clients with tls=off use another: leave those out"
        )
    return relays.round_trips(server, asked, note)
