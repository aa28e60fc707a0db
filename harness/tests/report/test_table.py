"""Tables from columns: each has its heading and the function that writes it."""

from respmark.report.table import Column, TableCell, subject, table, tables
from tests.report.reading import heads

COLUMNS: tuple[Column[str], ...] = (
    subject(lambda word: TableCell(word, "client")),
    Column("length", lambda word: str(len(word))),
    Column("vowels", lambda word: "".join(one for one in word if one in "aeiou"), is_extra=True),
    Column("digits", lambda word: "".join(filter(str.isdigit, word))),
)


def test_a_table_has_a_row_for_each_thing() -> None:
    made = table("words", ["tree", "sky"], COLUMNS, ["a note"])
    assert [[cell.text for cell in row] for row in made.rows] == [["tree", "4", "ee", ""], ["sky", "3", "", ""]]
    assert (made.rows[0][0].style, made.notes, made.columns[2].is_extra) == ("client", ("a note",), True)


def test_rows_are_grouped_by_title_and_columns_dropped_that_all_tables_lack() -> None:
    """In the order of the rows; a column that one table has stays in all, so that they can stand below each other."""
    found = tables(["sky", "tree", "dry"], lambda word: word[-1], COLUMNS)
    assert [(one.title, [row[0].text for row in one.rows]) for one in found] == [("y", ["sky", "dry"]), ("e", ["tree"])]
    assert [heads(one) for one in found] == [["", "length", "vowels"]] * 2
    assert tables([], str, COLUMNS) == ()
