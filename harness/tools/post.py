"""A published post: its tables, with the figures that were published, as `post.toml` beside this file has them."""

from functools import cache
from pathlib import Path
from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from respmark.contract.base import Message, PositiveCount
from respmark.contract.trial import Scenario, Shape, check_shape
from respmark.specs.catalogue import load

FILE: Final = Path(__file__).with_suffix(".toml")
Figure = Literal["rps", "cpu", "p50", "p99"]
"""Commands per second; percent of one core; latency in ms."""
Axis = Literal["depth", "threads", "max_total"]


class PostColumn(Message):
    """What a table shows about one way of using a library."""

    title: str
    scenario: Scenario
    shape: Shape = Shape()
    """What is the same in every row."""
    clients: tuple[str, ...] = Field(min_length=1)
    """By their full names; the published figure is shown beside those of them that a run has."""
    figures: tuple[Figure, ...] = Field(min_length=1)
    workload: str | None = None
    """By name; null: the suite's."""

    def shape_at(self, axes: tuple[Axis, ...], at: tuple[int, ...]) -> Shape:
        """Return the shape of the trial at a point of the table's axes."""
        return self.shape.model_copy(update=dict(zip(axes, at, strict=True)))


class PostRow(Message):
    """One row: a point on the axes, and what was published there for each column."""

    at: tuple[PositiveCount, ...]
    published: tuple[tuple[PositiveCount | Annotated[float, Field(gt=0, allow_inf_nan=False)], ...], ...]


class Improvement(Message):
    """A last column that compares two others."""

    title: str
    before: PositiveCount
    """Number of a column, counted from 1."""
    after: PositiveCount
    published: tuple[int, ...]
    """Percent, one per row."""


class PostTable(Message):
    """A published table."""

    id: str = Field(pattern=r"^[a-z0-9-]+$")
    title: str
    axes: tuple[Axis, ...]
    columns: tuple[PostColumn, ...] = Field(min_length=1)
    rows: tuple[PostRow, ...] = Field(min_length=1)
    improvement: Improvement | None = None
    note: str | None = None

    @model_validator(mode="after")
    def _fits(self) -> Self:
        figures = [len(column.figures) for column in self.columns]
        for number, row in enumerate(self.rows, start=1):
            if len(row.at) != len(self.axes) or [len(there) for there in row.published] != figures:
                raise ValueError(f"row {number} needs a value for each axis and each figure of each column")
            for column in self.columns:
                check_shape(column.scenario, column.shape_at(self.axes, row.at))
        if self.improvement is not None and len(self.improvement.published) != len(self.rows):
            raise ValueError("`improvement` does not have a figure for each row")
        return self


class Departure(Message):
    """What the post measured differently from a run of respmark."""

    what: str
    there: str
    """How it was in the post."""
    why: str
    """What that does to the figures."""


class PostSpec(Message):
    """A published post."""

    title: str
    source: str
    setup: str
    suite: str
    """The suite that measures every point."""
    versions: dict[str, str]
    """The versions that the post measured, by library."""
    guidance: str
    """Name of the guidance that holds the post's claims."""
    differences: tuple[Departure, ...] = ()
    tables: Annotated[tuple[PostTable, ...], Field(min_length=1)]

    @property
    def workloads(self) -> frozenset[str]:
        """Return the workloads that columns name besides the suite's."""
        named = (column.workload for table in self.tables for column in table.columns)
        return frozenset(name for name in named if name is not None)


@cache
def the_post() -> PostSpec:
    """Return the post of which this project began as a remake."""
    return load(FILE, PostSpec)
