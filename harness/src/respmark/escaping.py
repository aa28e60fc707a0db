"""Makes text that is not ours harmless for what it is written into.

A server's errors, a runner's last lines, a file from elsewhere, a spec's names: each can contain something that a
terminal, Markdown, a spreadsheet or a picture would interpret. Everything in the project that writes such text passes
it through one of these functions.
"""

import re
from collections.abc import Iterable
from typing import Final

REPLACEMENT: Final = "\N{REPLACEMENT CHARACTER}"
"""Stands for a character that is not shown."""
SPACES: Final = re.compile("[\t\n\v\f\r\x1c-\x1f\x85\u2028\u2029]+")
"""Characters that end lines or move the cursor."""
UNSEEN: Final = re.compile(
    "["
    "\x00-\x09\x0b-\x1f\x7f-\x9f"  # C0 without the line feed, DEL, C1
    "\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff"  # changes the direction of text, or has no width
    "\u2028\u2029\ufff9-\ufffb\ufffe\uffff"  # Unicode's line ends and annotations, and noncharacters
    "\ud800-\udfff"  # surrogates, half a character each: bytes that were not UTF-8
    "\U000e0000-\U000e007f"  # tags, which are invisible
    "]"
)
FORMULA: Final = frozenset("=+-@\uff1d\uff0b\uff0d\uff20")
"""What begins a formula in a spreadsheet, as half-width and full-width characters."""
MARKDOWN: Final = re.compile(r"[\\`*|]|\](?=[(\[])|~(?=~)")
"""Code, emphasis, cells, links, strike-through."""
MARKDOWN_BLOCK: Final = re.compile(r"^(?=[#>\[=~]|[-+](?: |$|-)|:?-{3})")
"""What begins a heading, a quotation, a list, a rule or a definition at the start of a line."""
MARKDOWN_NUMBER: Final = re.compile(r"^(\d{1,9})(?=[.)](?: |$))")
ENTITY: Final = re.compile(r"&(?=#?\w+;)")
CODE: Final = re.compile(r"[^`|\\\n<>&]+")
"""What needs no escaping between backticks, not even in a table."""
CODE_SPAN: Final = re.compile(rf"((?<!`)`{CODE.pattern}`(?!`))")


def lines(text: str) -> str:
    """Return text for a terminal: line feeds are kept, and nothing else moves the cursor or is invisible."""
    return UNSEEN.sub(REPLACEMENT, text.replace("\t", " "))


def line(text: str) -> str:
    """Return text as one line."""
    return UNSEEN.sub(REPLACEMENT, SPACES.sub(" ", text))


def markdown(text: str) -> str:
    """Return text for a line or a table cell in Markdown, where HTML would be interpreted as well."""
    parts = CODE_SPAN.split(line(text).strip())
    # Every second part is code that is harmless between its backticks.
    escaped = "".join(part if number % 2 else _escaped(part) for number, part in enumerate(parts))
    return MARKDOWN_NUMBER.sub(r"\1\\", MARKDOWN_BLOCK.sub(r"\\", escaped))


def _escaped(text: str) -> str:
    return ENTITY.sub("&amp;", MARKDOWN.sub(r"\\\g<0>", text)).replace("<", "&lt;")


def markdown_code(text: str) -> str:
    """Return text as code in Markdown if it is harmless there, otherwise as normal text."""
    return f"`{text}`" if CODE.fullmatch(text) and text == line(text).strip() else markdown(text)


def markdown_row(cells: Iterable[str]) -> str:
    """Return a table row; its cells must already be harmless."""
    return f"| {' | '.join(cells)} |"


def csv_cell(text: str) -> str:
    """Return text for a cell that no spreadsheet computes: what looks like a formula gets an apostrophe in front."""
    cell = line(text)
    return f"'{cell}" if cell.strip()[:1] in FORMULA else cell
