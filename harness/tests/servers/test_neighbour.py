"""What keeps a real server busy beside a client."""

import re
import time

import pytest

from respmark.errors import TargetError
from respmark.servers.control import Control
from respmark.servers.evidence import evidence_between, take
from respmark.servers.info import info_text
from respmark.servers.neighbour import Neighbour
from respmark.servers.node import Node
from respmark.workload.workload import Words
from tests.fake_server import resp

KEYS = 2_500


@pytest.mark.parametrize(
    ("words", "keys", "calls"),
    [
        ((b"KEYS", b"k:*"), 0, 1),
        ((b"SCAN", b"COUNT", b"1000"), 0, 3),
        ((b"LRANGE", b"long", b"0", b"-1"), 1, 2),
    ],
)
def test_what_was_sent_is_what_the_server_counts(server: Node, words: Words, keys: int, calls: int) -> None:
    """A SCAN goes through all keys in steps, a long list comes in many pieces; beside them the client sends its own."""
    name = words[0].decode().lower()
    with Control(server.endpoint) as client:
        client.command("MSET", *(word for number in range(KEYS) for word in (f"k:{number:012}", "v")))
        client.command("RPUSH", "long", *(f"{number:08}" for number in range(50_000)))
        neighbour = Neighbour(server.endpoint, words, keys, 100.0)
        before, looks = take(client), 0
        neighbour.begin(time.monotonic_ns())
        while called(client, name) < calls:
            looks += 1
        done = neighbour.end()
        seen = evidence_between(before, take(client))
        neighbour.close()
    left = seen.without(done)
    assert set(done.calls) <= {name, "ping"}
    assert done.calls[name] >= calls
    assert {name for name, one in left.calls.items() if one.calls} <= {"info"}
    assert (left.reads, left.hits) == (looks + 1, 0)
    assert left.input_bytes == (looks + 1) * len(resp(b"INFO", b"commandstats")) + len(resp(b"INFO", b"all"))


def test_a_server_that_refuses_the_command_is_an_error(server: Node) -> None:
    """It says what the server said, when the slice is over."""
    with Control(server.endpoint) as client:
        client.command("SET", "k", "v")
        neighbour = Neighbour(server.endpoint, (b"LRANGE", b"k", b"0", b"-1"), 1, 1_000.0)
        neighbour.begin(time.monotonic_ns())
        while not called(client, "lrange"):
            pass
        with pytest.raises(TargetError, match="WRONGTYPE"):
            neighbour.end()
        neighbour.close()


def called(client: Control, command: str) -> int:
    """Return how often the server says it was called."""
    found = re.search(rf"cmdstat_{command}:calls=(\d+)", info_text(client, "commandstats"))
    return int(found[1]) if found else 0
