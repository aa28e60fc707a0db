"""How figures are shown: what a column of the tables and a line of the page's evidence are, and how ratios are written.

What a figure is, its kind says; `columns` and `facts` show those as well of which it says no more than a heading.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias, TypeVar

from respmark import numbers
from respmark.contract.trial import Scenario
from respmark.figures.estimate import Ratio
from respmark.figures.kind import FigureKind
from respmark.figures.metric import Compared, Figures, Metric
from respmark.report.table import Column

T = TypeVar("T")
Form: TypeAlias = "str | Callable[[Any], str]"
"""How a figure is written: a format string, or a function of all figures of the cell."""


@dataclass(frozen=True)
class FigureColumn:
    """A column of the tables that shows a metric, and maybe others besides."""

    key: str
    head: str
    """`{unit}` in it stands for what one latency sample covers."""
    form: Form
    is_extra: bool = False
    """Whether it is shown only if there is room for it."""
    always_in: frozenset[Scenario] = frozenset()
    """Scenarios in whose tables there is always room for it."""
    always_with_rate: bool = False
    """Whether there is always room for it in tables of clients with a rate."""


@dataclass(frozen=True)
class RatioColumn:
    """A column of the tables that shows the ratios of a compared metric."""

    compared: str
    is_extra: bool = False


class Section(StrEnum):
    """A part of the page's evidence."""

    FIGURES = "Figures"
    WIRE = "On the wire, as the server saw it"
    DISTURBANCE = "What disturbed it"


@dataclass(frozen=True)
class Fact:
    """A line of the page's evidence; it is left out if its text is empty."""

    key: str
    label: str
    """`{unit}` in it stands for what one latency sample covers."""
    form: Form
    names_rounds: bool = False
    """Whether the line says how many rounds it is about."""


def written(form: Form, key: str, measured: Figures) -> str:
    """Return a figure as text; empty if it is not known."""
    if not isinstance(form, str):
        return form(measured)
    value = getattr(measured, key)
    return "" if value is None else form.format(value)


def same(ratio: Ratio | None) -> str:
    """Return the mark of a figure that no difference is shown for."""
    return "" if ratio is None or ratio.low is None or ratio.shown else " ="


def ratio_text(ratio: Ratio | None) -> str:
    """Return a ratio with its interval as text; `=` means that no difference is shown."""
    if ratio is None or not ratio.is_known:
        return ""
    return numbers.interval(ratio.value, ratio.low, ratio.high, without="no interval") + same(ratio)


def ratio_columns(
    head: str, of: Callable[[T, str], Ratio | None], compared: Iterable[Compared], *, is_extra: bool = False
) -> list[Column[T]]:
    """Return a column for the ratio of each metric; `{}` in the heading stands for the metric's name."""

    def column(one: Compared) -> Column[T]:
        return Column(head.format(one.name), lambda row: ratio_text(of(row, one.key)), is_extra=is_extra)

    return [column(one) for one in compared]


def columns(kind: FigureKind, own: Iterable[FigureColumn | RatioColumn]) -> list[FigureColumn | RatioColumn]:
    """Return the columns of a kind's tables: its own, then every other metric with a heading, and other ratios."""
    own = list(own)
    figures = {one.key for one in own if isinstance(one, FigureColumn)}
    ratios = {one.compared for one in own if isinstance(one, RatioColumn)}
    more = [FigureColumn(key, one.head, plain(key), is_extra=True) for key, one in _with_heads(kind, figures)]
    return [*own, *more, *(RatioColumn(key, is_extra=True) for key in kind.compared if key not in ratios)]


def facts(kind: FigureKind, own: Iterable[Fact], shown: Collection[str]) -> list[Fact]:
    """Return the lines of a kind's evidence: its own, then every other metric with a heading that is not shown."""
    more = _with_heads(kind, shown)
    return [*own, *(Fact(key, one.head.replace("\n", " "), plain(key, one.unit)) for key, one in more)]


def _with_heads(kind: FigureKind, shown: Collection[str]) -> list[tuple[str, Metric]]:
    return [(key, one) for key, one in kind.metrics.items() if one.head and key not in shown]


def plain(key: str, unit: str = "") -> Form:
    """Return a figure's number as its form, with its unit."""

    def text(measured: Figures) -> str:
        value = getattr(measured, key)
        number = numbers.significant(value) if isinstance(value, float | None) else f"{value:,}"
        return f"{number} {unit}".rstrip() if number else ""

    return text
