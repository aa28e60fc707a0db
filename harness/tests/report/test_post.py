"""The published post's tables beside a run's own figures, and the page that is made of them."""

import re
from collections.abc import Iterator
from random import Random

from respmark.contract.trial import Form, Scenario, Shape
from respmark.guidance.verdict import judge
from respmark.report.post import post_chapters
from respmark.report.report import Report
from respmark.report.table import Table
from respmark.results.records import Status, TrialRecord
from respmark.specs.post import PostSpec
from respmark.statistics.cells import cells_of
from tests.builders.plan import SHIPPED, make_client, make_trial
from tests.builders.records import make_record, make_run, make_slice_record, unmeasured
from tests.report.reading import values
from tools.post_page import CHANGES, NO_CHANGES, post_page

POST = SHIPPED.post("aws-clients-2022")
OFF = "node-redis[command-timeout=off]"


def record(name: str, scenario: Scenario, operations: int = 1000, **shape: object) -> TrialRecord:
    client = make_client(name, library=re.split(r"[@\[]", name)[0])
    return make_record(make_trial(scenario, Shape.model_validate(shape), client=client), operations)


def only(*ids: str) -> PostSpec:
    return POST.model_copy(update={"tables": tuple(table for table in POST.tables if table.id in ids)})


def curves(table_id: str, *records: TrialRecord) -> dict[str, Table]:
    chapters = post_chapters(only(table_id), cells_of(make_run(*records, rounds=1)))
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


RATES = {
    ("redis-py", Scenario.TRANSACTION, 10): 30_000,
    ("redis-py@3.5.3", Scenario.TRANSACTION, 10): 20_000,
    ("jedis", Scenario.BATCHING, 10): 200_000,
    ("lettuce", Scenario.BATCHING, 10): 100_000,
    ("jedis", Scenario.BATCHING, 100): 800_000,
    ("lettuce", Scenario.BATCHING, 100): 300_000,
    ("jedis", Scenario.BATCHING, 1000): 900_000,
    ("lettuce", Scenario.BATCHING, 1000): 400_000,
}
VERSIONS = {"redis-py": "6.4.0", "redis-py@3.5.3": "3.5.3", "jedis": "8.0.2", "lettuce": "7.2.0"}


def records() -> Iterator[TrialRecord]:
    random = Random(1)  # noqa: S311 - noise, no secret
    for number in (1, 2, 3):
        for (name, scenario, depth), rate in RATES.items():
            library = name.partition("@")[0]
            shape = Shape(depth=depth, form=Form.BATCHED if scenario is Scenario.TRANSACTION else None)
            yield make_record(
                make_trial(scenario, shape, number, make_client(name, library=library)),
                slices=[make_slice_record(round(rate * random.gauss(1, 0.01)), lap) for lap in range(1, 5)],
                versions={library: VERSIONS[name]},
            )


def made(run_of: Iterator[TrialRecord]) -> dict[str, str]:
    run = make_run(*run_of, rounds=3)
    verdicts = judge(SHIPPED.claims([POST.guidance]), [run], SHIPPED.clients)
    page = post_page(POST, Report(run, SHIPPED.scenarios, verdicts=verdicts), "../results/published/post")
    head, *rest = re.split(r"^## ", page, flags=re.MULTILINE)
    return {"": head} | {title: text for title, _, text in (one.partition("\n") for one in rest)}


def test_the_page_has_the_run_the_advice_the_changes_and_the_tables() -> None:
    """Each claim of the post has its verdict; with one version of each library, nothing can have changed."""
    page = made(records())
    assert "[results/published/post](../results/published/post), by `respmark run post --laps 10`" in page[""]
    assert list(page)[1:] == ["What differs, and why", "Does its advice hold?", CHANGES, "The post's tables"]
    advice = page["Does its advice hold?"]
    assert all(f"`{claim.id}`" in advice for claim in SHIPPED.guidance(POST.guidance).claims)
    assert re.search(r"^\| \*\*holds\*\* .*\(`jedis-faster-than-lettuce`\)", advice, re.MULTILINE)
    assert "--claim reuse-connections" in advice
    assert re.search(r"^\| transaction, depth 10, batched \| faster \| 1\.\d\d ", page[CHANGES], re.MULTILINE)
    assert "jedis: jedis 8.0.2" in page[""]
    assert re.search(
        r"^\| transaction: redis-py@3.5.3 \| 10 \| 19,\d{3} \| 24,844 \|", page["The post's tables"], re.MULTILINE
    )
    assert NO_CHANGES in made(one for one in records() if "@" not in one.client.name)[CHANGES]
