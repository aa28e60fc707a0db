"""Replies against the workload, whatever words a library has for them."""

import base64
from typing import Any

import pytest

from respmark.workload.replies import wrong_reply
from respmark.workload.workload import Workload, generate
from tests.builders.plan import SHIPPED

WORKLOAD: Workload = generate(SHIPPED.workload("conform-commands"), 1)


def first(name: str, *, hits: bool = True) -> tuple[int, int]:
    for index, kind in enumerate(WORKLOAD.kinds):
        key = int(WORKLOAD.keys[index])
        if WORKLOAD.header.mix[kind].name == name and (key + 20 < WORKLOAD.header.preload_keys) == hits:
            return index, key
    message = f"no {name}"
    raise AssertionError(message)


def value(key: int) -> str:
    return WORKLOAD.value(key, WORKLOAD.header.sizes.min_bytes).decode()


def as_bytes(text: str) -> dict[str, str]:
    return {"bytes": base64.b64encode(text.encode()).decode()}


@pytest.mark.parametrize("form", [str, as_bytes])
def test_a_value_is_its_keys(form: Any) -> None:  # noqa: ANN401 - a function of text
    """As text or as bytes; another key's is wrong."""
    index, key = first("GET")
    assert wrong_reply(WORKLOAD, index, [form(value(key))]) is None
    said = wrong_reply(WORKLOAD, index, [form(value(key + 1))]) or ""
    assert said.startswith(f"the reply to command {index} of the workload, GET {WORKLOAD.key(key).decode()}, must be")
    assert "must be the value of its key, not '" in said
    assert "a value of" in (wrong_reply(WORKLOAD, index, [form("")]) or "")


@pytest.mark.parametrize("reply", [None, 7, True, [], {"bytes": "?"}])
def test_what_is_no_value_is_wrong(reply: Any) -> None:  # noqa: ANN401 - as JSON has it
    """A key that was preloaded has one."""
    assert "must be a value, not " in (wrong_reply(WORKLOAD, first("GET")[0], [reply]) or "")


@pytest.mark.parametrize(("reply", "is_right"), [(None, True), (False, True), ("x", False), (0, False)])
def test_a_replica_may_not_have_yet_what_was_written(reply: Any, is_right: bool) -> None:  # noqa: ANN401, FBT001 - as above
    """But nothing else than the value."""
    workload = generate(SHIPPED.workload("read-own-writes"), 1)
    assert (wrong_reply(workload, 1, [reply]) is None) is is_right


@pytest.mark.parametrize(("reply", "is_right"), [(None, True), (False, True), ("x", False), (0, False)])
def test_a_missing_key_is_null_or_false(reply: Any, is_right: bool) -> None:  # noqa: ANN401, FBT001 - as above
    """As the library has it."""
    assert (wrong_reply(WORKLOAD, first("GET", hits=False)[0], [reply]) is None) == is_right


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("SET", ["OK", True, as_bytes("OK"), None], ["QUEUED", 1]),
        ("LTRIM", ["OK", True, None], ["no"]),
        ("INCRBY", [1, 2], [0, "1", None]),
        ("SADD", [0, False], [1, True, None]),
        ("SETEX", ["OK", True, as_bytes("OK"), None], ["QUEUED", 1]),
        ("EXPIRE", [1, True], [0, False]),
        ("GETRANGE", ["anything"], []),
    ],
)
def test_libraries_have_other_words_for_the_same(name: str, right: list[Any], wrong: list[Any]) -> None:
    """Equal words are equal, and others are not."""
    index, _ = first(name)
    assert [wrong_reply(WORKLOAD, index, [reply]) for reply in right] == [None] * len(right)
    assert all(wrong_reply(WORKLOAD, index, [reply]) for reply in wrong)


def test_several_values_are_checked_one_by_one() -> None:
    """Of MGET's keys, of a list, of a hash in either form."""
    index, key = first("MGET")
    keys = [key + one.offset for one in WORKLOAD.header.mix[WORKLOAD.kinds[index]].arguments if one.kind == "key"]
    assert wrong_reply(WORKLOAD, index, [[value(one) for one in keys]]) is None
    assert "must be" in (wrong_reply(WORKLOAD, index, [[value(one + 1) for one in keys]]) or "")
    assert f"must be {len(keys)} values" in (wrong_reply(WORKLOAD, index, [[value(key)] * (len(keys) + 1)]) or "")
    index, key = first("HGETALL")
    fields = [[f"field:{i:02d}", value(key)] for i in range(WORKLOAD.header.hash_fields)]
    assert wrong_reply(WORKLOAD, index, [{"map": fields}]) is None
    assert wrong_reply(WORKLOAD, index, [[word for pair in fields for word in pair]]) is None
    assert wrong_reply(WORKLOAD, index, [{"map": fields[:-1]}]) is not None


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("poll", [None, False, []], ["x", 7]),
        ("block", [None, []], [["key", "x"]]),
        ("keys", [["key:1"]], [[], None, "key:1"]),
        ("scan", [["7", ["key:1"]], [7, []]], [[], ["7"], "7"]),
        ("select-get", ["OK", True], ["no", 1]),
        ("evalsha", [], [[], [None] * 10, ["x"] * 10]),
        ("publish-10", [10, [10]], [0, True, None, "10", [], [10, 10]]),
        ("sort-10k", [["0", "1"]], [[], None, "0"]),
        ("smembers-10k", [[str(one) for one in range(10_000)][::-1]], [["0"] * 10_000, ["1"], None]),
    ],
)
def test_replies_to_the_commands_of_practices(name: str, right: list[Any], wrong: list[Any]) -> None:
    """Whatever words a library has for nothing, a list, or yes."""
    workload = generate(SHIPPED.workload(name), 1)
    index = workload.kinds.tolist().index(0)
    assert [wrong_reply(workload, index, [reply]) for reply in right] == [None] * len(right)
    assert all(wrong_reply(workload, index, [reply]) for reply in wrong)
