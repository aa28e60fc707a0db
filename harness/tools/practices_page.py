"""docs/practices.md: everyday advice in every client, with pictures, figures and code, from the published run.

The verdicts are those of all published runs (`tools.verdicts`); the code is that of the rules of `respmark triage`.
"""

import json
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Final

from respmark import numbers
from respmark.contract.trial import Shape
from respmark.escaping import markdown as escaped
from respmark.figures.cells import Cell, RunFigures
from respmark.guidance.block import Absent, Found
from respmark.guidance.verdict import JudgedClaim, JudgedRatio, Verdict
from respmark.kinds.loops.kind import LOOPS
from respmark.kinds.loops.metrics import LoopFigures
from respmark.paths import CHECKOUT
from respmark.report.guidance import NOT_WARM_NOTE, bound_text, ratio_text
from respmark.report.header import header_lines, versions_line
from respmark.report.html import vega
from respmark.report.html.chart_forms import ChartKey, form_of
from respmark.report.html.charts import Value
from respmark.report.html.palette import look, numbers_of
from respmark.report.html.picture import svg, with_data
from respmark.report.html.templates import harmless
from respmark.report.markdown import markdown
from respmark.report.table import SUBJECT, Chapter, Heading, Listing, Row, Table, TableCell, row, style
from respmark.specs.catalogue import Catalogue
from respmark.specs.client import ClientSpec
from respmark.specs.guidance import Named
from respmark.specs.naming import one_client
from respmark.specs.statements import CellSpec, ClaimedRatio, Place
from respmark.specs.triage import ANY_CLIENT, RuleSpec, library_of
from respmark.triage.rules import rules_of
from tools.gains import rounded
from tools.verdicts import judged_in_places

GUIDANCE: Final = "practices"
"""The guidance whose claims the page has; `OWN` are what this project says itself."""
OWN: Final = "practices-own"
PAGE: Final = CHECKOUT / "docs" / "practices.md"
PICTURES: Final = CHECKOUT / "docs" / "practices"
RUN: Final = CHECKOUT / "results" / "published" / GUIDANCE
HEAD: Final = """# Everyday advice, in every client

What a handbook for slow servers advises, both sides of each piece in turn, in every client: [the source]({url}). What
this project adds stands last, under "Beside the handbook".
`make readme` makes this page from the files of [the run](../results/published/practices), by `{command}`; no figure was
typed. A ratio stands with its 95 % interval. A verdict applies to this machine and these versions; where another run
measured the same with more rounds, [guidance.md](guidance.md) has that one's, and how verdicts are reached.
[triage.md](triage.md) finds the opposite in a live server.

What a SCAN does to keys that expire and that nobody reads again is about the server alone, and no slice is long enough
for it: a program of its own measures it ([triage.md](triage.md#keys-that-expire-unseen)).

"""
OVERVIEW: Final = tuple(Heading(head, is_text=True) for head in ("advice", "practice", "verdict"))
CODE: Final = "The code"
LEFT_OUT: Final = "not measured: the claim is about the server, and some clients show it"
LEFT: Final = "on the left"
FIGURES: Final[Mapping[str, Callable[[LoopFigures], str]]] = {
    "rps": lambda measured: numbers.rps(measured.rps_median),
    "client_cpu": lambda measured: numbers.microseconds(measured.client_cpu_us_per_command),
    "server_cpu": lambda measured: numbers.microseconds(measured.server_cpu_us_per_command),
    "p50": lambda measured: _of_samples(measured.p50_ms),
    "p99": lambda measured: _of_samples(measured.p99_ms),
    "server_memory": lambda measured: f"{numbers.significant(measured.memory_bytes_per_key)} bytes",
    "element": lambda measured: _of_samples(measured.element_ms),
}
"""Writes a cell's figure, by metric."""
DECIDED: Final = frozenset({Verdict.HOLDS, Verdict.DOES_NOT_HOLD})
CAPTION: Final = (
    "Lines are 95 % intervals over rounds. A filled point: the ratio is shown to be as claimed, or not to be.",
)
MOST_COLUMNS: Final = 2
CellKey = tuple[str, str, str, Shape, str]
"""A cell in the run: block, client, scenario, shape without its round trip, workload."""


@dataclass(frozen=True)
class Figures:
    """The cells of the run."""

    cells: Mapping[CellKey, Cell]
    catalogue: Catalogue

    @classmethod
    def of(cls, run: RunFigures, catalogue: Catalogue) -> "Figures":
        """Index the cells of a run."""
        return cls({_place(cell): cell for cell in run.cells}, catalogue)

    def text(self, side: CellSpec, workload: str, found: Found, metric: str) -> str:
        """Return the figure of one side of a ratio; empty if the run has none."""
        client = one_client(side.client, self.catalogue.clients).name
        cell = self.cells.get((found.block, client, side.scenario, side.shape.direct, workload))
        return "" if cell is None or cell.measured is None else FIGURES[metric](cell.measured)


def _of_samples(value_ms: float | None) -> str:
    """Write a latency; a percentile of few samples has a ratio, which rounds confirm, but is no figure of its own."""
    return "few samples" if value_ms is None else f"{numbers.milliseconds(value_ms)} ms"


def _place(cell: Cell) -> CellKey:
    return cell.block, cell.client, cell.scenario, cell.shape.direct, cell.workload


def practices_files(
    run: RunFigures, claims: Sequence[Named], catalogue: Catalogue, page: Path = PAGE
) -> dict[Path, str]:
    """Return the page and its pictures, which lie in a folder of the page's name.

    Args:
        run: The published run of the suite.
        claims: All claims; the practices among them are judged from this run alone.
        catalogue: Of the clients, and of the rules that have the code.
        page: Where the page will be.
    """
    practices = [named for name in (GUIDANCE, OWN) for named in claims if named[0].name == name]
    judged = [one.claim for one in judged_in_places(practices, [run], catalogue) if one.place is Place.LOCAL]
    pictures = page.with_suffix("")
    drawn = {one.claim.id: drawing for one in judged if (drawing := _picture(one, catalogue))}
    made = {pictures / f"{name}.svg": drawing for name, drawing in drawn.items()}
    figures, rules = Figures.of(run, catalogue), {rule.id: rule for rule in rules_of(catalogue)}
    command = shlex.join(run.manifest.command_line)
    parts = [HEAD.format(url=judged[0].guidance.url, command=command).rstrip("\n") + "\n", _overview(judged)]
    loaded = versions_line({cell.client: cell.versions for cell in run.cells if cell.versions})
    parts.append(markdown([Chapter("The run", (*header_lines(run.manifest), f"loaded: {loaded}"))]))
    for section, group in groupby(sorted(judged, key=_order(judged)), key=lambda one: one.claim.section):
        own = list(group)
        parts.append(f"## {escaped(section)}\n")
        parts += [text for one in own for text in _practice(one, drawn, figures, pictures.name)]
        parts += _code(own, rules)
    return {page: "\n".join(parts), **made}


def _order(claims: Sequence[JudgedClaim]) -> Callable[[JudgedClaim], int]:
    """Return a key that keeps the claims of a section together, in the order in which sections first come."""
    sections = list(dict.fromkeys(one.claim.section for one in claims))
    return lambda one: sections.index(one.claim.section)


def _overview(claims: Sequence[JudgedClaim]) -> str:
    rows = tuple(
        row(one.claim.section, f"{one.claim.gist} (`{one.claim.id}`)", str(one.verdict))
        for one in sorted(claims, key=_order(claims))
    )
    return markdown([Chapter("", tables=(Table("", OVERVIEW, rows),))])


def _practice(one: JudgedClaim, drawn: Mapping[str, str], figures: Figures, folder: str) -> Iterator[str]:
    """Yield a practice: what is claimed, its picture, and a table of each comparison by client."""
    name = one.claim.id
    yield f"### {escaped(one.claim.gist)}\n"
    yield f"**{one.verdict}** (`{name}`)\n"
    if name in drawn:
        yield f"![{escaped(one.claim.gist)}]({folder}/{name}.svg)\n"
    yield markdown([Chapter("", tables=tuple(_tables(one, figures)))])


def _tables(one: JudgedClaim, figures: Figures) -> Iterator[Table]:
    """Yield a table for each comparison, with a row for each client."""
    left_out = _left_out(one, figures.catalogue)
    for title, ratios in by_comparison(one.ratios).items():
        first = ratios[0].claimed
        columns = (
            SUBJECT,
            Heading(side_text(first.cell)),
            Heading(side_text(first.against)),
            Heading(f"ratio, claimed {bound_text(first)}", is_text=True),
            Heading("verdict", is_text=True),
        )
        cold = any(isinstance(ratio.found, Found) and not ratio.found.was_warm for ratio in ratios)
        rows = tuple(_row(ratio, figures) for ratio in ratios)
        yield Table(title, columns, rows + left_out, (NOT_WARM_NOTE,) if cold else ())


def by_comparison(ratios: Iterable[JudgedRatio]) -> dict[str, list[JudgedRatio]]:
    """Return the ratios of each comparison, whichever client is on both sides, by what is compared."""
    found: dict[str, list[JudgedRatio]] = {}
    for ratio in ratios:
        found.setdefault(comparison_text(ratio.claimed), []).append(ratio)
    return found


def comparison_text(claimed: ClaimedRatio) -> str:
    """Return what is compared, without the client."""
    sides = f"{side_text(claimed.cell)} / {side_text(claimed.against)}"
    return f"{LOOPS.compared[claimed.metric].name}: {sides}{_work(claimed)}"


def _work(claimed: ClaimedRatio) -> str:
    """Return how much work a command on the left does, if that is not as much as one on the right."""
    if claimed.times == 1:
        return ""
    work = claimed.times if claimed.metric == "rps" else 1 / claimed.times
    return f"; one {LEFT} counts as {work:g}"


def side_text(side: CellSpec) -> str:
    """Return a side of a comparison without its client."""
    return side.label.removeprefix(f"{side.client} ")


def _row(ratio: JudgedRatio, figures: Figures) -> Row:
    claimed, found = ratio.claimed, ratio.found
    client = TableCell(claimed.cell.client, "client")
    verdict = TableCell(ratio.verdict, style(ratio.verdict))
    if isinstance(found, Absent):
        return row(client, "", "", found.reason, verdict)
    sides = zip((claimed.cell, claimed.against), found.workloads, strict=True)
    values = (figures.text(side, workload, found, claimed.metric) for side, workload in sides)
    return row(client, *values, ratio_text(ratio), verdict)


def _left_out(one: JudgedClaim, catalogue: Catalogue) -> tuple[Row, ...]:
    """Return a row, with the reason, for each client of the source that the claim is not about."""
    sides = [side for ratio in one.ratios for side in (ratio.claimed.cell, ratio.claimed.against)]
    about = {side.client for side in sides}
    workloads = [name for side in sides if (name := side.under(one.claim.conditions).workload)]
    sent = [kind.name for name in workloads for kind in catalogue.workload(name).mix]
    return tuple(
        row(TableCell(name, "client"), "", "", reason, TableCell("unsupported", "unsupported"))
        for name in one.guidance.clients
        if name not in about
        for reason in [lacking(catalogue.clients[name], sent)]
    )


def lacking(spec: ClientSpec, sent: Collection[str]) -> str:
    """Return why a client cannot send one of these commands."""
    return next((row.why for row in spec.cannot if row.what in sent and not (row.server or row.slots)), LEFT_OUT)


def _code(claims: Sequence[JudgedClaim], rules: Mapping[str, RuleSpec]) -> Iterator[str]:
    """Yield what to write with each client, once for each rule that the claims of a section name."""
    for name in dict.fromkeys(one.claim.rule for one in claims if one.claim.rule):
        clients = [ANY_CLIENT, *claims[0].guidance.clients]
        listings = [one for client in clients for one in _listings(client, rules[name])]
        line = f"{CODE}; `respmark triage` finds the opposite in a live server as `{name}`"
        yield f"### {line}\n"
        yield markdown([Chapter("", listings=tuple(listings))])


def _listings(client: str, rule: RuleSpec) -> Iterator[Listing]:
    """Yield what a rule has for a library: for all commands, else for some each."""
    for rows, code in (("", rule.code), *((", ".join(one.rows).upper(), one.code) for one in rule.code_for)):
        for name, text in code.items():
            if library_of(name) == client:
                yield Listing(f"{name}, {rows}" if rows else name, text.strip())


def _picture(one: JudgedClaim, catalogue: Catalogue) -> str:
    """Return the ratios of a claim as a picture; empty if none was measured."""
    values = [value for title, ratios in by_comparison(one.ratios).items() for value in _values(title, ratios)]
    if not values:
        return ""
    clients = list(dict.fromkeys(str(value["client"]) for value in values))
    looks = [look(number) for number in numbers_of(clients, catalogue.colors)]
    marks = vega.Marks(clients, [each.dash for each in looks])
    runs = dict.fromkeys(ratio.found.run_id for ratio in one.ratios if isinstance(ratio.found, Found))
    head = {
        "config": vega.config(looks, font=vega.PICTURE_FONT),
        "title": {"text": one.claim.gist, "subtitle": [*CAPTION, f"Measured in {', '.join(runs)}."], "offset": 16},
    }
    spec = json.dumps(form_of(ChartKey.FOREST).spec).replace("ratio to the baseline", "ratio")
    return svg(harmless(with_data(marks.in_spec(json.loads(spec)), head, values, MOST_COLUMNS))) + "\n"


def _values(title: str, ratios: Iterable[JudgedRatio]) -> Iterator[dict[str, Value]]:
    for one in ratios:
        if (value := one.ratio) is None:
            continue
        low, high = one.interval or (value, value)
        yield {
            "metric": title,
            "client": one.claimed.cell.client,
            "value": rounded(value),
            "low": rounded(low),
            "high": rounded(high),
            "known": "shown" if one.verdict in DECIDED else "not shown",
        }
