"""Tables in Markdown."""

from respmark.report.header import header_lines, versions_line
from respmark.report.micro import MicroReport
from respmark.report.tables import Block, Report, ScenarioTable


def markdown(report: Report) -> str:
    """Return the whole report."""
    versions = {cell.client: cell.versions for cell in report.cells if cell.versions}
    parts = [
        f"# respmark run {report.manifest.run_id}\n",
        "\n".join(f"- {line}" for line in header_lines(report.manifest)) + "\n",
        *([f"Loaded: {versions_line(versions)}.\n"] if versions else []),
        *(scenario_markdown(table) for table in report.tables),
        *(f"{note}\n" for note in report.missing),
    ]
    return "\n".join(parts)


def micro_markdown(report: MicroReport) -> str:
    """Return the whole report of micro-benchmarks."""
    parts = [
        f"# respmark micro {report.run_id}\n",
        "\n".join(f"- {line}" for line in report.header) + "\n",
        *(scenario_markdown(table) for table in report.tables),
    ]
    return "\n".join(parts)


def scenario_markdown(table: ScenarioTable) -> str:
    """Return one scenario's section."""
    lines = [f"## {table.scenario}\n", f"{table.summary}\n"]
    lines += [
        _row(["", "", *(f"`{client}`" for client in table.clients)]),
        _row(["---", "---", *["---:"] * len(table.clients)]),
    ]
    for block in table.blocks:
        lines += _block(block)
    if table.notes:
        lines += ["", *(f"- {_escaped(note)}" for note in dict.fromkeys(table.notes))]
    return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    """Keep the star that marks partly failed cells from becoming a list's."""
    return text.replace("*", "\\*")


def _block(block: Block) -> list[str]:
    return [_row([block.label if row is block.rows[0] else "", row.metric.strip(), *row.values]) for row in block.rows]


def _row(values: list[str]) -> str:
    return "| " + " | ".join(value.replace("|", "\\|") for value in values) + " |"
