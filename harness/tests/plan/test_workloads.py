"""From a suite whose trials name workloads to a plan."""

from pathlib import Path

import pytest

from respmark.contract.trial import Scenario
from respmark.errors import InvalidRequestError
from respmark.paths import HARNESS
from respmark.plan.expand import Request, make_plan
from tests.builders.plan import SHIPPED
from tests.plan.test_expand import SUITE, plan_of

OF_SIZES = """
[[trials]]
scenario = "sync"
workloads = ["quick", "mget", "values-10k"]
"""


def test_trials_can_name_workloads(tmp_path: Path) -> None:
    """Each is measured in blocks of its own; names say which one it is, but for the suite's own."""
    plan = plan_of(tmp_path, SUITE + OF_SIZES, clients=("redis-py", "node-redis"), scenarios=(Scenario.SYNC,))
    assert [(cell.id, cell.workload) for cell in plan.cells if cell.client.library == "redis-py"] == [
        ("redis-py--sync", None),
        ("redis-py--sync--workload=mget", "mget"),
        ("redis-py--sync--workload=values-10k", "values-10k"),
    ]
    blocks = {block.name: {trial.cell.workload for trial in block.trials} for block in plan.rounds}
    assert blocks == {
        "sync": {None},
        "sync--workload=mget": {"mget"},
        "sync--workload=values-10k": {"values-10k"},
    }
    assert all(len(block.trials) == 2 for block in plan.rounds)
    settings = plan.settings
    assert settings.workload == SHIPPED.workload("quick")
    assert settings.other_workloads == (SHIPPED.workload("mget"), SHIPPED.workload("values-10k"))
    assert [settings.workload_of(cell).name for cell in plan.cells[::2]] == ["quick", "mget", "values-10k"]


def test_a_block_with_a_name_can_compare_workloads(tmp_path: Path) -> None:
    """They take turns in it, as scenarios do."""
    text = SUITE + OF_SIZES + 'block = "sizes"\n'
    plan = plan_of(tmp_path, text, clients=("redis-py",), scenarios=(Scenario.SYNC,))
    (block,) = [block for block in plan.rounds if block.round == 1 and block.name == "sizes"]
    assert [trial.cell.workload for trial in block.trials] == [None, "mget", "values-10k"]
    assert block.trials[1].cell.id == "redis-py--sync--workload=mget--in=sizes"


def test_the_workload_that_is_asked_for_is_that_of_all(tmp_path: Path) -> None:
    """Whatever trials name; what differs in the workload alone is then one cell."""
    plan = plan_of(tmp_path, SUITE + OF_SIZES, workload="mset", clients=("redis-py",))
    assert plan.settings.workloads == {"mset": SHIPPED.workload("mset")}
    assert {cell.workload for cell in plan.cells} == {None}
    assert [cell.id for cell in plan.cells if cell.scenario is Scenario.SYNC] == ["redis-py--sync"]


def test_workloads_that_are_not_chosen_are_not_made(tmp_path: Path) -> None:
    """Whoever asks for another scenario does not wait for their files."""
    plan = plan_of(tmp_path, SUITE + OF_SIZES, scenarios=(Scenario.BATCHING,))
    assert plan.settings.other_workloads == ()


def test_two_workloads_of_one_name_are_refused(tmp_path: Path) -> None:
    """Results could not tell them apart; the same one by two names is one."""
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
    text = (
        SUITE
        + '\n[[trials]]\nscenario = "caching"\nshape = { cache_entries = [10] }\nworkloads = ["caching", "mget"]\n'
    )
    cells = plan_of(tmp_path, text, clients=("redis-py",), scenarios=(Scenario.CACHING,)).cells
    assert [cell.unsupported for cell in cells] == [
        None,
        "caching is of GETs: workload mget has MGET, which only some libraries cache",
    ]
