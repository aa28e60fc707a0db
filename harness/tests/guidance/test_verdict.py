"""Verdicts: what follows from a ratio and its interval."""

import pytest

from respmark.guidance.block import Absent
from respmark.guidance.verdict import JudgedRatio, Verdict, judge
from respmark.report.guidance import command_of as command
from respmark.specs.guidance import Capacity
from tests.builders.plan import SHIPPED
from tests.guidance.builders import compared_run, judged, make_guidance

HOLDS, DOES_NOT, NOT_SHOWN, NOT_MEASURED, NOT_ABOUT = Verdict


@pytest.mark.parametrize(
    ("direction", "factor", "ratio", "verdict"),
    [
        ("more", 1.5, 2.0, HOLDS),
        ("more", 1.5, 1.2, DOES_NOT),
        ("less", 1.5, 0.5, HOLDS),
        ("less", 1.5, 0.8, DOES_NOT),
        ("no-more", None, 1.0, HOLDS),
        ("no-more", None, 1.5, DOES_NOT),
        ("no-less", None, 1.5, HOLDS),
        ("no-less", None, 0.5, DOES_NOT),
        ("same", None, 1.0, HOLDS),
        ("same", None, 1.5, DOES_NOT),
    ],
)
def test_a_ratio_that_is_well_known_decides(
    direction: str, factor: float | None, ratio: float, verdict: Verdict
) -> None:
    """Within the claim's bounds it holds, outside it does not."""
    one = judged(make_guidance({"direction": direction, "factor": factor}), compared_run(ratio))
    assert one.verdict is verdict
    assert one.ratios[0].ratio == pytest.approx(ratio, rel=0.01)


@pytest.mark.parametrize(("ratio", "verdict"), [(0.85, HOLDS), (0.6, DOES_NOT), (0.95, DOES_NOT), (0.9, NOT_SHOWN)])
def test_a_claim_of_a_range_holds_within_it_alone(ratio: float, verdict: Verdict) -> None:
    """Of "10 to 20 % slower", 40 % is as wrong as 5 %."""
    assert (
        judged(make_guidance({"direction": "between", "between": [0.8, 0.9]}), compared_run(ratio)).verdict is verdict
    )


@pytest.mark.parametrize("direction", ["more", "less", "no-more", "no-less", "same"])
def test_a_ratio_at_the_bound_is_not_shown(direction: str) -> None:
    """However well it is known, and no number of rounds would show it."""
    ratio = 1.1 if direction in {"more", "no-more", "same"} else 1 / 1.1
    one = judged(make_guidance({"direction": direction, "factor": 1.1}), compared_run(ratio)).ratios[0]
    assert (one.verdict, one.rounds_needed) == (NOT_SHOWN, None)
    low, high = interval(one)
    assert low < ratio < high


def interval(one: JudgedRatio) -> tuple[float, float]:
    assert one.interval is not None
    return one.interval


def test_as_many_rounds_as_are_named_do_show_it() -> None:
    """The noise stays what it was: then that many rounds decide, and the number that was measured does not."""
    claim = make_guidance({"direction": "more"})
    first = judged(claim, compared_run(1.14, noise=0.1)).ratios[0]
    assert first.verdict is NOT_SHOWN
    assert first.rounds_needed is not None
    assert 3 < first.rounds_needed < 30
    assert judged(claim, compared_run(1.14, rounds=first.rounds_needed, noise=0.1)).verdict is HOLDS


def test_a_claim_holds_only_if_all_that_it_says_does() -> None:
    """One comparison that does not hold is enough, one that is not shown or measured leaves it open."""
    run = compared_run(2.0)
    more, too_much, close = ({"direction": "more", "factor": factor} for factor in (1.5, 3, 2.0))
    absent = {"direction": "more", "cell": {"client": "predis", "scenario": "sync"}}
    assert judged(make_guidance(more), run).verdict is HOLDS
    assert judged(make_guidance(more, too_much, absent, close), run).verdict is DOES_NOT
    assert judged(make_guidance(more, close, absent), run).verdict is NOT_SHOWN
    assert judged(make_guidance(more, absent), run).verdict is NOT_MEASURED


def test_a_claim_about_everyone_is_judged_by_those_who_were_measured() -> None:
    """Whom no run was to measure is left out, if a run was to measure somebody."""
    statements = (
        {"direction": "more", "factor": 1.5, "of_everyone": True},
        {"direction": "more", "cell": {"client": "predis", "scenario": "sync"}, "of_everyone": True},
    )
    one = judged(make_guidance(*statements), compared_run(2.0))
    assert (one.verdict, [ratio.claimed.cell.client for ratio in one.ratios]) == (HOLDS, ["jedis"])
    alone = judged(make_guidance(statements[1]), compared_run(2.0))
    assert (alone.verdict, len(alone.ratios)) == (NOT_MEASURED, 1)


def test_a_claim_about_many_processors_is_not_judged_by_a_run_on_few() -> None:
    """Nor is it proposed to be measured; what this machine lacks is told first."""
    run = compared_run(2.0)
    had = run.manifest.machine.cpus
    guidance = make_guidance({"direction": "more"}, needs={"cpus": had + 1})
    one = judged(guidance, run)
    assert one.verdict is NOT_MEASURED
    assert one.ratios[0].found == Absent(f"needs {had + 1} CPUs; the run's machine had {had}")
    assert command([one]) is None
    (here,) = judge([(guidance, guidance.claims[0])], [run], SHIPPED.clients, Capacity(cpus=1))
    assert here.ratios[0].found == Absent(f"needs {had + 1} CPUs; available: 1")
    assert judged(make_guidance({"direction": "more"}, needs={"cpus": had}), run).verdict is HOLDS


def test_rounds_are_named_only_if_somebody_would_measure_them() -> None:
    """At most five times as many as the run had, or as many as take an hour; and how long they take."""
    claim = make_guidance({"direction": "more"})
    slow, quick = (judged(claim, compared_run(1.09, noise=0.1, wall_s=wall_s)).ratios[0] for wall_s in (3600.0, 36.0))
    assert (slow.verdict, slow.rounds_needed, slow.minutes_needed) == (NOT_SHOWN, None, None)
    assert quick.rounds_needed is not None
    assert 5 * 3 < quick.rounds_needed < 300
    assert quick.minutes_needed == pytest.approx(quick.rounds_needed * 12 / 60)
