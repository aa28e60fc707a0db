"""The search: which versions are measured, and which steps are named."""

from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise

import pytest

from respmark.bisect.search import SearchResult, VersionSeries, Why, error_of, find_steps
from respmark.bisect.sequential import ERROR, Answer, SequentialTest, VersionDifference
from respmark.errors import NothingRanError
from tests.bisect.oracles import Oracle

VERSIONS = [f"{number}.0" for number in range(16)]


def figures(**factors: float) -> dict[str, float]:
    """Return each version's figure; `_5=0.8`: from version 5.0 on it is 0.8 times as high."""
    changes = [factors.get(f"_{number}", 1.0) for number in range(len(VERSIONS))]
    return dict(zip(VERSIONS, accumulate(changes, lambda one, other: one * other), strict=True))


def searched(oracle: Oracle, at_least: float = 0.05) -> SearchResult:
    return find_steps(VERSIONS, oracle, at_least)


def named(found: SearchResult) -> list[tuple[str, str]]:
    return [(step.older, step.newer) for step in found.steps]


@pytest.mark.parametrize("place", [1, 7, 8, 15])
@pytest.mark.parametrize("factor", [0.8, 1.3])
def test_the_release_of_a_change_is_found(place: int, factor: float) -> None:
    """Wherever it is, and whether it is for the worse or for the better; what is beside it is alike."""
    found = searched(Oracle(figures(**{f"_{place}": factor})))
    assert named(found) == [(VERSIONS[place - 1], VERSIONS[place])]
    assert {rest.why for rest in found.rests} <= {Why.ALIKE}


def test_of_releases_that_are_alike_only_the_ends_are_measured() -> None:
    oracle = Oracle(figures())
    found = searched(oracle)
    assert named(found) == []
    assert oracle.asked == [(VERSIONS[0], VERSIONS[-1])]
    assert [rest.why for rest in found.rests] == [Why.ALIKE]


def test_a_release_takes_turns_with_both_ends_of_what_is_left() -> None:
    """Each time the half that differs is halved again; then what lies beside the step is compared."""
    oracle = Oracle(figures(_5=0.7))
    searched(oracle)
    assert oracle.asked == [
        ("0.0", "15.0"),
        ("0.0", "7.0", "15.0"),
        ("0.0", "3.0", "7.0"),
        ("3.0", "5.0", "7.0"),
        ("3.0", "4.0", "5.0"),
        ("0.0", "4.0"),
        ("5.0", "15.0"),
    ]


def in_turns(paces: Mapping[str, float], every: int = 3, noise: float = 0.02) -> VersionSeries:
    """Return what a series of every third version shows, whose intervals are this wide."""
    names = VERSIONS[::every]

    def compared(older: str, newer: str) -> VersionDifference:
        ratio = paces[newer] / paces[older]
        low, high = ratio * (1 - noise), ratio * (1 + noise)
        return VersionDifference(
            older=older, newer=newer, answer=Answer.OPEN, rounds=4, ratio=ratio, low=low, high=high
        )

    neighbours = tuple(compared(*pair) for pair in pairwise(names))
    return VersionSeries(neighbours=neighbours, ends=compared(names[0], names[-1]), unmeasurable={})


def test_after_a_series_only_what_may_have_a_step_is_asked() -> None:
    """The larger one first, with rounds of its own; also a change that a later release undoes."""
    oracle = Oracle(figures(_5=0.7, _11=1 / 0.7))
    found = find_steps(VERSIONS, oracle, 0.05, series=in_turns(oracle.figures))
    assert named(found) == [("4.0", "5.0"), ("10.0", "11.0")]
    assert {name for asked in oracle.asked for name in asked} <= {"3.0", "4.0", "5.0", "6.0", *VERSIONS[9:13]}
    assert len(found.questions) == 4


def test_two_steps_between_neighbours_of_a_series_are_found() -> None:
    oracle = Oracle(figures(_4=0.7, _6=0.8))
    found = find_steps(VERSIONS, oracle, 0.05, series=in_turns(oracle.figures))
    assert named(found) == [("3.0", "4.0"), ("5.0", "6.0")]


def test_after_a_series_without_a_step_nothing_is_asked() -> None:
    oracle = Oracle(figures())
    found = find_steps(VERSIONS, oracle, 0.05, series=in_turns(oracle.figures))
    assert (oracle.asked, named(found)) == ([], [])


def test_what_a_series_suggests_is_not_named_unless_its_own_rounds_show_it() -> None:
    oracle = Oracle(figures())
    found = find_steps(VERSIONS, oracle, 0.05, series=in_turns(figures(_5=0.7), every=1))
    assert (oracle.asked, named(found)) == ([("4.0", "5.0")], [])
    found = find_steps(VERSIONS, oracle, 0.05, series=in_turns(figures(_5=0.7)))
    assert oracle.asked[-1] == ("3.0", "4.0", "6.0")
    assert ([rest.why for rest in found.rests], named(found)) == ([Why.SUGGESTED], [])


def test_where_only_the_ends_of_a_series_differ_all_of_it_is_searched() -> None:
    """Many small changes may hide a step that is just large enough."""
    oracle = Oracle(figures(**{f"_{number}": 0.985 for number in range(1, 16)}), noise=0.003)
    found = find_steps(VERSIONS, oracle, 0.1, series=in_turns(oracle.figures, every=1))
    assert oracle.asked[0] == (VERSIONS[0], VERSIONS[-1])
    assert named(found) == []


def test_several_steps_are_found_one_after_the_other() -> None:
    """They are named in the order of the releases."""
    found = searched(Oracle(figures(_3=0.7, _9=0.8, _10=0.75)))
    assert named(found) == [("2.0", "3.0"), ("8.0", "9.0"), ("9.0", "10.0")]


def test_a_version_that_cannot_be_measured_is_passed_over() -> None:
    """Between the two of a step it is named with them: the change may have come with it."""
    oracle = Oracle(figures(_5=0.7), unmeasurable={"7.0": "does not build", "5.0": "does not build, either"})
    found = searched(oracle)
    assert named(found) == [("4.0", "6.0")]
    assert found.steps[0].between == {"5.0": "does not build, either"}
    assert found.unmeasurable == dict(oracle.unmeasurable)


def test_an_end_that_cannot_be_measured_ends_the_search() -> None:
    with pytest.raises(NothingRanError, match=r"15\.0 cannot be measured: no wheel"):
        searched(Oracle(figures(), unmeasurable={"15.0": "no wheel"}))


def test_many_small_changes_are_no_step() -> None:
    """Together they are 20 %, none of them is 5 %: nobody is named."""
    found = searched(Oracle(figures(**{f"_{number}": 0.985 for number in range(1, 16)}), noise=0.003))
    assert named(found) == []
    assert Why.SPREAD in {rest.why for rest in found.rests} <= {Why.SPREAD, Why.ALIKE}


def test_what_rounds_do_not_show_is_not_decided() -> None:
    found = searched(Oracle(figures(_5=0.9), noise=0.5))
    assert named(found) == []
    assert [rest.why for rest in found.rests] == [Why.UNDECIDED]


def test_without_time_nothing_is_decided() -> None:
    def no_time(versions: Sequence[str], test: SequentialTest) -> dict[str, str]:
        del versions, test
        return {}

    found = find_steps(VERSIONS, no_time, 0.05)
    assert [(rest.why, rest.difference.rounds) for rest in found.rests] == [(Why.UNDECIDED, 0)]


def test_questions_never_spend_more_than_the_search_may() -> None:
    """The first ones spend most; however many there are, their errors add up to less than all of it."""
    errors = [error_of(number, len(VERSIONS)) for number in range(1000)]
    assert all(one >= other for one, other in pairwise(errors))
    assert sum(errors) <= ERROR * (1 + 1e-9)
    assert sum(errors[:7]) == pytest.approx(ERROR / 2)
