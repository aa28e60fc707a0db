"""Whether a build regressed against another one: in one run, and across two."""

from collections.abc import Sequence

import pytest

from respmark.figures.cells import RunFigures
from respmark.figures.comparison import changes, per_metric
from respmark.figures.pairing import Pair, between, heads
from respmark.figures.threshold import Judged, Outcome, Threshold, judged
from respmark.kinds.loops.kind import LOOPS
from respmark.kinds.loops.record import LoopRecord
from respmark.results.records import Status
from tests.builders.plan import make_client, make_trial
from tests.builders.records import laps, make_record, make_run, unmeasured

RPS = LOOPS.compared["rps"]
FIVE = Threshold(RPS, 0.05)


def build(name: str, operations: int) -> list[LoopRecord]:
    """Return the records of a build of `lib` under a name of its own."""
    client = make_client(name, library="lib")
    return [record.model_copy(update={"client": client}) for record in laps(name, operations)]


def judge(pairs: Sequence[Pair], threshold: Threshold = FIVE) -> list[Judged]:
    return judged(changes(pairs, per_metric), threshold)


def of_build(head: int, threshold: Threshold = FIVE) -> Judged:
    (found,) = judge(heads(make_run(*build("base", 1000), *build("head", head), *laps("other", 10))), threshold)
    return found


@pytest.mark.parametrize(
    ("head", "outcome"),
    [
        (700, Outcome.REGRESSED),
        (980, Outcome.WITHIN_THRESHOLD),
        (1000, Outcome.NOT_SHOWN),
        (1300, Outcome.IMPROVED),
    ],
)
def test_a_build_regressed_if_a_loss_beyond_the_threshold_is_shown(head: int, outcome: Outcome) -> None:
    """Only the same library's builds are compared; the ratio is the head's to the base's."""
    found = of_build(head)
    change = found.change
    assert (change.base.client, change.new.client, found.outcome) == ("base", "head", outcome)
    assert change.ratio("rps").value == pytest.approx(head / 1000, rel=0.01)


def test_of_a_cost_more_is_worse() -> None:
    """CPU per command, here inversely as throughput."""
    cost = Threshold(LOOPS.compared["client_cpu"], 0.05)
    assert of_build(700, cost).outcome is Outcome.REGRESSED
    assert of_build(1300, cost).outcome is Outcome.IMPROVED


def test_what_is_not_shown_says_how_many_rounds_would_show_the_threshold() -> None:
    """Those that were measured are enough for 5 %, not for a tenth of a percent."""
    assert of_build(1000).rounds_needed == of_build(1000).change.new.rounds == 4
    needed = of_build(1000, Threshold(RPS, 0.001)).rounds_needed
    assert needed is not None
    assert needed > 4
    assert of_build(1000, Threshold(RPS)).rounds_needed is None


def test_a_build_without_figures_is_not_compared() -> None:
    """Nor is one of which there is a single round."""
    failed = unmeasured(Status.FAILED, "it crashed", make_trial(client=make_client("head")))
    (found,) = judge(heads(make_run(*build("base", 1000), failed)))
    assert (found.outcome, found.change.new.reason) == (Outcome.NOT_COMPARED, "it crashed")
    assert found.change.ratios == {}
    one_round = (make_record(make_trial(client=make_client(name)), 1000) for name in ("base", "head"))
    (found,) = judge(heads(make_run(*one_round)))
    assert found.outcome is Outcome.NOT_COMPARED


def test_libraries_with_one_version_are_not_compared() -> None:
    assert heads(make_run(*laps("a", 1000), *laps("b", 500))) == []


def across(before: RunFigures, after: RunFigures) -> dict[str, tuple[str | None, Outcome]]:
    found = judge(between(before, after))
    return {one.change.new.client: (one.change.control, one.outcome) for one in found}


def test_across_runs_a_client_is_judged_by_its_ratio_to_one_that_is_the_same() -> None:
    """All are a fifth slower on the second day; the new version is slower than that."""
    before = make_run(*laps("same", 1000), *laps("new", 1000), *laps("more", 500))
    upgraded = [one.model_copy(update={"versions": {"new": "2"}}) for one in laps("new", 400)]
    after = make_run(*laps("same", 800), *upgraded, *laps("more", 400))
    assert across(before, after) == {
        "same": (None, Outcome.NOT_COMPARED),
        "new": ("same", Outcome.REGRESSED),
        "more": ("same", Outcome.NOT_SHOWN),
    }
    nobody = make_run(*[one.model_copy(update={"versions": {"lib": "2"}}) for one in laps("same", 400)])
    assert across(make_run(*laps("same", 1000)), nobody) == {"same": (None, Outcome.NOT_COMPARED)}
