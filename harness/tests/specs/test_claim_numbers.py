"""A claim says `holds` for what its sentence says: the numbers in it are bounds or conditions of what is compared."""

import math
from collections.abc import Iterator

import pytest

from respmark.specs.guidance import ClaimSpec
from tests.builders.plan import SHIPPED
from tests.specs.claim_numbers import Number, conditions_of, ends_of, is_condition, numbers_in


def judged_claims() -> Iterator[ClaimSpec]:
    names = SHIPPED.names("guidance")
    return (claim for name in names for claim in SHIPPED.guidance(name).claims if claim.statements)


CLAIMS = {claim.id: claim for claim in judged_claims()}


@pytest.mark.parametrize("name", CLAIMS)
def test_every_number_of_the_sentence_is_a_bound_or_a_condition(name: str) -> None:
    """Or the claim says in words why it is neither (`not_bounds`)."""
    claim = CLAIMS[name]
    conditions = conditions_of(claim, SHIPPED)
    ends = [end for claimed in claim.ratios for end in ends_of(claimed)]
    unknown = [
        number.text
        for number in numbers_in(claim.gist)
        if not any(map(number.is_bound, ends)) and not is_condition(number, conditions)
    ]
    assert set(unknown) == set(claim.not_bounds), f"`{name}`: {claim.gist} {sorted(set(ends))}"


@pytest.mark.parametrize("name", CLAIMS)
def test_every_bound_of_its_own_stands_in_the_sentence(name: str) -> None:
    """Nobody who reads `faster` thinks of twice as fast."""
    claim = CLAIMS[name]
    numbers = list(numbers_in(claim.gist))
    own = {
        end
        for statement in claim.statements
        if statement.factor or statement.between
        for claimed in statement.ratios()
        for end in ends_of(claimed)
    }
    silent = [end for end in own if not any(number.is_bound(end) for number in numbers)]
    assert not silent, f"`{name}`: {claim.gist}"


@pytest.mark.parametrize(
    ("gist", "values"),
    [
        ("more than twice as fast as ten GETs", [(2, True), (10, False)]),
        ("less than two thirds", [(2 / 3, True)]),
        ("a fiftieth as long as every 100 ms", [(1 / 50, True), (100, False)]),
        ("10 to 20 % slower", [(0.1, True), (0.2, True)]),
        ("0.8 to 1.25 times", [(0.8, True), (1.25, True)]),
        ("two hundred connections, 1,000 threads", [(200, False), (1000, False)]),
        ("a thousand times as long", [(1000, True)]),
        ("the 99th percentile of 3 million keys", [(3_000_000, False)]),
        ("a BLPOP that waits for a tenth of a second", []),
    ],
)
def test_the_numbers_of_a_sentence(gist: str, values: list[tuple[float, bool]]) -> None:
    assert [(number.value, number.is_ratio) for number in numbers_in(gist)] == values


def test_a_number_says_a_bound_as_a_ratio_or_as_what_is_gained_or_lost() -> None:
    """A quarter less is 0.75; twice as long is 0.5 of the throughput."""
    said = {"a third": 1 / 3, "twice": 2.0, "40 %": 0.4}
    bounds = {
        name: [end for end in (0.5, 0.6, 2 / 3, 1.4) if Number(name, value, is_ratio=True).is_bound(end)]
        for name, value in said.items()
    }
    assert bounds == {"a third": [2 / 3], "twice": [0.5], "40 %": [0.6, 1.4]}
    assert not Number("2", 2.0, is_ratio=False).is_bound(2.0)
    assert math.isnan(next(numbers_in("in 4.5.5")).value)
