"""Tables in a terminal: words stay whole, and names are broken before their options."""

from rich.cells import cell_len

from respmark.report.table import SUBJECT, Chapter, Heading, Row, Table, row
from tests.report.reading import printed

WORDY = (SUBJECT, Heading("claimed", is_text=True), Heading("measured in", is_text=True))


def shown(columns: tuple[Heading, ...], *rows: Row, width: int) -> list[str]:
    text = printed([Chapter("", tables=(Table("", columns, rows),))], width)
    assert max(map(cell_len, text.splitlines())) <= width
    return text.splitlines()


def test_no_column_is_narrower_than_its_longest_word_while_another_has_room() -> None:
    subject = "RPS of stackexchange-redis batching (depth 100) / stackexchange-redis pipelining"
    where = "guidance: 5 rounds, workload post, on one machine, behind no network at all"
    text = "\n".join(shown(WORDY, row(subject, "0.909..1.10", where), width=46))
    assert text.count("stackexchange-redis") == 2
    assert "0.909..1.10" in text


def test_a_name_that_has_no_room_is_broken_before_its_options() -> None:
    lines = shown((SUBJECT, Heading("RPS")), row("node-redis[command-timeout=off,protocol=2]", "1,000"), width=31)
    assert [line.split() for line in lines if line.strip()] == [
        ["RPS"],
        ["node-redis", "1,000"],
        ["[command-timeout=off,"],
        ["protocol=2]"],
    ]


def test_joined_tables_without_rows_have_no_heads() -> None:
    empty, full = Table("one", WORDY, ()), Table("two", WORDY, (row("a", "b", "c"),))
    assert "claimed" not in printed([Chapter("", tables=(empty,), is_joined=True)])
    assert "claimed" in printed([Chapter("", tables=(empty, full), is_joined=True)])


def test_an_address_that_is_wider_than_the_terminal_stays_whole() -> None:
    address = f"https://example.org/{'a' * 60}"
    assert address in printed([Chapter("t", (address,))], 40).splitlines()
