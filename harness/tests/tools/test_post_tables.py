"""The published post's tables beside a run's own figures."""

import re

from respmark.contract.trial import Form, Scenario, Shape
from respmark.figures.ranking import cells_of
from respmark.kinds.loops.record import LoopRecord
from respmark.report.table import Table
from respmark.results.records import Status
from tests.builders.plan import make_client, make_trial
from tests.builders.records import make_record, make_run, unmeasured
from tests.report.reading import values
from tools.post import PostSpec, the_post
from tools.post_tables import post_chapters

POST = the_post()
OFF = "node-redis[command-timeout=off]"


def record(name: str, scenario: Scenario, operations: int = 1000, **shape: object) -> LoopRecord:
    client = make_client(name, library=re.split(r"[@\[]", name)[0])
    return make_record(make_trial(scenario, Shape.model_validate(shape), client=client), operations)


def only(*ids: str) -> PostSpec:
    return POST.model_copy(update={"tables": tuple(table for table in POST.tables if table.id in ids)})


def curves(table_id: str, *records: LoopRecord) -> dict[str, Table]:
    chapters = post_chapters(only(table_id), {"": cells_of(make_run(*records, rounds=1))})
    return {table.title: table for table in chapters[1].tables}


def test_own_figures_stand_beside_the_published_ones() -> None:
    """A curve per client, a row per point; what failed says so, and what is not measured what to run."""
    depth = Shape(depth=100)
    failed = unmeasured(
        Status.FAILED, "it hung", make_trial(Scenario.BATCHING, depth, client=make_client(OFF, library="node-redis"))
    )
    found = curves(
        "node-redis-batching",
        record("node-redis", Scenario.BATCHING, 9_000, depth=2),
        record(OFF, Scenario.BATCHING, 99_000, depth=1000),
        failed,
    )
    usual, off = found["batching: node-redis"], found[f"batching: {OFF}"]
    assert [cell.text for cell in usual.rows[0]] == ["2", "9,000", "8,911", "1.01", "50 %", "3 %", "round trip"]
    assert values(off, "RPS") == dict.fromkeys(("2", "3", "10"), "not measured") | {"100": "failed", "1,000": "99,000"}
    assert off.notes == (
        f"not measured: 3 of 5 points of {OFF}, batching: respmark run post --client '{OFF}' --scenario batching",
        f"{OFF} batching (depth 100): failed: it hung",
    )


def in_block(block: str, scenario: Scenario, operations: int, **shape: object) -> LoopRecord:
    of = record("redis-py", scenario, operations, depth=10, **shape)
    return of.model_copy(
        update={"block": block, "cell_id": f"{block}--{of.cell_id}", "trial_id": f"{block}--{of.trial_id}"}
    )


def test_only_what_took_turns_is_divided() -> None:
    """Of a use that two blocks have, a table shows the block that it has most cells of."""
    transaction = in_block("own", Scenario.TRANSACTION, 1000, form=Form.BATCHED)
    other, own = in_block("other", Scenario.BATCHING, 500), in_block("own", Scenario.BATCHING, 2000)
    found = curves("redis-py-transaction", other, transaction, own)
    assert values(found["batching: redis-py"], "RPS")["10"] == "2,000"
    assert found["improvement: redis-py"].rows[0][1].text == "+100 %"
    apart = curves("redis-py-transaction", other, transaction)
    assert apart["improvement: redis-py"].rows[0][1].text == "not in one block"
