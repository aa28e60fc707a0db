"""Published claims as data, and the suites that are made of them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from respmark.contract.trial import Shape
from respmark.errors import InvalidRequestError, SpecError
from respmark.plan.expand import Request, make_plan
from respmark.plan.needs import estimate_s
from respmark.specs.catalogue import Catalogue
from respmark.specs.claims import MOST_CELLS
from respmark.specs.guidance import CellSpec, ClaimSpec, Direction, GuidanceSpec, Metric, Point, StatementSpec
from respmark.specs.naming import one_client
from respmark.statistics.measured import COMPARED
from tests.builders.plan import SHIPPED, write_specs
from tests.guidance.builders import claim_toml, guidance_toml

POST = SHIPPED.post("aws-clients-2022")
AWS = SHIPPED.guidance("aws-2022")
BURST = 'depth = 10, window = "burst"'
ROUND_TRIP = {"latency-bounds-sync"}
"""The post says this in words, of all libraries alike."""


def claims(client: str, scenario: str, shape: str) -> str:
    """Return a file of one claim about ten commands of a client against Jedis's `sync`."""
    cell = f"{client} {scenario} shape = {{ {shape} }}"
    return guidance_toml(claim_toml("mine", "Batches are faster.", cell=cell, against="jedis sync"))


def every_point() -> Iterator[tuple[ClaimSpec, Point]]:
    """Return every comparison of every shipped claim."""
    for name in SHIPPED.names("guidance"):
        for claim in SHIPPED.guidance(name).claims:
            for point in claim.points:
                yield claim, point


def figure_in_the_post(side: CellSpec, metric: Metric) -> float | None:
    """Return the published figure of a cell: commands per second, or percent of CPU divided by them."""
    for table in POST.tables:
        for number, column in enumerate(table.columns):
            for row in table.rows:
                there = column.scenario, column.shape_at(table.axes, row.at)
                if side.client in column.clients and there == (side.scenario, side.shape):
                    figures = dict(zip(column.figures, row.published[number], strict=True))
                    if metric == "rps":
                        return figures["rps"]
                    if "cpu" in figures:
                        return figures["cpu"] / figures["rps"]
    return None


def test_a_claim_may_be_of_every_metric_that_is_compared() -> None:
    """Specs stand below statistics and list them again, so that a slip of the pen is told before a run."""
    assert get_args(Metric) == tuple(COMPARED)


def test_the_ratios_of_the_post_are_those_of_its_figures() -> None:
    """A ratio with a slip of the pen would be held against everybody's run."""
    for claim in AWS.claims:
        for point in claim.points:
            if point.published is None or claim.id in ROUND_TRIP:
                continue
            figures = [figure_in_the_post(side, point.metric) for side in (point.cell, point.against)]
            assert figures[0], f"{claim.id}: {point.cell.label}"
            assert figures[1], f"{claim.id}: {point.against.label}"
            assert point.published == pytest.approx(figures[0] / figures[1], rel=0.01), claim.id


def test_what_was_published_is_on_the_claims_side() -> None:
    """A direction the wrong way round would turn every verdict into its opposite."""
    for claim, point in every_point():
        if point.published is None:
            continue
        if point.direction is Direction.MORE:
            assert point.published > point.factor, claim.id
        elif point.direction is Direction.LESS:
            assert point.published < 1 / point.factor, claim.id
        else:
            assert 1 / point.factor < point.published < point.factor, claim.id


def test_the_suites_have_all_guidance() -> None:
    """A file that no suite names would never be measured."""
    for name in ("guidance", "guidance-short"):
        assert sorted(SHIPPED.suite(name).guidance) == SHIPPED.names("guidance")


@pytest.mark.parametrize(("suite", "minutes"), [("guidance", 33), ("guidance-short", 10)])
def test_the_suites_take_no_longer_than_they_say(suite: str, minutes: int) -> None:
    """By the estimate that `respmark plan` prints."""
    assert estimate_s(make_plan(Request(suite=suite), SHIPPED), SHIPPED.runners) < minutes * 60


def test_the_suite_measures_exactly_what_the_claims_compare() -> None:
    """Both cells of each comparison stand in one block, no block is long, and nothing else is measured."""
    plan = make_plan(Request(suite="guidance"), SHIPPED)
    blocks: dict[str, set[tuple[str, str, str]]] = {}
    for cell in plan.cells:
        assert cell.unsupported is None
        key = (cell.client.name, cell.scenario, cell.shape.model_dump_json())
        blocks.setdefault(cell.block, set()).add(key)
    wanted = set()
    for claim, point in every_point():
        pair = {
            (one_client(side.client, SHIPPED.clients).name, side.scenario, side.shape.model_dump_json())
            for side in (point.cell, point.against)
        }
        assert any(pair <= cells for cells in blocks.values()), claim.id
        wanted |= pair
    assert set().union(*blocks.values()) == wanted
    assert max(map(len, blocks.values())) <= MOST_CELLS


def test_one_claim_is_measured_alone() -> None:
    """Its cells, and no others."""
    plan = make_plan(Request(suite="guidance", claims=("redis-py-threads-help",)), SHIPPED)
    assert [(cell.client.name, cell.shape.threads) for cell in plan.cells] == [("redis-py", 3), ("redis-py", 2)]


@pytest.mark.parametrize(
    ("suite", "claims", "said"),
    [
        ("guidance", ("nonsense",), "there is no claim `nonsense`"),
        ("guidance", ("node-redis-unbounded",), "no claim is left that respmark can measure"),
        ("quick", ("redis-py-hiredis",), "suite `quick` is not made of guidance"),
    ],
)
def test_claims_that_cannot_be_chosen_are_refused(suite: str, claims: tuple[str, ...], said: str) -> None:
    """The sentence says why."""
    with pytest.raises(InvalidRequestError, match=said):
        make_plan(Request(suite=suite, claims=claims), SHIPPED)


@pytest.mark.parametrize(
    ("client", "scenario", "said"),
    [
        ("nobody", "batching", "claim `mine`: there is no client library `nobody`"),
        ("jedis[mood=good]", "batching", "claim `mine`: `jedis` has no option `mood`"),
        ("jedis[decode=morse]", "batching", "claim `mine`: `morse` is not a value of jedis's option `decode`"),
        ("redis-py@old", "batching", "claim `mine`: `old` is not a version of `redis-py`"),
        ("jedis", "teleport", r"claims.\[1\].statements.\[1\].cell.scenario.*should be 'sync'"),
        ("jedis", "pipelining", r"claim `mine`: jedis has no pipelining.*only a synchronous API"),
        ("jedis", "threads", r"claims.\[1\].statements.\[1\].*threads needs connections, threads"),
    ],
)
def test_a_claim_that_names_what_is_not_there_is_refused(tmp_path: Path, client: str, scenario: str, said: str) -> None:
    """With the entry and the reason."""
    text = claims(client, scenario, BURST if scenario == "pipelining" else "depth = 10")
    specs = write_specs(tmp_path, guidance__mine=text)
    with pytest.raises(SpecError, match=said):
        Catalogue(specs).guidance("mine")


def statement(**changes: object) -> StatementSpec:
    """Return a statement about two clients' batches."""
    cell = {"client": "jedis", "scenario": "batching"}
    fields = {"direction": "more", "cell": cell, "against": {**cell, "client": "lettuce"}, "depth": [10, 100]}
    return StatementSpec.model_validate_json(json.dumps(fields | changes))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"published": [1.5]}, "`published` has 1 ratios for 2 comparisons"),
        ({"against": {"client": "jedis", "scenario": "batching"}}, "nothing is compared"),
        ({"factor": 1}, "greater than 1"),
        ({"depth": []}, "batching needs depth"),
        ({"metric": "p99"}, "'rps', 'client_cpu' or 'server_cpu'"),
        ({"mood": "good"}, "Extra inputs"),
    ],
)
def test_a_statement_that_does_not_fit_is_refused(changes: dict[str, object], said: str) -> None:
    """Before anything is measured for it."""
    with pytest.raises(ValueError, match=said):
        statement(**changes)


def test_a_statement_is_one_comparison_a_depth() -> None:
    """Both cells have the depth, each its published ratio."""
    points = list(statement(published=[1.5, 2]).points())
    assert [(one.cell.shape, one.against.shape, one.published) for one in points] == [
        (Shape(depth=10), Shape(depth=10), 1.5),
        (Shape(depth=100), Shape(depth=100), 2.0),
    ]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"statements": []}, "either statements or the reason"),
        ({"out_of_reach": "too far"}, "either statements or the reason"),
    ],
)
def test_a_claim_is_measured_or_out_of_reach(change: dict[str, object], said: str) -> None:
    """Never both, never neither."""
    claim = AWS.claims[0].model_dump(mode="json") | change
    with pytest.raises(ValueError, match=said):
        ClaimSpec.model_validate_json(json.dumps(claim))


def test_claims_have_ids_of_their_own() -> None:
    """`--claim` would not know which one is meant; across sources too."""
    ids = [claim.id for name in SHIPPED.names("guidance") for claim in SHIPPED.guidance(name).claims]
    assert len(set(ids)) == len(ids)
    content = AWS.model_dump(mode="json")
    content["claims"] = [content["claims"][0]] * 2
    with pytest.raises(ValueError, match="there are two claims `latency-bounds-sync`"):
        GuidanceSpec.model_validate_json(json.dumps(content))
