"""From a suite and a request to a plan."""

import re
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from respmark.contract.trial import Scenario, Window
from respmark.errors import InvalidRequestError
from respmark.paths import HARNESS
from respmark.plan.expand import Request, make_plan
from respmark.plan.needs import needed_bytes
from respmark.plan.trial import Plan, why_not
from respmark.specs.catalogue import Catalogue
from respmark.specs.suite import ShapeAxes
from tests.builders.plan import SHIPPED, planned, write_specs

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
    """Return the plan of a suite with this text."""
    return make_plan(Request(suite="mine", **request), Catalogue(write_specs(folder, suites__mine=text)))


def blocks_of(plan: Plan) -> dict[str, list[str]]:
    """Return the names of each block's clients, in their order, those that cannot be measured among them."""
    blocks: dict[str, list[str]] = {}
    for cell in plan.cells:
        blocks.setdefault(cell.block, []).append(cell.client.name)
    return blocks


def test_the_order_is_random_and_follows_from_the_seed() -> None:
    """The trials are the same; a block does not always come after the same one."""
    first, second = planned("quick", seed=1), planned("quick", seed=2)
    assert first == planned("quick", seed=1)
    ids = [[trial.id for trial in plan.trials] for plan in (first, second)]
    assert ids[0] != ids[1]
    assert sorted(ids[0]) == sorted(ids[1])
    rounds = [[block.name for block in first.rounds if block.round == number] for number in (1, 2, 3)]
    assert rounds[0] != rounds[1] != rounds[2]


@pytest.mark.parametrize("suite", ["smoke", "quick", "full", "fidelity"])
def test_every_supported_cell_stands_once_in_every_round(suite: str) -> None:
    """Rounds come one after the other; each trial has a name of its own that is fit for files."""
    plan = planned(suite)
    supported = {cell.id for cell in plan.cells if cell.unsupported is None}
    each = len(supported)
    assert len(plan.trials) == each * plan.settings.rounds
    for number in range(plan.settings.rounds):
        part = plan.trials[number * each : (number + 1) * each]
        assert {trial.round for trial in part} == {number + 1}
        assert {trial.cell.id for trial in part} == supported
    names = [*(trial.id for trial in plan.trials), *(cell.id for cell in plan.cells)]
    assert len({name.lower() for name in names}) == len(names)
    assert all(re.fullmatch(r"[A-Za-z0-9.=@+_-]{1,200}", name) for name in names)


def test_cells_keep_the_suites_order() -> None:
    """What a table puts side by side takes turns, in the order in which the suite names it."""
    plan = planned("quick")
    scenarios = list(dict.fromkeys(cell.scenario for cell in plan.cells))
    assert scenarios == list(dict.fromkeys(trials.scenario for trials in SHIPPED.suite("quick").trials))
    assert [client.name for client in plan.clients][:2] == ["redis-py", "node-redis"]
    for block in plan.rounds:
        assert len({(trial.cell.scenario, trial.cell.shape.model_dump_json()) for trial in block.trials}) == 1
        assert len({trial.cell.client.name for trial in block.trials}) == len(block.trials)


def test_what_is_unsupported_keeps_its_cell_and_its_reason() -> None:
    """A row without figures is still a row, and no time is planned for it."""
    plan = planned("quick")
    threads = [cell for cell in plan.unsupported if cell.scenario is Scenario.THREADS]
    assert {cell.client.library for cell in threads} == {"node-redis", "phpredis", "predis"}
    assert all(cell.unsupported for cell in threads)
    assert not {cell.id for cell in plan.unsupported} & {trial.cell.id for trial in plan.trials}


@pytest.mark.parametrize(
    "asked",
    [
        {"rounds": 7},
        {"laps": 9},
        {"slice_s": 0.25},
        {"lead_in_s": 0.0},
        {"warmup_limit_s": 0.0},
        {"target": "redis://h:1"},
        {"seed": 9},
    ],
)
def test_what_is_asked_for_goes_before_the_suite(asked: dict[str, Any]) -> None:
    """An option replaces that one setting and leaves the others."""
    changed, usual = asdict(planned(**asked).settings), asdict(planned().settings)
    assert changed == usual | asked


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


def test_a_block_that_does_not_fit_into_memory_is_split() -> None:
    """Each part has the first client, under a name of its own, and no part is larger than allowed."""
    whole = planned("quick", scenarios=(Scenario.BATCHING,), rounds=1)
    limit = needed_bytes((trial.cell for trial in whole.trials), SHIPPED.runners) // 2
    split = planned("quick", scenarios=(Scenario.BATCHING,), rounds=1, memory_bytes=limit)
    assert len(split.rounds) > 1
    for block in split.rounds:
        assert whole.trials[0].cell.client.name in {trial.cell.client.name for trial in block.trials}
        assert needed_bytes((trial.cell for trial in block.trials), SHIPPED.runners) <= limit
    assert len({cell.id for cell in split.cells}) == len(split.cells) == len(whole.cells) + len(split.rounds) - 1
    assert {client.name for client in split.clients} == {client.name for client in whole.clients}
    assert planned("quick", memory_bytes=2**50) == planned("quick")


def test_named_clients_are_measured_in_every_named_scenario() -> None:
    """All of them, in their order, whatever the suite has there: the first is each block's baseline."""
    names = ["redis-py@3.5.3", "redis-py", "node-redis[command-timeout=off,protocol=2]"]
    plan = planned("quick", clients=tuple(names), scenarios=(Scenario.SYNC, Scenario.BATCHING))
    assert blocks_of(plan) == {"sync": names, "batching--depth=100": names}
    assert list(plan.named) == names
    assert not planned("quick").named


def test_a_named_client_that_is_another_in_name_only_is_measured_all_the_same() -> None:
    """redis-py's pipelining is redis.asyncio's with either API: suites have it once, a user gets what was named."""
    names = ["redis-py", "redis-py[api=asyncio]"]
    of_suite = planned("every", scenarios=(Scenario.PIPELINING,))
    assert names[1] not in {client.name for client in of_suite.clients}
    named = planned("every", clients=tuple(names), scenarios=(Scenario.PIPELINING,))
    assert all(clients == names for clients in blocks_of(named).values())
    twice = planned(clients=("node-redis[*]", "node-redis", "node-redis@3.1.2"))
    assert [client.name for client in twice.clients] == [
        "node-redis",
        "node-redis[command-timeout=off]",
        "node-redis@3.1.2",
    ]


def test_what_was_named_and_cannot_be_measured_keeps_its_row_and_its_reason() -> None:
    """The version's own reason stands in the cell, and is told before anything starts."""
    plan = planned("quick", clients=("redis-py@3.5.3", "redis-py"), scenarios=(Scenario.PIPELINING,))
    assert why_not(plan.named_unsupported) == ["redis-py@3.5.3 pipelining: redis-py 3 has no asynchronous API"]
    assert blocks_of(plan) == {"pipelining--depth=100--window=burst": ["redis-py@3.5.3", "redis-py"]}


def test_scenarios_are_those_that_were_named_in_their_order() -> None:
    """One that the suite lacks has its usual shape, and workload."""
    plan = planned("quick", scenarios=(Scenario.CACHING, Scenario.SYNC), clients=("redis-py",))
    assert [cell.id for cell in plan.cells] == [
        "redis-py--caching--cache_entries=500--workload=caching",
        "redis-py--sync",
    ]


def test_suites_with_a_block_for_each_library_have_one_for_the_clients_that_are_named() -> None:
    """The same shape is not measured seven times."""
    both = ["jedis", "jedis[tls=off]"]
    plan = planned("tls", clients=tuple(both))
    assert blocks_of(plan) == {"sync": both, "batching--depth=100": both, "new-connection": both}


def test_shapes_are_those_that_were_named() -> None:
    """Each part replaces the suite's; what is named twice is one, and other parts and scenarios stay."""
    shape = ShapeAxes(depth=(7, 9, 7), window=(Window.SLIDING,))
    plan = planned(shape=shape, scenarios=(Scenario.PIPELINING,), clients=("redis-py",))
    assert [cell.id for cell in plan.cells] == [
        "redis-py--pipelining--depth=7--window=sliding",
        "redis-py--pipelining--depth=9--window=sliding",
    ]
    plan = planned(shape=ShapeAxes(depth=(7,)))
    depths = {scenario: {cell.shape.depth for cell in plan.cells if cell.scenario is scenario} for scenario in Scenario}
    assert depths[Scenario.BATCHING] == depths[Scenario.PIPELINING] == {7}
    assert depths[Scenario.SYNC] == depths[Scenario.POOL] == {None}


def test_what_a_scenario_may_do_without_is_meant_for_it_where_it_is_named() -> None:
    """`--threads` of a whole suite is about threads and pools; of pipelining alone it is about pipelining."""
    four = ShapeAxes(threads=(4,))
    threads = {cell.scenario: cell.shape.threads for cell in planned("quick", shape=four).cells}
    assert (threads[Scenario.POOL], threads[Scenario.THREADS], threads[Scenario.PIPELINING]) == (4, 4, None)
    named = planned("quick", shape=four, scenarios=(Scenario.PIPELINING,))
    assert {cell.shape.threads for cell in named.cells} == {4}
    assert {cell.shape.max_idle for cell in planned("quick", shape=ShapeAxes(max_idle=(2,))).cells} == {2, None}


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"rounds": 0}, "--rounds must be at least 1"),
        ({"laps": 0}, "--laps must be at least 1"),
        ({"slice_s": float("nan")}, "--slice-s must be more than 0"),
        ({"slice_s": float("inf")}, "--slice-s"),
        ({"lead_in_s": -0.1}, "--lead-in-s must not be negative"),
        ({"warmup_limit_s": float("inf")}, "--warmup-limit-s"),
        ({"seed": -1}, "--seed must not be negative"),
        ({"clients": ("nope",)}, "there is no client library `nope`"),
        ({"workload": "nope"}, "there is no workload `nope`"),
        ({"target": "nope"}, "there is no server `nope`"),
        ({"suite": "quik"}, "there is no suite `quik`; there are: quick, "),
        (
            {"shape": ShapeAxes(depth=(3,)), "scenarios": (Scenario.SYNC,)},
            "--depth is of pipelining, batching, transaction, and of nothing that is measured here: sync",
        ),
        ({"shape": ShapeAxes(max_total=(3,)), "scenarios": (Scenario.THREADS,)}, "--max-total is of pool"),
        (
            {"clients": ("redis-py@3.5.3",), "scenarios": (Scenario.PIPELINING,)},
            "nothing of this can be measured: redis-py@3.5.3 pipelining: redis-py 3 has no asynchronous API",
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


def test_trials_can_be_for_some_clients_only(tmp_path: Path) -> None:
    """Others have no row there; these need not be among the suite's. The same cell in two places is one."""
    text = SUITE + '\n[[trials]]\nscenario = "new-connection"\nclients = ["node-redis[command-timeout=off]"]\n'
    text += '\n[[trials]]\nscenario = "batching"\nshape = { depth = [10, 100], processes = [1, 2] }\n'
    cells = plan_of(tmp_path, text).cells
    some = [cell.client.name for cell in cells if cell.scenario is Scenario.NEW_CONNECTION]
    assert some == ["node-redis[command-timeout=off]"]
    batches = [c.shape for c in cells if c.client.name == "redis-py" and c.scenario is Scenario.BATCHING]
    assert [(shape.depth, shape.processes) for shape in batches] == [(1, 1), (10, 1), (10, 2), (100, 1), (100, 2)]


def test_trials_can_name_workloads(tmp_path: Path) -> None:
    """Each is measured in blocks of its own; names say which one it is, but for the suite's own."""
    plan = plan_of(tmp_path, SUITE + OF_SIZES, clients=("redis-py", "node-redis"), scenarios=(Scenario.SYNC,))
    assert [(cell.id, cell.workload) for cell in plan.cells if cell.client.library == "redis-py"] == [
        ("redis-py--sync", None),
        ("redis-py--sync--workload=mget", "mget"),
        ("redis-py--sync--workload=values-10k", "values-10k"),
    ]
    assert {block.name: len(block.trials) for block in plan.rounds} == {
        "sync": 2,
        "sync--workload=mget": 2,
        "sync--workload=values-10k": 2,
    }
    settings = plan.settings
    assert settings.other_workloads == (SHIPPED.workload("mget"), SHIPPED.workload("values-10k"))
    assert [settings.workload_of(cell).name for cell in plan.cells[::2]] == ["quick", "mget", "values-10k"]


def test_a_block_with_a_name_can_compare_workloads(tmp_path: Path) -> None:
    """They take turns in it, as scenarios do; those of other scenarios are not made."""
    text = SUITE + OF_SIZES + 'block = "sizes"\n'
    plan = plan_of(tmp_path, text, clients=("redis-py",), scenarios=(Scenario.SYNC,))
    (block,) = [block for block in plan.rounds if block.round == 1 and block.name == "sizes"]
    assert [trial.cell.workload for trial in block.trials] == [None, "mget", "values-10k"]
    assert block.trials[1].cell.id == "redis-py--sync--workload=mget--in=sizes"
    assert plan_of(tmp_path / "b", text, scenarios=(Scenario.BATCHING,)).settings.other_workloads == ()


def test_the_workload_that_is_asked_for_is_that_of_all(tmp_path: Path) -> None:
    """Whatever trials name; what differs in the workload alone is then one cell."""
    plan = plan_of(tmp_path, SUITE + OF_SIZES, workload="mset", clients=("redis-py",))
    assert plan.settings.workloads == {"mset": SHIPPED.workload("mset")}
    assert {cell.workload for cell in plan.cells} == {None}
    assert [cell.id for cell in plan.cells if cell.scenario is Scenario.SYNC] == ["redis-py--sync"]


def test_workloads_lie_beside_their_suite_and_have_names_of_their_own(tmp_path: Path) -> None:
    """Whoever is sent both can run them from anywhere; results could not tell two of one name apart."""
    own = (HARNESS / "specs" / "workloads" / "mget.toml").read_text()
    (tmp_path / "same.toml").write_text(own)
    (tmp_path / "another.toml").write_text(own.replace("commands = 20_000", "commands = 10_000"))
    suite = tmp_path / "suite.toml"
    suite.write_text(SUITE + '\n[[trials]]\nscenario = "new-connection"\nworkloads = ["mget", "same.toml"]\n')
    plan = make_plan(Request(suite=str(suite)), SHIPPED)
    assert [spec.name for spec in plan.settings.other_workloads] == ["mget"]
    suite.write_text(suite.read_text().replace("same.toml", "another.toml"))
    with pytest.raises(InvalidRequestError, match=r"two workloads with the name `mget`: .* the one of `another.toml`"):
        make_plan(Request(suite=str(suite)), SHIPPED)


def test_a_cache_is_measured_with_gets_alone(tmp_path: Path) -> None:
    """Of what only some libraries cache, nobody could say how many calls the server must have seen."""
    caching = 'scenario = "caching"\nshape = { cache_entries = [10] }\nworkloads = ["caching", "mget"]\n'
    text = f"{SUITE}\n[[trials]]\n{caching}"
    cells = plan_of(tmp_path, text, clients=("redis-py",), scenarios=(Scenario.CACHING,)).cells
    assert [cell.unsupported for cell in cells] == [
        None,
        "caching is of GETs: workload mget has MGET, which only some libraries cache",
    ]
