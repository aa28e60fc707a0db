"""What defines a metric: its unit, its value in a round, how rounds combine, and how it is shown."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import median
from typing import Any, Final, TypeAlias

import polars as pl
from pydantic import Field
from pydantic.fields import FieldInfo

LAST: Final = 1000


@dataclass(frozen=True)
class Over:
    """How the values of rounds, or samples, combine into a cell's figure."""

    words: str
    combine: Callable[[Any], Any]


class FactSection(StrEnum):
    """Where the page's evidence shows a metric."""

    FIGURES = "Figures"
    WIRE = "On the wire, as the server saw it"
    DISTURBANCE = "What disturbed it"


Form: TypeAlias = "str | Callable[[Any], str]"
"""How a figure is written: a format string, or a function of all figures of the cell."""


@dataclass(frozen=True)
class TableColumn:
    """A column of the tables, which may show other metrics besides this one."""

    head: str
    """`{unit}` in it stands for what one latency sample covers."""
    form: Form
    place: int = LAST
    """Columns, including those of ratios, are sorted by it."""
    is_extra: bool = True
    """Whether it is shown only if there is room for it."""


@dataclass(frozen=True)
class Fact:
    """A line of the page's evidence; it is left out if its text is empty."""

    section: FactSection
    label: str
    """`{unit}` in it stands for what one latency sample covers."""
    form: Form
    place: int = 0
    """Lines of a section are sorted by it; lines with the same place are in the order of the metrics."""
    names_rounds: bool = False
    """Whether the line says how many rounds it is about."""


def written(form: Form, key: str, measured: object) -> str:
    """Return a figure as text; empty if it is not known."""
    if not isinstance(form, str):
        return form(measured)
    value = getattr(measured, key)
    return "" if value is None else form.format(value)


@dataclass(frozen=True)
class Compared:
    """A metric whose ratio to a baseline is computed from slices."""

    key: str
    columns: tuple[str, str]
    """What each slice contributes to it: a numerator and a denominator."""
    name: str
    """Heading of its ratios."""
    place: int
    """Place of the ratio's column."""
    is_cost: bool = True
    """Whether less is better. A cost is marked if no difference is shown, and the column of its ratio is an extra
    one."""
    of_responses: bool = False
    """Whether it is computed from the slices of `responses`, not of `counted`."""


@dataclass(frozen=True, eq=False)
class Metric:
    """One metric of a cell."""

    unit: str
    of_round: pl.Expr | None
    """Its value in a round, from the columns of `rounds_of`; None: it is of all samples together."""
    over: Over
    in_csv: bool
    column: TableColumn | None
    fact: Fact | None
    compared: Compared | None


def metric(
    unit: str,
    of_round: pl.Expr | None,
    over: Over,
    *,
    in_csv: bool = True,
    column: TableColumn | None = None,
    fact: Fact | None = None,
    compared: Compared | None = None,
) -> Any:  # noqa: ANN401 - as pydantic's `Field`, of whatever type the field has
    """Return a field of `Measured` that is a metric; the docstring below it is its documentation."""
    field: FieldInfo = Field()
    field.metadata.append(Metric(unit, of_round, over, in_csv, column, fact, compared))
    return field


def known_median(values: Sequence[float | None]) -> float | None:
    """Return the median of the known values; None if there are none."""
    known = [value for value in values if value is not None]
    return median(known) if known else None


MEDIAN: Final = Over("median", known_median)
"""Over the rounds in which the value is known; null if there are none."""
WHOLE_MEDIAN: Final = Over("median", lambda values: round(median(values)))
LOWEST: Final = Over("lowest", min)
HIGHEST: Final = Over("highest", max)
SUM: Final = Over("sum", sum)
