"""The published post's tables beside a run's own figures."""

import io
import re

import pytest
from rich.console import Console
from syrupy.assertion import SnapshotAssertion

from respmark.contract.trial import Form, Scenario, Shape, Window
from respmark.report.post import NOT_MEASURED, PostGrid, PostReport, post_report
from respmark.report.post_text import post_markdown, print_post
from respmark.results.records import Status, TrialRecord
from respmark.specs.post import PostSpec
from respmark.statistics.cells import cells_of
from tests.builders.plan import SHIPPED, make_client, make_trial
from tests.builders.records import make_record, make_run, unmeasured

POST = SHIPPED.post("aws-clients-2022")


def record(name: str, scenario: Scenario, operations: int = 1000, **shape: object) -> TrialRecord:
    """Return a record of a client of the post."""
    library = re.split(r"[@\[]", name)[0]
    client = make_client(name, library=library)
    return make_record(make_trial(scenario, Shape.model_validate(shape), client=client), operations)


def report(*records: TrialRecord, spec: PostSpec = POST) -> PostReport:
    """Return the post's tables beside a run of these records."""
    return post_report(spec, cells_of(make_run(*records, rounds=1)), ["a run"])


def grid(made: PostReport, title: str) -> PostGrid:
    """Return a table by its title's begin."""
    return next(found for found in made.grids if found.title.startswith(title))


def only(*ids: str) -> PostSpec:
    """Return the post with some of its tables."""
    return POST.model_copy(update={"tables": tuple(table for table in POST.tables if table.id in ids)})


@pytest.fixture
def made() -> PostReport:
    """Return a report in which something is measured, something failed, and something is missing."""
    off = "node-redis[command-timeout=off]"
    return report(
        record("node-redis", Scenario.BATCHING, 9_000, depth=2),
        record("node-redis", Scenario.BATCHING, 36_000, depth=10),
        record(off, Scenario.BATCHING, 99_000, depth=1000),
        unmeasured(
            Status.FAILED,
            "the server counted one call less",
            make_trial(Scenario.BATCHING, Shape(depth=100), client=make_client(off, library="node-redis")),
        ),
        record("redis-py", Scenario.TRANSACTION, 20_000, depth=10, form=Form.BATCHED),
        record("redis-py", Scenario.BATCHING, 25_000, depth=10),
        spec=only("node-redis-batching", "redis-py-transaction", "lettuce-pool"),
    )


def test_the_terminals_form(made: PostReport, snapshot: SnapshotAssertion) -> None:
    """The tables are as they were."""
    console = Console(file=io.StringIO(), width=100, highlight=False)
    print_post(console, made)
    assert isinstance(console.file, io.StringIO)
    assert console.file.getvalue() == snapshot
    assert max(map(len, console.file.getvalue().splitlines())) <= 100


def test_the_markdown(made: PostReport, snapshot: SnapshotAssertion) -> None:
    """As above."""
    assert post_markdown(made) == snapshot


def test_own_figures_stand_beside_the_published_ones(made: PostReport) -> None:
    """RPS first, then CPU, as the post has them."""
    table = grid(made, "node-redis: batching")
    assert [(head.subject, head.figure) for head in table.heads] == [
        ("node-redis", "RPS"),
        ("node-redis[command-timeout=off]", "RPS"),
        ("post", "RPS"),
        ("node-redis", "CPU"),
        ("node-redis[command-timeout=off]", "CPU"),
        ("post", "CPU"),
    ]
    assert table.rows[0] == (("2",), ("9,000", NOT_MEASURED, "8,911", "50 %", NOT_MEASURED, "3 %"))
    assert [at for at, _ in table.rows] == [("2",), ("3",), ("10",), ("100",), ("1,000",)]


def test_what_is_not_measured_says_what_to_run(made: PostReport) -> None:
    """With a command that can be pasted, quoted where the shell wants it."""
    pool = grid(made, "Lettuce: connection pool")
    assert {values[0] for _, values in pool.rows} == {NOT_MEASURED}
    assert "not measured: lettuce, pool: respmark run post --client lettuce --scenario pool" in pool.notes
    (note,) = [note for note in grid(made, "node-redis: batching").notes if "--client 'node-redis[" in note]
    assert note.startswith("not measured: 3 of 5 points of node-redis[command-timeout=off], batching")


def test_what_failed_is_told_with_its_reason(made: PostReport) -> None:
    """It is neither a figure nor `not measured`."""
    table = grid(made, "node-redis: batching")
    assert table.rows[3][1][1] == "failed"
    assert any("failed: the server counted one call less" in note for note in table.notes)


def test_a_cell_that_lost_a_round_is_marked() -> None:
    """Its figure, and the improvement made of it; the note says what is lost."""
    redis_py = make_client("redis-py", library="redis-py")
    lost = make_trial(Scenario.TRANSACTION, Shape(depth=10, form=Form.BATCHED), 2, redis_py)
    made = report(
        record("redis-py", Scenario.TRANSACTION, 20_000, depth=10, form=Form.BATCHED),
        unmeasured(Status.FAILED, "hung", lost),
        record("redis-py", Scenario.BATCHING, 25_000, depth=10),
        spec=only("redis-py-transaction"),
    )
    values = made.grids[0].rows[0][1]
    assert "20,000 *" in values
    assert "+25 % *" in values
    assert any(note.startswith("* redis-py, transaction (depth 10, batched): 1 of 2") for note in made.grids[0].notes)


def test_the_improvement_is_worked_out_as_the_post_did(made: PostReport) -> None:
    """From the same client's two figures; without both there is none."""
    table = grid(made, "redis-py: pipelines with MULTI")
    assert [head.group for head in table.heads[-2:]] == ["improvement", "improvement"]
    assert [values[-2:] for _, values in table.rows] == [
        ("+25 %", "+5 %"),
        (NOT_MEASURED, "+7 %"),
        (NOT_MEASURED, "+15 %"),
    ]


def test_the_posts_own_version_has_a_column_where_it_was_measured() -> None:
    """Beside today's, not in its place."""
    name = "redis-py@3.5.3"
    made = report(record(name, Scenario.THREADS, threads=2, connections=1), spec=only("redis-py-threads"))
    assert [head.subject for head in made.grids[0].heads[:2]] == [name, "post"]


def test_another_form_of_a_scenario_is_not_the_posts() -> None:
    """A queued transaction is not a batched one, and a burst is not a sliding window."""
    made = report(
        record("jedis", Scenario.TRANSACTION, depth=10, form=Form.QUEUED),
        record("node-redis", Scenario.PIPELINING, depth=10, window=Window.BURST),
        spec=only("jedis-transaction", "node-redis-pipelining"),
    )
    assert all(values[0] == NOT_MEASURED for table in made.grids for _, values in table.rows)


def test_of_two_runs_the_one_that_measured_counts() -> None:
    """A cell that failed in one run and went well in another has its figure."""
    trial = make_trial(Scenario.BATCHING, Shape(depth=5), client=make_client("jedis", library="jedis"))
    bad, good = unmeasured(Status.FAILED, "no", trial), make_record(trial, 5_000)
    cells = [*cells_of(make_run(bad)), *cells_of(make_run(good))]
    made = post_report(only("jedis-batching"), cells, [])
    assert made.grids[0].rows[0][1][0] == "5,000"


def test_every_figure_of_the_post_is_shown() -> None:
    """All tables, all rows, also where nothing was measured."""
    text = post_markdown(report())
    for table in POST.tables:
        for row in table.rows:
            for column, figures in zip(table.columns, row.published, strict=True):
                assert all(
                    (f"{v:,}" if f == "rps" else f"{v} %") in text for f, v in zip(column.figures, figures, strict=True)
                )


def test_every_line_of_a_markdown_table_has_as_many_cells_as_its_head(made: PostReport) -> None:
    """The table stays one."""
    for table in re.findall(r"(?:^\|.*\n)+", post_markdown(made), re.MULTILINE):
        assert len({line.count("|") for line in table.splitlines()}) == 1
