"""Why a cell cannot be measured: its client, its workload or this machine does not allow it."""

from collections.abc import Iterable, Mapping
from typing import Final

from respmark.contract.trial import Scenario
from respmark.machine.limits import FILES_BESIDE
from respmark.plan.faults import callers_shape, why_no_fault
from respmark.plan.needs import connections_of
from respmark.plan.plan import PlannedCell
from respmark.specs.catalogue import Catalogue
from respmark.specs.client import CLUSTER, SENTINEL, Client, ClientSpec
from respmark.specs.faults import FAILOVERS
from respmark.specs.guidance import Capacity
from respmark.specs.limits import INSTALLED, LIMITS
from respmark.specs.runner import RunnerSpec
from respmark.specs.server import ServerKind, SpawnedServer, processes_of
from respmark.workload.commands import CACHED, may_be_cached
from respmark.workload.spec import KeyArgument, WorkloadSpec

PINGED: Final = "PING"
"""What sentinels send to every server that they watch."""
DRIVER_DIGITS: Final = 12
"""Of the numbers that drivers put into keys."""
MOVES_NOTHING: Final = (
    "slots move from primary to primary of a cluster that the run starts: name one (--server 'valkey@9.1[primaries=3]')"
)


def why_unsupported(
    cell: PlannedCell,
    workload: WorkloadSpec,
    catalogue: Catalogue,
    capacity: Capacity,
    servers: Mapping[str, SpawnedServer],
    *,
    by_name: bool,
) -> str | None:
    """Return why a cell cannot be measured, or None.

    `capacity` is what this machine has; `servers` those that the run starts, by name. A suite is scaled to the machine;
    servers that the user named (`by_name`) are measured however many threads they have.
    """
    spec, server = catalogue.clients[cell.client.library], servers.get(cell.server)
    # Whether a URL is a cluster's shows when it is reached.
    kind = server.kind if server else CLUSTER if spec.is_for_clusters(cell.client) else None
    primaries = (server and server.primaries) or 1
    threads = 1 if server is None or by_name else server.io_threads
    return (
        why_not_there(cell, workload, kind)
        or _moves_reason(server, workload)
        or _order_reason(cell, workload)
        or _cold_start_reason(cell, catalogue.runners[cell.client.runner], workload)
        or why_no_fault(cell, workload, catalogue, capacity)
        or _limits_reason(cell)
        or why_no_client(cell, spec, workload, kind, primaries)
        or _caching_reason(cell.scenario, workload)
        or _workload_reason(cell.client, workload)
        or _files_reason(connections_of(cell.shape) * (processes_of(server) if server else 1), capacity.files)
        or _cpus_reason(cell.server, threads, capacity.cpus)
    )


def why_no_client(
    cell: PlannedCell, spec: ClientSpec, workload: WorkloadSpec, kind: ServerKind | None, primaries: int
) -> str | None:
    """Return why a cell's client cannot do this on its server, or its callers under a fault cannot; or None."""
    asked = [(cell.scenario, cell.shape)]
    if cell.scenario is Scenario.FAULTS:
        scenario = spec.callers_of(cell.client)
        asked.append((scenario, callers_shape(cell.shape, scenario)))
    reasons = (
        spec.why_not(
            cell.client,
            scenario,
            shape,
            workload,
            workload.slots_in(scenario) if kind == CLUSTER else None,
            primaries=primaries,
            is_watched=kind == SENTINEL,
        )
        for scenario, shape in asked
    )
    return next(filter(None, reasons), None)


def why_not_there(cell: PlannedCell, workload: WorkloadSpec, kind: ServerKind | None) -> str | None:
    """Return why no client can be measured so on a server of a kind, or None."""
    if kind is None:
        return None
    tell = "a cluster's nodes tell clients their own" if kind == CLUSTER else "sentinels tell clients the server's own"
    is_of_relay = cell.scenario is Scenario.FAULTS and cell.shape.fault not in FAILOVERS
    is_pinged = kind == SENTINEL and PINGED in {one.name for one in workload.mix}
    reasons = {
        "a cold start is that of a client of one server": cell.scenario is Scenario.COLD_START,
        f"what stands between a client and its server has one address, and {tell}": is_of_relay,
        f"a round trip is made for one address, and {tell}": kind == SENTINEL and cell.shape.rtt_ms is not None,
        f"what the run sends beside clients in workload {workload.name} goes to one server": kind == CLUSTER
        and workload.beside is not None,
        f"sentinels send PING, too: of workload {workload.name} is not known which of them a client sent": is_pinged,
    }
    return next((reason for reason, holds in reasons.items() if holds), None)


def _moves_reason(server: SpawnedServer | None, workload: WorkloadSpec) -> str | None:
    if workload.moves is None:
        return None
    if server is None or server.primaries in {None, 1}:
        return MOVES_NOTHING
    return "respmark moves slots of clusters without TLS" if server.transport == "tls" else None


def _order_reason(cell: PlannedCell, workload: WorkloadSpec) -> str | None:
    if not workload.in_order or (cell.scenario is Scenario.SYNC and cell.shape.processes == 1):
        return None
    return f"workload {workload.name} is about one client that reads what it has just written: sync, with one process"


def _cold_start_reason(cell: PlannedCell, runner: RunnerSpec, workload: WorkloadSpec) -> str | None:
    """A second program of the runner carries out a cold start, and sends one GET."""
    if cell.scenario is not Scenario.COLD_START:
        return None
    if cell.shape.processes > 1:
        return "a cold start is that of one process"
    if not runner.cold_start:
        return f"{runner.language}'s runner has no `cold_start` in runner.toml"
    others = [kind.name for kind in workload.mix if kind.name != "GET"]
    return f"a cold start is that of a GET: workload {workload.name} has {', '.join(others)}" if others else None


def _limits_reason(cell: PlannedCell) -> str | None:
    """Where no server fails, no client is given limits."""
    if cell.client.limits == INSTALLED or cell.scenario is Scenario.FAULTS:
        return None
    return f"`{LIMITS}` is an option for servers that fail: in {cell.scenario} the client is as installed"


def _caching_reason(scenario: Scenario, workload: WorkloadSpec) -> str | None:
    """A cache may answer other commands than GET: what the server must have counted for them is not known."""
    others = [kind.name for kind in workload.mix if kind.name != CACHED and may_be_cached(kind.name)]
    if scenario is not Scenario.CACHING or not others:
        return None
    return f"caching measures GETs: workload {workload.name} has {', '.join(others)}, which only some libraries cache"


def _workload_reason(client: Client, workload: WorkloadSpec) -> str | None:
    """A library cannot send what is written for load generators; these fill one command with numbers that they draw."""
    if not client.capabilities.own_keys:
        is_refused = workload.drivers_only
        return f"workload {workload.name} is for load generators, such as redis-benchmark" if is_refused else None
    kind, *others = workload.mix
    has_keys = any(isinstance(argument, KeyArgument) for argument in kind.arguments)
    if not others and not (has_keys and (kind.first_key or workload.key_digits != DRIVER_DIGITS)):
        return None
    return (
        f"{client.library} can only repeat one command, with {DRIVER_DIGITS}-digit keys that start at 0, as in the "
        f"workloads get, set and ping; workload {workload.name} is different"
    )


def _files_reason(connections: int, files: int | None) -> str | None:
    if files is None or connections + FILES_BESIDE <= files:
        return None
    return (
        f"needs {connections:,} connections, but a process may open only {files:,} files: raise the limit "
        "(`ulimit -Hn`, as root)"
    )


def _cpus_reason(server: str, io_threads: int, cpus: int | None) -> str | None:
    if cpus is None or not 1 < io_threads >= cpus:
        return None
    return f"{io_threads} I/O threads of {server} and a client need {io_threads + 1} CPUs; available: {cpus}"


def unsupported_lines(cells: Iterable[PlannedCell]) -> list[str]:
    """Return why cells cannot be measured, each client, scenario and reason once."""
    lines = (f"{cell.client.name} {cell.scenario}: {cell.unsupported}" for cell in cells if cell.unsupported)
    return list(dict.fromkeys(lines))
