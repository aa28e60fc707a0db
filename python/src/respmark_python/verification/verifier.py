"""Checks replies against the workload, before any slice."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from respmark_python.clients.session import Session
from respmark_python.contract.fields import show
from respmark_python.errors import RunnerError, WrongReplyError
from respmark_python.workload.workload import Word, Workload


class Verifier:
    """Knows what the reply to every command of the workload must be."""

    def __init__(self, workload: Workload, session: Session) -> None:
        self._workload = workload
        self._session = session

    def check(self, first: int, replies: Sequence[Any], commands: int) -> int:
        """Check the replies to `commands` commands from number `first` on; return how many there were.

        Raises:
            WrongReplyError: a reply is not what its command must return, or there are too few or too many.
        """
        if len(replies) != commands:
            raise WrongReplyError(f"{commands} commands were sent, {len(replies)} replies came: the client lost count")
        for offset, reply in enumerate(replies):
            self._check_one((first + offset) % self._workload.commands, reply)
        return commands

    def failure(self, first: int, error: Exception) -> RunnerError:
        """Return the error that ends the trial when a unit raised one in verification."""
        words = f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
        return self._session.refusal(error) or WrongReplyError(
            f"{self._name(first)}, or one in its unit, failed in verification ({words}): "
            "the target must know every command of the workload"
        )

    def _check_one(self, index: int, reply: Any) -> None:
        if isinstance(reply, Exception):
            raise self.failure(index, reply)
        if check := CHECKS.get(self._workload.kind(index).name):
            check(self, index, reply)

    def ok(self, index: int, reply: Any) -> None:
        """Check a reply that must be OK."""
        self._expect(index, reply, self._session.ok)

    def pong(self, index: int, reply: Any) -> None:
        """Check the reply to PING."""
        self._expect(index, reply, self._session.pong)

    def positive(self, index: int, reply: Any) -> None:
        """Check a reply that must be a whole number above 0."""
        if not isinstance(reply, int) or reply < 1:
            raise self._wrong(index, f"must be a whole number above 0, not {show(reply)}")

    def none_added(self, index: int, reply: Any) -> None:
        """Check the reply to a command that adds a member that already exists."""
        self._expect(index, reply, 0)

    def done(self, index: int, reply: Any) -> None:
        """Check the reply to EXPIRE: the key exists."""
        self._expect(index, reply, 1)

    def value(self, index: int, reply: Any) -> None:
        """Check the reply to GET."""
        self._check_value(index, self._workload.columns.keys[index], reply)

    def values(self, index: int, reply: Any) -> None:
        """Check the reply to MGET."""
        offsets = [argument.offset for argument in self._workload.kind(index).arguments]
        for offset, value in zip(offsets, self._several(index, reply, len(offsets)), strict=True):
            self._check_value(index, self._workload.columns.keys[index] + offset, value)

    def elements(self, index: int, reply: Any) -> None:
        """Check the reply to LRANGE: every list has all the elements that the indexes select."""
        _, first, last = self._workload.kind(index).arguments
        for value in self._several(index, reply, int(last.text) - int(first.text) + 1):
            self._check_value(index, self._workload.columns.keys[index], value)

    def fields(self, index: int, reply: Any) -> None:
        """Check the reply to HGETALL."""
        # RESP2 has no mappings: a library that does not make one returns fields and values in turn.
        values = list(reply.values()) if isinstance(reply, dict) else reply[1::2] if isinstance(reply, list) else reply
        for value in self._several(index, values, self._workload.numbers["hash_fields"]):
            self._check_value(index, self._workload.columns.keys[index], value)

    def _several(self, index: int, reply: Any, count: int) -> list[Any]:
        if not isinstance(reply, list) or len(reply) != count:
            raise self._wrong(index, f"must be {count} values, not {show(reply)}")
        return reply

    def _expect(self, index: int, reply: Any, expected: object) -> None:
        if reply != expected:
            raise self._wrong(index, f"must be {expected!r}, not {show(reply)}")

    def _check_value(self, index: int, key: int, reply: Any) -> None:
        numbers = self._workload.numbers
        if key >= numbers["preload_keys"]:
            return self._expect(index, reply, None)
        if reply is None:
            raise self._wrong(index, "must be a value, but the key does not exist: preload the target")
        if not numbers["value_size_min"] <= len(reply) <= numbers["value_size_max"]:
            raise self._wrong(index, f"has {len(reply)} bytes, which is no size of this workload")
        if reply != self._value(key, len(reply)):
            raise self._wrong(index, f"is not the value of its key: {show(reply)}")
        return None

    def _value(self, key: int, size: int) -> Word:
        value = self._workload.value(key, size)
        return value.decode() if self._session.decodes_to == "text" else value

    def _wrong(self, index: int, problem: str) -> WrongReplyError:
        return WrongReplyError(f"the reply to {self._name(index)} {problem}")

    def _name(self, index: int) -> str:
        return f"command {index} of the workload, {self._workload.line(index)}"


CHECKS: Final[Mapping[str, Callable[[Verifier, int, Any], None]]] = {
    "PING": Verifier.pong,
    "GET": Verifier.value,
    "MGET": Verifier.values,
    **dict.fromkeys(("SET", "MSET", "LTRIM"), Verifier.ok),
    **dict.fromkeys(("INCRBY", "LPUSH"), Verifier.positive),
    **dict.fromkeys(("SADD", "ZADD"), Verifier.none_added),
    "EXPIRE": Verifier.done,
    "LRANGE": Verifier.elements,
    "HGETALL": Verifier.fields,
}
"""How the reply to each command is checked; replies to other commands need only not be errors."""
