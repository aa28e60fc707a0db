"""Makes text that is not ours harmless for what it is written into; HTML is jinja's, which escapes by itself."""

import re
from collections.abc import Iterable, Sequence
from typing import Final
from unicodedata import category

REPLACEMENT: Final = "\N{REPLACEMENT CHARACTER}"
"""Stands for a character that is not shown."""
SPACE: Final = "Zs"
"""The category in Unicode of what is as harmless as a space."""
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
    if text.isprintable():
        return text
    return "".join(c if _is_shown(c) else REPLACEMENT for c in text.replace("\t", " "))


def _is_shown(c: str) -> bool:
    return c.isprintable() or c == "\n" or category(c) == SPACE


def line(text: str) -> str:
    """Return text as one line."""
    return lines(re.sub(r"[\t\n\v\f\r\x1c-\x1f\x85\u2028\u2029]+", " ", text))


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


def markdown_table(heads: Sequence[str], rows: Iterable[Iterable[str]], *, numbers: int = 0) -> str:
    """Return a table, whose last columns are `numbers`; its cells must already be harmless."""
    aligned = ["---"] * (len(heads) - numbers) + ["---:"] * numbers
    return "".join(f"{markdown_row(row)}\n" for row in (heads, aligned, *rows))


def csv_cell(text: str) -> str:
    """Return text for a cell that no spreadsheet computes: what looks like a formula gets an apostrophe in front."""
    cell = line(text)
    return f"'{cell}" if cell.strip()[:1] in FORMULA else cell
