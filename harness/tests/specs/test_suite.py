"""Suites: shapes of trials, and the one that measures the published post's points."""

import json
import re

from respmark.contract.trial import Shape, Window
from respmark.plan.expand import Request, make_plan
from respmark.specs.naming import find_clients
from respmark.specs.suite import ShapeAxes, TrialsSpec
from tests.builders.plan import SHIPPED


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


POST = SHIPPED.post("aws-clients-2022")


def known(client: str) -> bool:
    return re.split(r"[@\[]", client)[0] in SHIPPED.clients


def test_the_suite_measures_exactly_the_posts_points() -> None:
    """Each point of each client that is here, by its whole name, and nothing else: neither too few nor hours too many.

    Fourteen tables, and the two figures on reusing connections.
    """
    assert len({table.id for table in POST.tables}) == len(POST.tables) == 15
    points = {
        (client, column.scenario, column.shape_at(table.axes, row.at).model_dump_json())
        for table in POST.tables
        for column in table.columns
        for client in column.clients
        for row in table.rows
        if known(client)
    }
    assert all(client in {one.name for one in find_clients(client, SHIPPED.clients)} for client, *_ in points)
    plan = make_plan(Request(suite=POST.suite), SHIPPED)
    assert {(cell.client.name, cell.scenario, cell.shape.model_dump_json()) for cell in plan.cells} == points
