"""The only way to standard output and standard error: text that is not ours cannot give the terminal orders."""

import contextlib
import errno
import os
import sys
from collections.abc import Iterable, Iterator
from typing import IO, Any, Final, Literal, TextIO, cast

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from respmark.errors import OutputError
from respmark.escaping import lines

READABLE_WIDTH: Final = 100
"""Columns where there is no terminal to ask."""
NOBODY: Final = frozenset({errno.EPIPE, errno.EIO})
"""Whoever read our output is gone: the pipe is closed, or the terminal has disappeared."""


_failures: Final[list[OSError]] = []


def check_written() -> None:
    """Hold the end of a command against what it wrote to standard output.

    Raises:
        OutputError: some of it could not be written.
    """
    Output("stdout").flush()
    if _failures:
        message = f"standard output cannot be written: {_failures[0].strerror}"
        _failures.clear()
        raise OutputError(message)


class Output:
    """Standard output or standard error, as a file that outlives its reader.

    It never fails: a run goes on measuring where its progress cannot be shown, and `check_written` tells in the end.
    """

    def __init__(self, name: Literal["stdout", "stderr"]) -> None:
        self._name = name

    def write(self, text: str) -> int:
        """Write text; where it cannot be written any more, it is dropped."""
        with self._told():
            if (stream := self._stream()) is not None:
                stream.write(text)
        return len(text)

    def flush(self) -> None:
        """Write what is held back; see `write`."""
        with self._told():
            if (stream := self._stream()) is not None:
                stream.flush()

    def isatty(self) -> bool:
        """Tell whether it is a terminal."""
        stream = self._stream()
        return stream is not None and not stream.closed and stream.isatty()

    def fileno(self) -> int:
        """Return the descriptor."""
        stream = self._stream()
        if stream is None:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        return stream.fileno()

    @property
    def encoding(self) -> str:
        """Return the encoding."""
        return getattr(self._stream(), "encoding", None) or "utf-8"

    def _stream(self) -> TextIO | None:
        # While a line is drawn live, the stream is one that writes through the console that writes through us.
        stream = getattr(sys, self._name)
        return cast("TextIO | None", getattr(stream, "rich_proxied_file", stream))

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            self._let_go()
            if error.errno not in NOBODY and self._name == "stdout":
                _failures.append(error)

    def _let_go(self) -> None:
        """Send what is still to come nowhere: the interpreter writes the rest when it ends."""
        with contextlib.suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)


class SafeConsole(Console):
    """A console that takes no orders from what it prints: no control characters, no markup."""

    def __init__(self, name: Literal["stdout", "stderr"] = "stdout", **options: Any) -> None:  # noqa: ANN401 - rich's
        given: dict[str, Any] = {"markup": False, "emoji": False, "highlight": False, **options}
        given.setdefault("file", cast("IO[str]", Output(name)))
        super().__init__(stderr=name == "stderr", **given)

    def render_str(self, text: str, **options: Any) -> Text:  # noqa: ANN401 - rich's
        """Make text of a string as rich does, harmless before its width is taken."""
        return super().render_str(lines(text), **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Render as rich does, each piece of text made harmless; what moves the cursor is rich's own."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(lines(segment.text), segment.style)


def report_console() -> SafeConsole:
    """Return a console of the terminal's width, or of READABLE_WIDTH columns into a file or pipe."""
    console = SafeConsole()
    return console if console.is_terminal else SafeConsole(width=READABLE_WIDTH)


def line_console() -> SafeConsole:
    """Return a console that leaves long lines whole."""
    return SafeConsole(soft_wrap=True)


def error_console() -> SafeConsole:
    """Return the console for what went wrong."""
    return SafeConsole("stderr", soft_wrap=True)


def write_out(text: str) -> None:
    """Write a document to standard output as it is: its writer has made it harmless."""
    Output("stdout").write(text)
