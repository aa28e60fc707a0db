"""The report as one page: HTML, style, script and data in one file that loads nothing."""

import base64
import hashlib
import json
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from importlib.metadata import version
from itertools import combinations
from typing import Any, Final

from markupsafe import Markup

from respmark import paths
from respmark.errors import OutputError
from respmark.figures.cells import Cell
from respmark.figures.pairing import row_of
from respmark.files import write_whole
from respmark.report.changes import version_chapters
from respmark.report.columns import Section, written
from respmark.report.document import answer, first_chapters
from respmark.report.guidance import advice_chapters
from respmark.report.header import WARNING, alarms
from respmark.report.html.charts import Chart, charts, rounded
from respmark.report.html.templates import PAGE, filled, harmless, read
from respmark.report.html.vega import VEGA_LITE
from respmark.report.html.view import ChartRow, View
from respmark.report.labels import cell_label, plural
from respmark.report.notes import cell_note, missing_notes
from respmark.report.report import Report
from respmark.results.records import Status, TrialRecord
from respmark.specs.scenario import sample_covers

SCRIPTS: Final = ("state.js", "matrix.js", "charts.js", "main.js")
"""In the order in which the page has them."""
PACKAGE: Final = "vl-convert-python"
FEW: Final = 2
"""So many libraries are named in a page's title."""
Facts = list[tuple[str, str]]


def page(report: Report, more_charts: Iterable[Chart] = ()) -> str:
    """Return the page of a run; raises RespmarkError if the charts' script could not be made.

    `more_charts` follow its own.
    """
    view = View(report)
    shown, warnings = [*charts(view), *more_charts], alarms(report.manifest)
    scripts = [vega(), "\n".join(read(name) for name in SCRIPTS)]
    return filled(
        "page.html.j2",
        view=view,
        kind=report.kind,
        manifest=report.manifest,
        charts=shown,
        subject=_subject(report),
        leads=_leads(report.cells),
        first=first_chapters(report),
        answer=answer(report),
        others=report.kind.beyond(report),
        chapters={
            **report.kind.below(report),
            "changes": version_chapters(report.changes),
            "advice": [] if first_chapters(report) else advice_chapters(report.verdicts, report.kind),
        },
        header=[one for one in report.header if one not in warnings],
        warnings=[one.removeprefix(WARNING) for one in warnings],
        missing=missing_notes(report.cells),
        cell_label=cell_label,
        state_of=state_of,
        policy=_policy(scripts),
        scripts=[Markup(script) for script in scripts],  # noqa: S704 - our own files, and Vega's
        data=Markup(_to_script(page_data(view, shown))),  # noqa: S704 - `_to_script` escapes
    )


def _subject(report: Report) -> str:
    """Return what a run is about, as the title of its page."""
    manifest, cells = report.manifest, report.cells
    libraries, languages = (list(dict.fromkeys(getattr(one, of) for one in cells)) for of in ("library", "language"))
    if report.timelines:
        return f"{libraries[0]}: {plural(len(report.timelines[0].points), 'release')} compared"
    if manifest.suite.get("guidance"):
        return "Does published advice hold?"
    if manifest.is_about_memory:
        return "What connections cost in memory"
    if len(manifest.servers) > 1:
        return "Redis and Valkey servers compared"
    if len(libraries) <= FEW:
        return f"{' and '.join(libraries)}{' compared' if len(manifest.clients) > 1 else ''}"
    return f"{f'{languages[0]} clients' if len(languages) == 1 else 'Redis and Valkey clients'} compared"


def _leads(cells: Sequence[Cell]) -> list[tuple[str, int, int]]:
    """Return the three clients that are most often among the fastest: in how many uses, of how many.

    Of uses in which different libraries were compared: who wins against itself says nothing about clients.
    """
    libraries: defaultdict[object, set[str]] = defaultdict(set)
    measured = [cell for cell in cells if cell.laps]
    for cell in measured:
        libraries[row_of(cell)].add(cell.library)
    claimed = [
        cell for cell in measured if cell.standing and cell.standing.is_claimed and len(libraries[row_of(cell)]) > 1
    ]
    first = Counter(cell.subject for cell in claimed if cell.standing and cell.standing.is_fastest)
    of = Counter(cell.subject for cell in claimed)
    order = sorted(first, key=lambda client: (-first[client], of[client]))
    return [(client, first[client], of[client]) for client in order[:3]]


def _policy(scripts: list[str]) -> str:
    """Return the content security policy: these scripts run and no others, and nothing is loaded.

    Styles are allowed in attributes, because Vega writes them there; they cannot load anything either.
    """
    digests = (base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts)
    hashes = " ".join(f"'sha256-{digest}'" for digest in digests)
    nothing = "default-src 'none'; base-uri 'none'; form-action 'none'"
    return f"{nothing}; script-src {hashes}; style-src 'unsafe-inline'; img-src data:"


def vega() -> str:
    """Return Vega, Vega-Lite and Vega-Embed with its interpreter, as JavaScript that needs no `eval`.

    A wheel has them. In a checkout, vl-convert bundles them in a few seconds and 200 MB of memory: this is done once,
    in a separate process, and kept under `.build`; if it cannot be kept, the next page makes its own.

    Raises OutputError if the bundle could not be made.
    """
    carried = PAGE / "vega.js"
    kept = carried if carried.is_file() else paths.build() / "html" / f"vega-{version(PACKAGE)}.js"
    if kept.is_file():
        return kept.read_text(encoding="utf-8")
    code = f"import sys, vl_convert; sys.stdout.write(vl_convert.javascript_bundle(vl_version={VEGA_LITE!r}))"
    made = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8", check=False
    )
    if made.returncode or not made.stdout:
        last = made.stderr.strip().splitlines()[-1:] or ["it said nothing"]
        raise OutputError(f"{PACKAGE} could not bundle the page's charts: {last[0]}; install respmark again")
    with suppress(OSError):
        kept.parent.mkdir(parents=True, exist_ok=True)
        write_whole(kept, made.stdout.encode())
    return made.stdout


def page_data(view: View, charts: Sequence[Chart]) -> dict[str, Any]:
    """Return what the script needs; all text is harmless when displayed, and none of it is markup."""
    kind = view.report.kind
    made: dict[str, Any] = harmless(
        {
            "baseline": view.baseline.number,
            "metrics": kind.of_clients,
            "main": kind.main,
            "costs": [metric for metric in kind.of_clients if kind.compared[metric].is_cost],
            "clients": [
                {"name": one.name, "language": one.language, "light": one.look.light, "dark": one.look.dark}
                for one in view.columns
            ],
            "rows": [_row(view, row) for row in view.rows],
            "cells": [
                {
                    "row": row.number,
                    "client": place.column.number,
                    "sections": list(_sections(view, place.cell)),
                }
                for row in view.rows
                for place in row.places
            ],
            "charts": [
                {
                    "key": chart.key,
                    "spec": chart.spec,
                    "rows": chart.rows,
                    **{name: getattr(chart.form, name) for name in ("fields", "pick", "columns")},
                }
                for chart in charts
            ],
            "config": {"light": view.config(), "dark": view.config(dark=True)},
        }
    )
    return made


def _to_script(data: Any) -> str:  # noqa: ANN401 - any JSON
    """Return JSON that can stand inside an element of a page: nothing in it ends the element."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _row(view: View, row: ChartRow) -> dict[str, Any]:
    kind = view.report.kind
    figures = {metric: kind.metric_of[metric] for metric in kind.always}
    return {
        "label": row.label,
        "scenario": row.cell.scenario,
        "groups": row.groups,
        "figures": {
            metric: {one.column.number: getattr(one.measured, key) for one in row.measured}
            for metric, key in figures.items()
        },
        "ratios": {metric: list(_ratios(view, row, metric)) for metric in kind.of_clients},
    }


def _ratios(view: View, row: ChartRow, metric: str) -> Iterator[list[Any]]:
    """Yield `[client, other, ratio, low, high, is shown]` of each pair once."""
    for other, place in combinations(row.measured, 2):
        if ratio := view.ratio(metric, place, other):
            values = rounded(ratio.value, ratio.low, ratio.high)
            yield [place.column.number, other.column.number, *values, int(ratio.shown)]


def state_of(cell: Cell) -> str:
    """Return what became of a cell in a few words; empty if everything planned was measured."""
    if cell.status is not Status.OK:
        return "not installed" if cell.status is Status.MISSING else str(cell.status)
    if cell.rounds < cell.rounds_planned:
        return f"{cell.rounds} of {cell.rounds_planned} rounds"
    return "lost slices" if cell.slices_lost else ""


def _sections(view: View, cell: Cell) -> Iterator[tuple[str, Facts]]:
    """Yield the evidence behind a cell: titles, each with its facts."""
    reason = [("reason", cell.reason)] if cell.reason else []
    heads = {
        Section.FIGURES: [("status", state_of(cell) or "ok"), *reason],
        Section.WIRE: [("definition", view.report.specs[cell.scenario].wire)],
    }
    for section in Section if cell.measured else (Section.FIGURES,):
        yield section, [*heads.get(section, ()), *(_facts(view, cell, section) if cell.measured else ())]
    if cell.measured and (note := cell_note(cell)):
        yield "Notes", [("", note)]
    rounds = view.rounds.get(cell.cell_id, [])
    options = rounds[0][0].client.options if rounds else {}
    settings = next((trial.settings for trial, _ in rounds if trial.settings), {})
    decodes = [("replies decoded to", cell.decodes_to)] if cell.decodes_to else []
    named = {
        **{f"option {name}": str(value) for name, value in options.items()},
        **{k: str(v) for k, v in settings.items()},
    }
    sockets = next((trial.sockets for trial, _ in rounds if trial.sockets), [])
    asked = [(f"asked of the kernel ({plural(one.connections, 'connection')})", str(one.settings)) for one in sockets]
    known = [*cell.versions.items(), *named.items(), *asked, *decodes]
    whole = [*known, ("workload", cell.workload), ("cell", cell.cell_id)]
    yield "Versions and settings", whole
    yield (
        "Rounds",
        [(f"round {trial.round}: {trial.trial_id}", _outcome(view, trial, found)) for trial, found in rounds],
    )


def _facts(view: View, cell: Cell, section: Section) -> Iterator[tuple[str, str]]:
    unit = sample_covers(cell.scenario, cell.shape)
    for fact in view.report.kind.facts(section):
        if text := written(fact.form, fact.key, cell.measured):
            rounds = f" in {cell.rounds} rounds" if fact.names_rounds else ""
            yield fact.label.format(unit=unit), text + rounds


def _outcome(view: View, trial: TrialRecord, figures: Mapping[str, Any] | None) -> str:
    if trial.status is not Status.OK:
        return f"{trial.status}: {trial.reason}"
    if figures is None:
        return "no slice counts"
    return view.report.kind.outcome(figures)
