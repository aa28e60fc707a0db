"""From a suite and a request to a plan."""

import re
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from respmark import kinds
from respmark.contract.trial import Scenario, Window, walkers
from respmark.errors import InvalidRequestError
from respmark.kinds.loops.duration import slice_s_of
from respmark.machine.limits import FILES_BESIDE
from respmark.plan.estimate import estimate_s
from respmark.plan.make import make_plan
from respmark.plan.needs import connections_of
from respmark.plan.plan import Plan
from respmark.plan.request import Request
from respmark.plan.unsupported import unsupported_lines
from respmark.specs.catalogue import FLOOR, Catalogue
from respmark.specs.guidance import Capacity
from respmark.specs.naming import find_clients
from respmark.specs.suite import ShapeAxes
from tests.builders.plan import SHIPPED, asked, planned, write_specs

HIDDEN = "hunter2-secret"

SUITE = """
name = "mine"
summary = "for tests"
workload = "quick"
rounds = 2
laps = 3
slice_s = 0.5
lead_in_s = 0.25
warmup_limit_s = 1.0
clients = ["redis-py", "node-redis"]

[[trials]]
scenario = "sync"

[[trials]]
scenario = "batching"
shape = { depth = [1, 10] }

[[trials]]
scenario = "threads"
shape = { threads = [4], connections = [1] }
"""
OF_SIZES = """
[[trials]]
scenario = "sync"
workloads = ["quick", "mget", "values-10k"]
"""


def plan_of(folder: Path, text: str, **request: Any) -> Plan:  # noqa: ANN401 - a request's fields
    catalogue = Catalogue(write_specs(folder, suites__mine=text))
    return make_plan(asked("mine", catalogue, **request), catalogue)


def blocks_of(plan: Plan) -> dict[str, list[str]]:
    blocks: dict[str, list[str]] = {}
    for cell in plan.cells:
        blocks.setdefault(cell.block, []).append(cell.client.name)
    return blocks


def test_what_is_unsupported_keeps_its_cell_and_its_reason() -> None:
    """A row without figures is still a row, and no time is planned for it."""
    plan = planned("quick")
    threads = [cell for cell in plan.unsupported if cell.scenario is Scenario.THREADS]
    assert {cell.client.library for cell in threads} == {"node-redis", "phpredis", "predis"}
    assert all(cell.unsupported for cell in threads)
    assert not {cell.id for cell in plan.unsupported} & {trial.cell.id for trial in plan.trials}


CLUSTER = "valkey@9.1[primaries=3]"
WATCHED = "valkey@9.1[sentinels=3]"


def reasons(server: str = CLUSTER, **asked: Any) -> list[str | None]:  # noqa: ANN401 - fields of a request
    """Return why the cells of redis-py cannot be measured on a server, which is a cluster's."""
    try:
        return [cell.unsupported for cell in planned(clients=("redis-py",), servers=(server,), **asked).cells]
    except InvalidRequestError as error:
        return [str(error)]


@pytest.mark.parametrize("server", ["valkey@9.1[primaries=1]", "valkey@9.1", "redis://10.0.0.1"])
def test_slots_move_only_where_there_is_another_primary(server: str) -> None:
    """And only in a cluster of the run's own."""
    moves = {"scenarios": (Scenario.SYNC,), "workloads": ("few-keys-setslot",)}
    assert reasons(CLUSTER, **moves) == [None]
    (said,) = reasons(server, **moves)
    assert "slots move from primary to primary of a cluster that the run starts" in str(said)


def test_a_client_reads_what_it_has_just_written_alone() -> None:
    """Another process would be in the middle of another key."""
    workloads = ("read-own-writes",)
    assert reasons(scenarios=(Scenario.SYNC,), workloads=workloads) == [None]
    (said,) = reasons(scenarios=(Scenario.BATCHING,), workloads=workloads)
    assert "about one client that reads what it has just written" in str(said)


def test_what_has_one_address_is_not_measured_on_a_cluster() -> None:
    """A fault and a cold start; nor what the run sends to a single server. One node is a cluster, too."""
    assert reasons(scenarios=(Scenario.SYNC,)) == [None]
    assert reasons("valkey@9.1[primaries=1]", scenarios=(Scenario.SYNC,)) == [None]
    for wanted, said in (
        ({"scenarios": (Scenario.COLD_START,)}, "a cold start is that of a client of one server"),
        ({"scenarios": (Scenario.FAULTS,)}, "a cluster's nodes tell clients their own"),
        ({"scenarios": (Scenario.SYNC,), "workloads": ("get-beside-get",)}, "goes to one server"),
    ):
        assert all(said in str(reason) for reason in reasons(**wanted)), wanted


def test_a_process_opens_connections_to_every_node() -> None:
    """As many as to a single server, to each; the system limits those of a process."""
    pool = {"scenarios": (Scenario.POOL,), "shape": ShapeAxes(threads=(100,), max_total=(100,))}
    capacity = Capacity(files=100 + FILES_BESIDE)
    assert reasons("valkey@9.1", **pool, capacity=capacity) == [None]
    (said,) = reasons(CLUSTER, **pool, capacity=capacity)
    assert "needs 300 connections" in str(said)


def test_a_batch_for_one_node_is_measured_where_there_is_one() -> None:
    """Its keys are in several slots, all of which that node has."""
    clients = ("ioredis", "iovalkey", "node-redis", "redis-rs[api=tokio]")
    for count, lacking in (("1", {"redis-rs[api=tokio]"}), ("2", set(clients))):
        plan = planned(
            "quick",
            clients=(*clients, "redis-py"),
            scenarios=(Scenario.BATCHING,),
            servers=(f"valkey@9.1[primaries={count}]",),
        )
        assert {cell.client.name for cell in plan.unsupported} == lacking


def test_a_cluster_has_one_round_trip() -> None:
    """Its nodes tell clients where they are: where a relay is, or themselves."""
    for one in ((), (0,), (0.2,)):
        assert reasons(scenarios=(Scenario.SYNC,), shape=ShapeAxes(rtt_ms=one)) == [None]
    for low, high in ((0, 0.2), (0.2, 1)):
        (reason,) = reasons(scenarios=(Scenario.SYNC,), shape=ShapeAxes(rtt_ms=(low, high)))
        assert f"a run has one round trip to it, not {low:g} ms and {high:g} ms" in str(reason)
    both = reasons("valkey@9.1", scenarios=(Scenario.SYNC,), shape=ShapeAxes(rtt_ms=(0, 0.2)))
    assert both == [None, None]


def test_what_has_one_address_is_not_measured_behind_sentinels() -> None:
    """A relay and a cold start; nor is PING, which sentinels send as well. What the run sends beside clients is."""
    assert reasons(WATCHED, scenarios=(Scenario.SYNC,)) == [None]
    assert reasons(WATCHED, scenarios=(Scenario.SYNC,), workloads=("get-beside-get",)) == [None]
    for wanted, said in (
        ({"scenarios": (Scenario.COLD_START,)}, "a cold start is that of a client of one server"),
        ({"scenarios": (Scenario.FAULTS,)}, "sentinels tell clients the server's own"),
        ({"scenarios": (Scenario.SYNC,), "shape": ShapeAxes(rtt_ms=(0.2,))}, "a round trip is made for one address"),
        ({"scenarios": (Scenario.SYNC,), "workloads": ("ping",)}, "sentinels send PING, too"),
        ({"scenarios": (Scenario.POOL,)}, "a SentinelConnectionPool raises an error"),
    ):
        assert all(said in str(reason) for reason in reasons(WATCHED, **wanted)), wanted


def test_a_client_whose_sentinel_client_respmark_does_not_drive_is_unsupported_there() -> None:
    """Unless its file says that it has none."""
    plan = planned("quick", clients=("*",), servers=(WATCHED,))
    found = {cell.client.library: cell.unsupported for cell in plan.cells if cell.scenario is Scenario.SYNC}
    for name, reason in found.items():
        spec = SHIPPED.clients[name]
        says = [row.why for row in spec.cannot if row.what == "sentinel"]
        expected = None if spec.sentinel else (*says, "respmark does not drive its Sentinel client yet")[0]
        assert reason == expected, name


def test_a_client_that_respmark_drives_on_no_cluster_is_unsupported_there() -> None:
    plan = planned("quick", clients=("*",), servers=(CLUSTER,))
    found = {cell.client.library: cell.unsupported for cell in plan.cells if cell.scenario is Scenario.SYNC}
    without = {name for name, spec in SHIPPED.clients.items() if not spec.cluster and name in found}
    assert {name for name in found if found[name] == f"respmark drives no cluster client of {name}"} == without


@pytest.mark.parametrize(
    "asked",
    [
        {"rounds": 7},
        {"slice_s": 0.25},
        {"warmup_limit_s": 0.0},
        {"servers": ("redis://h:1",)},
        {"seed": 9},
    ],
)
def test_what_is_asked_for_goes_before_the_suite(asked: dict[str, Any]) -> None:
    changed, usual = asdict(planned(**asked).settings), asdict(planned().settings)
    assert changed == usual | ({"servers": {"redis://h:1": "redis://h:1"}} if "servers" in asked else asked)


def test_a_suite_can_compare_other_things(tmp_path: Path) -> None:
    """Trials of one name are in one block, beside the block of their scenario and shape."""
    other = """
[[trials]]
scenario = "transaction"
shape = { depth = [10], form = ["batched"] }
block = "what-multi-costs"

[[trials]]
scenario = "batching"
shape = { depth = [10] }
block = "what-multi-costs"
"""
    plan = plan_of(tmp_path, SUITE + other, clients=("redis-py[parser=hiredis]",))
    blocks = {block.name: [trial.cell.scenario for trial in block.trials] for block in plan.rounds}
    assert blocks["what-multi-costs"] == [Scenario.TRANSACTION, Scenario.BATCHING]
    assert blocks["batching--depth=10"] == [Scenario.BATCHING]
    assert "redis-py--batching--depth=10--in=what-multi-costs" in {cell.id for cell in plan.cells}


def test_named_clients_are_measured_in_every_named_scenario() -> None:
    """All of them, in their order, whatever the suite has there: the first is each block's baseline."""
    names = ["redis-py@3.5.3", "redis-py", "node-redis[command-timeout=off,protocol=2]"]
    plan = planned("quick", clients=tuple(names), scenarios=(Scenario.SYNC, Scenario.BATCHING))
    assert blocks_of(plan) == {"sync": names, "batching--depth=100": names}
    assert list(plan.named) == names
    assert not planned("quick").named


def test_what_was_named_and_cannot_be_measured_keeps_its_row_and_its_reason() -> None:
    """The version's own reason stands in the cell, and is told before anything starts."""
    names = ["redis-py@3.5.3", "redis-py[api=asyncio]"]
    plan = planned("quick", clients=tuple(names), scenarios=(Scenario.PIPELINING,))
    reason = "redis-py before 4.2 has no asynchronous API"
    assert unsupported_lines(plan.named_unsupported) == [f"redis-py@3.5.3 pipelining: {reason}"]
    assert blocks_of(plan) == {"pipelining--depth=100--window=burst": names}


def test_shapes_are_those_that_were_named() -> None:
    """Each part replaces the suite's; what is named twice is one, and other parts and scenarios stay."""
    shape = ShapeAxes(depth=(7, 9, 7), window=(Window.SLIDING,))
    plan = planned(shape=shape, scenarios=(Scenario.PIPELINING,), clients=("node-redis",))
    assert [cell.id for cell in plan.cells] == [
        "node-redis--pipelining--depth=7--window=sliding",
        "node-redis--pipelining--depth=9--window=sliding",
    ]
    plan = planned(shape=ShapeAxes(depth=(7,)))
    depths = {scenario: {cell.shape.depth for cell in plan.cells if cell.scenario is scenario} for scenario in Scenario}
    assert depths[Scenario.BATCHING] == depths[Scenario.PIPELINING] == {7}
    assert depths[Scenario.SYNC] == depths[Scenario.POOL] == {None}


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"rounds": 0}, "--rounds must be from 1 to 100,000"),
        ({"slice_s": float("nan")}, "--slice-s must be more than 0"),
        ({"lead_in_s": -0.1}, "--lead-in-s must be from 0 to 86,400"),
        ({"seed": -1}, "--seed must not be negative"),
        ({"clients": ("nope",)}, "there is no client library `nope`"),
        ({"suite": "quik"}, "there is no suite `quik`; there are: quick, "),
        (
            {"shape": ShapeAxes(depth=(3,)), "scenarios": (Scenario.SYNC,)},
            "--depth applies to pipelining, batching, transaction; this run measures only sync",
        ),
        (
            {"clients": ("redis-py@3.5.3",), "scenarios": (Scenario.PIPELINING,)},
            "none of this can be measured: redis-py@3.5.3 pipelining: redis-py before 4.2 has no asynchronous API",
        ),
        (
            {"suite": "guidance", "clients": ("jedis@3.6.0",)},
            "no claim is about jedis@3.6.0; there are claims about: jedis, ",
        ),
    ],
)
def test_a_request_that_cannot_be_met_says_why(asked: dict[str, Any], words: str) -> None:
    """The option is named as the user writes it, and what there is, before anything is started."""
    with pytest.raises(InvalidRequestError, match=re.escape(words)):
        planned(**asked)


def test_trials_can_name_workloads(tmp_path: Path) -> None:
    """Each is measured in blocks of its own; names say which one it is, but for the suite's own."""
    plan = plan_of(tmp_path, SUITE + OF_SIZES, clients=("redis-py", "node-redis"), scenarios=(Scenario.SYNC,))
    assert [(cell.id, cell.workload) for cell in plan.cells if cell.client.library == "redis-py"] == [
        ("redis-py--sync", "quick"),
        ("redis-py--sync--workload=mget", "mget"),
        ("redis-py--sync--workload=values-10k", "values-10k"),
    ]
    assert {block.name: len(block.trials) for block in plan.rounds} == {
        "sync": 2,
        "sync--workload=mget": 2,
        "sync--workload=values-10k": 2,
    }
    assert plan.settings.workloads == {name: SHIPPED.workload(name) for name in ("quick", "mget", "values-10k")}


def test_servers_take_turns_in_a_block_of_each_client_of_a_suite() -> None:
    """The first is the run's own; what a suite compares otherwise is compared on each of them."""
    made = planned("quick", scenarios=(Scenario.SYNC,), servers=("spawned", "redis@6.2[io-threads=2]"))
    blocks = {block.name: {trial.cell.server for trial in block.trials} for block in made.rounds}
    assert blocks["redis-py--sync"] == blocks["jedis--sync"] == {"spawned", "redis@6.2[io-threads=2]"}
    assert made.settings.servers == {"spawned": "spawned", "redis@6.2[io-threads=2]": "redis@6.2[io-threads=2]"}


def test_workloads_that_are_named_are_compared() -> None:
    """One takes the place of the suite's; several take turns in a block of each client."""
    made = planned(clients=("redis-py",), scenarios=(Scenario.SYNC,), workloads=("quick", "mget"))
    assert [(cell.block, cell.workload) for cell in made.cells] == [
        ("redis-py--sync", "quick"),
        ("redis-py--sync", "mget"),
    ]


@pytest.mark.parametrize(
    "places",
    [
        {"workloads": ("get", "mget")},
        {"servers": ("redis@6.2", "valkey@9.1")},
        {"shape": ShapeAxes(rtt_ms=(0, 1.0))},
        {"workloads": ("get", "mget"), "shape": ShapeAxes(rtt_ms=(0.2, 1.0))},
    ],
)
def test_several_clients_in_several_places_share_a_block(places: dict[str, Any]) -> None:
    """So that they are compared with each other in each place, and each with itself from place to place."""
    made = planned(clients=("redis-py", "redis-py[parser=python]"), scenarios=(Scenario.SYNC,), rounds=1, **places)
    (block,) = made.rounds
    assert block.name == "sync"
    found = [(one.cell.client.name, one.cell.workload, one.cell.server, one.cell.shape.rtt_ms) for one in block.trials]
    here = {one[1:] for one in found}
    assert len(set(found)) == len(found) == 2 * len(here) > 2


def test_batches_can_be_in_flight_on_several_connections() -> None:
    """Where batching is named; without it, the number of connections is one of `threads`."""
    (cell,) = planned(
        clients=("redis-benchmark",),
        scenarios=(Scenario.BATCHING,),
        workloads=("get",),
        shape=ShapeAxes(depth=(16,), connections=(50,)),
    ).cells
    assert cell.id == "redis-benchmark--batching--depth=16--connections=50"
    assert (cell.shape.label, cell.unsupported) == ("depth 16, 50 connections", None)
    assert (walkers(cell.scenario, cell.shape), connections_of(cell.shape)) == (50, 50)
    named = planned("quick", clients=("jedis",), shape=ShapeAxes(connections=(5,))).cells
    assert {cell.scenario for cell in named if cell.shape.connections == 5} == {Scenario.THREADS}


def test_a_password_in_a_server_of_a_plan_is_in_no_name() -> None:
    """Cells have the URL without it."""
    url = f"redis://user:{HIDDEN}@10.0.0.5:6379"
    made = planned(clients=("redis-py",), scenarios=(Scenario.SYNC,), servers=("spawned", url))
    assert HIDDEN not in str(made.cells)
    assert url in made.settings.servers.values()


def test_a_reference_driver_is_measured_only_where_it_is_named_and_is_no_baseline() -> None:
    """It comes last, whoever is named first; its slices are longer, which plans know."""
    assert "drivers" not in {client.runner for client in planned("every").clients}
    named = ("redis-benchmark", "redis-py")
    plan = planned(clients=named, scenarios=(Scenario.SYNC,), workloads=("get",), slice_s=0.25)
    assert [(cell.client.name, cell.unsupported) for cell in plan.cells] == [("redis-py", None), (named[0], None)]
    assert [slice_s_of(plan.settings, cell) for cell in plan.cells] == [0.25, 1.0]
    (line, *_) = unsupported_lines(planned(clients=named, scenarios=(Scenario.SYNC,)).cells)
    assert "can only repeat one command" in line


def test_a_suite_is_scaled_to_the_machine() -> None:
    """What it has too little for keeps its row, with what it lacks; a server that the user names is measured."""
    small = Capacity(cpus=2, files=1_024)
    plan = planned("servers", clients=("node-redis",), capacity=small)
    left_out = {(cell.server, cell.shape.threads): cell.unsupported for cell in plan.unsupported}
    lacking = "2 I/O threads of valkey@9.1[io-threads=2] and a client need 3 CPUs"
    assert (left_out["valkey@9.1[io-threads=2]", 64] or "").startswith(lacking)
    assert (left_out["redis@8.2", 1024] or "").startswith("needs 1,024 connections, but a process may open only 1,024")
    assert not planned(
        clients=("redis-py",), scenarios=(Scenario.SYNC,), servers=("redis@8.2[io-threads=2]",), capacity=small
    ).unsupported


def test_workloads_of_load_generators_are_unsupported_for_libraries() -> None:
    request = asked("drivers", clients=("redis-benchmark", "jedis"), workloads=("lpop",))
    cells = {cell.client.name: cell for cell in make_plan(request, SHIPPED).cells}
    assert cells["redis-benchmark"].unsupported is None
    assert cells["jedis"].unsupported == "workload lpop is for load generators, such as redis-benchmark"


def test_a_suite_has_variants_where_they_differ_the_most() -> None:
    """As the libraries' specs say, beside the library as installed; not for clients that the user names."""
    cells = planned("quick").cells
    names = {scenario: [cell.client.name for cell in cells if cell.scenario is scenario] for scenario in Scenario}
    default = names[Scenario.SYNC]
    assert default[0] == "redis-py"
    assert set(names[Scenario.BATCHING]) - set(default) == {"redis-py[parser=python]"}
    assert {"redis-py[api=asyncio]", "node-redis[command-timeout=off]"} <= set(names[Scenario.PIPELINING])
    assert "lettuce[transaction-flush=manual]" in names[Scenario.TRANSACTION]
    assert all(set(default) <= set(found) for found in names.values() if found)
    (named,) = planned("quick", clients=("redis-py",), scenarios=(Scenario.POOL,)).cells
    assert named.client.name == "redis-py"


@pytest.mark.parametrize("language", SHIPPED.languages)
def test_a_language_has_a_suite_of_all_its_libraries(language: str) -> None:
    """That of all languages, with other clients, and with what shows the cost in C; in the suite's minutes."""
    plan, quick = planned(language), planned("quick")
    assert {cell.client.library for cell in plan.cells} == {
        spec.library for spec in SHIPPED.clients.values() if spec.runner == language or FLOOR in spec.tags
    }
    assert {(cell.scenario, cell.shape) for cell in plan.cells} == {(cell.scenario, cell.shape) for cell in quick.cells}
    assert plan.settings.suite == language
    minutes = plan.settings.minutes
    assert minutes is not None
    assert minutes == quick.settings.minutes
    assert estimate_s(plan, SHIPPED.runners, kinds.block_estimate_s) < minutes * 60


def test_a_language_without_a_client_says_so(tmp_path: Path) -> None:
    folder = write_specs(tmp_path, perl__runner='language = "Perl"\ncommand = ["perl"]\nadvice = "install Perl"\n')
    with pytest.raises(InvalidRequestError, match="there is no client library of Perl here"):
        make_plan(Request(suite="perl"), Catalogue(folder))


def test_a_workload_with_a_command_that_the_library_has_no_method_for_is_unsupported() -> None:
    request = asked("smoke", clients=("redisson",), scenarios=(Scenario.SYNC,), workloads=("get", "set-ex"))
    cells = {cell.workload: cell.unsupported for cell in make_plan(request, SHIPPED).cells}
    assert cells["get"] is None
    assert (cells["set-ex"] or "").startswith("workload set-ex has SETEX: ")


def test_every_client_is_measured_with_a_thousand_connections_or_says_why_not() -> None:
    """Of a pool, or of client objects, one at a time: together they would be more than a server takes."""
    cells = [cell for cell in planned("memory").cells if connections_of(cell.shape) == 1000]
    ways: dict[str, set[Scenario]] = {}
    for cell in cells:
        ways.setdefault(cell.client.library, set()).update({cell.scenario} if cell.unsupported is None else ())
    both = {library for library, found in ways.items() if len(found) > 1}
    reasons = [cell.unsupported for cell in cells if not ways[cell.client.library]]
    assert set(ways) == {client.library for client in find_clients("*", SHIPPED.clients)}
    assert (both, ways["redis-py"], ways["ioredis"]) == (set(), {Scenario.POOL}, {Scenario.BATCHING})
    assert reasons
    assert all(reasons)
    assert {cell.block for cell in cells if cell.client.library == "ioredis" and cell.unsupported is None} == {
        "ioredis-alone-1000"
    }


def test_trials_instead_of_a_scenario_are_for_all_where_they_are_named() -> None:
    """What a user names is measured."""
    named: dict[str, Any] = {"clients": ("redis-py",), "scenarios": (Scenario.BATCHING,)}
    (cell,) = planned("memory", **named, shape=ShapeAxes(connections=(10,))).cells
    assert (cell.unsupported, cell.shape.connections) == (None, 10)
