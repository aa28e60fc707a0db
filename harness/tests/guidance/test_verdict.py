"""Verdicts: what follows from a ratio and its interval."""

import math

import pytest

from respmark.guidance.evidence import ComparedRun, Found
from respmark.guidance.verdict import JudgedPoint, Verdict, judge
from respmark.results.manifest import Until
from tests.builders.plan import SHIPPED
from tests.builders.records import make_run
from tests.guidance.builders import compared_run, judged, make_guidance, make_round

HOLDS, DOES_NOT, NOT_SHOWN, NOT_MEASURED = Verdict


@pytest.mark.parametrize(
    ("direction", "factor", "ratio", "verdict"),
    [
        ("more", 1.5, 2.0, HOLDS),
        ("more", 1.5, 1.2, DOES_NOT),
        ("more", None, 1.0, DOES_NOT),
        ("less", 1.5, 0.5, HOLDS),
        ("less", 1.5, 0.8, DOES_NOT),
        ("less", 1.5, 2.0, DOES_NOT),
        ("no-more", None, 1.0, HOLDS),
        ("no-more", None, 0.2, HOLDS),
        ("no-more", None, 1.5, DOES_NOT),
        ("no-less", None, 1.5, HOLDS),
        ("no-less", None, 0.5, DOES_NOT),
        ("same", None, 1.0, HOLDS),
        ("same", None, 1.5, DOES_NOT),
        ("same", None, 0.5, DOES_NOT),
    ],
)
def test_a_ratio_that_is_well_known_decides(
    direction: str, factor: float | None, ratio: float, verdict: Verdict
) -> None:
    """Within the claim's bounds it holds, outside it does not."""
    one = judged(make_guidance({"direction": direction, "factor": factor}), compared_run(ratio))
    assert one.verdict is verdict
    assert one.points[0].ratio == pytest.approx(ratio, rel=0.01)


@pytest.mark.parametrize("direction", ["more", "less", "no-more", "no-less", "same"])
def test_a_ratio_at_the_bound_is_not_shown(direction: str) -> None:
    """However well it is known, and no number of rounds would show it."""
    ratio = 1.1 if direction in {"more", "no-more", "same"} else 1 / 1.1
    one = judged(make_guidance({"direction": direction, "factor": 1.1}), compared_run(ratio)).points[0]
    assert (one.verdict, one.rounds_needed) == (NOT_SHOWN, None)
    low, high = interval(one)
    assert low < ratio < high


def interval(one: JudgedPoint) -> tuple[float, float]:
    """Return the interval, which is there."""
    assert one.interval is not None
    return one.interval


def test_as_many_rounds_as_are_named_do_show_it() -> None:
    """The noise stays what it was: then that many rounds decide, and the number that was measured does not."""
    claim = make_guidance({"direction": "more"})
    first = judged(claim, compared_run(1.14, noise=0.1)).points[0]
    assert first.verdict is NOT_SHOWN
    assert first.rounds_needed is not None
    assert 3 < first.rounds_needed < 30
    assert judged(claim, compared_run(1.14, rounds=first.rounds_needed, noise=0.1)).verdict is HOLDS


def test_fewer_rounds_are_needed_where_the_ratio_is_farther_off() -> None:
    """From the bound, that is."""
    needed = [
        judged(make_guidance({"direction": "more"}), compared_run(ratio, noise=0.1)).points[0].rounds_needed
        for ratio in (1.09, 1.12, 1.15)
    ]
    assert all(needed)
    assert needed == sorted(needed, key=lambda number: -(number or math.inf))
    assert len(set(needed)) == 3


def test_one_round_shows_nothing() -> None:
    """It has a ratio and no interval."""
    one = judged(make_guidance({"direction": "more"}), compared_run(5.0, rounds=1)).points[0]
    assert one.verdict is NOT_SHOWN
    assert one.ratio == pytest.approx(5.0, rel=0.01)
    assert (one.interval, one.rounds_needed) == (None, None)


def test_comparisons_that_are_judged_together_are_one_family() -> None:
    """What one claim shows alone, it does not show as one of fifty of its kind."""
    guidance = make_guidance({"direction": "more"})
    run = compared_run(1.11, noise=0.03)
    named = (guidance, guidance.claims[0])
    (alone,) = judge([named], [run], SHIPPED.clients)
    together = judge([named] * 50, [run], SHIPPED.clients)
    assert alone.verdict is HOLDS
    assert {one.verdict for one in together} == {NOT_SHOWN}


def test_a_run_that_looked_at_its_figures_has_to_show_more() -> None:
    """Each look had its share of the error, so intervals are wider."""
    guidance = make_guidance({"direction": "more"})
    until = Until(half_width=0.02, budget_s=1, looks=20)
    looked = judged(guidance, compared_run(1.08, noise=0.03, until=until)).points[0]
    straight = judged(guidance, compared_run(1.08, noise=0.03)).points[0]
    assert interval(looked)[0] < interval(straight)[0]
    assert (straight.verdict, looked.verdict) == (HOLDS, NOT_SHOWN)


def test_a_claim_holds_only_if_all_that_it_says_does() -> None:
    """One comparison that does not hold is enough, one that is not shown or measured leaves it open."""
    run = compared_run(2.0)
    more, too_much, close = ({"direction": "more", "factor": factor} for factor in (1.5, 3, 2.0))
    absent = {"direction": "more", "cell": {"client": "predis", "scenario": "sync"}}
    assert judged(make_guidance(more), run).verdict is HOLDS
    assert judged(make_guidance(more, too_much, absent, close), run).verdict is DOES_NOT
    assert judged(make_guidance(more, close, absent), run).verdict is NOT_SHOWN
    assert judged(make_guidance(more, absent), run).verdict is NOT_MEASURED


def test_a_claim_out_of_reach_is_not_measured() -> None:
    """It has nothing to compare."""
    guidance = make_guidance(out_of_reach="too far")
    assert judged(guidance, compared_run(2.0)).verdict is NOT_MEASURED


def test_cpu_is_per_command() -> None:
    """Twice the commands for the same CPU is half of it a command."""
    one = judged(make_guidance({"direction": "less", "metric": "client_cpu"}), compared_run(2.0))
    assert one.verdict is HOLDS
    assert one.points[0].ratio == pytest.approx(0.5, rel=0.01)


def test_noise_around_a_true_null_seldom_claims() -> None:
    """Rounds that swing by a tenth around a ratio of 1 decide nothing about 3 %."""
    records = []
    for number, swing in enumerate((0.9, 1.1, 1.0), start=1):
        records.append(make_round("lettuce", [100_000, 101_000, 99_000], number))
        records.append(make_round("jedis", [round(100_000 * swing * lap) for lap in (1.02, 0.98, 1.0)], number))
    one = judged(make_guidance({"direction": "more"}), ComparedRun(make_run(*records))).points[0]
    assert one.verdict is NOT_SHOWN
    assert isinstance(one.found, Found)
