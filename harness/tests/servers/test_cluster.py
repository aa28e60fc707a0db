"""Cluster mode, as a server tells it."""

from collections.abc import Sequence
from typing import Any

import pytest

from respmark.errors import TargetError
from respmark.servers.info import keys_share_a_slot
from tests.fake_server import FakeControl


class Clustered(FakeControl):
    """A connection to a server in cluster mode that answers CLUSTER SLOTS with these ranges of these shards."""

    def __init__(self, *ranges: tuple[int, int, bytes]) -> None:
        super().__init__()
        self._slots = [[first, last, [b"", 6379, shard], [b"", 6380, b"replica"]] for first, last, shard in ranges]

    def command(self, *words: str | bytes | int) -> Any:  # noqa: ANN401 - as its base class
        """Answer as a server in cluster mode does."""
        if words == ("INFO", "cluster"):
            return b"# Cluster\r\ncluster_enabled:1\r\n"
        return self._slots if words == ("CLUSTER", "SLOTS") else super().command(*words)


def test_several_shards_are_refused() -> None:
    """Before anything starts: clients of clusters are not measured yet."""
    with pytest.raises(TargetError, match=r"a cluster of 2 shards; .* not measure clients of clusters yet: name"):
        keys_share_a_slot(Clustered((0, 8_000, b"a"), (8_001, 16_383, b"b")))


@pytest.mark.parametrize(("ranges", "missing"), [([], "16,384"), ([(0, 8_000, b"a")], "8,383")])
def test_slots_without_a_server_are_reported(ranges: Sequence[tuple[int, int, bytes]], missing: str) -> None:
    """A cluster that is not complete refuses commands, some or all."""
    with pytest.raises(TargetError, match=f"cluster mode, and {missing} of 16,384 slots have no server: give it all"):
        keys_share_a_slot(Clustered(*ranges))
