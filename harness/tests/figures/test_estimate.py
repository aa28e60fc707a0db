"""Ratios and their intervals: by hand where that can be done, else on simulated runs whose truth is known."""

import math
from dataclasses import replace
from statistics import median

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

from respmark.figures.estimate import (
    MOST_DEGREES,
    USUAL,
    LapSeries,
    LogRatios,
    Prior,
    Ratio,
    confidence_of,
    corrected,
    log_ratios,
    prior_of,
    ratio_of,
)
from tests.figures.builders import make_rounds

UNIT_STEP = math.sqrt(3)
"""Three laps at -step, 0 and +step explain a variance of 1."""


def rounds_at(values: list[float], scale: float = 1.0) -> LogRatios:
    step = UNIT_STEP * scale
    return make_rounds(*((value, (-step, 0.0, step)) for value in values))


def ratio(p_value: float | None) -> Ratio:
    return Ratio(value=1.1, low=1.0, high=1.2, p_value=p_value)


def test_a_round_is_all_of_its_laps_that_both_have() -> None:
    """What one of them lacks is left out: 6 commands in 2 s against 3 in 3 s, then 3 in 1 s against 6."""
    client = {(1, 1): (2.0, 1.0), (1, 2): (50.0, 1.0), (1, 4): (4.0, 1.0), (2, 1): (3.0, 1.0)}
    baseline = {(1, 1): (1.0, 2.0), (1, 3): (9.0, 1.0), (1, 4): (2.0, 1.0), (2, 1): (6.0, 1.0)}
    found = log_ratios(LapSeries.of(client), LapSeries.of(baseline))
    assert found is not None
    assert found.values == pytest.approx([math.log(3.0), math.log(0.5)])
    assert found.laps.tolist() == [2, 1]


def test_a_pause_in_one_lap_is_in_the_figure() -> None:
    """Of ten laps, one in which a collector took half the time is a twentieth of the throughput."""
    client = {(1, lap): (50.0 if lap == 3 else 100.0, 1.0) for lap in range(10)}
    found = log_ratios(LapSeries.of(client), LapSeries.of({(1, lap): (100.0, 1.0) for lap in range(10)}))
    assert found is not None
    assert math.exp(found.mean) == pytest.approx(0.95)


def test_what_laps_explain_is_the_variance_of_a_ratio_of_sums() -> None:
    """By the delta method: of 1,500 simulated rounds the variance is what each of them says of itself, on average."""
    rng = np.random.Generator(np.random.PCG64(3))

    def side() -> LapSeries:
        return LapSeries.of(
            {(1, lap): (rate * time, time) for lap, (rate, time) in enumerate(rng.normal((5, 2), (0.5, 0.1), (20, 2)))}
        )

    found = [one for one in (log_ratios(side(), side()) for _ in range(1500)) if one is not None]
    said = float(np.mean([one.lap_variance for one in found]))
    assert said == pytest.approx(float(np.var([one.mean for one in found])), rel=0.1)


def test_an_interval_is_students_with_the_moderated_variance() -> None:
    """By hand: 3 rounds with a variance of 4 times what laps explain, a prior of 2 times worth 5 degrees."""
    rounds = rounds_at([0.08, 0.10, 0.12], 0.01)
    found = ratio_of(rounds, Prior(2.0, 5.0))
    relative = (5 * 2.0 + 2 * 4.0) / 7
    error = math.sqrt(relative * 0.01**2 / 3)
    reach = stats.t.ppf(0.975, 7) * error
    assert found.value == pytest.approx(math.exp(0.1))
    assert found.low == pytest.approx(math.exp(0.1 - reach))
    assert found.high == pytest.approx(math.exp(0.1 + reach))
    assert found.p_value == pytest.approx(2 * stats.t.sf(0.1 / error, 7))


def test_one_round_has_no_interval() -> None:
    """It shows nothing of how processes differ, whatever other comparisons know."""
    assert ratio_of(rounds_at([0.0]), Prior(1.0, MOST_DEGREES)) == Ratio(value=1.0)


def test_what_a_round_has_once_is_compared_without_laps() -> None:
    """By a plain Student's t over rounds, whatever the run's variances have in common; no prior is fitted to it."""
    values = [0.08, 0.10, 0.12]
    once = make_rounds(*((value, (0.0, 0.0)) for value in values))
    found = ratio_of(once, Prior(9.0, MOST_DEGREES))
    reach = stats.t.ppf(0.975, 2) * 0.02 / math.sqrt(3)
    assert (found.low, found.high) == pytest.approx((math.exp(0.1 - reach), math.exp(0.1 + reach)))
    assert prior_of([once] * 100) == USUAL
    same = ratio_of(make_rounds((0.0, (0.0,)), (0.0, (0.0,))), USUAL)
    assert same.half_width is not None
    assert 0 < same.half_width < 0.001


@pytest.mark.parametrize(("variance", "degrees", "rounds"), [(2.0, 6.0, 6), (0.5, 7.0, 4), (5.0, 4.0, 12)])
def test_what_variances_have_in_common_is_recovered(variance: float, degrees: float, rounds: int) -> None:
    """Of 4,000 comparisons whose true variances are drawn from the prior, it is fitted within 10 and 25 %."""
    rng = np.random.Generator(np.random.PCG64(14))
    true = variance * degrees / rng.chisquare(degrees, 4000)
    values = rng.normal(0, np.sqrt(true)[:, None], (4000, rounds))
    found = prior_of(rounds_at(list(row)) for row in values)
    assert found.variance == pytest.approx(variance, rel=0.1)
    assert found.degrees == pytest.approx(degrees, rel=0.25)


@pytest.mark.parametrize("comparison", [rounds_at([0.0, 0.1]), rounds_at([0.0]), rounds_at([0.1, 0.1])])
def test_a_few_comparisons_do_not_tell_what_they_have_in_common(comparison: LogRatios) -> None:
    """Seven that can be used, or any number with one round or without any variance: what is usual."""
    assert prior_of([*[rounds_at([0.0, 0.1])] * 6, comparison]) == USUAL
    assert prior_of([]) == USUAL
    assert prior_of([rounds_at([0.0])] * 100) == USUAL


@pytest.mark.parametrize(
    ("p_values", "shown"),
    [
        ([0.01, 0.04, 0.03, 0.005], [True, False, False, True]),  # 0.005 <= 0.0125, 0.01 <= 0.0167, 0.03 > 0.025
        ([0.02, 0.02], [True, True]),  # 0.02 <= 0.025, 0.02 <= 0.05
        ([0.03, 0.001, 0.02], [True, True, True]),
        ([0.026, 0.026], [False, False]),  # 0.026 > 0.025: the second is not looked at
        ([0.05], [True]),
        ([None, 0.04, None], [False, True, False]),  # without a p-value it is no member
        ([None], [False]),
        ([], []),
    ],
)
def test_claims_of_a_family_are_holms(p_values: list[float | None], shown: list[bool]) -> None:
    """The smallest p-value is held against the error divided by all, the next by one less, until one is too large."""
    assert [one.shown for one in corrected(dict(enumerate(map(ratio, p_values)))).values()] == shown


def test_several_looks_share_the_error() -> None:
    """Five looks of 99 % keep 95 % together."""
    assert confidence_of(1) == pytest.approx(0.95)
    assert confidence_of(5) == pytest.approx(0.99)


def simulated(laps: npt.NDArray[np.float64]) -> LogRatios:
    values = laps.mean(axis=1)
    return LogRatios(values, np.full(len(laps), laps.shape[1]), (laps - values[:, np.newaxis]).ravel())


def simulated_run(
    rng: np.random.Generator, families: int, clients: int, rounds: int, laps: int
) -> list[list[LogRatios]]:
    of_laps = 0.03 * np.exp(rng.normal(0, 0.3, (families, clients, 1, 1)))
    processes = 0.015 * rng.normal(size=(families, clients, rounds, 1))
    logs = processes + of_laps * rng.standard_t(3, (families, clients, rounds, laps))
    against = logs[:, 1:] - logs[:, :1]
    return [[simulated(one) for one in family] for family in against]


@pytest.mark.parametrize(("rounds", "laps"), [(3, 10), (6, 8)])
def test_clients_against_themselves_claim_falsely_in_at_most_5_percent(rounds: int, laps: int) -> None:
    """Of 2,000 families of four, in runs of ten; and nearly 95 % of the intervals hold 1."""
    rng = np.random.Generator(np.random.PCG64(2026))
    claims, held, comparisons = 0, 0, 0
    for _ in range(200):
        run = simulated_run(rng, families=10, clients=5, rounds=rounds, laps=laps)
        prior = prior_of(one for family in run for one in family)
        for family in run:
            ratios = corrected({number: ratio_of(one, prior) for number, one in enumerate(family)}).values()
            claims += any(one.shown for one in ratios)
            held += sum(one.low is not None and one.high is not None and one.low <= 1 <= one.high for one in ratios)
            comparisons += len(ratios)
    assert claims / 2000 <= 0.05
    assert 0.93 <= held / comparisons <= 0.97


def test_a_difference_of_5_percent_is_found() -> None:
    """What claims nothing falsely could claim nothing at all: of 500 comparisons with six rounds, most show it."""
    rng = np.random.Generator(np.random.PCG64(7))
    run = [one for family in simulated_run(rng, 100, 6, 6, 10) for one in family]
    slower = [replace(one, values=one.values + math.log(0.95)) for one in run]
    prior = prior_of(slower)
    found = [ratio_of(one, prior) for one in slower]
    assert median(one.value for one in found) == pytest.approx(0.95, abs=0.01)
    assert sum(one.high is not None and one.high < 1 for one in found) > 0.7 * len(found)
