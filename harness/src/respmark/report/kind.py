"""What reports need of a kind of trial besides its figures: how they are shown, and what to say of them.

A kind's metrics have a column if they have a heading (`head`), and everything that shows ratios has those that are
compared. What is here is for what takes more than that.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from respmark.figures.cells import Cell, RunFigures
from respmark.figures.kind import FigureKind
from respmark.figures.metric import Compared
from respmark.report import columns as shown
from respmark.report.columns import Fact, FigureColumn, RatioColumn, Section
from respmark.report.table import Chapter
from respmark.results.manifest import Manifest

if TYPE_CHECKING:  # which are made of what is here
    from respmark.report.html.chart_forms import ChartKey
    from respmark.report.html.view import View
    from respmark.report.report import Report

Chapters: TypeAlias = "Callable[[Report], list[Chapter]]"
Values: TypeAlias = "list[str | float | int | bool | None]"


def nothing(_: object) -> Iterator[str]:
    """Say nothing of a cell, or of cells."""
    return iter(())


def no_chapters(_: object) -> list[Chapter]:
    """Return no further tables."""
    return []


@dataclass(frozen=True, eq=False, kw_only=True)
class Kind(FigureKind):
    """A kind of trial, with its figures and how reports show them."""

    own_columns: tuple[FigureColumn | RatioColumn, ...]
    """Of its tables, in their order; metrics with a heading that are in none of them follow, and other ratios. One of
    them shows the metric of the main comparison."""
    own_facts: Mapping[Section, tuple[Fact, ...]]
    """Of the page's evidence; metrics with a heading that are in none of them follow."""
    answer: "Callable[[Report, str | None], list[Chapter]] | None" = None
    """Returns what a screen shows of a run; with a title, of one that still goes on. None: its tables."""
    tables: "Chapters | None" = None
    """Returns its tables; None: a chapter a scenario, with a row a client and a column a figure."""
    beyond: Chapters = no_chapters
    """Returns the tables of the answer that no screen has room for: the page has them."""
    above: Chapters = no_chapters
    """Returns the tables that stand above those of the scenarios."""
    below: "Callable[[Report], Mapping[str, list[Chapter]]]" = lambda _: {}
    """Returns the tables that stand below them, by their place on the page."""
    laps: Callable[[Manifest], str] | None = None
    """Returns what a round is, for the header; None: laps of slices."""
    has_claims: bool = False
    """Whether published claims are about it."""
    notes: Callable[[Cell], Iterator[str]] = nothing
    """Yields what the figures of a cell show that must be known beside them."""
    table_notes: Callable[[Sequence[Cell], str | None], Iterator[str]]
    """Yields the notes that belong to no single cell of a table; the second is the baseline that was asked for."""
    caveats: Callable[[Sequence[Cell]], Iterator[str]] = nothing
    """Yields what to know of a run's figures before they are believed, a line each."""
    in_cell: str
    """What a cell of the page's matrix has, in words."""
    about: str
    """How it was measured, in a sentence or two for the page."""
    outcome: Callable[[Mapping[str, Any]], str]
    """Returns the figures of a round, as a line of the page's evidence has them."""
    charts: "Mapping[ChartKey, Callable[[View], Iterable[Values]]]" = field(default_factory=dict)
    """Returns the rows of each chart that only it has."""
    groups: "Callable[[Report], Mapping[str, tuple[str, ...]]]" = lambda _: {}
    """Returns the fields of the shape that a chart draws together, such as `depth`, by the chart's `ChartForm.pick`."""

    @cached_property
    def columns(self) -> Sequence[FigureColumn | RatioColumn]:
        """Return the columns of its tables."""
        return shown.columns(self, self.own_columns)

    def facts(self, section: Section) -> list[Fact]:
        """Return the lines of a part of the page's evidence."""
        of_section = self.own_facts.get(section, ())
        if section is not Section.FIGURES:
            return list(of_section)
        return shown.facts(self, of_section, {fact.key for part in self.own_facts.values() for fact in part})

    def column_of(self, compared: str) -> FigureColumn:
        """Return the column that shows a metric that is compared."""
        key = self.metric_of[compared]
        return next(one for one in self.columns if isinstance(one, FigureColumn) and one.key == key)

    def figure(self, cell: Cell, compared: str) -> str:
        """Return a cell's figure as tables write it; empty if it is not known."""
        one = self.column_of(compared)
        return "" if cell.measured is None else shown.written(one.form, one.key, cell.measured)

    def in_cells(self, cell: Cell) -> tuple[str, str]:
        """Return the figures that a cell of the page's matrix has: the main one, and the next in series, if any."""
        second = next((key for key in self.in_series if key != self.main), None)
        if second is None or not (text := self.figure(cell, second)):
            return self.figure(cell, self.main), ""
        return self.figure(cell, self.main), f"{text} {self.metrics[self.metric_of[second]].unit.split()[0]}"

    def named(self, keys: Iterable[str]) -> list[Compared]:
        """Return the comparisons of these keys."""
        return [self.compared[key] for key in keys]


def kind_of(run: RunFigures) -> Kind:
    """Return the kind of a run that is reported."""
    if not isinstance(run.kind, Kind):
        raise TypeError(f"{run.folder}: nothing says how figures of {run.kind} are shown")
    return run.kind
