"""Which faults there can be: what client, workload, server and machine must have; and who calls meanwhile."""

from typing import Final

from respmark.contract.rate import parsed
from respmark.contract.trial import Fault, Scenario, Shape, walkers
from respmark.plan.plan import PlannedCell
from respmark.specs.catalogue import Catalogue
from respmark.specs.client import SENTINEL, Client, ClientSpec
from respmark.specs.faults import CUT_OFF, FAILOVERS, OF_SERVERS, READ, SHAPES, VANISHING
from respmark.specs.guidance import Capacity
from respmark.specs.runner import RunnerSpec
from respmark.specs.server import ContainerServer, ServerSpec, SpawnedServer, UrlServer
from respmark.workload.spec import WorkloadSpec

RATE: Final = "40"
"""Commands per second of all callers together, if nobody says otherwise."""
TLS: Final = "rediss://"
MOST_TOGETHER: Final = 12
"""Trials that run side by side at most; processes are started one after the other."""
FEWEST_PRIMARIES: Final = 3
"""Of a cluster that is to agree on who takes the place of one of them: most of them must be there to."""
REPLACEABLE: Final = (
    "a cluster with replicas, such as --server 'valkey@9.1[primaries=3,replicas=1]', or sentinels, such as --server "
    "'redis@8.2[sentinels=3]'"
)
NODE_TIMEOUT: Final = {"cluster-node-timeout": "2000"}
"""In ms, of the clusters in which a primary is replaced, if their name says nothing else: as installed it is 15 s."""


def why_no_fault(cell: PlannedCell, workload: WorkloadSpec, catalogue: Catalogue, capacity: Capacity) -> str | None:
    """Return why a cell's client cannot be seen under its fault here, or None; None for cells of other scenarios."""
    if cell.scenario is not Scenario.FAULTS or (fault := cell.shape.fault) is None:
        return None
    spec, runner = catalogue.clients[cell.client.library], catalogue.runners[cell.client.runner]
    return (
        _callers_reason(cell, spec, runner, workload)
        or why_not_rate(cell.shape.rate)
        or _server_reason(fault, catalogue.server(cell.server))
        or (capacity.no_vanishing if fault in VANISHING else None)
    )


def callers_shape(shape: Shape, scenario: Scenario) -> Shape:
    """Return the shape in which callers are measured, if their client has this scenario for them.

    A client that has none for callers at the same time has one a process.
    """
    callers, processes = shape.threads or 1, shape.processes
    match scenario:
        case Scenario.THREADS:
            return Shape(threads=callers, connections=1, processes=processes, fault=shape.fault)
        case Scenario.POOL:
            return Shape(threads=callers, max_total=callers, processes=processes, fault=shape.fault)
        case _:
            return Shape(processes=processes * callers, fault=shape.fault)


def callers_of(shape: Shape, scenario: Scenario) -> int:
    """Return how many callers there are in a shape that `callers_shape` has returned."""
    return shape.processes * walkers(scenario, shape)


def processes_of(client: Client, spec: ClientSpec, scenario: Scenario, shape: Shape) -> int:
    """Return how many processes a client's callers are under a fault; 0 in other scenarios."""
    return callers_shape(shape, spec.callers_of(client)).processes if scenario is Scenario.FAULTS else 0


def sent_by_callers(spec: WorkloadSpec) -> tuple[int, int] | None:
    """Return the places in the mix of what reads known values, and of what counts; None: it lacks one of them."""
    names = [kind.name for kind in spec.mix]
    return (names.index("GET"), names.index("INCRBY")) if {"GET", "INCRBY"} <= set(names) else None


def why_not_rate(rate: str | None) -> str | None:
    """Return why commands cannot be due at such a rate, or None."""
    try:
        schedule = parsed(rate or RATE)
    except ValueError:
        return f"callers keep to a rate that is known: `{rate}` is to be found"
    (first, *others) = schedule.steps
    if others or schedule.is_poisson or first.start != first.end:
        return f"callers keep to an even rate, such as {RATE}: `{rate}` is none"
    return None


def _callers_reason(cell: PlannedCell, spec: ClientSpec, runner: RunnerSpec, workload: WorkloadSpec) -> str | None:
    if not runner.keep_going or not cell.client.capabilities.replies:
        return f"the runner of {cell.client.library} does not keep going while a server fails"
    if (kinds := sent_by_callers(workload)) is None:
        return f"callers send GET and INCRBY: workload {workload.name} lacks one of them"
    scenario = spec.callers_of(cell.client)
    counters, callers = workload.mix[kinds[1]].keys, callers_of(callers_shape(cell.shape, scenario), scenario)
    if counters < callers:
        return f"{callers} callers need a counter each: workload {workload.name} has {counters}"
    return None


def _server_reason(fault: Fault, server: ServerSpec) -> str | None:
    if isinstance(server, ContainerServer):
        return "faults need a server that respmark starts as a process, or a URL"
    if fault in FAILOVERS:
        return _failover_reason(fault, server)
    if fault in OF_SERVERS and isinstance(server, UrlServer):
        return f"`{fault}` needs a server that respmark starts: one that was there is neither stopped nor killed"
    is_tls = server.transport == "tls" if isinstance(server, SpawnedServer) else server.url.startswith(TLS)
    if fault in READ and is_tls:
        return f"`{fault}` answers commands in the server's place, which cannot be read in TLS"
    return None


def _failover_reason(fault: Fault, server: SpawnedServer | UrlServer) -> str | None:
    if isinstance(server, UrlServer):
        return f"`{fault}` needs servers that respmark starts: those that were there are not replaced"
    if server.kind == SENTINEL:
        return (
            f"`{fault}` needs a cluster: sentinels tell clients the primary's own address" if fault in CUT_OFF else None
        )
    if server.primaries is None or not server.replicas:
        return f"`{fault}` needs {REPLACEABLE}"
    if server.primaries < FEWEST_PRIMARIES and SHAPES[fault].primary != "replaced":
        return f"`{fault}` needs primaries={FEWEST_PRIMARIES}: fewer cannot agree on which replica takes over from one"
    return None
