"""`respmark verdict`."""

import json
import re
from pathlib import Path

import pytest

from respmark.errors import ExitCode
from respmark.paths import CHECKOUT
from tests.builders.plan import SHIPPED
from tests.cli.conftest import Command, Finished
from tests.guidance.builders import claim_toml, guidance_toml

pytestmark = pytest.mark.usefixtures("starts_nothing")

QUICK = str(CHECKOUT / "results" / "published" / "quick")
POST = str(CHECKOUT / "results" / "published" / "post-0.2ms")
OF_MINE = guidance_toml(
    claim_toml(
        "batches",
        "phpredis's batches | are faster.",
        cell="phpredis batching",
        against="predis batching",
        rest="depth = [100]\npublished = [1.7]",
    ),
    claim_toml(
        "slower", "Jedis is slower than redis-py.", cell="jedis sync", against="redis-py sync", direction="less"
    ),
    claim_toml(
        "apart",
        "Batches are faster than single commands.",
        cell="jedis batching shape = { depth = 100 }",
        against="jedis sync",
    ),
    '[[claims]]\nid = "far"\ngist = "The weather matters."\nsection = "somewhere"\nout_of_reach = "it is not a client"',
    title="a <b>page</b>",
)


@pytest.fixture
def mine(tmp_path: Path) -> str:
    path = tmp_path / "mine.toml"
    path.write_text(OF_MINE, encoding="utf-8")
    return str(path)


def test_alone_it_is_a_screen_of_sources(respmark: Command) -> None:
    """Each with the suite that measures what it claims."""
    finished = respmark("verdict")
    assert finished.code is ExitCode.OK
    assert len(finished.output.splitlines()) <= 40
    assert all(name in finished.output for name in SHIPPED.names("guidance"))
    assert "respmark run guidance" in finished.output


def test_without_a_run_it_lists_what_is_claimed_and_what_would_show_it(respmark: Command, mine: str) -> None:
    """With the source, and what is out of reach."""
    finished = respmark("verdict", "--source", mine)
    assert finished.code is ExitCode.OK
    text = " ".join(finished.output.split())
    assert "https://example.org/page" in text
    assert "RPS of phpredis batching (depth 100) / predis batching (depth 100) > 1.03 1.70" in text
    assert "out of reach: it is not a client" in text


def test_verdicts_of_the_published_run(respmark: Command, mine: str) -> None:
    """As JSON, with everything that a picture of them needs."""
    finished = respmark("verdict", QUICK, "--source", mine, "--format", "json")
    assert finished.code is ExitCode.OK
    content = json.loads(finished.output)
    claims = {claim["id"]: claim for claim in content["claims"]}
    assert {name: claim["verdict"] for name, claim in claims.items()} == {
        "batches": "holds",
        "slower": "does not hold",
        "apart": "not measured",
        "far": "not measured",
    }
    (batches,) = claims["batches"]["comparisons"]
    assert 1.03 < batches["low"] < batches["ratio"] < batches["high"]
    assert batches["published"] == 1.7
    assert batches["measured_in"]["block"] == "batching--depth=100"
    assert batches["measured_in"]["versions"] == ["5.3.7", "3.7.1"]
    (apart,) = claims["apart"]["comparisons"]
    assert (apart["ratio"], apart["low"], apart["measured_in"]) == (None, None, None)
    assert "not in turns in one block" in apart["reason"]
    assert claims["apart"]["command"] == "respmark run guidance --claim apart"
    assert claims["far"]["command"] is None


def test_sources_of_which_nothing_was_measured_have_a_line_each(respmark: Command) -> None:
    """Whoever names a source reads why, of each of its claims."""
    brief, why = (
        " ".join(respmark("verdict", QUICK, *words).output.split()) for words in ((), ("--source", "elasticache-7"))
    )
    assert "elasticache-7 elasticache-multiplexing, elasticache-latency" in brief
    assert "`elasticache-latency`" not in brief
    assert "`elasticache-latency`: 2 comparisons not measured: " in why


def test_the_posts_results_stand_beside_ours(respmark: Command) -> None:
    """By the name of the suite that measures them: what was published, and the ratio with its interval or why not."""
    listed = " ".join(respmark("verdict", "--source", "post").output.split())
    assert "Optimize Redis Client Performance for Amazon ElastiCache and MemoryDB (2022)" in listed
    assert "RPS of redis-py sync / redis-py new-connection > 2.00 20.0" in listed
    assert "https://aws.amazon.com/blogs" in listed
    assert "guidance-short" not in listed
    ours = respmark("verdict", POST, "--source", "post", "--format", "markdown").output
    (row,) = (line for line in ours.splitlines() if "RPS of redis-py sync / redis-py new-connection" in line)
    assert re.search(
        r"\| 20\.0 \| \d+\.\d+ \(\d+\.\d+\.\.\d+\.\d+\) \| post-0\.2ms: \d rounds, post, behind 0\.2 ms \|$", row
    )
    assert "holds" in ours


def test_what_measures_the_rest_can_be_typed(respmark: Command) -> None:
    """A few claims by their names, more of them by their suite."""
    first, *rest = rest_of(respmark("verdict", QUICK))
    assert first == "respmark run cluster-claims --claim lettuce-2459 --claim lettuce-89 --claim phpredis-1259"
    assert rest == [f"respmark run {suite}" for suite in ("faults-claims", "guidance", "practices", "trackers")]
    few = ["--claim", "redis-py-hiredis", "--claim", "redis-py-threads-help"]
    assert rest_of(respmark("verdict", QUICK, *few)) == [" ".join(["respmark run guidance", *few])]


def rest_of(finished: Finished) -> list[str]:
    start = "to measure the rest: "
    (line,) = (one for one in finished.output.splitlines() if one.startswith(start))
    return line.removeprefix(start).split(" && ")


def test_runs_that_measured_nothing_of_it_end_with_3(respmark: Command) -> None:
    """The reasons are told all the same."""
    finished = respmark("verdict", QUICK, "--claim", "redis-py-threads-help")
    assert finished.code is ExitCode.NOTHING_RAN
    assert "no run has redis-py threads (threads 3, connections 1, workload post)" in " ".join(finished.output.split())
    elsewhere = respmark("verdict", QUICK, "--claim", "predis-faq-network")
    assert elsewhere.code is ExitCode.NOTHING_RAN
    assert "not about this place" in " ".join(elsewhere.output.split())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["verdict", QUICK, "--claim", "nonsense"], "there is no claim `nonsense`"),
        (["verdict", "--format", "json"], "name a run folder"),
        (["plan", "quick", "--claim", "redis-py-hiredis"], "does not measure claims"),
    ],
)
def test_what_is_not_there_is_refused(respmark: Command, words: list[str], said: str) -> None:
    finished = respmark(*words)
    assert finished.code is ExitCode.INVALID_REQUEST
    assert said in finished.errors
