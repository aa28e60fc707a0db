"""What the run itself does to a real server beside a client."""

import re
import time
from collections.abc import Callable, Mapping

import pytest

from respmark.contract.trial import Endpoint
from respmark.errors import ServerError
from respmark.servers.background import ELEMENT, Background, Producer, RepeatedCommand, lost_subscribers, subscribers
from respmark.servers.control import Control
from respmark.servers.evidence import evidence_between, take
from respmark.servers.info import info_text
from respmark.servers.node import Node
from respmark.workload.workload import Words
from tests.fake_node import resp

KEYS = 2_500
KEY = b"a list"


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
        sender = RepeatedCommand(server.endpoint, words, keys, 100.0)
        before, looks = take(client), 0
        sender.begin(time.monotonic_ns())
        while called(client, name) < calls:
            looks += 1
        done = sender.end()
        seen = evidence_between(before, take(client))
        sender.close()
    left = seen.without(done)
    assert set(done.calls) <= {name, "ping"}
    assert done.calls[name] >= calls
    assert {name for name, one in left.calls.items() if one.calls} <= {"info"}
    assert (left.reads, left.hits) == (looks + 1, 0)
    assert left.input_bytes == (looks + 1) * len(resp(b"INFO", b"commandstats")) + len(resp(b"INFO", b"all"))


def test_elements_come_until_the_end_and_the_list_is_empty_then(server: Node) -> None:
    """What it says it sent is what the server counts beside the client's own commands."""
    with Control(server.endpoint) as client:
        producer = Producer(server.endpoint, KEY, 1000.0)
        before = take(client)
        producer.begin(time.monotonic_ns())
        assert [client.command("BLPOP", KEY, 5) for _ in range(3)] == [[KEY, ELEMENT]] * 3
        pushed = producer.end()
        seen = evidence_between(before, take(client))
        left = seen.without(pushed)
        assert client.command("EXISTS", KEY) == 0
        producer.close()
    assert list(pushed.sent_ns) == sorted(pushed.sent_ns)
    assert pushed.calls == {"rpush": len(pushed.sent_ns), "del": 1}
    assert {name: one.calls for name, one in left.calls.items() if one.calls} == {"blpop": 3}
    assert (left.reads, seen.reads) == (3, 4 + len(pushed.sent_ns))
    assert left.input_bytes == 3 * len(resp(b"BLPOP", KEY, b"5")) + len(resp(b"INFO", b"all"))


MAKERS: Mapping[str, Callable[[Endpoint], Background]] = {
    "lrange": lambda endpoint: RepeatedCommand(endpoint, (b"LRANGE", KEY, b"0", b"-1"), 1, 1_000.0),
    "rpush": lambda endpoint: Producer(endpoint, KEY, 1_000.0),
}


@pytest.mark.parametrize("command", MAKERS)
def test_a_refusal_is_told_at_the_end(server: Node, command: str) -> None:
    """A thread that failed must not look like one that had nothing to do; it says what the server said."""
    with Control(server.endpoint) as client:
        client.command("SET", KEY, "no list")
        sender = MAKERS[command](server.endpoint)
        sender.begin(time.monotonic_ns())
        while not called(client, command):
            pass
        with pytest.raises(ServerError, match="WRONGTYPE"):
            sender.end()
        sender.close()


def test_a_subscriber_that_is_lost_is_told(server: Node) -> None:
    """The sentence has the channel, how many are left out of how many, and what to do."""
    with Control(server.endpoint) as control, subscribers(server.endpoint, "news", 3):
        assert lost_subscribers(control, "news", 3) is None
        victim = next(one for one in _clients(control) if "sub=1" in one)
        control.command("CLIENT", "KILL", "ID", victim.split()[0].removeprefix("id="))
        assert lost_subscribers(control, "news", 3) == (
            "the channel news has lost 1 of its 3 subscribers: the server disconnects those that do not keep up; "
            "raise its `client-output-buffer-limit` for pubsub, or publish less"
        )


def called(client: Control, command: str) -> int:
    """Return how often the server says it was called."""
    found = re.search(rf"cmdstat_{command}:calls=(\d+)", info_text(client, "commandstats"))
    return int(found[1]) if found else 0


def _clients(control: Control) -> list[str]:
    answer = control.command("CLIENT", "LIST", "TYPE", "pubsub")
    assert isinstance(answer, bytes)
    return answer.decode().splitlines()
