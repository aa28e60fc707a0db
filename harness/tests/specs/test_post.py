"""The published post as data, and the suite that measures its points."""

import json
import re
from itertools import pairwise

import pytest
from pydantic import ValidationError

from respmark.plan.expand import Request, make_plan
from respmark.specs.naming import find_clients
from respmark.specs.post import PostColumn, PostSpec, PostTable
from tests.builders.plan import SHIPPED

POST = SHIPPED.post("aws-clients-2022")


def columns() -> list[tuple[PostTable, PostColumn, str]]:
    """Return every column of every table, once a client."""
    return [(table, column, client) for table in POST.tables for column in table.columns for client in column.clients]


def known(client: str) -> bool:
    """Tell whether a client's library has a spec."""
    return re.split(r"[@\[]", client)[0] in SHIPPED.clients


def test_every_table_of_the_post_is_there() -> None:
    """Fourteen, and the two figures on reusing connections."""
    assert len(POST.tables) == 15
    assert len({table.id for table in POST.tables}) == len(POST.tables)


def test_the_suite_measures_exactly_the_posts_points() -> None:
    """Each point of each client that is here, and nothing else: neither too few nor hours too many."""
    points = {
        (client, column.scenario, column.shape_at(table.axes, row.at).model_dump_json())
        for table, column, client in columns()
        for row in table.rows
        if known(client)
    }
    plan = make_plan(Request(suite=POST.suite), SHIPPED)
    planned = {(cell.client.name, cell.scenario, cell.shape.model_dump_json()) for cell in plan.cells}
    assert planned - points == set()
    assert points - planned == set()


def test_clients_have_their_whole_names() -> None:
    """A name that is not the canonical one would never meet a cell."""
    for _, _, client in columns():
        if known(client):
            assert client in {found.name for found in find_clients(client, SHIPPED.clients)}


def test_more_commands_together_never_cost_throughput_much_in_the_post() -> None:
    """A figure with a digit lost would show: along depth, no published rate falls by more than a tenth."""
    for table in POST.tables:
        for number, column in enumerate(table.columns):
            if table.axes == ("depth",) and column.figures[0] == "rps":
                rates = [row.published[number][0] for row in table.rows]
                assert all(later > 0.9 * earlier for earlier, later in pairwise(rates))


def changed(**changes: object) -> str:
    """Return the spec with its first table changed, as JSON."""
    content = POST.model_dump(mode="json", exclude_none=True)
    content["tables"] = [content["tables"][1] | changes]
    return json.dumps(content)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"rows": [{"at": [1, 2], "published": [[1], [1]]}]}, "row 1 has 2 values of 1 axes"),
        ({"rows": [{"at": [1], "published": [[1]]}]}, "row 1 does not have a figure for each"),
        ({"rows": [{"at": [1], "published": [[1, 2], [1]]}]}, "row 1 does not have a figure for each"),
        ({"axes": ["threads"]}, "transaction needs depth"),
        ({"axes": ["speed"]}, "'depth', 'threads' or 'max_total'"),
        (
            {"improvement": {"title": "i", "before": 1, "after": 3, "published": [1, 2, 3, 4]}},
            "a column that is not there",
        ),
        ({"improvement": {"title": "i", "before": 1, "after": 2, "published": [1]}}, "a figure for each row"),
        ({"mood": "good"}, "Extra inputs"),
    ],
)
def test_a_table_that_does_not_fit_is_refused(changes: dict[str, object], said: str) -> None:
    """The sentence says which row or column."""
    with pytest.raises(ValidationError, match=said):
        PostSpec.model_validate_json(changed(**changes))
