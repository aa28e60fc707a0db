"""`respmark list`: clients and scenarios."""

import io

from rich.console import Console

from respmark.cli.listing import print_matrix
from respmark.contract.description import ClientDescription, Description, Difference
from respmark.contract.trial import Scenario
from respmark.specs.client import Client
from respmark.specs.naming import client_lines, find_clients
from tests.builders.plan import SHIPPED
from tests.fakes import FakeExecutor


def printed(executor: FakeExecutor) -> str:
    """Return what is printed."""
    output = io.StringIO()
    clients = find_clients("*[*]", SHIPPED.clients)
    print_matrix(Console(file=output, width=140, highlight=False), clients, SHIPPED, executor)
    return output.getvalue()


def row(text: str, client: str) -> list[str]:
    """Return the words of a client's row."""
    return next(line for line in text.splitlines() if line.startswith(client)).split()


def test_every_client_and_scenario_has_a_mark() -> None:
    """What is supported, and what is not and why."""
    text = printed(FakeExecutor())
    for scenario in Scenario:
        assert scenario in text
    assert row(text, "redis-py").count("yes") == len(Scenario)
    assert row(text, "node-redis").count("yes") == len(Scenario) - 1
    reason = SHIPPED.clients["node-redis"].unsupported[Scenario.THREADS]
    assert f"node-redis: threads is unsupported: {reason}"[:60] in text
    assert "redis-py@3.5.3: pipelining is unsupported: redis-py 3 has no asynchronous API" in text
    assert "sliding" in text


def test_a_reason_is_told_once_a_library() -> None:
    """Variants of a library do not repeat it."""
    assert printed(FakeExecutor()).count("node-redis: threads is unsupported") == 1


def test_a_missing_runner_is_told_with_what_to_install() -> None:
    """All its clients are marked, the others are not."""
    text = printed(FakeExecutor(missing={"node": "node: not found; install Node.js 20"}))
    assert row(text, "node-redis").count("?") == len(Scenario)
    assert "node-redis: missing: node: not found; install Node.js 20" in text
    assert "yes" in row(text, "redis-py")


def test_a_missing_library_is_told_with_what_to_install() -> None:
    """Its runner is there, and its other libraries are not marked."""
    text = printed(FakeExecutor(missing={"redis-py": "No module named 'redis'; run `make setup`"}))
    assert "redis-py: missing: No module named 'redis'; run `make setup`" in text
    assert row(text, "redis-py").count("?") == len(Scenario)
    assert "yes" in row(text, "node-redis")


class Differing(FakeExecutor):
    """A runner whose redis-py is not set as a plain install is."""

    def describe(self, client: Client) -> Description:
        """Describe it."""
        difference = Difference(
            setting="a-timeout", plain="none", ours="3 s", why="one limit", scenarios=[Scenario.POOL]
        )
        found = ClientDescription(library="redis-py", version="1", options={}, scenarios={}, differences=[difference])
        return super().describe(client).model_copy(update={"clients": [found]})


def test_what_is_not_as_installed_is_listed() -> None:
    """Setting, as installed, here, where, why; where nothing differs, there is no table."""
    assert "as installed, but for" not in printed(FakeExecutor())
    text = printed(Differing())
    assert [cell.strip() for cell in row(text, "redis-py │ a-timeout") if cell != "│"] == [
        *("redis-py", "a-timeout", "none", "3", "s", "pool", "one", "limit")
    ]


def test_names_are_cut_at_their_options() -> None:
    """Library and options stand below each other."""
    assert client_lines("lib[parser=slow,x=1]") == ["lib", "[parser=slow,x=1]"]
    assert client_lines("lib@1.0") == ["lib@1.0"]
