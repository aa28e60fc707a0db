"""Tables in Markdown."""

from collections.abc import Iterable

from respmark.escaping import markdown as escaped
from respmark.escaping import markdown_code, markdown_row
from respmark.report.answer import Answer, answer
from respmark.report.guidance_text import advice_markdown
from respmark.report.header import header_lines, versions_line
from respmark.report.micro import MicroReport
from respmark.report.tables import Block, Report, Row, ScenarioTable
from respmark.report.uses import COLUMNS, WORDS, Line, Use
from respmark.report.versions import versions_table


def markdown(report: Report) -> str:
    """Return the whole report."""
    versions = {cell.client: cell.versions for cell in report.cells if cell.versions}
    parts = [
        f"# respmark run {escaped(report.manifest.run_id)}\n",
        _bullets(header_lines(report.manifest)) + "\n",
        *([f"Loaded: {escaped(versions_line(versions))}.\n"] if versions else []),
        answer_markdown(answer(report)),
        *(scenario_markdown(table) for table in report.tables),
        *([scenario_markdown(changes)] if (changes := versions_table(report.changes)) else []),
        *([advice_markdown(report.verdicts)] if report.verdicts else []),
        *(f"{escaped(note)}\n" for note in report.missing),
    ]
    return "\n".join(parts)


def answer_markdown(found: Answer) -> str:
    """Return the summary of a run: what each client does and costs, and what to be careful about."""
    heads = [column.head.replace("\n", " ") for column in COLUMNS]
    parts = []
    if found.uses:
        parts = [
            "## the answer\n",
            markdown_row(["", "", *heads]),
            markdown_row(["---"] * (2 + WORDS) + ["---:"] * (len(heads) - WORDS)),
            *(_line(use, number, line) for use in found.uses for number, line in enumerate(use.lines)),
            "",
            *(f"{escaped(text)}\n" for text in found.legend),
        ]
    if told := [f"{use.label}: {sentence}" for use in found.uses for sentence in use.sentences]:
        parts += [_bullets(told), ""]
    if found.careful:
        parts += ["Be careful:\n", _bullets(found.careful), ""]
    parts += [f"{escaped(text)}.\n" for text in found.closing]
    return "\n".join(parts)


def _line(use: Use, number: int, line: Line) -> str:
    """Return a line of the answer; the first of a use says which it is."""
    said = f"{use.label} ({use.note})" if use.note else use.label
    name = line.mark + markdown_code(line.client)
    return markdown_row(
        [
            "" if number else escaped(said),
            f"**{name}**" if line.is_fastest else name,
            *map(escaped, line.values),
        ]
    )


def micro_markdown(report: MicroReport) -> str:
    """Return the whole report of micro-benchmarks."""
    return tables_markdown(f"respmark micro {report.run_id}", report.header, report.tables)


def tables_markdown(
    title: str, header: Iterable[str], tables: Iterable[ScenarioTable], notes: Iterable[str] = ()
) -> str:
    """Return a chapter: the lines above its tables, the tables, and notes on all of them."""
    below = _bullets(notes)
    parts = [
        f"# {escaped(title)}\n",
        _bullets(header) + "\n",
        *(scenario_markdown(table) for table in tables),
        *([below + "\n"] if below else []),
    ]
    return "\n".join(parts)


def scenario_markdown(table: ScenarioTable) -> str:
    """Return one scenario's section."""
    lines = [f"## {escaped(table.scenario)}\n", f"{escaped(table.summary)}\n"]
    for block in table.blocks:
        lines += [*([f"**{escaped(block.label)}**\n"] if block.label else []), *_block(block), ""]
    if table.notes:
        lines += [_bullets(dict.fromkeys(table.notes)), ""]
    return "\n".join(lines)


def _bullets(texts: Iterable[str]) -> str:
    return "\n".join(f"- {escaped(text)}" for text in texts)


def _block(block: Block) -> list[str]:
    heads = [escaped(column.head.replace("\n", " ")) for column in block.columns]
    return [markdown_row(["", *heads]), markdown_row(["---", *["---:"] * len(heads)]), *map(_row, block.rows)]


def _row(one: Row) -> str:
    return markdown_row([markdown_code(one.subject), *map(escaped, one.values)])
