"""`respmark clean --server`: keys of runs that could not remove them."""

import pytest

from respmark.servers.control import Control
from respmark.servers.node import Node
from tests.integration.conftest import Respmark, url_of

LEFT = ["respmark:0a1b2c3d:key:0000000", "respmark:0a1b2c3d:key:0000001", "respmark:0a1b2c3d:key:9999999"]
OTHERS = ["respmark:0a1b2c3d:key:", "respmark:0a1b2c3d:key:1x", "respmark:0a1b2c3:key:1", "user:respmark:0a1b2c3d:1"]
ANOTHER_RUNS = ["respmark:ffffffff:key:0000000", "respmark:0a1b2c3d:other:1", "respmark:{0a1b2c3d}:key:0000000"]


@pytest.fixture
def url(server: Node) -> str:
    with Control(server.endpoint) as control:
        for key in LEFT + OTHERS + ANOTHER_RUNS:
            control.command("SET", key, "x")
    return url_of(server)


def test_keys_of_runs_are_listed_by_their_prefix(respmark: Respmark, url: str) -> None:
    """Nothing is removed without being named; keys of others are not listed."""
    finished = respmark("clean", "--server", url)
    assert finished.code == 0
    assert finished.output.splitlines() == [
        "3 keys named respmark:0a1b2c3d:key:*",
        "1 keys named respmark:0a1b2c3d:other:*",
        "1 keys named respmark:ffffffff:key:*",
        "1 keys named respmark:{0a1b2c3d}:key:*",
        "if that run is over, add `--keys PREFIX` to remove them",
    ]


@pytest.mark.parametrize(
    ("prefix", "removed"),
    [("respmark:0a1b2c3d:key:", LEFT), ("respmark:{0a1b2c3d}:key:", ["respmark:{0a1b2c3d}:key:0000000"])],
)
def test_only_keys_of_the_named_prefix_are_removed(
    respmark: Respmark, server: Node, url: str, prefix: str, removed: list[str]
) -> None:
    """Another run may be under way, and a user may name keys alike; in a cluster, what was drawn is a hash tag."""
    finished = respmark("clean", "--server", url, "--keys", prefix)
    assert finished.output == f"removed {len(removed)} keys named {prefix}*\n"
    with Control(server.endpoint) as control:
        left = {key.decode() for key in control.command("KEYS", "*")}
    assert left == {*LEFT, *OTHERS, *ANOTHER_RUNS} - set(removed)


@pytest.mark.parametrize("prefix", ["", "*", "user:", "respmark:", "respmark:0a1b2c3d", "respmark:????????:"])
def test_no_other_prefix_is_taken(respmark: Respmark, server: Node, url: str, prefix: str) -> None:
    """What is not the prefix of one run removes nothing."""
    finished = respmark("clean", "--server", url, "--keys", prefix)
    assert finished.code == 2
    assert "is not the prefix of a run's keys" in finished.errors
    with Control(server.endpoint) as control:
        assert control.command("DBSIZE") == len(LEFT + OTHERS + ANOTHER_RUNS)
