"""Text that is not ours: harmless in a terminal, in Markdown, in a spreadsheet."""

import csv
import io

from hypothesis import given
from markdown_it import MarkdownIt

from respmark.escaping import csv_cell, line, lines, markdown, markdown_code
from tests.hostile import HOSTILE, TOLD, orders


@given(HOSTILE)
def test_nothing_gives_the_terminal_orders(text: str) -> None:
    """No control character, no half character, nothing that turns text around; only line feeds are left."""
    assert set(orders(lines(text))) <= {"\n"}
    assert lines(lines(text)) == lines(text)
    lines(text).encode()


@given(HOSTILE)
def test_a_line_is_one(text: str) -> None:
    """However it is written, a table's row cannot be forged with it."""
    assert orders(line(text)) == []
    assert len(f"a{line(text)}b".splitlines()) == 1


@given(HOSTILE)
def test_a_spreadsheet_computes_nothing(text: str) -> None:
    """No cell begins like a formula, not after spaces either, and a row stays one."""
    output = io.StringIO()
    csv.writer(output).writerow([csv_cell(text), "next"])
    (row,) = csv.reader(io.StringIO(output.getvalue()))
    assert row == [csv_cell(text), "next"]
    assert row[0].strip()[:1] not in set("=+-@")


@given(HOSTILE)
def test_markdown_is_not_told_anything(text: str) -> None:
    """As a list's item it is one item without HTML, links, pictures or code blocks; as a cell it is one cell."""
    parser = MarkdownIt("commonmark").enable("table")
    item = parser.parse(f"- {markdown(text)}\n")
    kinds = [child.type for token in item for child in (token, *(token.children or []))]
    assert not TOLD & set(kinds)
    assert kinds.count("bullet_list_open") == 1
    assert kinds.count("ordered_list_open") == 0
    for cell in (markdown(text), markdown_code(text)):
        table = parser.parse(f"| a | b |\n| --- | --- |\n| {cell} | last |\n")
        cells = [token.content for token in table if token.type == "inline"]
        assert len(cells) == 4
        assert cells[-1] == "last"
