"""The producer on a real server."""

import time

import pytest

from respmark.errors import TargetError
from respmark.servers.control import Control
from respmark.servers.evidence import evidence_between, take
from respmark.servers.info import info_text
from respmark.servers.node import Node
from respmark.servers.producer import ELEMENT, Producer
from tests.fake_server import resp

KEY = b"a list"


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


def test_a_refusal_is_told_at_the_end(server: Node) -> None:
    """A thread that failed must not look like one that had nothing to do."""
    with Control(server.endpoint) as control:
        control.command("SET", KEY, b"no list")
        producer = Producer(server.endpoint, KEY, 1000.0)
        producer.begin(time.monotonic_ns())
        while "cmdstat_rpush" not in info_text(control, "commandstats"):
            pass
        with pytest.raises(TargetError, match="WRONGTYPE"):
            producer.end()
        producer.close()
