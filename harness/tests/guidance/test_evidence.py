"""Where a ratio comes from: both cells in one block of one run, or it is none."""

from respmark.guidance.evidence import Absent, ComparedRun, Found, evidence_for
from respmark.results.records import TrialRecord
from tests.builders.plan import SHIPPED
from tests.builders.records import make_run
from tests.guidance.builders import make_guidance, make_round

POINT = make_guidance({"direction": "more"}).claims[0].points[0]


def both(number: int, ratio: float, block: str | None = None) -> list[TrialRecord]:
    return [
        make_round("lettuce", [1000, 1000], number, block=block),
        make_round("jedis", [round(1000 * ratio), round(1000 * ratio)], number, block=block),
    ]


def found(*runs: ComparedRun) -> Found:
    one = evidence_for(POINT, runs, SHIPPED.clients)
    assert isinstance(one, Found)
    return one


def reason(*runs: ComparedRun) -> str:
    one = evidence_for(POINT, runs, SHIPPED.clients)
    assert isinstance(one, Absent)
    return one.reason


def test_cells_of_different_blocks_are_never_compared() -> None:
    """Nor are those of different runs, though both have been measured."""
    lettuce, _ = both(1, 2, "one")
    _, jedis = both(1, 2, "other")
    said = "not in turns in one block"
    assert said in reason(ComparedRun(make_run(lettuce, jedis)))
    assert said in reason(ComparedRun(make_run(lettuce)), ComparedRun(make_run(jedis)))


def test_the_block_with_the_most_rounds_counts() -> None:
    """Whatever the ratios are; of equals, the first."""
    few = ComparedRun(make_run(*both(1, 3), run_id="few"))
    many = ComparedRun(make_run(*both(1, 2), *both(2, 2), run_id="many"))
    again = ComparedRun(make_run(*both(1, 9), *both(2, 9), run_id="again"))
    assert [found(*runs).run_id for runs in ((few, many), (many, few), (many, again), (again, many))] == [
        "many",
        "many",
        "many",
        "again",
    ]
