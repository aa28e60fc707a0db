"""What the laps of a row show."""

import math

import pytest

from respmark.contract.trial import Scenario, Shape
from respmark.fidelity.rows import CPU_TARGET, RPS_TARGET, Lap, Row, Verdict, verdicts
from respmark.statistics.compare import USUAL, Ratio, Series, prior_of, ratio_of, rounds_of

Ends = tuple[float, float]


def ratio(low: float | None, high: float | None) -> Ratio:
    """Return a ratio with this interval."""
    return Ratio(1.0 if low is None or high is None else (low + high) / 2, low, high, None)


def make_row(laps: list[Lap], reason: str | None = None) -> Row:
    """Return a row."""
    return Row(client="lib", scenario=Scenario.SYNC, shape=Shape(), versions={}, laps=laps, reason=reason)


def laps(rounds: int, rps: float = 1.0, cpu: float = 1.0) -> list[Lap]:
    """Return laps in which the suite's figures are the other side's times these, nearly."""
    return [
        Lap(
            round=number,
            lap=lap,
            suite_rps=1000 * rps * (1 + 0.001 * ((number + lap) % 3 - 1)),
            other_rps=1000.0,
            suite_cpu_ns=500 * cpu * (1 + 0.001 * ((number + 2 * lap) % 3 - 1)),
            other_cpu_ns=500.0,
        )
        for number in range(1, rounds + 1)
        for lap in range(1, 6)
    ]


@pytest.mark.parametrize(
    ("rps", "cpu", "words"),
    [
        ((0.98, 1.02), (0.99, 1.02), "met"),
        ((RPS_TARGET, 1.00), (1.00, CPU_TARGET), "met"),  # exactly at both targets
        ((1.10, 1.20), (0.80, 0.90), "met"),
        ((0.90, RPS_TARGET - 1e-9), (1.00, 1.02), "falls short"),
        ((0.90, RPS_TARGET), (1.00, 1.02), "not shown: more --rounds"),
        ((0.98, 1.00), (CPU_TARGET + 1e-9, 1.10), "falls short"),
        ((0.98, 1.00), (CPU_TARGET, 1.10), "not shown: more --rounds"),
        ((0.90, 0.96), (1.04, 1.10), "falls short"),
        ((0.90, 0.96), (0.90, 0.99), "falls short"),  # one is enough
        ((0.9699, 1.02), (0.99, 1.02), "not shown: more --rounds"),
        ((0.98, 1.02), (0.99, 1.0301), "not shown: more --rounds"),
        ((None, None), (None, None), "not shown: more --rounds"),
        ((0.98, 1.02), (None, None), "not shown: more --rounds"),
    ],
)
def test_a_verdict_is_only_given_where_the_interval_shows_it(
    rps: tuple[float | None, float | None], cpu: tuple[float | None, float | None], words: str
) -> None:
    """An interval that holds a target shows neither; its ends belong to it."""
    assert Verdict(ratio(*rps), ratio(*cpu)).words == words


@pytest.mark.parametrize(
    ("rps", "cpu", "words"),
    [
        ((0.95, 1.05), (0.91, 1.09), "the same within 10%"),
        ((0.90, 1.10), (0.90, 1.10), "the same within 10%"),
        ((0.70, 0.85), (0.95, 1.05), "differs by more than 10%"),
        ((0.95, 1.05), (1.11, 1.30), "differs by more than 10%"),
        ((0.85, 1.05), (0.95, 1.05), "not shown: more --rounds"),
        ((None, None), (0.95, 1.05), "not shown: more --rounds"),
        ((None, None), (1.20, 1.30), "differs by more than 10%"),
    ],
)
def test_a_container_is_said_to_be_the_same_only_where_the_interval_shows_it(
    rps: tuple[float | None, float | None], cpu: tuple[float | None, float | None], words: str
) -> None:
    """Beyond ten percent it differs; in between nothing is claimed."""
    assert Verdict(ratio(*rps), ratio(*cpu)).difference == words


def test_ratios_are_the_suites_figures_by_the_other_sides() -> None:
    """A suite at 80 % of the throughput and 120 % of the CPU falls short of both targets."""
    (found,) = verdicts([make_row(laps(6, rps=0.8, cpu=1.2))])
    assert found is not None
    assert found.rps.value == pytest.approx(0.8, rel=1e-3)
    assert found.cpu.value == pytest.approx(1.2, rel=1e-3)
    assert found.words == "falls short"


def test_one_round_shows_nothing_however_close_it_is() -> None:
    """Processes differ, and one of each says nothing of how much."""
    (found,) = verdicts([make_row(laps(1))])
    assert found is not None
    assert found.rps.low is None
    assert found.words == "not shown: more --rounds"


def test_a_row_without_laps_has_no_verdict_and_keeps_its_place() -> None:
    """The others have theirs, in the rows' order."""
    found = verdicts([make_row(laps(4)), make_row([], "the bare loop does not start"), make_row(laps(4, rps=0.5))])
    assert [None if one is None else one.words for one in found] == ["met", None, "falls short"]


def test_rows_share_what_their_rounds_have_in_common() -> None:
    """With eight rows it is fitted from them, with one it is what is usual."""
    one = make_row(laps(3))
    alone, *_ = verdicts([one])
    together, *_ = verdicts([one] * 8)
    rounds = rounds_of(
        Series.of({(lap.round, lap.lap): (lap.suite_rps, 1.0) for lap in one.laps}),
        Series.of({(lap.round, lap.lap): (lap.other_rps, 1.0) for lap in one.laps}),
    )
    assert rounds is not None
    assert alone is not None
    assert together is not None
    assert alone.rps == ratio_of(rounds, USUAL)
    assert together.rps == ratio_of(rounds, prior_of([rounds] * 8))
    assert math.isclose(alone.rps.value, together.rps.value)
