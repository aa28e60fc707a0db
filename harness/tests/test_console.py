"""The way to the terminal: text gives no orders, and a reader that has gone ends nothing."""

import errno
import io
import os
import sys

import pytest
from rich.table import Table
from rich.text import Text

from respmark.console import Output, SafeConsole, check_written, write_out
from respmark.errors import OutputError

ORDERS = "\x1b[2J\x9b31m\u202e[red]:smile:"
SHOWN = "\N{REPLACEMENT CHARACTER}[2J\N{REPLACEMENT CHARACTER}31m\N{REPLACEMENT CHARACTER}[red]:smile:"


class Failing(io.StringIO):
    """A stream that cannot be written."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self._number = number

    def write(self, _text: str) -> int:
        """Fail as the system does."""
        raise OSError(self._number, os.strerror(self._number))


def printed(*things: object) -> str:
    file = io.StringIO()
    SafeConsole(file=file, width=120).print(*things)
    return file.getvalue()


def test_text_gives_no_orders() -> None:
    """As a string, as text, and in a table's head and cells."""
    table = Table(ORDERS)
    table.add_row(ORDERS)
    assert printed(ORDERS).rstrip() == SHOWN
    assert printed(Text(ORDERS)).rstrip() == SHOWN
    assert printed(table).count(SHOWN) == 2


@pytest.mark.parametrize("stream", [Failing(errno.EPIPE), Failing(errno.EIO), None])
def test_a_reader_that_has_gone_is_no_fault(monkeypatch: pytest.MonkeyPatch, stream: Failing | None) -> None:
    """The pipe is closed, the terminal has disappeared, or there is no output at all."""
    monkeypatch.setattr(sys, "stdout", stream)
    write_out("nobody reads this")
    check_written()
    assert not Output("stdout").isatty()


def test_a_full_disk_is_reported_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not in the middle: what is measured goes on; and once. Where errors cannot be told, there is nobody to tell."""
    for name in ("stdout", "stderr"):
        monkeypatch.setattr(sys, name, Failing(errno.ENOSPC))
    Output("stderr").write("an error")
    check_written()
    write_out("a table")
    with pytest.raises(OutputError, match="No space left on device"):
        check_written()
    check_written()
