"""The report as one page: HTML, style, script and data in one file that loads nothing."""

import base64
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from respmark import numbers
from respmark.contract.trial import Scenario
from respmark.escaping import line
from respmark.guidance.verdict import JudgedClaim
from respmark.report.guidance import in_one_line
from respmark.report.header import WARNING, alarms, header_lines
from respmark.report.html import vega
from respmark.report.html.advice import WIDTH, advice
from respmark.report.html.answer import answers, figure, interval, lead_counts
from respmark.report.html.charts.every import charts
from respmark.report.html.data import page_data, to_script
from respmark.report.html.evidence import state_of
from respmark.report.html.matrix import mark, strongest
from respmark.report.html.view import make_view
from respmark.report.notes import missing_notes, precision_line
from respmark.report.versions import versions_table
from respmark.results.store import Run
from respmark.specs.post import PostSpec
from respmark.specs.scenario import ScenarioSpec

FILES: Final = Path(__file__).parent / "page"
SCRIPTS: Final = ("state.js", "matrix.js", "evidence.js", "tables.js", "charts.js", "main.js")
"""In the order in which the page has them."""


def page(
    run: Run,
    specs: dict[Scenario, ScenarioSpec],
    published: PostSpec,
    baseline: str | None = None,
    verdicts: Sequence[JudgedClaim] = (),
) -> str:
    """Return the page of a run; `baseline` is the client that it starts with, by default the first.

    `verdicts` are those on published claims; without any, the page says nothing about claims.

    Raises:
        RespmarkError: the charts' script could not be made.
    """
    view = make_view(run, specs, baseline)
    shown = charts(view, published)
    found = answers(view)
    warnings = alarms(view.manifest)
    scripts = [vega.script(), "\n".join(_read(name) for name in SCRIPTS)]
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            view=view,
            charts=shown,
            answers=found,
            changes=versions_table(view.changes),
            advice=advice(verdicts) if verdicts else None,
            advice_line=in_one_line(verdicts),
            leads=lead_counts(found, lambda one: one.fastest),
            header=[one for one in header_lines(view.manifest) if one not in warnings],
            warnings=[one.removeprefix(WARNING) for one in warnings],
            missing=missing_notes(view.cells),
            precision=precision_line(view.cells),
            policy=_policy(scripts),
            style=Markup(_read("style.css")),  # noqa: S704 - our own file
            scripts=[Markup(script) for script in scripts],  # noqa: S704 - our own files, and Vega's
            data=Markup(to_script(page_data(view, shown))),  # noqa: S704 - `to_script` escapes
        )
    )


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(FILES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_visible,
    )
    environment.filters["sentence"] = lambda text: text[:1].upper() + text[1:]
    environment.globals.update(
        state_of=state_of,
        mark=mark,
        strongest=strongest,
        interval=interval,
        picture_width=WIDTH,
        figure=figure,
        numbers=numbers,
    )
    return environment


def _visible(value: Any) -> Any:  # noqa: ANN401 - whatever a template shows
    """Make text harmless when displayed; the template engine escapes it afterwards."""
    return line(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _read(name: str) -> str:
    return (FILES / name).read_text(encoding="utf-8")


def _policy(scripts: list[str]) -> str:
    """Return the content security policy: these scripts run and no others, and nothing is loaded.

    Styles are allowed in attributes, because Vega writes them there; they cannot load anything either.
    """
    hashes = " ".join(f"'sha256-{_digest(script)}'" for script in scripts)
    nothing = "default-src 'none'; base-uri 'none'; form-action 'none'"
    return f"{nothing}; script-src {hashes}; style-src 'unsafe-inline'; img-src data:"


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
