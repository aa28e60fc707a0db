"""Workloads that change nothing but the run's own keys, and others."""

import pytest

from respmark.errors import InvalidRequestError
from respmark.servers.preload import check_commands
from respmark.workload.spec import Argument, CommandSpec, KeyArgument, LiteralArgument, ValueArgument
from respmark.workload.workload import generate
from tests.builders.plan import SHIPPED, tiny_workload

KEY, VALUE, TEXT = KeyArgument(), ValueArgument(), LiteralArgument(text="1")


@pytest.mark.parametrize(
    ("name", "arguments", "keys"),
    [
        # Reading may go beyond the 8 keys that are written, to measure misses.
        ("GET", (KEY,), 10),
        ("LINDEX", (KEY, TEXT), 10),
        ("MGET", (KEY, KEY), 10),
        ("SET", (KEY, VALUE), 8),
        ("MSET", (KEY, VALUE, KEY, VALUE), 8),
        ("UNLINK", (KEY, KEY), 8),
        ("ECHO", (TEXT,), 8),
    ],
)
def test_commands_on_the_runs_own_keys_are_sent(name: str, arguments: tuple[Argument, ...], keys: int) -> None:
    """They change nothing else."""
    check_commands(tiny_workload(mix=(CommandSpec(name=name, share=1.0, keys=keys, arguments=arguments),)))


@pytest.mark.parametrize(
    ("name", "arguments", "keys"),
    [
        ("FLUSHALL", (), 8),
        ("EVAL", (TEXT, TEXT, KEY), 8),
        ("RENAME", (KEY, TEXT), 8),
        ("SET", (TEXT, KEY), 8),
        ("SET", (), 8),
        ("MSET", (KEY, VALUE, TEXT, KEY), 8),
        ("UNLINK", (KEY, TEXT), 8),
        ("SELECT", (TEXT,), 8),
        # A name of ours that was never proved free: beyond the keys that are written.
        ("INCR", (KEY,), 10),
    ],
)
def test_commands_that_could_change_other_keys_are_refused(
    name: str, arguments: tuple[Argument, ...], keys: int
) -> None:
    """Before anything is sent."""
    with pytest.raises(InvalidRequestError, match=f"workload `tiny` has {name}, which may change keys"):
        check_commands(tiny_workload(mix=(CommandSpec(name=name, share=1.0, keys=keys, arguments=arguments),)))


ONLY_SPAWNED = {
    *("auth-get", "block", "eval", "evalsha", "keys", "poll", "scan", "select-get", "sort-10k"),
    *("get-beside-get", "get-beside-hgetall", "get-beside-lrange", "get-beside-smembers", "get-beside-sort"),
    *("publish-1", "publish-10", "publish-100"),
    *("queue-block", "queue-poll", "keys-1m", "scan-1m", "get-beside-keys-1m", "get-beside-scan-1m"),
}
"""What could hurt others on a server of the user's own: the practices that are bad advice, and scripts."""


@pytest.mark.parametrize("name", sorted(ONLY_SPAWNED))
def test_bad_practices_are_for_servers_that_respmark_starts(name: str) -> None:
    """KEYS alone would stop a production server."""
    spec = SHIPPED.workload(name).model_copy(update={"commands": 1000})
    with pytest.raises(InvalidRequestError, match=r"measure (it|this workload) on a server that respmark starts"):
        check_commands(generate(spec, 1))


@pytest.mark.parametrize("name", sorted(set(SHIPPED.names("workloads")) - ONLY_SPAWNED))
def test_every_other_shipped_workload_may_be_sent(name: str) -> None:
    """They are what users measure their servers with."""
    spec = SHIPPED.workload(name).model_copy(update={"commands": 1000})
    check_commands(generate(spec, 1))
