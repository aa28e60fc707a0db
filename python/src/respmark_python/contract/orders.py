"""The harness's orders: one JSON object a line, each refused when it is not due."""

from dataclasses import dataclass
from typing import Final, Protocol

from respmark_python.contract.fields import Fields, boolean, one_of, parse_json, whole
from respmark_python.errors import InvalidInputError, RunnerError

ORDERS: Final = ("connect", "slice", "finish")


@dataclass(frozen=True)
class SliceOrder:
    """Work for one slice now."""

    slice: int
    duration_ns: int
    lead_in_ns: int
    first_command: int
    keep_samples: bool


class Lines(Protocol):
    """What orders are read from."""

    def readline(self) -> bytes | str:
        """Return the next line, empty at the end."""


class Orders:
    """Reads orders and refuses those that are not due."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._read = 0

    def await_connect(self) -> None:
        """Wait for `connect`."""
        self._await("connect")

    def await_slice(self) -> SliceOrder | None:
        """Wait for `slice` and return it; None: it is `finish` instead."""
        return self._await("slice", "finish")

    def await_end(self) -> None:
        """Wait for the end of standard input.

        Raises:
            InvalidInputError: another line came instead.
        """
        if line := self._lines.readline():
            raise InvalidInputError(f"{line[:60]!r} came after finish; due: the end of standard input")

    def _await(self, *due: str) -> SliceOrder | None:
        line, due_now = self._lines.readline(), f"due: {' or '.join(due)}"
        if not line:
            raise RunnerError(f"standard input ended before `result`: the harness is gone; {due_now}")
        self._read += 1
        try:
            name, order = _parse(line, f"order {self._read}")
        except InvalidInputError as error:
            raise InvalidInputError(f"{error}; {due_now}") from error
        if name not in due:
            raise InvalidInputError(f"order {self._read} is {name}, which is not due; {due_now}")
        return order


def _parse(line: bytes | str, where: str) -> tuple[str, SliceOrder | None]:
    fields = Fields(parse_json(line, where), where)
    name = fields.take("order", one_of(ORDERS))
    order = _slice(fields) if name == "slice" else None
    fields.finish()
    return name, order


def _slice(fields: Fields) -> SliceOrder:
    return SliceOrder(
        slice=fields.take("slice", whole(1)),
        duration_ns=fields.take("duration_ns", whole(1)),
        lead_in_ns=fields.take("lead_in_ns", whole(0), 0),
        first_command=fields.take("first_command", whole(0)),
        keep_samples=fields.take("keep_samples", boolean),
    )
