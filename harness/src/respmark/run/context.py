"""What all trials of a run need."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from respmark.contract.trial import Endpoint
from respmark.load.arrivals import ArrivalFiles
from respmark.machine.guardian import Guardian
from respmark.network.round_trip import RoundTrip
from respmark.plan.trial import Cell, Settings, Trial
from respmark.run.expectation import Expectations
from respmark.runners.protocol import Starter, TrialRequest
from respmark.runners.runner import Runner
from respmark.servers.audience import audience
from respmark.servers.info import keys_share_a_slot
from respmark.servers.preload import PreloadedKeys
from respmark.servers.state import DatabaseState
from respmark.servers.target import Target
from respmark.specs.catalogue import Catalogue
from respmark.specs.client import Client, ClientSpec
from respmark.specs.one_thread import OneThread
from respmark.workload import columns
from respmark.workload.spec import WorkloadSpec
from respmark.workload.workload import Workload, draw_prefix, generate, preload_sizes, with_prefix


@dataclass(frozen=True)
class MadeWorkload:
    """A workload of the run, generated and written to a file."""

    workload: Workload
    """Its keys begin with a prefix that was drawn for this workload in this run."""
    path: Path
    """Of its columns, which runners read."""
    expectations: Expectations

    @property
    def commands(self) -> int:
        """Return how many commands it has."""
        return self.workload.header.commands


@dataclass(frozen=True)
class Served:
    """A server of the run."""

    target: Target
    state: DatabaseState
    round_trips: Mapping[float, RoundTrip] = field(default_factory=dict)
    """Relays to it, by the round trip in ms that they make."""

    def endpoint(self, client: Client, rtt_ms: float | None) -> Endpoint:
        """Return where a client reaches it."""
        if rtt_ms is not None:
            return self.round_trips[rtt_ms].relay.endpoint
        return self.target.for_client(avoids_tls=client.avoids_tls)

    @property
    def remarks(self) -> list[str]:
        """Return what a reader of the run's results should know."""
        return [*self.state.remarks, *(remark for made in self.round_trips.values() for remark in made.remarks)]


@dataclass(frozen=True)
class RunContext:
    """What all trials of a run need."""

    settings: Settings
    executor: Starter
    servers: Mapping[str, Served]
    """By name."""
    workloads: Mapping[str, MadeWorkload]
    """By name."""
    clients: dict[str, ClientSpec] = field(default_factory=dict)
    """By library: the spec, which says what its options mean and what it sends of its own accord."""
    versions: dict[str, Mapping[str, str]] = field(default_factory=dict)
    """By client: the versions that its first trial loaded."""
    apart: dict[str, bool] = field(default_factory=dict)
    """By cell: whether its first round was kept off the server's CPU."""
    arrivals: ArrivalFiles | None = None
    """Of open loops; None: nothing has a rate."""
    sleepers: frozenset[str] = frozenset()
    """Runners that can wait asleep for a unit to be due, by name."""
    one_thread: OneThread = field(default_factory=OneThread)
    """Which clients work with one thread."""
    clock: Callable[[], int] = time.monotonic_ns

    def own_commands(self, clients: Iterable[Client]) -> frozenset[str]:
        """Return the commands that the libraries of these clients send of their own accord."""
        known = [(self.clients[one.library], one.version) for one in clients if one.library in self.clients]
        # In lower case, as servers count them.
        return frozenset(name.lower() for spec, version in known for name in spec.of_version(version).own_commands)

    def workload_of(self, cell: Cell) -> MadeWorkload:
        """Return the workload of a cell."""
        return self.workloads[cell.workload]

    def restore(self, cells: Iterable[Cell]) -> None:
        """Restore the databases' state for trials of these cells; raises what `DatabaseState.restore` does."""
        by_server: dict[str, list[Cell]] = {}
        for cell in cells:
            by_server.setdefault(cell.server, []).append(cell)
        for name, here in by_server.items():
            server = self.servers[name]
            server.state.restore(server.target, [spec.name for spec in self.settings.workloads_of(here)])

    @contextmanager
    def listening(self, cells: Iterable[Cell]) -> Iterator[None]:
        """Let subscribers listen to what the workloads of these cells publish; raises what `audience` does."""
        with ExitStack() as held:
            for server, name in dict.fromkeys((cell.server, cell.workload) for cell in cells):
                spec, endpoint = self.settings.workloads[name], self.servers[server].target.endpoint
                if spec.channel is not None and spec.subscribers:
                    held.enter_context(audience(endpoint, spec.channel, spec.subscribers))
            yield

    def round_trips_of(self, cells: Iterable[Cell]) -> list[RoundTrip]:
        """Return the round trips behind which these cells are measured, each once."""
        wanted = dict.fromkeys((one.server, one.shape.rtt_ms) for one in cells)
        return [self.servers[server].round_trips[rtt_ms] for server, rtt_ms in wanted if rtt_ms is not None]

    def servers_of(self, cells: Iterable[Cell]) -> list[Served]:
        """Return the servers of these cells, each once."""
        return [self.servers[name] for name in dict.fromkeys(cell.server for cell in cells)]

    def start(self, trial: Trial, part: int) -> Runner:
        """Start a process for one part of a trial: it has no past, and ends with the trial."""
        cell = trial.cell
        endpoint = self.servers[cell.server].endpoint(cell.client, cell.shape.rtt_ms)
        request = TrialRequest(cell.client, cell.scenario, cell.shape, self.workload_of(cell).path, endpoint, part)
        return self.executor.start(request)


def make_context(
    settings: Settings,
    catalogue: Catalogue,
    executor: Starter,
    targets: Mapping[str, Target],
    *,
    guardian: Guardian,
    share: Path,
) -> RunContext:
    """Return a run's context, its workloads in `share` for runners; raises TargetError for one of several shards."""
    controls = [target.control for target in targets.values()]
    one_slot = any(list(map(keys_share_a_slot, controls)))  # each is asked
    made = {
        name: _made(spec, settings.seed, share, draw_prefix(one_slot=one_slot))
        for name, spec in settings.workloads.items()
    }
    keys = [
        PreloadedKeys(made[name].workload, preload_sizes(spec, settings.seed))
        for name, spec in settings.workloads.items()
    ]
    servers = {name: Served(target, DatabaseState(keys, guardian)) for name, target in targets.items()}
    return RunContext(
        settings,
        executor,
        servers,
        made,
        catalogue.clients,
        arrivals=ArrivalFiles(share, settings.seed),
        one_thread=catalogue.one_thread,
        sleepers=frozenset(name for name, runner in catalogue.runners.items() if runner.sleeps),
    )


def _made(spec: WorkloadSpec, seed: int, share: Path, prefix: str) -> MadeWorkload:
    workload, path = with_prefix(generate(spec, seed), prefix), share / f"{spec.name}.columns"
    columns.write(workload, path)
    return MadeWorkload(workload, path, Expectations(workload))
