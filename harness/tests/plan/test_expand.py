"""From a suite and a request to a plan."""

import re
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from respmark.contract.trial import Scenario, Window
from respmark.errors import InvalidRequestError
from respmark.paths import HARNESS
from respmark.plan.expand import Request, make_plan
from respmark.plan.memory import needed_bytes
from respmark.plan.trial import Plan, why_not
from respmark.specs.catalogue import Catalogue
from respmark.specs.suite import ShapeAxes
from tests.builders.plan import SHIPPED, planned, write_specs
from tests.properties import UNTIMED

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


def plan_of(folder: Path, text: str, **request: Any) -> Plan:  # noqa: ANN401 - a request's fields
    """Return the plan of a suite with this text."""
    return make_plan(Request(suite="mine", **request), Catalogue(write_specs(folder, suites__mine=text)))


def order(plan: Plan) -> list[str]:
    """Return the trials' names in order."""
    return [trial.id for trial in plan.trials]


@UNTIMED
@given(st.integers(0, 2**64))
def test_the_same_seed_gives_the_same_plan(seed: int) -> None:
    """A plan follows from specs and seed alone."""
    assert planned(seed=seed) == planned(seed=seed)


def test_another_seed_gives_another_order_of_the_same_trials() -> None:
    """The order is random, the trials are not."""
    first, second = planned("quick", seed=1), planned("quick", seed=2)
    assert order(first) != order(second)
    assert sorted(order(first)) == sorted(order(second))


def test_every_round_has_an_order_of_its_own() -> None:
    """A block does not always come after the same one."""
    plan = planned("quick")
    rounds = [[block.name for block in plan.rounds if block.round == number] for number in (1, 2, 3)]
    assert rounds[0] != rounds[1]
    assert rounds[1] != rounds[2]


@pytest.mark.parametrize("suite", ["smoke", "quick", "full", "fidelity"])
def test_every_supported_cell_stands_once_in_every_round(suite: str) -> None:
    """Rounds come one after the other, each with every cell that can be measured and no other."""
    plan = planned(suite)
    supported = {cell.id for cell in plan.cells if cell.unsupported is None}
    each = len(supported)
    assert len(plan.trials) == each * plan.settings.rounds
    for number in range(plan.settings.rounds):
        part = plan.trials[number * each : (number + 1) * each]
        assert {trial.round for trial in part} == {number + 1}
        assert {trial.cell.id for trial in part} == supported


@pytest.mark.parametrize("suite", ["smoke", "quick", "full", "fidelity"])
def test_names_are_unique_and_fit_for_files(suite: str) -> None:
    """Each trial's file has a name of its own, on any file system."""
    plan = planned(suite)
    names = [*order(plan), *(cell.id for cell in plan.cells)]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[A-Za-z0-9.=@+_-]{1,200}", name) for name in names)
    assert len({name.lower() for name in names}) == len(names)


def test_cells_keep_the_suites_order() -> None:
    """Tables have scenarios and clients in the order in which the suite names them."""
    plan = planned("quick")
    scenarios = list(dict.fromkeys(cell.scenario for cell in plan.cells))
    assert scenarios == list(dict.fromkeys(trials.scenario for trials in SHIPPED.suite("quick").trials))
    assert [client.name for client in plan.clients][:2] == ["redis-py", "node-redis"]


def test_what_is_unsupported_keeps_its_cell_and_its_reason() -> None:
    """A row without figures is still a row, and no time is planned for it."""
    plan = planned("quick")
    threads = [cell for cell in plan.unsupported if cell.scenario is Scenario.THREADS]
    assert {cell.client.library for cell in threads} == {"node-redis", "phpredis", "predis"}
    assert all(cell.unsupported for cell in threads)
    assert not {cell.id for cell in plan.unsupported} & {trial.cell.id for trial in plan.trials}


@pytest.mark.parametrize(
    ("request_fields", "setting", "value"),
    [
        ({"rounds": 7}, "rounds", 7),
        ({"laps": 9}, "laps", 9),
        ({"slice_s": 0.25}, "slice_s", 0.25),
        ({"lead_in_s": 0.0}, "lead_in_s", 0.0),
        ({"warmup_limit_s": 0.0}, "warmup_limit_s", 0.0),
        ({"target": "redis://h:1"}, "target", "redis://h:1"),
        ({"seed": 9}, "seed", 9),
    ],
)
def test_what_is_asked_for_goes_before_the_suite(request_fields: dict[str, Any], setting: str, value: object) -> None:
    """An option replaces that one setting and leaves the others."""
    changed, usual = asdict(planned(**request_fields).settings), asdict(planned().settings)
    assert changed == usual | {setting: value}


def test_a_block_is_all_clients_in_one_scenario_and_shape() -> None:
    """What a table puts side by side takes turns."""
    for block in planned("quick").rounds:
        assert len({(trial.cell.scenario, trial.cell.shape.model_dump_json()) for trial in block.trials}) == 1
        assert len({trial.cell.client.name for trial in block.trials}) == len(block.trials)


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
    runners = SHIPPED.runners
    whole = planned("quick", scenarios=(Scenario.BATCHING,), rounds=1)
    limit = needed_bytes((trial.cell for trial in whole.trials), runners) // 2
    split = planned("quick", scenarios=(Scenario.BATCHING,), rounds=1, memory_bytes=limit)
    assert len(split.rounds) > 1
    for block in split.rounds:
        names = [trial.cell.client.name for trial in block.trials]
        assert whole.trials[0].cell.client.name in names
        assert needed_bytes((trial.cell for trial in block.trials), runners) <= limit
    assert len({cell.id for cell in split.cells}) == len(split.cells) == len(whole.cells) + len(split.rounds) - 1
    assert {client.name for client in split.clients} == {client.name for client in whole.clients}


def test_a_block_that_fits_is_left_alone() -> None:
    """Memory enough changes nothing."""
    assert planned("quick", memory_bytes=2**50) == planned("quick")


def test_another_workload_can_be_asked_for() -> None:
    """The workload of a suite can be replaced by name."""
    assert planned(workload="post").settings.workload == SHIPPED.workload("post")


def blocks_of(plan: Plan) -> dict[str, list[str]]:
    """Return the names of each block's clients, in their order, those that cannot be measured among them."""
    blocks: dict[str, list[str]] = {}
    for cell in plan.cells:
        blocks.setdefault(cell.block, []).append(cell.client.name)
    return blocks


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


def test_a_client_that_is_named_twice_is_one() -> None:
    """By whatever name."""
    plan = planned(clients=("node-redis[*]", "node-redis", "node-redis@3.1.2"))
    assert [client.name for client in plan.clients] == [
        "node-redis",
        "node-redis[command-timeout=off]",
        "node-redis@3.1.2",
    ]


def test_what_was_named_and_cannot_be_measured_keeps_its_row_and_its_reason() -> None:
    """The version's own reason stands in the cell, and is told before anything starts."""
    plan = planned("quick", clients=("redis-py@3.5.3", "redis-py"), scenarios=(Scenario.PIPELINING,))
    assert why_not(plan.named_unsupported) == ["redis-py@3.5.3 pipelining: redis-py 3 has no asynchronous API"]
    assert blocks_of(plan) == {"pipelining--depth=100--window=burst": ["redis-py@3.5.3", "redis-py"]}


def test_a_plan_knows_which_clients_were_named() -> None:
    """Those of the command line; a suite's own were not named."""
    assert planned(clients=("predis", "redis-py")).named == ("predis", "redis-py")
    assert planned().named == ()


def test_nothing_left_to_measure_is_refused_with_each_reason() -> None:
    """No run of nothing is begun."""
    words = (
        "nothing of this can be measured: redis-py@3.5.3 pipelining: redis-py 3 has .*; redis-py@3.5.3 caching: redis"
    )
    with pytest.raises(InvalidRequestError, match=words):
        planned(clients=("redis-py@3.5.3",), scenarios=(Scenario.PIPELINING, Scenario.CACHING))


def test_scenarios_are_those_that_were_named_in_their_order() -> None:
    """One that the suite lacks has its usual shape, and workload."""
    plan = planned("quick", scenarios=(Scenario.CACHING, Scenario.SYNC), clients=("redis-py",))
    assert [cell.id for cell in plan.cells] == [
        "redis-py--caching--cache_entries=500--workload=caching",
        "redis-py--sync",
    ]
    lacking = planned("tls", scenarios=(Scenario.POOL,), clients=("jedis", "jedis[tls=off]"))
    assert blocks_of(lacking) == {"pool--threads=10--max_total=10": ["jedis", "jedis[tls=off]"]}


def test_suites_with_a_block_for_each_library_have_one_for_the_clients_that_are_named() -> None:
    """The same shape is not measured seven times because the suite has seven libraries."""
    plan = planned("tls", clients=("jedis", "jedis[tls=off]"))
    both = ["jedis", "jedis[tls=off]"]
    assert blocks_of(plan) == {"sync": both, "batching--depth=100": both, "new-connection": both}


def test_a_block_that_compares_shapes_does_so_for_the_clients_that_are_named(tmp_path: Path) -> None:
    """It keeps its name; another block of the same shapes would measure nothing new."""
    pair = """
[[trials]]
scenario = "sync"
clients = ["{client}"]
block = "{client}-batches"

[[trials]]
scenario = "batching"
shape = {{ depth = [10] }}
clients = ["{client}"]
block = "{client}-batches"
"""
    text = SUITE.partition("[[trials]]")[0] + pair.format(client="jedis") + pair.format(client="lettuce")
    assert blocks_of(plan_of(tmp_path, text, clients=("predis", "phpredis"))) == {
        "jedis-batches": ["predis", "phpredis", "predis", "phpredis"]
    }


def test_a_suite_of_claims_has_those_about_the_clients_that_are_named() -> None:
    """Both sides of each: a claim compares two clients."""
    plan = planned("guidance", clients=("redis-py[parser=python]",))
    assert {"redis-py[parser=python]", "redis-py"} == {client.name for client in plan.clients}
    with pytest.raises(InvalidRequestError, match=r"no claim is about jedis@3.6.0; there are claims about: jedis, "):
        planned("guidance", clients=("jedis@3.6.0",))


def test_shapes_are_those_that_were_named() -> None:
    """Each part replaces the suite's; what is named twice is one, and other parts stay."""
    shape = ShapeAxes(depth=(7, 9, 7), window=(Window.SLIDING,))
    plan = planned(shape=shape, scenarios=(Scenario.PIPELINING,), clients=("redis-py",))
    assert [cell.id for cell in plan.cells] == [
        "redis-py--pipelining--depth=7--window=sliding",
        "redis-py--pipelining--depth=9--window=sliding",
    ]
    pool = ShapeAxes(threads=(200,), max_total=(200,), max_idle=(10,))
    plan = planned(shape=pool, scenarios=(Scenario.POOL,), clients=("jedis", "jedis@3.6.0"))
    assert blocks_of(plan) == {"pool--threads=200--max_total=200--max_idle=10": ["jedis", "jedis@3.6.0"]}


def test_scenarios_without_that_part_of_a_shape_stay_as_they_are() -> None:
    """`--depth 7` of a whole suite changes batches, not the pool."""
    plan = planned(shape=ShapeAxes(depth=(7,)))
    depths = {scenario: {cell.shape.depth for cell in plan.cells if cell.scenario is scenario} for scenario in Scenario}
    assert depths[Scenario.BATCHING] == depths[Scenario.PIPELINING] == {7}
    assert depths[Scenario.SYNC] == depths[Scenario.POOL] == {None}


def test_what_a_scenario_may_do_without_is_meant_for_it_where_it_is_named() -> None:
    """`--threads` of a whole suite is about threads and pools; of pipelining alone it is about pipelining."""
    four = ShapeAxes(threads=(4,))
    whole = planned("quick", shape=four)
    threads = {cell.scenario: cell.shape.threads for cell in whole.cells}
    assert (threads[Scenario.POOL], threads[Scenario.THREADS], threads[Scenario.PIPELINING]) == (4, 4, None)
    named = planned("quick", shape=four, scenarios=(Scenario.PIPELINING,))
    assert {cell.shape.threads for cell in named.cells} == {4}
    assert {cell.shape.max_idle for cell in planned("quick", shape=ShapeAxes(max_idle=(2,))).cells} == {2, None}


@pytest.mark.parametrize(
    ("shape", "scenario", "words"),
    [
        (ShapeAxes(depth=(3,)), Scenario.SYNC, "--depth is of pipelining, batching, transaction, and of nothing"),
        (ShapeAxes(window=(Window.BURST,)), Scenario.BATCHING, "--window is of pipelining, and .* here: batching"),
        (ShapeAxes(max_total=(3,)), Scenario.THREADS, "--max-total is of pool"),
    ],
)
def test_a_part_of_a_shape_that_no_scenario_has_is_refused(shape: ShapeAxes, scenario: Scenario, words: str) -> None:
    """With the scenarios that have it."""
    with pytest.raises(InvalidRequestError, match=words):
        planned("quick", shape=shape, scenarios=(scenario,))


@pytest.mark.parametrize(
    ("request_fields", "words"),
    [
        ({"rounds": 0}, "--rounds must be at least 1"),
        ({"laps": 0}, "--laps must be at least 1"),
        ({"slice_s": 0.0}, "--slice-s must be more than 0"),
        ({"slice_s": float("nan")}, "--slice-s must be more than 0"),
        ({"slice_s": float("inf")}, "--slice-s"),
        ({"lead_in_s": -0.1}, "--lead-in-s must not be negative"),
        ({"warmup_limit_s": float("inf")}, "--warmup-limit-s"),
        ({"warmup_limit_s": -0.1}, "--warmup-limit-s must not be negative"),
        ({"seed": -1}, "--seed must not be negative"),
        ({"clients": ("nope",)}, "there is no client library `nope`"),
        ({"workload": "nope"}, "there is no workload `nope`"),
        ({"suite": "nope"}, "there is no suite `nope`"),
        ({"suite": "quik"}, "there is no suite `quik`; there are: quick, "),
    ],
)
def test_a_request_that_cannot_be_met_says_why(request_fields: dict[str, Any], words: str) -> None:
    """The option is named as the user writes it."""
    with pytest.raises(InvalidRequestError, match=re.escape(words)):
        planned(**request_fields)


def test_a_target_that_does_not_exist_is_told_by_the_plan() -> None:
    """`plan` promises what `run` would do: a misspelt target is not found out after the preload."""
    with pytest.raises(InvalidRequestError, match="there is no server `nope`"):
        planned(target="nope")


def test_trials_can_be_for_some_clients_only(tmp_path: Path) -> None:
    """Others have no row there; these need not be among the suite's."""
    text = SUITE + '\n[[trials]]\nscenario = "new-connection"\nclients = ["node-redis[command-timeout=off]"]\n'
    cells = [cell for cell in plan_of(tmp_path, text).cells if cell.scenario is Scenario.NEW_CONNECTION]
    assert [cell.client.name for cell in cells] == ["node-redis[command-timeout=off]"]


def test_the_same_cell_in_two_places_is_one_cell(tmp_path: Path) -> None:
    """Overlapping trials of a suite are not measured twice."""
    text = SUITE + '\n[[trials]]\nscenario = "batching"\nshape = { depth = [10, 100], processes = [1, 2] }\n'
    cells = [cell for cell in plan_of(tmp_path, text).cells if cell.client.name == "redis-py"]
    batching = [(c.shape.depth, c.shape.processes) for c in cells if c.scenario is Scenario.BATCHING]
    assert batching == [(1, 1), (10, 1), (10, 2), (100, 1), (100, 2)]


def test_a_suite_as_a_path_finds_the_workload_beside_it(tmp_path: Path) -> None:
    """Whoever is sent a suite with its workload can run it from anywhere."""
    text = (HARNESS / "specs" / "workloads" / "quick.toml").read_text().replace('name = "quick"', 'name = "own"')
    (tmp_path / "own.toml").write_text(text)
    (tmp_path / "suite.toml").write_text(SUITE.replace('workload = "quick"', 'workload = "own.toml"'))
    plan = make_plan(Request(suite=str(tmp_path / "suite.toml")), SHIPPED)
    assert plan.settings.workload.name == "own"
