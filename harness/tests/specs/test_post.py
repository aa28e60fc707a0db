"""The published post as data, and the suite that measures its points."""

import re

from respmark.plan.expand import Request, make_plan
from respmark.specs.naming import find_clients
from tests.builders.plan import SHIPPED

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
