"""A reply that does not follow from its command is found."""

from collections.abc import Callable
from typing import Any

import pytest

from respmark_python.errors import RunnerError, TargetError, WrongReplyError
from respmark_python.verification.verifier import Verifier
from respmark_python.workload.workload import Workload

REPLIES = {"SET": True, "PING": True, "GETRANGE": b"anything"}


class FakeSession:
    """A session of a library whose OK and PONG are True."""

    ok = pong = True

    def __init__(self, decodes_to: str = "bytes") -> None:
        self.decodes_to = decodes_to

    def refusal(self, error: Exception) -> TargetError | None:
        """Take a ConnectionError for a refusal."""
        return TargetError("refused") if isinstance(error, ConnectionError) else None


@pytest.fixture
def verifier(workload: Workload) -> Verifier:
    """Return the golden workload's verifier."""
    return Verifier(workload, FakeSession())  # type: ignore[arg-type]


def right_reply(workload: Workload, index: int) -> Any:
    """Return a reply that follows from the command."""
    key = workload.columns.keys[index]
    value = workload.value(key, 40) if key < workload.numbers["preload_keys"] else None
    return REPLIES.get(workload.kind(index).name, value)


def index_of(workload: Workload, name: str, *, hit: bool = True) -> int:
    """Return the first command of this name whose key was preloaded, or was not."""
    for index in range(workload.commands):
        if workload.kind(index).name == name and (workload.columns.keys[index] < 40) == hit:
            return index
    raise AssertionError(name)


def test_right_replies_pass(verifier: Verifier, workload: Workload) -> None:
    """Every command's right reply passes, also beyond the workload's end."""
    replies = [right_reply(workload, index % workload.commands) for index in range(100, 400)]
    assert verifier.check(100, replies, 300) == 300


@pytest.mark.parametrize(
    ("name", "hit", "spoil", "message"),
    [
        ("GET", True, lambda _: None, "preload the target"),
        ("GET", True, lambda value: value[:3], "has 3 bytes, which is no size"),
        ("GET", True, lambda value: value * 4, "has 160 bytes, which is no size"),
        ("GET", True, lambda value: value[1:], "is not the value of its key"),
        ("GET", False, lambda _: b"surprise", "must be None, not b'surprise'"),
        ("SET", True, lambda _: None, "must be True, not None"),
        ("PING", True, lambda _: b"PONG?", r"must be True, not b'PONG\?'"),
        ("GETRANGE", True, lambda _: ValueError("bad"), r"failed in verification \(ValueError: bad\)"),
    ],
)
def test_wrong_replies_are_found(
    verifier: Verifier, workload: Workload, *, name: str, hit: bool, spoil: Callable[[Any], Any], message: str
) -> None:
    """A wrong reply ends the trial with exit code 1 and names its command."""
    index = index_of(workload, name, hit=hit)
    with pytest.raises(WrongReplyError, match=message) as caught:
        verifier.check(index, [spoil(right_reply(workload, index))], 1)
    assert f"command {index} of the workload, {name}" in str(caught.value)
    assert caught.value.exit_code == 1


def test_a_value_of_the_other_kind_is_wrong(workload: Workload) -> None:
    """Who says that replies are decoded to text must have text: bytes would be cheaper."""
    index = index_of(workload, "GET")
    value = right_reply(workload, index)
    verifier = Verifier(workload, FakeSession("text"))  # type: ignore[arg-type]
    assert verifier.check(index, [value.decode()], 1) == 1
    with pytest.raises(WrongReplyError, match="is not the value of its key"):
        verifier.check(index, [value], 1)


def test_lost_replies_are_found(verifier: Verifier, workload: Workload) -> None:
    """As many replies must come as commands were sent."""
    with pytest.raises(WrongReplyError, match="2 commands were sent, 1 replies came"):
        verifier.check(0, [right_reply(workload, 0)], 2)


@pytest.mark.parametrize(("error", "code"), [(ConnectionError("no"), 4), (ValueError("no"), 1)])
def test_a_failed_unit_is_a_refusal_or_a_wrong_reply(verifier: Verifier, error: Exception, code: int) -> None:
    """What the target refuses as a whole is its own exit code."""
    failure: RunnerError = verifier.failure(0, error)
    assert failure.exit_code == code
