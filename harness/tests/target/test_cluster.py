"""Cluster mode, as a server tells it."""

import re
from collections.abc import Sequence
from typing import Any

import pytest

from respmark.errors import TargetError
from respmark.target.info import keys_share_a_slot
from respmark.workload.columns import draw_prefix
from tests.fakes import FakeControl


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


def test_a_server_outside_a_cluster_is_not_asked_for_slots() -> None:
    """Its user may not be allowed to, and its keys are what they always were."""
    control = FakeControl()
    assert not keys_share_a_slot(control)
    assert control.commands == [("INFO", "cluster")]


@pytest.mark.parametrize("ranges", [[(0, 16_383, b"a")], [(0, 99, b"a"), (101, 16_383, b"a"), (100, 100, b"a")]])
def test_a_shard_that_has_all_slots_is_measured(ranges: Sequence[tuple[int, int, bytes]]) -> None:
    """In one range or several; the keys of a unit must then be in one slot."""
    assert keys_share_a_slot(Clustered(*ranges))


def test_several_shards_are_refused() -> None:
    """Before anything starts: clients of clusters are not measured yet."""
    with pytest.raises(TargetError, match=r"a cluster of 2 shards; .* not measure clients of clusters yet: name"):
        keys_share_a_slot(Clustered((0, 8_000, b"a"), (8_001, 16_383, b"b")))


@pytest.mark.parametrize(("ranges", "missing"), [([], "16,384"), ([(0, 8_000, b"a")], "8,383")])
def test_slots_without_a_server_are_told(ranges: Sequence[tuple[int, int, bytes]], missing: str) -> None:
    """A cluster that is not complete refuses commands, some or all."""
    with pytest.raises(TargetError, match=f"cluster mode, and {missing} of 16,384 slots have no server: give it all"):
        keys_share_a_slot(Clustered(*ranges))


def test_keys_that_share_a_slot_still_match_the_pattern_that_users_allow() -> None:
    """`~respmark:*` in an ACL covers them; only the drawn digits are hashed."""
    assert re.fullmatch(r"respmark:\{[0-9a-f]{8}\}:", draw_prefix(one_slot=True))
