"""Tables in Markdown."""

from collections.abc import Iterable

from respmark.escaping import markdown as escaped
from respmark.escaping import markdown_code
from respmark.report.header import header_lines, versions_line
from respmark.report.micro import MicroReport
from respmark.report.tables import Block, Report, ScenarioTable


def markdown(report: Report) -> str:
    """Return the whole report."""
    versions = {cell.client: cell.versions for cell in report.cells if cell.versions}
    parts = [
        f"# respmark run {escaped(report.manifest.run_id)}\n",
        _bullets(header_lines(report.manifest)) + "\n",
        *([f"Loaded: {escaped(versions_line(versions))}.\n"] if versions else []),
        *(scenario_markdown(table) for table in report.tables),
        *([f"## precision\n\n{_bullets(report.precision)}\n"] if report.precision else []),
        *(f"{escaped(note)}\n" for note in report.missing),
    ]
    return "\n".join(parts)


def micro_markdown(report: MicroReport) -> str:
    """Return the whole report of micro-benchmarks."""
    parts = [
        f"# respmark micro {escaped(report.run_id)}\n",
        _bullets(report.header) + "\n",
        *(scenario_markdown(table) for table in report.tables),
    ]
    return "\n".join(parts)


def scenario_markdown(table: ScenarioTable) -> str:
    """Return one scenario's section."""
    lines = [f"## {escaped(table.scenario)}\n", f"{escaped(table.summary)}\n"]
    lines += [
        row(["", "", *map(markdown_code, table.clients)]),
        row(["---", "---", *["---:"] * len(table.clients)]),
    ]
    for block in table.blocks:
        lines += _block(block)
    if table.notes:
        lines += ["", _bullets(dict.fromkeys(table.notes))]
    return "\n".join(lines) + "\n"


def _bullets(texts: Iterable[str]) -> str:
    return "\n".join(f"- {escaped(text)}" for text in texts)


def _block(block: Block) -> list[str]:
    first = block.rows[0]
    return [row(map(escaped, [block.label if one is first else "", one.metric, *one.values])) for one in block.rows]


def row(cells: Iterable[str]) -> str:
    """Write a table's row of cells that are harmless already."""
    return "| " + " | ".join(cells) + " |"
