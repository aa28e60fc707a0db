"""Whether a build regressed against another one: in one run, and across two."""

import pytest

from respmark.figures.cells import CountedRun
from respmark.figures.regressions import JudgedChange, RegressionOutcome, Standard, changes_across, changes_within
from respmark.results.records import Status, TrialRecord
from tests.builders.plan import make_client, make_trial
from tests.builders.records import laps, make_record, make_run, unmeasured

FIVE = Standard(threshold=0.05)


def build(name: str, operations: int) -> list[TrialRecord]:
    """Return the records of a build of `lib` under a name of its own."""
    client = make_client(name, library="lib")
    return [record.model_copy(update={"client": client}) for record in laps(name, operations)]


def judged(head: int, standard: Standard = FIVE) -> JudgedChange:
    (found,) = changes_within(make_run(*build("base", 1000), *build("head", head), *laps("other", 10)), standard)
    return found


@pytest.mark.parametrize(
    ("head", "outcome"),
    [
        (700, RegressionOutcome.REGRESSED),
        (980, RegressionOutcome.WITHIN_THRESHOLD),
        (1000, RegressionOutcome.NOT_SHOWN),
        (1300, RegressionOutcome.IMPROVED),
    ],
)
def test_a_build_regressed_if_a_loss_beyond_the_threshold_is_shown(head: int, outcome: RegressionOutcome) -> None:
    """Only the same library's builds are compared; the ratio is the head's to the base's."""
    found = judged(head)
    assert (found.base.client, found.head.client, found.outcome) == ("base", "head", outcome)
    assert found.ratios["rps"].value == pytest.approx(head / 1000, rel=0.01)


def test_of_a_cost_more_is_worse() -> None:
    """CPU per command, here inversely as throughput."""
    cost = Standard("client_cpu", 0.05)
    assert judged(700, cost).outcome is RegressionOutcome.REGRESSED
    assert judged(1300, cost).outcome is RegressionOutcome.IMPROVED


def test_what_is_not_shown_says_how_many_rounds_would_show_the_threshold() -> None:
    """Those that were measured are enough for 5 %, not for a tenth of a percent."""
    assert judged(1000).rounds_needed == judged(1000).head.rounds == 4
    needed = judged(1000, Standard(threshold=0.001)).rounds_needed
    assert needed is not None
    assert needed > 4
    assert judged(1000, Standard()).rounds_needed is None


def test_a_build_without_figures_is_not_compared() -> None:
    """Nor is one of which there is a single round."""
    failed = unmeasured(Status.FAILED, "it crashed", make_trial(client=make_client("head")))
    (found,) = changes_within(make_run(*build("base", 1000), failed), FIVE)
    assert (found.outcome, found.head.reason, found.ratios) == (RegressionOutcome.NOT_COMPARED, "it crashed", {})
    one_round = (make_record(make_trial(client=make_client(name)), 1000) for name in ("base", "head"))
    (found,) = changes_within(make_run(*one_round), FIVE)
    assert found.outcome is RegressionOutcome.NOT_COMPARED


def test_libraries_with_one_version_are_not_compared() -> None:
    assert changes_within(make_run(*laps("a", 1000), *laps("b", 500)), FIVE) == []


def across(before: CountedRun, after: CountedRun) -> dict[str, tuple[str | None, RegressionOutcome]]:
    return {one.head.client: (one.control, one.outcome) for one in changes_across(before, after, FIVE)}


def test_across_runs_a_client_is_judged_by_its_ratio_to_one_that_is_the_same() -> None:
    """All are a fifth slower on the second day; the new version is slower than that."""
    before = make_run(*laps("same", 1000), *laps("new", 1000), *laps("more", 500))
    upgraded = [one.model_copy(update={"versions": {"new": "2"}}) for one in laps("new", 400)]
    after = make_run(*laps("same", 800), *upgraded, *laps("more", 400))
    assert across(before, after) == {
        "new": ("same", RegressionOutcome.REGRESSED),
        "more": ("same", RegressionOutcome.NOT_SHOWN),
    }
    nobody = make_run(*[one.model_copy(update={"versions": {"lib": "2"}}) for one in laps("same", 400)])
    assert across(make_run(*laps("same", 1000)), nobody) == {"same": (None, RegressionOutcome.NOT_COMPARED)}
