"""The only way to standard output and standard error: text that is not ours cannot control the terminal."""

import contextlib
import errno
import io
import os
import sys
from collections.abc import Iterable, Iterator
from typing import IO, Any, Final, Literal, TextIO, cast

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Column, Table
from rich.text import Text

from respmark.errors import OutputError
from respmark.escaping import lines

READABLE_WIDTH: Final = 100
"""Columns if there is no terminal to ask."""
NO_READER: Final = frozenset({errno.EPIPE, errno.EIO})
"""The pipe is closed, or the terminal has disappeared."""

_failures: Final[list[OSError]] = []


def check_written() -> None:
    """Check, at the end of a command, that all its standard output was written."""
    Output("stdout").flush()
    if _failures:
        message = f"cannot write to standard output: {_failures[0].strerror}"
        _failures.clear()
        raise OutputError(message)


class Output:
    """Standard output or standard error, which a run outlives: what cannot be written is dropped."""

    def __init__(self, name: Literal["stdout", "stderr"]) -> None:
        self._name = name

    @property
    def _stream(self) -> TextIO:
        stream = getattr(sys, self._name) or io.StringIO()  # Python's None is a closed descriptor
        # While rich draws a live line, the stream is a proxy that writes to the console, which writes to us.
        return cast("TextIO", getattr(stream, "rich_proxied_file", stream))

    def write(self, text: str) -> int:
        """Write text; if it cannot be written any more, drop it."""
        with self._dropped():
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        """Write what is buffered; see `write`."""
        with self._dropped():
            self._stream.flush()

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - as the stream
        return getattr(self._stream, name)

    @contextlib.contextmanager
    def _dropped(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            # To /dev/null from now on: the interpreter writes what is still buffered when it ends.
            with contextlib.suppress(OSError, ValueError), open(os.devnull, "wb") as nowhere:  # noqa: PTH123 - no path
                os.dup2(nowhere.fileno(), self.fileno())
            if error.errno not in NO_READER and self._name == "stdout":
                _failures.append(error)


class SafeConsole(Console):
    """A console that never interprets what it prints: no control characters, no markup."""

    def __init__(self, name: Literal["stdout", "stderr"] = "stdout", **options: Any) -> None:  # noqa: ANN401 - rich's
        output = cast("IO[str]", Output(name))
        given: dict[str, Any] = {"markup": False, "emoji": False, "highlight": False, "file": output, **options}
        super().__init__(stderr=name == "stderr", **given)

    def render_str(self, text: str, **options: Any) -> Text:  # noqa: ANN401 - rich's
        """Turn a string into text as rich does, made harmless before its width is measured."""
        return super().render_str(lines(text), **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Render as rich does, with each piece of text made harmless; only rich itself moves the cursor."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(lines(segment.text), segment.style)


def report_console() -> SafeConsole:
    """Return a console with the terminal's width; for a file or pipe with that of COLUMNS, or READABLE_WIDTH."""
    console = SafeConsole()
    return console if console.is_terminal or os.environ.get("COLUMNS") else SafeConsole(width=READABLE_WIDTH)


def line_console() -> SafeConsole:
    """Return a console that leaves long lines whole."""
    return SafeConsole(soft_wrap=True)


def error_console() -> SafeConsole:
    """Return the console for errors and warnings, on standard error."""
    return SafeConsole("stderr", soft_wrap=True)


def grid(*columns: str | Column) -> Table:
    """Return a table without a frame, whose cells are broken into lines where there is no room."""
    folded = (one if isinstance(one, Column) else Column(one, overflow="fold") for one in columns)
    return Table(*folded, show_edge=False, pad_edge=False, header_style="bold")


def write_out(text: str) -> None:
    """Write a document to standard output as it is: its writer has made it harmless."""
    Output("stdout").write(text)
