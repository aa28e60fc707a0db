"""What defines a metric: its unit, its value in a round, how rounds combine, and what its ratios are made of."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import median
from typing import Any, Final

import polars as pl
from pydantic import Field
from pydantic.fields import FieldInfo

from respmark.contract.base import Message
from respmark.results.read import ReadRun


@dataclass(frozen=True)
class Over:
    """How the values of rounds, or samples, combine into a cell's figure."""

    words: str
    combine: Callable[[Any], Any]


@dataclass(frozen=True)
class Compared:
    """A metric whose ratio to a baseline is known: tables, `--fail-on`, series and charts follow from it."""

    key: str
    """Of its ratios in JSON, in the CSV (`rps_ratio`), and on the command line."""
    name: str
    """In headings, such as `client CPU`."""
    parts: tuple[str, str] | None = None
    """What each lap contributes to it: a numerator and a denominator, columns of `laps`. None: its values by round are
    compared, as a round has it once."""
    laps: Callable[[ReadRun], pl.LazyFrame] | None = None
    """Returns the laps of a run; None without parts."""
    only: str = ""
    """When alone it is known, in words: `with a rate (--rate)`."""
    is_cost: bool = True
    """Whether less is better."""
    of_place: bool = False
    """Whether clients cannot differ in it that have the same workload and server: that is no comparison."""
    of_clients: bool = True
    """Whether charts and the page compare clients in it."""
    in_series: bool = False
    """Whether releases, and runs over time, are compared in it."""
    noun: str = ""
    """In sentences; by default the name."""

    def __post_init__(self) -> None:
        """Take the name where no noun was given."""
        object.__setattr__(self, "noun", self.noun or self.name)


@dataclass(frozen=True, eq=False)
class Metric:
    """One metric of a cell."""

    unit: str
    of_round: pl.Expr | None
    """Its value in a round, from the columns of its kind's rounds; None: it is of all samples together."""
    over: Over
    in_csv: bool
    """Whether the CSV has it, or JSON alone."""
    compared: Compared | None
    head: str
    """Heading of its column; empty: none shows it, or one of its kind's own columns does."""


def metric(
    unit: str,
    of_round: pl.Expr | None,
    over: Over,
    *,
    in_csv: bool = True,
    compared: Compared | None = None,
    head: str = "",
) -> Any:  # noqa: ANN401 - as pydantic's `Field`, of whatever type the field has
    """Return a field of `Figures` that is a metric; the docstring below it is its documentation."""
    field: FieldInfo = Field()
    field.metadata.append(Metric(unit, of_round, over, in_csv, compared, head))
    return field


class Figures(Message):
    """The figures of a measured cell, each field a metric; JSON has them in this order."""


def known_median(values: Iterable[float | None]) -> float | None:
    """Return the median of the known values; None if there are none."""
    known = [value for value in values if value is not None]
    return median(known) if known else None


MEDIAN: Final = Over("median", known_median)
"""Over the rounds in which the value is known; null if there are none."""
WHOLE_MEDIAN: Final = Over("median", lambda values: round(median(values)))
LOWEST: Final = Over("lowest", min)
HIGHEST: Final = Over("highest", max)
SUM: Final = Over("sum", sum)
