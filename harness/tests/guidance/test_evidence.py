"""Where a ratio comes from: both cells in one block of one run, or it is none."""

from dataclasses import replace

from respmark.guidance.verdict import Found
from respmark.results.records import TrialRecord
from respmark.statistics.cells import CountedRun
from tests.builders.records import make_run
from tests.guidance.builders import judged, make_guidance, make_round

CLAIM = make_guidance({"direction": "more"})


def both(number: int, ratio: float, block: str | None = None) -> list[TrialRecord]:
    return [
        make_round("lettuce", [1000, 1000], number, block=block),
        make_round("jedis", [round(1000 * ratio), round(1000 * ratio)], number, block=block),
    ]


def found(*runs: CountedRun) -> Found | str:
    return judged(CLAIM, *runs).points[0].found


def test_cells_of_different_blocks_are_never_compared() -> None:
    """Nor are those of different runs, though both have been measured."""
    lettuce, _ = both(1, 2, "one")
    _, jedis = both(1, 2, "other")
    said = "not in turns in one block"
    assert said in str(found(make_run(lettuce, jedis)))
    assert said in str(found(make_run(lettuce), make_run(jedis)))


def test_the_block_with_the_most_rounds_counts() -> None:
    """Whatever the ratios are; of equals, the first."""
    few = make_run(*both(1, 3), run_id="few")
    many = make_run(*both(1, 2), *both(2, 2), run_id="many")
    again = make_run(*both(1, 9), *both(2, 9), run_id="again")
    for runs, chosen in (((few, many), many), ((many, few), many), ((many, again), many), ((again, many), again)):
        one = found(*runs)
        assert isinstance(one, Found)
        assert one.run_id == chosen.manifest.run_id


def test_the_runs_own_server_and_workload_need_not_be_named() -> None:
    """Cells of a run with several name them all."""
    run = make_run(*both(1, 2))
    own = {"server": run.manifest.target.name, "workload": run.manifest.workload["name"]}
    cells = [cell.model_copy(update=own) for cell in run.manifest.cells]
    assert isinstance(found(replace(run, manifest=run.manifest.model_copy(update={"cells": cells}))), Found)
