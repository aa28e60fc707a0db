"""The report as one page: HTML, style, script and data in one file that loads nothing."""

import base64
import hashlib
from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from respmark import numbers
from respmark.escaping import line
from respmark.report.guidance import advice_chapters
from respmark.report.header import WARNING, alarms, header_lines
from respmark.report.html.charts import charts
from respmark.report.html.data import page_data, state_of, to_script
from respmark.report.html.picture import script
from respmark.report.html.theme import PAGE
from respmark.report.html.view import make_view
from respmark.report.notes import missing_notes
from respmark.report.report import Report, answer
from respmark.report.versions import version_chapters
from respmark.specs.post import PostSpec
from respmark.statistics.cells import ReportCell

SCRIPTS: Final = ("state.js", "matrix.js", "evidence.js", "tables.js", "charts.js", "main.js")
"""In the order in which the page has them."""


def page(report: Report, published: PostSpec) -> str:
    """Return the page of a run; raises RespmarkError if the charts' script could not be made."""
    view = make_view(report)
    shown, warnings = charts(view, published), alarms(report.manifest)
    scripts = [script(), "\n".join(_read(name) for name in SCRIPTS)]
    environment = Environment(
        loader=FileSystemLoader(PAGE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_visible,
    )
    return environment.get_template("page.html.j2").render(
        view=view,
        manifest=report.manifest,
        charts=shown,
        leads=_leads(report.cells),
        answer=answer(report, is_whole=True),
        chapters={"changes": version_chapters(report.changes), "advice": advice_chapters(report.verdicts)},
        header=[one for one in header_lines(report.manifest) if one not in warnings],
        warnings=[one.removeprefix(WARNING) for one in warnings],
        missing=missing_notes(report.cells),
        numbers=numbers,
        state_of=state_of,
        policy=_policy(scripts),
        style=Markup(_read("style.css")),  # noqa: S704 - our own file
        scripts=[Markup(script) for script in scripts],  # noqa: S704 - our own files, and Vega's
        data=Markup(to_script(page_data(view, shown))),  # noqa: S704 - `to_script` escapes
    )


def _leads(cells: Iterable[ReportCell]) -> list[tuple[str, int, int]]:
    """Return the three clients that are most often among the fastest: in how many uses, of how many."""
    claimed = [cell for cell in cells if cell.standing and cell.standing.is_claimed]
    first = Counter(cell.client for cell in claimed if cell.standing and cell.standing.is_fastest)
    of = Counter(cell.client for cell in claimed)
    order = sorted(first, key=lambda client: (-first[client], of[client]))
    return [(client, first[client], of[client]) for client in order[:3]]


def _visible(value: Any) -> Any:  # noqa: ANN401 - whatever a template shows
    """Make text harmless when displayed; the template engine escapes it afterwards."""
    return line(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _read(name: str) -> str:
    return (PAGE / name).read_text(encoding="utf-8")


def _policy(scripts: list[str]) -> str:
    """Return the content security policy: these scripts run and no others, and nothing is loaded.

    Styles are allowed in attributes, because Vega writes them there; they cannot load anything either.
    """
    digests = (base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts)
    hashes = " ".join(f"'sha256-{digest}'" for digest in digests)
    nothing = "default-src 'none'; base-uri 'none'; form-action 'none'"
    return f"{nothing}; script-src {hashes}; style-src 'unsafe-inline'; img-src data:"
