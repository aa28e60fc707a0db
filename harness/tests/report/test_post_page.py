"""The post remade, as a page, from a run of its points."""

import re
from collections.abc import Iterator
from random import Random

import pytest

from respmark.contract.trial import Form, Scenario, Shape
from respmark.guidance.evidence import ComparedRun
from respmark.guidance.verdict import judge
from respmark.report.post_curves import Curve, curves
from respmark.report.post_page import CHANGES, post_page
from respmark.results.records import Status, TrialRecord
from respmark.results.store import Run
from respmark.statistics.cells import cells_of, counted
from tests.builders.plan import SHIPPED, make_client, make_trial
from tests.builders.records import make_record, make_result, make_run, make_slice_record, unmeasured

POST = SHIPPED.post("aws-clients-2022")
RATES = {
    ("redis-py", Scenario.TRANSACTION, 10): 30_000,
    ("redis-py@3.5.3", Scenario.TRANSACTION, 10): 20_000,
    ("redis-py", Scenario.TRANSACTION, 100): 60_000,
    ("redis-py@3.5.3", Scenario.TRANSACTION, 100): 60_000,
    ("jedis", Scenario.BATCHING, 10): 200_000,
    ("lettuce", Scenario.BATCHING, 10): 100_000,
    ("jedis", Scenario.BATCHING, 100): 800_000,
    ("lettuce", Scenario.BATCHING, 100): 300_000,
    ("jedis", Scenario.BATCHING, 1000): 900_000,
    ("lettuce", Scenario.BATCHING, 1000): 400_000,
}
VERSIONS = {"redis-py": "6.4.0", "redis-py@3.5.3": "3.5.3", "jedis": "8.0.2", "lettuce": "7.2.0"}


def records() -> Iterator[TrialRecord]:
    """Return three rounds of some points of the post, and one that failed."""
    random = Random(1)  # noqa: S311 - noise, no secret
    for number in (1, 2, 3):
        for (name, scenario, depth), rate in RATES.items():
            library = name.partition("@")[0]
            shape = Shape(depth=depth, form=Form.BATCHED if scenario is Scenario.TRANSACTION else None)
            yield make_record(
                make_trial(scenario, shape, number, make_client(name, library=library)),
                slices=[make_slice_record(round(rate * random.gauss(1, 0.01)), lap) for lap in range(1, 5)],
                results=[make_result(versions={library: VERSIONS[name]})],
            )
    phpredis = make_client("phpredis", library="phpredis")
    yield unmeasured(Status.FAILED, "it hung", make_trial(Scenario.BATCHING, Shape(depth=2), 1, phpredis))


@pytest.fixture(scope="module")
def run() -> Run:
    """Return the run."""
    return make_run(*records(), rounds=3)


@pytest.fixture(scope="module")
def made(run: Run) -> str:
    """Return its page."""
    verdicts = judge(SHIPPED.claims([POST.guidance]), [ComparedRun(run)], SHIPPED.clients)
    return post_page(POST, counted(run), verdicts, "../results/published/post")


def section(made: str, title: str) -> str:
    """Return a chapter of the page."""
    return re.split(r"^## ", made.split(f"\n## {title}\n")[1], maxsplit=1, flags=re.MULTILINE)[0]


def test_it_names_its_run_and_what_was_loaded(made: str) -> None:
    """With a link to the run's files, so that anyone can make it again."""
    assert "[results/published/post](../results/published/post)" in made
    assert "jedis: jedis 8.0.2" in made
    assert "redis-py@3.5.3: redis-py 3.5.3" in made


def test_every_table_of_the_post_stands_beside_the_runs_figures(made: str) -> None:
    """Old version, new version, post; what was not measured and what failed say so."""
    tables = section(made, "The tables")
    assert [line[4:] for line in tables.splitlines() if line.startswith("### ")] == [one.title for one in POST.tables]
    head = next(line for line in tables.splitlines() if "`redis-py@3.5.3`" in line)
    assert head.index("`redis-py`") < head.index("`redis-py@3.5.3`") < head.index("post")
    assert re.search(r"^\| 10 \| 30,\d{3} \| 19,\d{3} \| 24,844 \|", tables, re.MULTILINE)
    assert "not measured" in tables
    assert "failed: it hung" in tables


def test_every_claim_of_the_post_has_its_verdict(made: str) -> None:
    """Also those that this run did not measure, with the command that would."""
    advice = section(made, "Does its advice hold?")
    for claim in SHIPPED.guidance(POST.guidance).claims:
        assert f"`{claim.id}`" in advice
    (jedis,) = [line for line in advice.splitlines() if "(`jedis-faster-than-lettuce`)" in line]
    assert jedis.startswith("| **holds** |")
    assert "--claim reuse-connections" in advice


def test_old_and_new_versions_are_compared(made: str) -> None:
    """A tie is called one."""
    changes = section(made, CHANGES)
    assert "**redis-py 6.4.0 / 3.5.3**" in changes
    assert re.search(r"^\| `transaction, depth 10, batched` \| faster \| 1\.\d\d ", changes, re.MULTILINE)
    assert re.search(r"^\| `transaction, depth 100, batched` \| tie \| ", changes, re.MULTILINE)


def test_a_run_of_one_version_each_says_so() -> None:
    """In place of the table."""
    today = make_run(*(record for record in records() if "@" not in record.client.name))
    assert "no library in two versions" in section(post_page(POST, counted(today), [], "somewhere"), CHANGES)


def test_what_differs_is_told_with_its_reason(made: str) -> None:
    """What the post had, and how the run's curves follow the post's."""
    text = section(made, "What differs, and why")
    for one in POST.differences:
        assert f"**{one.what}**" in text
    assert "| Jedis: batching | `jedis` |" in text


def test_a_curve_is_of_the_points_that_were_measured(run: Run) -> None:
    """How far from the post's, and how both rise between the same rows."""
    found = {(one.title, one.client): one for one in curves(POST, cells_of(run))}
    jedis: Curve = found["Jedis: batching", "jedis"]
    assert [point.published for point in jedis.points] == [67_725, 222_373, 380_912]
    assert [round(point.here, -5) for point in jedis.points] == [200_000, 800_000, 900_000]
    assert jedis.to_post == "2.38..3.59"
    assert not [title for title, _ in found if title.startswith("StackExchange")]


def test_a_curve_that_two_tables_share_stands_once(run: Run) -> None:
    """The post shows Jedis's batches alone, and beside Lettuce's."""
    found = [(one.client, tuple(one.points)) for one in curves(POST, cells_of(run))]
    assert len(set(found)) == len(found)


def test_every_line_of_a_table_has_as_many_cells_as_its_head(made: str) -> None:
    """The tables stay tables."""
    tables = re.findall(r"(?:^\|.*\n)+", made, re.MULTILINE)
    assert len(tables) > len(POST.tables)
    for table in tables:
        assert len({line.replace(r"\|", "").count("|") for line in table.splitlines()}) == 1
