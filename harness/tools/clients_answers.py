"""Which client, in sentences made from a run: who is fastest in what, what defaults cost, what a network changes."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from respmark import numbers
from respmark.contract.trial import Shape
from respmark.figures.cells import Cell
from respmark.figures.estimate import UNKNOWN, Ratio
from respmark.report.columns import ratio_text
from respmark.report.labels import use_label
from respmark.report.report import Report

TRIP_MS: Final = 0.2
"""The round trip behind which clients are compared once more."""
CALLED: Final = {"valkey": "valkey-py"}
"""What a library is called where the name by which it is measured, its package's, is that of a server."""
EVERY: Final = ""
"""In place of a language: of all of them."""
DEPTH: Final = 100
"""Commands in a batch."""
WORKERS: Final = 10
"""Threads or tasks that share a client."""
AS_INSTALLED: Final = re.compile(r"[^\[@]+(\[api=[^,\]]+\])?")
"""A client as installed, by one of its APIs."""


@dataclass(frozen=True)
class LanguageRun:
    """The clients of a language in closed loops of a run."""

    report: Report
    language: str = EVERY

    @cached_property
    def cells(self) -> list[Cell]:
        """Return their cells that have figures, in the usual shapes."""
        own = [one for one in self.report.cells if self.language in {EVERY, one.language} and one.shape.rate is None]
        return [one for one in own if one.measured is not None and _is_usual(one.shape)]

    def at(self, trip_ms: float | None) -> dict[str, list[Cell]]:
        """Return the cells behind a round trip, by use."""
        found: defaultdict[str, list[Cell]] = defaultdict(list)
        for cell in self.cells:
            if cell.shape.rtt_ms == trip_ms:
                found[self._use(cell)].append(cell)
        return found

    def _use(self, cell: Cell) -> str:
        """Return the scenario, with the shape if there are several."""
        shapes = {one.shape.direct for one in self.cells if one.scenario is cell.scenario}
        return str(cell.scenario) if len(shapes) == 1 else use_label(cell, "rtt_ms")

    @cached_property
    def _compared(self) -> dict[str, dict[str, Cell]]:
        clients = dict.fromkeys(cell.client for cell in self.cells)
        return {one: {cell.cell_id: cell for cell in replace(self.report, baseline=one).cells} for one in clients}

    def ratio(self, cell: Cell, other: Cell) -> Ratio:
        """Return the throughput of a cell divided by that of another one, which took turns with it."""
        comparison = self._compared[other.client][cell.cell_id].comparison
        return comparison.ratio("rps") if comparison and comparison.base.cell_id == other.cell_id else UNKNOWN


def _is_usual(shape: Shape) -> bool:
    return shape.depth in {None, DEPTH} and shape.max_total in {None, WORKERS} and shape.threads in {None, WORKERS}


@dataclass(frozen=True)
class Lead:
    """The fastest of several cells, and by how much."""

    leaders: tuple[Cell, ...]
    """The fastest, and those to which no difference from it is shown."""
    second: Cell | None
    """The fastest of the others."""
    ratio: Ratio
    """Of the fastest to it."""

    @property
    def names(self) -> str:
        """Return the leaders as text."""
        return " or ".join(coded(one) for one in self.leaders)


def lead_of(run: LanguageRun, cells: Sequence[Cell]) -> Lead:
    """Return who leads among cells that took turns."""
    first, *others = sorted(cells, key=lambda one: -_rps(one))
    ratios = [(one, run.ratio(one, first)) for one in others]
    second, ratio = max(((one, ratio) for one, ratio in ratios if ratio.shown), key=_ratio, default=(None, UNKNOWN))
    alike = (one for one, ratio in ratios if not ratio.shown)
    return Lead((first, *alike), second, ratio.inverse)


def _ratio(of: tuple[Cell, Ratio]) -> float:
    return of[1].value


def _rps(cell: Cell) -> float:
    return cell.measured.rps_median if cell.measured else 0.0


def is_as_installed(cell: Cell) -> bool:
    """Return whether a cell's client has its defaults."""
    return bool(AS_INSTALLED.fullmatch(cell.client))


def leads(run: LanguageRun, trip_ms: float | None = None) -> dict[str, Lead]:
    """Return who leads in each use among the clients as installed."""
    contenders = {use: list(filter(is_as_installed, cells)) for use, cells in run.at(trip_ms).items()}
    return {use: lead_of(run, cells) for use, cells in contenders.items() if cells}


def answers(run: LanguageRun, network: LanguageRun) -> tuple[str, ...]:
    """Return the sentences that answer which client; `network` is a run behind round trips."""
    return (_fastest(run), _defaults(run), _behind(network, run))


def _fastest(run: LanguageRun) -> str:
    found = leads(run)
    libraries = {one.library for lead in found.values() for one in (*lead.leaders, lead.second) if one}
    if len(libraries) == 1:
        return f"Fastest as installed: only `{libraries.pop()}` is measured."
    told = (
        f"{names} in {', '.join(use + _by_how_much(lead) for use, lead in uses)}"
        for names, uses in _by_leaders(found).items()
    )
    return f"Fastest as installed: {'; '.join(told)}."


def _by_leaders(found: dict[str, Lead]) -> dict[str, list[tuple[str, Lead]]]:
    grouped: defaultdict[str, list[tuple[str, Lead]]] = defaultdict(list)
    for use, lead in found.items():
        grouped[lead.names].append((use, lead))
    return grouped


def _by_how_much(lead: Lead) -> str:
    if lead.second is not None:
        return f" ({ratio_text(lead.ratio)} times {coded(lead.second)})"
    return "" if len(lead.leaders) > 1 else " (measured alone)"


def _defaults(run: LanguageRun) -> str:
    told = [one for use, cells in run.at(None).items() for one in _settings(run, use, cells)]
    return f"What defaults cost: {'; '.join(told) or 'no other setting of these clients was measured'}."


def _settings(run: LanguageRun, use: str, cells: Sequence[Cell]) -> Iterator[str]:
    """Yield what each setting other than the default does, in one use."""
    installed = {cell.client: cell for cell in cells if is_as_installed(cell)}
    for cell in cells:
        base = installed.get(cell.library)
        if base is not None and "[" in cell.client and not is_as_installed(cell):
            ratio = run.ratio(cell, base)
            text = f"{coded(cell)} does {ratio_text(ratio)} times the commands of {coded(base)} in {use}"
            is_best = lead_of(run, cells).leaders == (cell,)
            yield (text if ratio.shown else _no_difference(cell, base, use)) + (", and leads there" if is_best else "")


def _no_difference(cell: Cell, base: Cell, use: str) -> str:
    return f"no difference is shown between {coded(cell)} and {coded(base)} in {use}"


def libraries_of(run: LanguageRun) -> list[str]:
    """Return the libraries that have figures in a run."""
    return list(dict.fromkeys(cell.library for cell in run.cells))


def _behind(run: LanguageRun, without: LanguageRun) -> str:
    """Return who leads behind a round trip, with what the same clients did in the run `without` one."""
    far = leads(run, TRIP_MS)
    if not far:
        return f"Behind {TRIP_MS:g} ms: no client of this language was measured."
    near = {(cell.scenario, cell.shape, cell.client): cell for cells in without.at(None).values() for cell in cells}
    grouped: defaultdict[str, list[str]] = defaultdict(list)
    for use, lead in far.items():
        first, second = (
            near.get((one.scenario, one.shape.direct, one.client)) if one else None
            for one in (lead.leaders[0], lead.second)
        )
        ratio = without.ratio(first, second) if first and second else None
        grouped[coded(lead.leaders[0])].append(_change(use, lead, first, ratio))
    told = "; ".join(f"{name} does {', '.join(changes)}" for name, changes in grouped.items())
    lacking = [f"`{one}`" for one in libraries_of(without) if one not in libraries_of(run)]
    unmeasured = f" Not measured behind it: {', '.join(lacking)}." if lacking else ""
    slept = "" if run.report.manifest.placement.awake else ", whose idle CPUs slept"
    return f"Behind {TRIP_MS:g} ms (docs/network.md{slept}; in brackets, without a network): {told}.{unmeasured}"


def _change(use: str, lead: Lead, near: Cell | None, ratio: Ratio | None) -> str:
    """Return by how much a client leads behind a round trip and without one; of one that is alone, its figures."""
    if lead.second is None:
        without = f" ({numbers.rps(_rps(near))})" if near else ""
        return f"{numbers.rps(_rps(lead.leaders[0]))} commands/s in {use}{without}"
    without = f" ({numbers.ratio(ratio.value)})" if ratio else ""
    return f"{ratio_text(lead.ratio)} times the commands of {coded(lead.second)} in {use}{without}"


def coded(cell: Cell) -> str:
    """Return a cell's client as code."""
    return f"`{cell.client}`"


def named(cell: Cell) -> str:
    """Return a client with the version that was measured, and its library's usual name where its own misleads."""
    has_version = "@" in cell.client or not cell.library_version
    name = cell.client if has_version else f"{cell.client} {cell.library_version}"
    return f"{name} ({CALLED[cell.library]})" if cell.library in CALLED else name
