"""Suites: shapes of trials, and the one that measures the published post's points."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator

import pytest
from pydantic import ValidationError

from respmark.contract.trial import Scenario, Shape, Window
from respmark.plan.make import make_plan
from respmark.plan.request import Request
from respmark.specs.naming import find_clients
from respmark.specs.suite import ShapeAxes, TrialsSpec
from tests.builders.plan import SHIPPED
from tools.post import the_post


def trials(**fields: object) -> TrialsSpec:
    return TrialsSpec.model_validate_json(json.dumps(fields))


def test_the_shapes_are_the_product_of_the_axes() -> None:
    """The last axis changes fastest, as a reader would write them down; no axes are one shape."""
    assert ShapeAxes().shapes() == [Shape()]
    shapes = ShapeAxes(depth=(10, 1), window=(Window.BURST, Window.SLIDING)).shapes()
    assert [(shape.depth, shape.window) for shape in shapes] == [
        (10, "burst"),
        (10, "sliding"),
        (1, "burst"),
        (1, "sliding"),
    ]
    (none_idle,) = ShapeAxes(threads=(1,), max_total=(1,), max_idle=(0,)).shapes()
    assert none_idle.max_idle == 0
    assert [shape.processes for shape in trials(scenario="sync", shape={"processes": [1, 2]}).shape.shapes()] == [1, 2]
    assert [shape.rtt_ms for shape in trials(scenario="sync", shape={"rtt_ms": [0, 0.2]}).shape.shapes()] == [None, 0.2]


POST = the_post()


def known(client: str) -> bool:
    return re.split(r"[@\[]", client)[0] in SHIPPED.clients


def test_the_suite_measures_the_posts_points_and_claims_and_nothing_else() -> None:
    """Each point of each client that is here, by its whole name: neither too few nor hours too many.

    Fourteen tables, the two figures on reusing connections, and the latency of PING.
    """
    assert len({table.id for table in POST.tables}) == len(POST.tables) == 16
    points = {
        (client, column.scenario, column.shape_at(table.axes, row.at).model_dump_json(), column.workload or "post")
        for table in POST.tables
        for column in table.columns
        for client in column.clients
        for row in table.rows
        if known(client)
    }
    assert all(client in {one.name for one in find_clients(client, SHIPPED.clients)} for client, *_ in points)
    plan = make_plan(Request(suite=POST.suite), SHIPPED)
    cells = {(cell.client.name, cell.scenario, cell.shape.model_dump_json(), cell.workload) for cell in plan.cells}
    assert cells == points | {side for pair in pairs_of_claims() for side in pair}


Side = tuple[str, Scenario, str, str]


def pairs_of_claims() -> Iterator[tuple[Side, ...]]:
    for claim in SHIPPED.guidance(POST.guidance).claims:
        for claimed in claim.ratios:
            sides = (claimed.cell, claimed.against)
            yield tuple(
                (one.client, one.scenario, one.shape.model_dump_json(), one.workload or "post") for one in sides
            )


def test_both_sides_of_each_claim_of_the_post_take_turns_in_a_block() -> None:
    """Otherwise a run of the suite could not judge it."""
    blocks = defaultdict(set)
    for cell in make_plan(Request(suite=POST.suite), SHIPPED).cells:
        side = cell.client.name, cell.scenario, cell.shape.model_dump_json(), cell.workload
        blocks[cell.block].add(side)
    apart = [pair for pair in pairs_of_claims() if not any(set(pair) <= cells for cells in blocks.values())]
    assert apart == []
    assert SHIPPED.suite(POST.suite).workload == "post"


def test_a_block_can_be_one_for_each_value_of_a_field_or_for_each_library() -> None:
    spec = trials(scenario="batching", shape={"depth": [10, 100]}, block="java-{depth}")
    assert [spec.block_of(shape, "jedis") for shape in spec.shape.shapes()] == ["java-10", "java-100"]
    with pytest.raises(ValidationError, match="names a field that the shape does not have"):
        trials(scenario="batching", shape={"depth": [10]}, block="java-{threads}")
    assert trials(scenario="sync", block="{library}-tls").block_of(Shape(), "jedis") == "jedis-tls"
    with pytest.raises(ValidationError, match="should match pattern"):
        trials(scenario="sync", block="tls-{library}-{depth}")


def test_another_size_of_a_suite_measures_the_same_cells() -> None:
    """What a suite does not say is as in the one that it is `like`."""
    cells = [cell.id for cell in make_plan(Request(suite=POST.suite), SHIPPED).cells]
    for other in ("post-smoke", "post-full"):
        assert [cell.id for cell in make_plan(Request(suite=other), SHIPPED).cells] == cells
