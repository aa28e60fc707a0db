"""Whether the suite is faithful to a bare loop."""

import pytest
from respmark.fidelity.verdict import Verdict, verdict

from respmark.fidelity.pairs import Ratios
from respmark.statistics.ratio import Interval


def interval(low: float, high: float) -> Interval:
    """Return an interval."""
    return Interval((low + high) / 2, low, high, 0.95)


@pytest.mark.parametrize(
    ("rps", "cpu", "words"),
    [
        ((0.98, 1.02), (0.99, 1.02), "met"),
        ((0.97, 1.00), (1.00, 1.03), "met"),
        ((0.90, 0.96), (1.00, 1.02), "falls short"),
        ((0.98, 1.00), (1.04, 1.10), "falls short"),
        ((0.90, 0.96), (1.04, 1.10), "falls short"),
        ((0.96, 1.02), (0.99, 1.02), "not shown: more --pairs"),
        ((0.98, 1.02), (0.99, 1.04), "not shown: more --pairs"),
    ],
)
def test_a_verdict_is_only_given_where_the_interval_shows_it(
    rps: tuple[float, float], cpu: tuple[float, float], words: str
) -> None:
    """An interval that holds the target shows neither."""
    assert Verdict(interval(*rps), interval(*cpu)).words == words


def test_a_verdict_is_of_the_medians_over_pairs() -> None:
    """One pair that was disturbed does not decide."""
    pairs = [Ratios(1.0, 1.0)] * 9 + [Ratios(0.1, 9.0)]
    found = verdict(pairs)
    assert (found.rps.median, found.cpu_per_command.median) == (1.0, 1.0)
    assert found.words == "met"
