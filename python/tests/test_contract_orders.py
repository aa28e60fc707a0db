"""Orders are read as the contract says, and refused when they are malformed or not due."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from paths import GOLDEN
from respmark_python.contract.orders import SliceOrder
from respmark_python.errors import InvalidInputError, RunnerError
from respmark_python.main.channel import Channel
from runner import slice_order

VALID = sorted((GOLDEN / "orders" / "valid").glob("*.json"))
INVALID = sorted((GOLDEN / "orders" / "invalid").glob("*.json"))


def orders(*messages: Any) -> Channel:
    """Return orders that wait to be read: objects, or lines as they stand."""
    lines = [message if isinstance(message, str) else json.dumps(message) + "\n" for message in messages]
    return Channel(io.StringIO("".join(lines)))


def obey(path: Path) -> SliceOrder | None:
    """Read a golden order where it is due."""
    order = json.loads(path.read_text())
    if order.get("order") != "connect":
        return orders(order).await_slice()
    orders(order).await_connect()
    return None


@pytest.mark.parametrize("path", VALID, ids=lambda path: path.stem)
def test_valid_golden_orders_are_read(path: Path) -> None:
    """Every golden order that the contract calls valid is accepted, each of its fields as it stands."""
    golden = json.loads(path.read_text())
    order = obey(path)
    assert (vars(order) if order else {}) == {name: value for name, value in golden.items() if name != "order"}


@pytest.mark.parametrize("path", INVALID, ids=lambda path: path.stem)
def test_invalid_golden_orders_are_refused(path: Path) -> None:
    """Every golden order that the contract calls invalid is exit code 2, with what was due."""
    with pytest.raises(InvalidInputError, match=r"^order.*; due: slice or finish$") as caught:
        obey(path)
    assert caught.value.exit_code == 2


def test_golden_orders_exist() -> None:
    """The two tests above have something to read."""
    assert len(VALID) >= 5
    assert len(INVALID) >= 10


def test_there_may_be_no_lead_in() -> None:
    """A slice without `lead_in_ns` has none."""
    order = slice_order()
    del order["lead_in_ns"]
    assert orders(order).await_slice() == SliceOrder(1, 20_000_000, 0, 0, keep_samples=True)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("go\n", "order is not one line of JSON"),
        ("[]\n", "order must be an object, not []"),
        ({"order": "go"}, "order.order must be one of connect, slice, finish, not 'go'"),
        (slice_order(duration_ns=0), "order.duration_ns must be a whole number of at least 1, not 0"),
        (slice_order(first_command=1.5), "order.first_command must be a whole number of at least 0, not 1.5"),
        (slice_order(warm=True), "order.warm is unknown; known are order, slice, duration_ns"),
        ({"order": "connect"}, "the order connect is not due"),
    ],
)
def test_messages_say_which_order_and_what_was_wrong(line: Any, message: str) -> None:
    """A refusal names the order, its field, and what was due instead."""
    with pytest.raises(InvalidInputError) as caught:
        orders(line).await_slice()
    assert message in str(caught.value)
    assert str(caught.value).endswith("; due: slice or finish")


@pytest.mark.parametrize("order", [slice_order(), {"order": "finish"}], ids=["slice", "finish"])
def test_nothing_comes_before_connect(order: dict[str, Any]) -> None:
    """Only `connect` is due at first."""
    with pytest.raises(InvalidInputError, match=f"the order {order['order']} is not due; due: connect"):
        orders(order).await_connect()


def test_nothing_comes_after_finish() -> None:
    """After `finish` only the end of standard input is due."""
    orders().await_end()
    with pytest.raises(InvalidInputError, match="the order slice is not due; due: the end of standard input") as caught:
        orders(slice_order()).await_end()
    assert caught.value.exit_code == 2


def test_a_harness_that_is_gone_ends_the_trial() -> None:
    """The end of standard input before the result is exit code 1."""
    with pytest.raises(RunnerError, match="standard input ended before the result; due: slice or finish") as caught:
        orders().await_slice()
    assert caught.value.exit_code == 1
