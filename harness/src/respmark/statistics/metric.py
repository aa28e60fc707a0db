"""What defines a metric: its unit, its value in a round, how rounds combine, and how it is shown."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import median
from typing import TYPE_CHECKING, Any, Final, Generic, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt
from pydantic import Field
from pydantic.fields import FieldInfo

from respmark.statistics.counted import SliceFigures
from respmark.statistics.rounds import Round

if TYPE_CHECKING:
    from respmark.statistics.measured import Measured

T = TypeVar("T")
Amounts: TypeAlias = npt.NDArray[np.int64] | npt.NDArray[np.float64]
NEWEST: Final = 5
"""The newest edition of the CSV, whose columns come last."""
NO_CSV: Final = 0
LAST: Final = 1000


@dataclass(frozen=True)
class Over(Generic[T]):
    """How the values of rounds combine into a cell's figure."""

    words: str
    combine: Callable[[Sequence[T]], Any]


class FactSection(StrEnum):
    """Where the page's evidence shows a metric."""

    FIGURES = "Figures"
    WIRE = "On the wire, as the server saw it"
    DISTURBANCE = "What disturbed it"


Form: TypeAlias = "str | Callable[[Measured], str]"
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


def written(form: Form, key: str, measured: "Measured") -> str:
    """Return a figure as text; empty if it is not known."""
    if not isinstance(form, str):
        return form(measured)
    value = getattr(measured, key)
    return "" if value is None else form.format(value)


@dataclass(frozen=True)
class Compared:
    """A metric whose ratio to a baseline is computed from slices."""

    key: str
    of_slices: Callable[[SliceFigures], tuple[Amounts, Amounts]]
    """What each slice contributes to it: a numerator and a denominator."""
    name: str
    """Heading of its ratios."""
    place: int
    """Place of the ratio's column."""
    is_cost: bool = True
    """Whether less is better. A cost is marked if no difference is shown, and the column of its ratio is an extra
    one."""

    def parts(self, figures: SliceFigures) -> npt.NDArray[np.float64]:
        """Return what slices contribute to it, numerators and denominators: shape (slices, 2)."""
        return np.stack(self.of_slices(figures), axis=1).astype(np.float64)


@dataclass(frozen=True)
class Metric:
    """One metric of a cell."""

    unit: str
    of_round: Callable[[Round], Any]
    """Its value in one round."""
    over: Over[Any]
    csv: int
    """Edition of the CSV that added its column; columns of later editions are further right. `NO_CSV` if it has
    none."""
    column: TableColumn | None
    fact: Fact | None
    compared: Compared | None


def metric(
    unit: str,
    of_round: Callable[[Round], T],
    over: Over[T],
    *,
    csv: int = NEWEST,
    column: TableColumn | None = None,
    fact: Fact | None = None,
    compared: Compared | None = None,
) -> Any:  # noqa: ANN401 - as pydantic's `Field`, of whatever type the field has
    """Return a field of `Measured` that is a metric; the docstring below it is its documentation."""
    field: FieldInfo = Field()
    field.metadata.append(Metric(unit, of_round, over, csv, column, fact, compared))
    return field


def _known(values: Sequence[T | None]) -> list[T]:
    return [value for value in values if value is not None]


def known_median(values: Sequence[float | None]) -> float | None:
    """Return the median of the known values; None if there are none."""
    known = _known(values)
    return median(known) if known else None


MEDIAN: Final = Over[float]("median", lambda values: float(median(values)))
KNOWN_MEDIAN: Final = Over("median", known_median)
"""Over the rounds in which the value is known; null if there are none."""
WHOLE_MEDIAN: Final = Over[int]("median", lambda values: round(median(values)))
LOWEST: Final = Over[float]("lowest", min)
HIGHEST: Final = Over[float]("highest", max)
SUM: Final = Over[int]("sum", sum)
KNOWN_SUM: Final = Over[int | None]("sum", lambda values: sum(_known(values)) if _known(values) else None)
FIRST: Final = Over[Any]("the same in all", lambda values: values[0])
