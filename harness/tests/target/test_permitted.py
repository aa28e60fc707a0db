"""Workloads that change nothing but the run's own keys, and others."""

import re
from typing import Any

import pytest

from respmark.errors import InvalidRequestError
from respmark.target.permitted import check_commands
from respmark.workload.generate import generate
from respmark.workload.spec import Argument, CommandSpec, KeyArgument, LiteralArgument, ValueArgument
from tests.builders.plan import SHIPPED, tiny_workload

KEY, VALUE, TEXT = KeyArgument(), ValueArgument(), LiteralArgument(text="1")


def check(name: str, *arguments: Argument, keys: int = 8) -> None:
    """Check a workload of one command."""
    check_commands(tiny_workload(mix=(CommandSpec(name=name, share=1.0, keys=keys, arguments=arguments),)))


@pytest.mark.parametrize(
    ("name", "arguments", "changes"),
    [
        ("GET", (KEY,), {"keys": 10}),
        ("SET", (KEY, VALUE), {}),
        ("DECRBY", (KEY, TEXT), {}),
        ("LINDEX", (KEY, TEXT), {"keys": 10}),
        ("MSET", (KEY, VALUE, KEY, VALUE), {}),
        ("MGET", (KEY, KEY), {"keys": 10}),
        ("UNLINK", (KEY, KEY), {}),
        ("PING", (), {}),
        ("ECHO", (TEXT,), {}),
    ],
)
def test_commands_on_the_runs_own_keys_are_sent(name: str, arguments: tuple[Argument, ...], changes: Any) -> None:  # noqa: ANN401 - keywords
    """Reading may go beyond the keys that are written, to measure misses."""
    check(name, *arguments, **changes)


@pytest.mark.parametrize(
    ("name", "arguments", "changes"),
    [
        ("FLUSHALL", (), {}),
        ("FLUSHDB", (), {}),
        ("EVAL", (TEXT, TEXT, KEY), {}),
        ("RENAME", (KEY, TEXT), {}),
        ("COPY", (KEY, TEXT), {}),
        ("SET", (TEXT, KEY), {}),
        ("SET", (), {}),
        ("GET", (TEXT,), {}),
        ("MSET", (KEY, VALUE, TEXT, KEY), {}),
        ("UNLINK", (KEY, TEXT), {}),
        ("SELECT", (TEXT,), {}),
        ("INCR", (KEY,), {"keys": 10}),
    ],
)
def test_commands_that_could_change_other_keys_are_refused(
    name: str,
    arguments: tuple[Argument, ...],
    changes: Any,  # noqa: ANN401 - keywords
) -> None:
    """Also those that could write a name of ours that was never proved free: keys beyond the preloaded."""
    with pytest.raises(InvalidRequestError, match=re.escape(f"workload `tiny` has {name}, which may change keys")):
        check(name, *arguments, **changes)


@pytest.mark.parametrize("name", SHIPPED.names("workloads"))
def test_every_shipped_workload_may_be_sent(name: str) -> None:
    """They are what users measure their servers with."""
    spec = SHIPPED.workload(name).model_copy(update={"commands": 1000})
    check_commands(generate(spec, 1))
