"""Many runs over time: ratios to a control, and their steps."""

import pytest

from respmark.errors import InvalidRequestError
from respmark.figures.series import History, history_of
from respmark.results.manifest import Until
from tests.builders.records import laps, make_run
from tests.figures.builders import OTHER_MACHINE, run_on


def steps(found: History) -> list[tuple[str, float | None]]:
    (series,) = found.series
    shown = (one.steps["rps"].value if "rps" in one.steps else None for one in series.points)
    return [(one.label, value and round(value, 1)) for one, value in zip(series.points, shown, strict=True)]


def test_a_step_is_a_change_of_the_ratio_to_the_control() -> None:
    """All days differ; only the third changes the client. Runs may be named in any order."""
    runs = [run_on(1, 1000, 1000), run_on(3, 1000, 2000, "2"), run_on(2, 800, 800), run_on(4, 900, 1800, "2")]
    found = history_of(runs)
    assert (found.control, found.series[0].cell.client) == ("same", "new")
    assert steps(found) == [("day-1", None), ("day-2", None), ("day-3", 2.0), ("day-4", None)]
    rates = [one.cell.measured.rps_median for one in found.series[0].points if one.cell.measured]
    assert rates == pytest.approx([1000, 800, 2000, 1800], rel=0.01)


def test_nothing_is_compared_across_machines() -> None:
    """On another machine, the run before on the same one counts."""
    runs = [run_on(1, 1000, 1000), run_on(2, 1000, 3000, machine=OTHER_MACHINE), run_on(3, 1000, 1000)]
    found = history_of(runs)
    assert steps(found) == [("day-1", None), ("day-2", None), ("day-3", None)]
    assert found.series[0].points[1].step is None
    assert found.series[0].points[2].step is not None


def test_without_a_client_that_stays_the_same_one_must_be_named() -> None:
    runs = [make_run(*laps("a", 1000), *laps("b", 1000)), make_run(*laps("c", 1000), *laps("d", 1000))]
    with pytest.raises(InvalidRequestError, match="no client has the same versions in all"):
        history_of(runs)
    with pytest.raises(InvalidRequestError, match="no such client in these runs; there are: a, b, c, d"):
        history_of(runs, "x")
    assert [one.cell.client for one in history_of(runs, "c").series] == ["d"]


def test_a_step_from_a_run_that_was_looked_at_has_a_wider_interval() -> None:
    """Looks at a run's own figures have their share of the error in a history, too."""
    until = Until(half_width=0.01, budget_s=1.0, looks=2)
    widths = []
    for looked in None, until:
        (series,) = history_of([run_on(1, 1000, 1000, until=looked), run_on(2, 1000, 1010)]).series
        widths.append(series.points[1].step_in("rps").half_width or 0)
    assert widths[1] > 1.1 * widths[0] > 0
