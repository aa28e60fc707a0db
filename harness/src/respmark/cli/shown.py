"""How subcommands write what they show: chapters in a terminal or as Markdown, and files."""

from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from respmark.console import report_console, write_out
from respmark.files import write_out_file
from respmark.report.markdown import markdown
from respmark.report.table import Chapter
from respmark.report.terminal import print_chapters

TableFormat = Literal["terminal", "markdown", "json"]
"""What most commands write."""


def show(documents: Iterable[list[Chapter]], written: str) -> None:
    """Print documents in a terminal, or write them as Markdown."""
    if written == "markdown":
        write_out("\n".join(map(markdown, documents)))
        return
    console = report_console()
    for number, chapters in enumerate(documents):
        if number:
            console.print()
        print_chapters(console, chapters)


def write(content: str | bytes, out: Path | None) -> None:
    """Write to a file; without one, to standard output."""
    if out is None:
        write_out(content if isinstance(content, str) else content.decode())
    else:
        write_out_file(out, content.encode() if isinstance(content, str) else content)
