"""`respmark list`: what can be chosen."""

import io
from collections.abc import Iterator

import pytest
from rich.console import Console

from respmark.cli import registries
from respmark.cli.listing import print_clients
from respmark.contract.trial import LOOP_SCENARIOS
from respmark.errors import ExitCode
from respmark.runners.missing import NOT_YET
from respmark.setup.registry import Listed
from respmark.specs.naming import find_clients
from tests.builders.plan import SHIPPED
from tests.cli.conftest import Command

MISSING: dict[str, str] = {}
"""Why clients are missing, by runner or library."""


@pytest.fixture(autouse=True)
def missing(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    """Nothing is, unless a test says so."""
    monkeypatch.setattr(
        "respmark.cli.listing.not_set_up", lambda client, _: MISSING.get(client.runner) or MISSING.get(client.library)
    )
    yield MISSING
    MISSING.clear()


def printed(name: str = "*[*]", *, details: bool = True) -> str:
    output = io.StringIO()
    console = Console(file=output, width=140, highlight=False)
    print_clients(console, find_clients(name, SHIPPED.clients), SHIPPED, details=details)
    return output.getvalue()


def row(text: str, begin: str) -> list[str]:
    return next(line for line in text.splitlines() if line.startswith(begin)).replace("│", " ").split()


def test_every_client_and_scenario_has_a_mark() -> None:
    """What is supported, and what is not and why; a reason is told once a library."""
    text = printed()
    assert all(scenario in text for scenario in LOOP_SCENARIOS)
    assert row(text, "redis-py").count("yes") == len(LOOP_SCENARIOS) - 1
    assert row(text, "node-redis").count("yes") == len(LOOP_SCENARIOS) - 1
    (reason,) = (row.why for row in SHIPPED.clients["node-redis"].cannot if row.what == "threads" and row.is_always)
    assert f"node-redis: threads is unsupported: {reason}"[:60] in text
    assert text.count("node-redis: threads is unsupported") == 1
    assert "redis-py@3.5.3: pipelining is unsupported: redis-py before 4.2 has no asynchronous API" in text
    assert "sliding" in text


def test_what_is_missing_is_reported_with_what_to_install(missing: dict[str, str]) -> None:
    """A runner with all its clients, or one of a runner's libraries; what it could do is shown as well."""
    missing["node"] = "node: not found; install Node.js 20"
    text = printed()
    assert row(text, "node-redis").count("?") == 1
    assert row(text, "node-redis").count("yes") == len(LOOP_SCENARIOS) - 1
    (line,) = (one for one in text.splitlines() if "missing: " in one)
    assert "node-redis, node-redis@3.1.2" in line
    assert line.endswith(": node: not found; install Node.js 20")
    assert "yes" in row(text, "redis-py")
    missing.clear()
    missing["redis-py"] = "No module named 'redis'; run `make setup`"
    text = printed("*", details=False)
    assert "missing: Python: redis-py: No module named 'redis'; run `make setup`" in text
    assert row(text, "redis-py").count("?") == 1
    assert "?" not in row(text, "node-redis")


def test_what_is_not_installed_yet_is_one_line(missing: dict[str, str]) -> None:
    """By language, with what to do; of a client that is named, what to do for it."""
    missing |= {name: f"{NOT_YET}; respmark setup {name}" for name in ("redis-py", "valkey", "jedis")}
    (line,) = (one for one in printed("*", details=False).splitlines() if NOT_YET in one)
    assert "Java: jedis" in line
    assert "Python: redis-py, valkey" in line.replace("valkey, redis-py", "redis-py, valkey")
    assert "respmark setup redis-py" in printed("redis-py")


def test_plain_list_is_a_screen(respmark: Command) -> None:
    """A line a library, a line a suite with what it measures, and the names of workloads and servers."""
    finished = respmark("list")
    assert finished.code is ExitCode.OK
    first_words = {words[0] for line in finished.output.splitlines() if (words := line.split())}
    assert {*SHIPPED.clients, *SHIPPED.names("suites")} <= first_words
    for name in (*SHIPPED.clients, *SHIPPED.names("suites"), *SHIPPED.names("workloads"), *SHIPPED.names("servers")):
        assert name in finished.output
    assert "suite" not in respmark("list", "redis-py").output


def test_versions_are_those_of_the_registry_and_what_was_tried_here(
    respmark: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the newest on, without those that no adapter knows; why some may be missing is said."""
    listed = Listed(["2.10.6", "4.0.0", "8.1.0"], "the registry did not answer (offline); using what it had")
    monkeypatch.setattr(registries, "versions_of", lambda *_: listed)
    monkeypatch.setattr(registries, "tried", lambda *_: {"4.0.0": "missing: no wheel", "7.0.1": "set up"})
    finished = respmark("list", "redis-py", "--versions")
    assert finished.code is ExitCode.OK
    lines = [line.replace("│", " ").split() for line in finished.output.splitlines()]
    assert [words for words in lines if words and words[0][0].isdigit()] == [
        ["8.1.0"],
        ["7.0.1", "set", "up"],
        ["4.0.0", "missing:", "no", "wheel"],
    ]
    assert "the registry did not answer (offline)" in finished.output
    assert "no version of phpredis can be chosen" in respmark("list", "phpredis", "--versions").output
