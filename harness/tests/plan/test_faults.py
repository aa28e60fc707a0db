"""Which faults there can be: what cannot be seen here is refused before anything starts, with the reason."""

import pytest

from respmark.contract.trial import Fault, Scenario
from respmark.errors import InvalidRequestError
from respmark.plan.faults import why_not_rate
from respmark.plan.make import make_plan
from respmark.specs.faults import FAILOVERS
from respmark.specs.guidance import UNLIMITED, Capacity
from respmark.specs.suite import ShapeAxes
from tests.builders.plan import SHIPPED, asked, planned


def reasons(
    *faults: Fault, clients: tuple[str, ...] = ("redis-py",), server: str = "", capacity: Capacity = UNLIMITED
) -> list[str | None]:
    axes = ShapeAxes(fault=(Fault.RESET, *faults))
    given = asked("faults", clients=clients, shape=axes, servers=(server,) if server else (), capacity=capacity)
    cells = make_plan(given, SHIPPED).cells
    assert all(cell.unsupported is None for cell in cells if cell.shape.fault is Fault.RESET)
    return [cell.unsupported for cell in cells if cell.shape.fault is not Fault.RESET]


def test_the_suite_has_every_fault_for_every_client() -> None:
    """A row or a reason: those of one server in one suite, those of a cluster in another."""
    suites = [planned("faults"), planned("failover")]
    of_one, of_group = ({cell.shape.fault for cell in plan.cells} for plan in suites)
    assert (of_one | of_group, of_group) == (set(Fault), set(FAILOVERS))
    for plan, faults in zip(suites, (of_one, of_group), strict=True):
        assert {cell.scenario for cell in plan.cells} == {Scenario.FAULTS}
        per_client = {client.name: sum(cell.client == client for cell in plan.cells) for client in plan.clients}
        assert set(per_client.values()) == {len(faults)}


def failover_reasons(server: str, *faults: Fault) -> list[str | None]:
    axes = ShapeAxes(fault=faults)
    plan = make_plan(asked("faults", clients=("redis-py",), shape=axes, servers=("spawned", server)), SHIPPED)
    return [cell.unsupported for cell in plan.cells if cell.server == server]


def test_a_primary_is_replaced_where_a_replica_can_be_promoted() -> None:
    """A cluster of fewer than three primaries has no majority without one of them; told to, a replica takes over."""
    of_all = Fault.RESET, Fault.FAILOVER_KILL, Fault.FAILOVER_STOP, Fault.FAILOVER_CUT_OFF, Fault.FAILOVER_PLANNED
    assert failover_reasons("spawned[primaries=3,replicas=1]", *of_all)[1:] == [None] * 4
    reset, *failing, planned_ = failover_reasons("spawned[primaries=2,replicas=1]", *of_all)
    assert "a cluster's nodes tell clients their own" in (reset or "")
    assert all("needs primaries=3" in (one or "") for one in failing)
    assert planned_ is None
    for server in ("spawned[primaries=3]", "spawned-unix"):
        found = failover_reasons(server, *of_all)[1:]
        assert all("needs a cluster with replicas" in (one or "") for one in found)
    reset, killed, stopped, cut_off, planned_ = failover_reasons("spawned[sentinels=3]", *of_all)
    assert "sentinels tell clients the server's own" in (reset or "")
    assert "needs a cluster: sentinels tell clients the primary's own" in (cut_off or "")
    assert (killed, stopped, planned_) == (None, None, None)
    found = failover_reasons("redis://127.0.0.1:6379", *of_all)[1:]
    assert all("needs servers that respmark starts" in (one or "") for one in found)


def test_what_is_for_clusters_alone_is_seen_where_a_primary_is_replaced() -> None:
    """By callers as its library has them elsewhere: Lettuce's are threads of one process."""
    found = [cell for cell in planned("failover-limits").cells if "topology-refresh" in cell.client.options]
    refreshed = [cell for cell in found if cell.client.options["topology-refresh"] == "5s"]
    assert {(cell.unsupported, cell.processes) for cell in refreshed} == {(None, 1)}
    with pytest.raises(InvalidRequestError, match="topology-refresh=5s is for clusters alone"):
        make_plan(asked("faults", clients=("lettuce[topology-refresh=5s]",)), SHIPPED)


def test_a_server_that_was_there_is_neither_stopped_nor_killed() -> None:
    found = reasons(Fault.PAUSE, Fault.RESTART, Fault.SLOW, server="redis://127.0.0.1:6379")
    assert found[2] is None
    assert all("needs a server that respmark starts" in (one or "") for one in found[:2])


def test_commands_are_not_read_in_tls() -> None:
    found = reasons(Fault.LOADING, Fault.MAXCLIENTS, Fault.SILENCE, server="spawned-tls")
    assert found[2] is None
    assert all("cannot be read in TLS" in (one or "") for one in found[:2])


def test_connections_vanish_only_where_this_user_may_let_them() -> None:
    assert reasons(Fault.STALE, capacity=Capacity(no_vanishing="not here")) == ["not here"]
    assert reasons(Fault.STALE) == [None]


def test_a_client_that_cannot_keep_going_keeps_its_rows() -> None:
    plan = planned("faults", clients=("redis-py", "hiredis"))
    found = {cell.unsupported for cell in plan.cells if cell.client.name == "hiredis"}
    assert found == {"the runner of hiredis does not keep going while a server fails"}


@pytest.mark.parametrize(
    ("rate", "said"),
    [(None, None), ("100", None), ("poisson 40", "even"), ("10:1,20:1", "even"), ("find p99=1ms", "is to be found")],
)
def test_commands_are_due_at_an_even_rate(rate: str | None, said: str | None) -> None:
    found = why_not_rate(rate)
    assert (found is None) if said is None else (found is not None and said in found)


def test_every_caller_has_a_counter_of_its_own() -> None:
    axes = ShapeAxes(fault=(Fault.RESET,), threads=(10, 300))
    few, many = make_plan(asked("faults", clients=("redis-py",), shape=axes), SHIPPED).cells
    assert (few.unsupported, many.unsupported) == (
        None,
        "300 callers need a counter each: workload faults has 256",
    )
    others = make_plan(asked("faults", clients=("redis-py",), workloads=("faults", "quick")), SHIPPED).cells
    lacking = {cell.unsupported for cell in others if cell.workload == "quick"}
    assert lacking == {"callers send GET and INCRBY: workload quick lacks one of them"}
