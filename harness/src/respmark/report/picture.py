"""The terminal's tables as a picture (SVG) that needs nothing from elsewhere."""

import io
import re
from dataclasses import replace
from typing import Final

from rich.terminal_theme import DEFAULT_TERMINAL_THEME

from respmark.console import SafeConsole
from respmark.contract.trial import Scenario
from respmark.escaping import line
from respmark.report.tables import Report
from respmark.report.terminal import print_report

WIDTH: Final = 120
"""Columns of the terminal that is drawn."""
FONT_FACE: Final = re.compile(r"@font-face \{.*?\n    \}\n", re.DOTALL)
"""Rich's pictures ask another site for their font; ours are drawn in the reader's own."""


def picture(report: Report, scenarios: tuple[Scenario, ...]) -> str:
    """Return the report of some scenarios as SVG."""
    chosen = replace(report, tables=tuple(table for table in report.tables if table.scenario in scenarios))
    console = SafeConsole(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    print_report(console, chosen)
    svg = console.export_svg(
        title=line(f"respmark report {report.manifest.run_id}"), theme=DEFAULT_TERMINAL_THEME, unique_id="respmark"
    )
    return FONT_FACE.sub("", svg)
