"""Where a ratio comes from: both cells in one block of one run, or it is none."""

from dataclasses import replace
from typing import Any

import pytest
from pydantic import ValidationError

from respmark.contract.trial import Scenario, Shape
from respmark.figures.cells import RunFigures
from respmark.guidance.block import Absent, Found
from respmark.guidance.verdict import Verdict
from respmark.kinds.loops.record import Aim, LoopRecord
from respmark.plan.plan import Trial
from respmark.specs.naming import one_client
from tests.builders.plan import SHIPPED, make_cell
from tests.builders.records import make_record, make_run, make_slice_record
from tests.guidance.builders import judged, make_guidance, make_round

CLAIM = make_guidance({"direction": "more"})


def both(number: int, ratio: float, block: str | None = None) -> list[LoopRecord]:
    return [
        make_round("lettuce", [1000, 1000], number, block=block),
        make_round("jedis", [round(1000 * ratio), round(1000 * ratio)], number, block=block),
    ]


def found(*runs: RunFigures) -> Found | Absent:
    return judged(CLAIM, *runs).ratios[0].found


def test_cells_of_different_blocks_are_never_compared() -> None:
    lettuce, _ = both(1, 2, "one")
    _, jedis = both(1, 2, "other")
    said = "not in turns in one block"
    assert said in str(found(make_run(lettuce, jedis)))
    assert said in str(found(make_run(lettuce), make_run(jedis)))


def test_the_block_with_the_most_rounds_counts() -> None:
    few = make_run(*both(1, 3), run_id="few")
    many = make_run(*both(1, 2), *both(2, 2), run_id="many")
    again = make_run(*both(1, 9), *both(2, 9), run_id="again")
    for runs, chosen in (((few, many), many), ((many, few), many), ((many, again), many), ((again, many), again)):
        one = found(*runs)
        assert isinstance(one, Found)
        assert one.run_id == chosen.manifest.run_id


@pytest.mark.parametrize(("measured", "says"), [("3.1.0", True), ("7.0.0", True), ("2.9.3", False)])
def test_a_major_version_before_that_of_the_source_says_nothing(measured: str, *, says: bool) -> None:
    """The source measured Jedis 3.6.0."""
    loaded = {"jedis": measured, "lettuce": "7.6.0"}
    records = [one.model_copy(update={"versions": loaded}) for n in (1, 2) for one in both(n, 2)]
    one = found(make_run(*records))
    assert isinstance(one, Found if says else Absent)
    if isinstance(one, Absent):
        assert one.reason == "measured only with jedis 2.9.3, which is older than the 3.6.0 that the claim is about"


def at(rtt_ms: float | None, run_id: str, rounds: int = 2, **changes: Any) -> RunFigures:  # noqa: ANN401 - a manifest's fields
    """Return a run whose clients are behind this round trip."""
    records = [one for number in range(1, rounds + 1) for one in both(number, 2)]
    behind = [one.model_copy(update={"shape": one.shape.model_copy(update={"rtt_ms": rtt_ms})}) for one in records]
    return make_run(*behind, run_id=run_id, **changes)


@pytest.mark.parametrize(
    ("conditions", "nearest"),
    [
        ({"rtt_ms": 0.2}, "0.25 ms"),
        ({"rtt_ms": 2}, "1 ms"),
        ({"rtt_ms": 0}, "direct"),
        ({}, "1 ms"),
    ],
)
def test_the_evidence_nearest_to_a_claims_round_trip_counts(conditions: dict[str, object], nearest: str) -> None:
    """Without one, the evidence with the most rounds does."""
    runs = at(None, "direct", 3), at(0.25, "0.25 ms"), at(1, "1 ms", 4)
    one = judged(make_guidance({"direction": "more"}, conditions=conditions), *runs).ratios[0].found
    assert isinstance(one, Found)
    assert one.run_id == nearest


def test_a_claim_says_nothing_about_a_place_that_contradicts_it() -> None:
    """Neither a claim about a network where there is none, nor one about one machine behind a network."""
    local = make_guidance({"direction": "more"}, conditions={"place": "local"})
    network = make_guidance({"direction": "more"}, conditions={"place": "network", "rtt_ms": 0.2})
    direct, behind = at(None, "direct"), at(0.2, "behind")
    for guidance, here, there in ((local, direct, behind), (network, behind, direct)):
        elsewhere = judged(guidance, there)
        assert elsewhere.verdict is Verdict.NOT_ABOUT_THIS_PLACE
        assert "it is about" in str(elsewhere.ratios[0].found)
        one = judged(guidance, there, here).ratios[0].found
        assert isinstance(one, Found)
        assert one.run_id == here.manifest.run_id


def test_a_claim_is_judged_on_its_own_workload_alone() -> None:
    """Many rounds on another one do not outweigh that."""
    run = make_run(*both(1, 2))
    own = run.manifest.first_workload
    assert isinstance(found_on(own, run), Found)
    absent = found_on("post", run)
    assert isinstance(absent, Absent)
    assert absent.reason == f"no run has jedis sync (workload post); measured only on: {own}"


def found_on(workload: str, run: RunFigures) -> Found | Absent:
    return judged(make_guidance({"direction": "more"}, conditions={"workload": workload}), run).ratios[0].found


def test_evidence_says_whether_every_trial_behind_it_was_warm() -> None:
    def was_warm(*, is_steady: bool) -> bool:
        lettuce, jedis = both(1, 2)
        assert jedis.warm_up is not None
        cold = jedis.model_copy(update={"warm_up": jedis.warm_up.model_copy(update={"is_steady": is_steady})})
        one = found(make_run(lettuce, cold))
        assert isinstance(one, Found)
        return one.was_warm

    assert was_warm(is_steady=True)
    assert not was_warm(is_steady=False)


def test_the_runs_own_server_and_workload_need_not_be_named() -> None:
    run = make_run(*both(1, 2))
    own = {"server": run.manifest.first_server, "workload": run.manifest.first_workload}
    cells = [cell.model_copy(update=own) for cell in run.manifest.cells]
    assert isinstance(found(replace(run, manifest=run.manifest.model_copy(update={"cells": cells}))), Found)


def test_latencies_are_compared_at_the_rate_that_all_had() -> None:
    def searched(client: str, number: int, p99_ms: float) -> LoopRecord:
        open_loop = {"rate_due": 700.0, "is_saturated": False}
        ends = enumerate([(Aim.SEVENTY, 9.0), (Aim.COMMON, p99_ms)], start=1)
        slices = [make_slice_record(100, lap, aim=aim, p99_ns=ms * 1e6, **open_loop) for lap, (aim, ms) in ends]
        shape = Shape(rate="find p99=1ms")
        cell = make_cell(one_client(client, SHIPPED.clients), Scenario.SYNC, shape)
        return make_record(Trial(cell, number), slices=slices)

    run = make_run(*(searched(*one) for n in (1, 2) for one in (("lettuce", n, 0.8), ("jedis", n, 0.4))))
    sides = {"cell": "jedis", "against": "lettuce"}
    at_a_rate = {
        side: {"client": client, "scenario": "sync", "shape": {"rate": "find p99=1ms"}}
        for side, client in sides.items()
    }
    assert judged(make_guidance({"metric": "p99", "direction": "less", **at_a_rate}), run).ratios[0].ratio == 0.5
    with pytest.raises(ValidationError, match="compared at a rate"):
        make_guidance({"metric": "p99", "direction": "less"})
