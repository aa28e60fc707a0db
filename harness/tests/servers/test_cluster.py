"""Clusters: which slot a key is in, and what the nodes tell of themselves."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from respmark.contract.trial import Endpoint
from respmark.errors import ServerError
from respmark.servers.cluster import Cluster, found_cluster, slot_of, slots_of
from tests.fake_node import FakeControl

HERE = Endpoint(host="127.0.0.1", port=6379)


class Clustered(FakeControl):
    """A connection to a server in cluster mode that answers CLUSTER SLOTS with these ranges of ports of primaries."""

    def __init__(self, *ranges: tuple[int, int, int]) -> None:
        super().__init__()
        self._slots = [
            [first, last, [b"", port, b"a", []], [b"10.0.0.7", port + 10, b"b", []]] for first, last, port in ranges
        ]

    def command(self, *words: str | bytes | int) -> Any:  # noqa: ANN401 - as its base class
        """Answer as a server in cluster mode does."""
        return self._slots if words == ("CLUSTER", "SLOTS") else super().command(*words)


@pytest.mark.parametrize(
    ("key", "slot"),
    [(b"foo", 12182), (b"123456789", 12739), (b"{foo}bar", 12182), (b"a{foo}{bar}", 12182), (b"{}foo", 9500)],
)
def test_a_key_is_in_the_slot_of_its_tag_or_of_its_name(key: bytes, slot: int) -> None:
    """The slots are those that servers tell (CLUSTER KEYSLOT)."""
    assert slot_of(key) == slot


@pytest.mark.parametrize("digits", [7, 12])
@pytest.mark.parametrize("prefix", [b"respmark:0a1b2c3d:key:", b"respmark:{0a1b2c3d}:key:"])
def test_the_slots_of_many_keys_are_those_of_each(prefix: bytes, digits: int) -> None:
    numbers = np.array([0, 7, 10, 99, 12_345, 9_999_999], dtype=np.uint32)
    keys = [prefix + b"%0*d" % (digits, number) for number in numbers.tolist()]
    assert slots_of(prefix, digits, numbers).tolist() == [slot_of(key) for key in keys]


def test_each_key_is_written_to_the_node_that_holds_its_slot() -> None:
    """What is left over by one is held by another, and all keys of a slot can be in one command."""
    cluster = found_cluster(Clustered((0, 8_191, 7000), (8_192, 16_383, 7001)))
    keys = np.arange(1_000, dtype=np.uint32)
    parts = [(node.endpoint.port, numbers.tolist()) for node, numbers in cluster.split(b"key:", 7, keys)]
    assert sorted(number for _, numbers in parts for number in numbers) == keys.tolist()
    for port, numbers in parts:
        assert {cluster.holding(b"key:%07d" % number).endpoint.port for number in numbers} == {port}
    together = list(cluster.together([b"foo", b"bar", b"{foo}1"]))
    assert [sorted(names) for _, names in together] == [[b"bar"], [b"foo", b"{foo}1"]]


def test_nodes_are_found_where_they_say_that_they_are() -> None:
    """One that does not know its own address is where it was asked."""
    cluster = found_cluster(Clustered((0, 8_191, 7000), (8_192, 16_383, 7000)))
    assert isinstance(cluster, Cluster)
    assert [(node.endpoint.host, node.endpoint.port) for node in cluster.nodes] == [("127.0.0.1", 7000)]
    assert [(node.endpoint.host, node.endpoint.port) for node in cluster.replicas] == [("10.0.0.7", 7010)]


@pytest.mark.parametrize(("ranges", "missing"), [([], "16,384"), ([(0, 8_000, 7000)], "8,383")])
def test_slots_without_a_server_are_reported(ranges: Sequence[tuple[int, int, int]], missing: str) -> None:
    """A cluster that is not complete refuses commands, some or all."""
    with pytest.raises(ServerError, match=f"cluster mode, and {missing} of 16,384 slots have no server: give it all"):
        found_cluster(Clustered(*ranges))
