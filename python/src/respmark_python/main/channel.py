"""Standard input and output: one JSON object per line; an order that is not due is refused."""

import sys
from collections.abc import Sequence
from typing import Any, Protocol

from respmark_python.contract.events import to_json
from respmark_python.contract.orders import SliceOrder, parse_order
from respmark_python.errors import InvalidInputError, RunnerError


class Lines(Protocol):
    """What the channel reads from."""

    def readline(self) -> bytes | str:
        """Return the next line; it is empty at the end."""


class Channel:
    """Reads the trial and the orders that follow it."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines

    def trial(self) -> bytes | str:
        """Return the line that holds the trial.

        Raises:
            InvalidInputError: standard input ended before it.
        """
        if line := self._lines.readline():
            return line
        raise InvalidInputError("standard input is empty: it must start with one trial as JSON on one line")

    def await_connect(self) -> None:
        """Wait for `connect`."""
        self._await("connect")

    def await_slice(self) -> SliceOrder | None:
        """Wait for `slice` and return it; None: `finish` came instead."""
        return self._await("slice", "finish")

    def await_end(self) -> None:
        """Wait for the end of standard input.

        Raises:
            InvalidInputError: another line came instead.
        """
        if line := self._lines.readline():
            _take(line, (), "the end of standard input")

    def _await(self, *due: str) -> SliceOrder | None:
        line, all_due = self._lines.readline(), " or ".join(due)
        if not line:
            raise RunnerError(f"standard input ended before the result; due: {all_due}")
        return _take(line, due, all_due)


def _take(line: bytes | str, due: Sequence[str], all_due: str) -> SliceOrder | None:
    try:
        name, order = parse_order(line, "order")
    except InvalidInputError as error:
        raise InvalidInputError(f"{error}; due: {all_due}") from error
    if name not in due:
        raise InvalidInputError(f"the order {name} is not due; due: {all_due}")
    return order


def say(message: Any) -> None:
    """Print the message for the harness, at once."""
    sys.stdout.write(to_json(message) + "\n")
    sys.stdout.flush()
