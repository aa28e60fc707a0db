"""Bounds: what follows from the rounds of one cell, each by itself."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from pydantic import ValidationError

from respmark.contract.trial import Fault
from respmark.figures.cells import RunFigures
from respmark.guidance.verdict import JudgedClaim, Verdict
from respmark.kinds.faults.kind import FAULTS
from respmark.kinds.faults.record import Connections, FaultRecord, Wait
from respmark.kinds.loops.kind import LOOPS
from respmark.plan.plan import Trial
from respmark.report.data import verdicts_json
from respmark.report.guidance import verdict_chapters
from respmark.results.records import Status
from respmark.specs.each_client import of_each_client
from respmark.specs.guidance import GuidanceSpec
from respmark.specs.naming import one_client
from tests.builders.plan import SHIPPED, make_cell
from tests.builders.records import make_record, make_run, make_slice_record
from tests.guidance.builders import judged
from tests.kinds.faults.builders import fault_record, fault_run, make_figures

HOLDS, DOES_NOT, NOT_SHOWN, NOT_MEASURED, _ = Verdict
SHAPE = {"threads": 10, "rate": "40", "fault": "silence"}


def bound(client: str = "jedis", **fields: Any) -> dict[str, Any]:  # noqa: ANN401 - a statement's fields
    """Return a statement that a client's commands wait no longer than a second."""
    cell = {"client": client, "scenario": "faults", "shape": SHAPE}
    usual = {} if {"at_most", "at_least"} & fields.keys() else {"at_most": 1.0}
    return {"metric": "longest_wait", "cell": cell, **usual, **fields}


def make_guidance(*statements: dict[str, Any], **head: Any) -> GuidanceSpec:  # noqa: ANN401 - a source's fields
    claim = {"id": "c", "gist": "g", "section": "s", "statements": statements}
    source = {"name": "n", "title": "t", "url": "u", "published": "2026", "setup": "s", "claims": [claim]}
    return GuidanceSpec.model_validate_json(json.dumps(source | head))


def waited(*seconds: float, client: str = "jedis", **fields: Any) -> list[FaultRecord]:  # noqa: ANN401 - a record's
    rounds = enumerate(seconds, start=1)
    return [fault_record(client, make_figures(s), number=number, **fields) for number, s in rounds]


@pytest.mark.parametrize(
    ("seconds", "verdict"),
    [
        ((0.9, 1.0, 0.2), HOLDS),
        ((0.9, 1.0), NOT_SHOWN),
        ((0.9, 1.1, 0.2), NOT_SHOWN),
        ((0.9, 0.1, 0.2, 0.3, 0.4, 1.1), NOT_SHOWN),
        ((0.9, 1.1, 1.1), DOES_NOT),
        ((1.1, 1.1), DOES_NOT),
        ((1.1,), NOT_SHOWN),
    ],
)
def test_every_one_of_three_rounds_keeps_it_or_two_break_it(seconds: Sequence[float], verdict: Verdict) -> None:
    assert judged(make_guidance(bound()), fault_run(*waited(*seconds))).verdict is verdict


def test_what_still_waits_counts_as_what_it_has_come_to() -> None:
    endless = make_figures(longest_wait=Wait(s=75.0, is_over=False))
    run = fault_run(*(fault_record("jedis", endless, number=number) for number in (1, 2, 3)))
    assert judged(make_guidance(bound(at_least=75)), run).verdict is HOLDS
    assert judged(make_guidance(bound(at_most=75)), run).verdict is HOLDS
    assert judged(make_guidance(bound(at_most=74.9)), run).verdict is DOES_NOT


def test_a_claim_holds_if_all_its_bounds_do() -> None:
    run = fault_run(*waited(0.5, 0.5, 0.5))
    both = make_guidance(bound(), bound(metric="doubled", at_most=2), bound(metric="lost", at_most=0))
    assert judged(both, run).verdict is HOLDS
    one = make_guidance(bound(), bound(metric="doubled", at_most=1))
    assert judged(one, run).verdict is DOES_NOT


def test_rounds_that_do_not_count_say_nothing() -> None:
    """Nor do those in which another fault took the place of the claim's."""
    failed = waited(9, 9, 9, status=Status.FAILED, reason="the machine was busy")
    found = judged(make_guidance(bound()), fault_run(*failed))
    assert (found.verdict, reason_of(found)) == (NOT_MEASURED, f"{LABEL}: failed: the machine was busy")
    other = judged(make_guidance(bound()), fault_run(*waited(9, 9, 9, made_as=Fault.SWALLOWED)))
    assert (other.verdict, reason_of(other)) == (NOT_MEASURED, f"{LABEL}: no round has this figure")
    assert reason_of(judged(make_guidance(bound("predis")), fault_run(*failed))).startswith("no run has predis faults")


LABEL = "jedis faults (threads 10, rate 40, fault silence)"


def reason_of(found: JudgedClaim) -> str:
    return json.loads(verdicts_json([found], []))["claims"][0]["bounds"][0]["reason"]  # type: ignore[no-any-return]


def test_the_run_with_the_most_rounds_counts() -> None:
    few, many = fault_run(*waited(9, 9), run_id="few"), fault_run(*waited(0.1, 0.1, 0.1), run_id="many")
    assert {judged(make_guidance(bound()), *runs).verdict for runs in ((few, many), (many, few))} == {HOLDS}


def test_a_bound_on_several_clients_is_judged_by_those_that_were_measured() -> None:
    """It says of each of them what it says of all."""
    statement = bound(client="")
    source = make_guidance(statement, clients=["jedis", "predis"])
    each = of_each_client(source, SHIPPED.clients, SHIPPED.workload)
    one = judged(each, fault_run(*waited(0.5, 0.5, 0.5)))
    assert (one.verdict, [part.claimed.cell.client for part in one.bounds]) == (HOLDS, ["jedis"])
    both = judged(each, fault_run(*waited(0.5, 0.5, 0.5), *waited(2, 2, 2, client="predis")))
    assert (both.verdict, len(both.bounds)) == (DOES_NOT, 2)
    none = judged(each, fault_run(*waited(0.5, client="lettuce")))
    assert (none.verdict, len(none.bounds)) == (NOT_MEASURED, 2)


def test_reconnects_are_counted_by_connection_and_second() -> None:
    """A run that did not count the connections before the fault says nothing."""

    def run(before: int) -> RunFigures:
        counts = Connections(before=before, opened=90, during=80, busiest=10, left=0)
        return fault_run(*waited(0.5, 0.5, 0.5, connections=counts))

    once = make_guidance(bound(metric="reconnects", at_most=1))
    assert [judged(once, run(before)).verdict for before in (10, 5, 0)] == [HOLDS, DOES_NOT, NOT_MEASURED]


def test_into_how_many_commands_a_library_splits_one_is_bounded() -> None:
    """As the nodes counted them in all slices of a round together; where keys are not across slots, nothing is said."""

    def run(split_calls: int | None) -> RunFigures:
        cell = make_cell(one_client("lettuce", SHIPPED.clients), workload="mget-100", server="cluster")
        slices = [make_slice_record(10, number, split_calls=split_calls) for number in (1, 2)]
        return make_run(*(make_record(Trial(cell, number), slices=slices) for number in (1, 2, 3)))

    split = make_guidance(
        {
            "metric": "server_calls",
            "at_least": 95,
            "cell": {"client": "lettuce", "scenario": "sync", "workload": "mget-100", "server": "cluster"},
        }
    )
    assert [judged(split, run(calls)).verdict for calls in (960, 940, None)] == [HOLDS, DOES_NOT, NOT_MEASURED]
    (chapter, _) = verdict_chapters([judged(split, run(960))], LOOPS)
    row = [cell.text for cell in chapter.tables[0].rows[0]]
    assert row[:2] == ["server calls of lettuce in sync mget-100 cluster", "≥ 95"]
    assert row[3] == "96, 96, 96"


def test_tables_have_the_figure_of_each_round() -> None:
    found = judged(make_guidance(bound(published=[938])), fault_run(*waited(0.9, 1.25, 75.2), run_id="mine"))
    (chapter, summary) = verdict_chapters([found], FAULTS)
    (table,) = chapter.tables
    assert [cell.text for cell in table.rows[0]] == [
        "longest wait of jedis in silence",
        "≤ 1 s",
        "938",
        "0.9, 1.25, 75.2",
        "mine: 3 rounds",
    ]
    assert table.mark is not None
    assert table.mark.text == "does not hold"
    assert any("two" in line or "2 break it" in line for line in summary.lines)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"at_most": 1, "at_least": 1}, "either `at_most` or `at_least`"),
        ({"metric": "rps"}, "not rps"),
        ({"direction": "more"}, "leave out direction"),
        ({"at_most": -1}, "greater than or equal to 0"),
        ({"published": [1, 2]}, "`published` has 2"),
    ],
)
def test_a_bound_that_makes_no_sense_is_refused(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        make_guidance(bound(**fields))


def test_what_is_compared_has_no_bound_and_a_metric_of_faults_has_one() -> None:
    compared = {"cell": {"client": "jedis", "scenario": "sync"}, "against": {"client": "lettuce", "scenario": "sync"}}
    with pytest.raises(ValidationError, match="needs `against` and `direction`"):
        make_guidance({"cell": compared["cell"]})
    with pytest.raises(ValidationError, match="not longest_wait"):
        make_guidance({**compared, "direction": "more", "metric": "longest_wait"})
