"""The small pictures of claims: where their marks stand."""

import pytest

from respmark.report.html.advice import WIDTH, Picture, advice
from tests.guidance.builders import compared_run, judged, make_guidance


def pictures(ratio: float, *statements: dict[str, object], rounds: int = 3) -> list[Picture]:
    """Return the pictures of a claim about Jedis and Lettuce, of a run with this ratio."""
    (claim,) = advice([judged(make_guidance(*statements), compared_run(ratio, rounds, 0.02))]).measured
    return [point.picture for point in claim.points]


@pytest.mark.parametrize(
    ("direction", "inside", "outside"), [("more", 2.0, 1.0), ("less", 0.5, 1.0), ("same", 1.0, 2.0)]
)
def test_a_ratio_that_is_as_claimed_stands_in_the_shade(direction: str, inside: float, outside: float) -> None:
    """And another does not."""
    for ratio, expected in ((inside, True), (outside, False)):
        (found,) = pictures(ratio, {"direction": direction, "factor": 1.5})
        assert found.measured is not None
        assert found.interval is not None
        assert found.interval[0] < found.measured < found.interval[1]
        assert (found.claimed[0] < found.measured < found.claimed[1]) is expected


def test_the_scale_is_logarithmic_and_one_for_the_whole_claim() -> None:
    """A half stands as far from 1 as a double; ratios of two comparisons can be laid above each other."""
    more, less = pictures(2.0, {"direction": "more", "published": [2.0]}, {"direction": "less", "published": [0.5]})
    assert more.one == less.one
    assert more.published is not None
    assert less.published is not None
    assert more.published - more.one == pytest.approx(less.one - less.published, abs=0.2)
    assert more.measured == pytest.approx(more.published, abs=1)


def test_every_mark_stands_within_the_picture() -> None:
    """Whatever the ratio."""
    for ratio in (0.01, 1.0, 1.0001, 300.0):
        (found,) = pictures(ratio, {"direction": "same", "published": [0.9]})
        assert found.interval is not None
        for place in (found.one, found.published, found.measured, *found.interval, *found.claimed):
            assert place is not None
            assert 0 <= place <= WIDTH


def test_a_small_difference_does_not_look_large() -> None:
    """The scale is not stretched to what happens to be there."""
    (found,) = pictures(1.002, {"direction": "same", "factor": 1.01})
    assert found.measured is not None
    assert abs(found.measured - found.one) < WIDTH / 20


def test_one_round_is_a_point_without_an_interval() -> None:
    """A claim that was not measured has the command in place of marks."""
    (found,) = pictures(2.0, {"direction": "more"}, rounds=1)
    assert (found.measured is not None, found.interval) == (True, None)
    absent = {"direction": "more", "cell": {"client": "predis", "scenario": "sync"}}
    (rest,) = advice([judged(make_guidance(absent), compared_run(2.0))]).rest
    assert rest.points[0].picture.measured is None
    assert rest.command == "respmark run guidance --claim c"
