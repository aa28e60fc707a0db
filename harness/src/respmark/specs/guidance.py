"""Guidance specs: published claims about clients, each with the cells that can show whether it holds."""

import math
from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from respmark.contract.base import Message, PositiveCount
from respmark.contract.trial import Scenario, Shape, check_shape

Metric = Literal["rps", "client_cpu", "server_cpu"]
"""Commands per second, the client's CPU per command, the server's CPU per command."""


class Direction(StrEnum):
    """What a claim says about a ratio, with a factor above 1."""

    MORE = "more"
    """Above the factor."""
    LESS = "less"
    """Below 1 / factor."""
    NO_MORE = "no-more"
    """Below the factor: nothing that matters is gained."""
    NO_LESS = "no-less"
    """Above 1 / factor: nothing that matters is lost."""
    SAME = "same"
    """Between 1 / factor and the factor."""


DIFFERENCE: Final = 1.03
"""The factor of `more` and `less` if a claim names none: nobody would act on a smaller difference."""
LIKENESS: Final = 1.10
"""The factor of the other directions if a claim names none."""


class CellSpec(Message):
    """One side of a comparison."""

    client: str
    """A client by its full name; a library's name alone means the library with every option at its default."""
    scenario: Scenario
    shape: Shape = Shape()

    @property
    def label(self) -> str:
        """Return client, scenario and shape in one line."""
        words = [f"{name} {value}" for name, value in self.shape.model_dump(mode="json", exclude_defaults=True).items()]
        return f"{self.client} {self.scenario}" + (f" ({', '.join(words)})" if words else "")

    def at(self, depth: int | None) -> "CellSpec":
        """Return the cell at a depth; None: the cell as it is."""
        shape = self.shape if depth is None else self.shape.model_copy(update={"depth": depth})
        return self.model_copy(update={"shape": shape})


class Point(Message):
    """One comparison that a claim makes: the figure of `cell` divided by that of `against`."""

    metric: Metric
    direction: Direction
    factor: float
    cell: CellSpec
    against: CellSpec
    published: float | None
    """The ratio that was published."""

    @property
    def bounds(self) -> tuple[float, float]:
        """Return the logarithms between which the ratio lies if the claim holds."""
        reach = math.log(self.factor)
        return {
            Direction.MORE: (reach, math.inf),
            Direction.LESS: (-math.inf, -reach),
            Direction.NO_MORE: (-math.inf, reach),
            Direction.NO_LESS: (-reach, math.inf),
            Direction.SAME: (-reach, reach),
        }[self.direction]


class StatementSpec(Message):
    """What a claim says about two cells, at one depth or at several."""

    metric: Metric = "rps"
    direction: Direction
    factor: Annotated[float, Field(gt=1, allow_inf_nan=False)] | None = None
    """What counts as a difference; null: 1.03 for `more` and `less`, 1.10 for the others."""
    cell: CellSpec
    against: CellSpec
    depth: tuple[PositiveCount, ...] = ()
    """Depths of both cells, if the claim is about several."""
    published: tuple[Annotated[float, Field(gt=0, allow_inf_nan=False)], ...] = ()
    """The ratios that were published, one per depth; empty: the source gives none."""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.published and len(self.published) != max(1, len(self.depth)):
            expected = max(1, len(self.depth))
            raise ValueError(f"`published` has {len(self.published)} ratios for {expected} comparisons")
        for point in self.points():
            if point.cell == point.against:
                raise ValueError("`cell` and `against` are the same: nothing is compared")
            for side in (point.cell, point.against):
                check_shape(side.scenario, side.shape)
        return self

    def points(self) -> Iterator[Point]:
        """Return every comparison, in the order of the depths."""
        is_difference = self.direction in {Direction.MORE, Direction.LESS}
        for number, depth in enumerate(self.depth or (None,)):
            yield Point(
                metric=self.metric,
                direction=self.direction,
                factor=self.factor or (DIFFERENCE if is_difference else LIKENESS),
                cell=self.cell.at(depth),
                against=self.against.at(depth),
                published=self.published[number] if self.published else None,
            )


class ClaimSpec(Message):
    """One claim."""

    id: str = Field(pattern=r"^[a-z0-9-]+$")
    gist: str
    """What is claimed, in our words."""
    section: str
    """Where the source says so."""
    statements: tuple[StatementSpec, ...] = ()
    """What must be true, all of it, if the claim holds."""
    out_of_reach: str | None = None
    """Why respmark cannot show it, if it cannot."""

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if bool(self.statements) == bool(self.out_of_reach):
            raise ValueError(f"claim `{self.id}` must have either statements or the reason why it is out of reach")
        return self

    @property
    def points(self) -> tuple[Point, ...]:
        """Return every comparison that the claim makes."""
        return tuple(point for statement in self.statements for point in statement.points())


class GuidanceSpec(Message):
    """What one source claims, as `specs/guidance/*.toml` gives it."""

    name: str = Field(pattern=r"^[a-z0-9-]+$")
    title: str
    url: str
    published: str
    """When, as far as the source says."""
    setup: str
    """What it was measured on."""
    versions: dict[str, str] = Field(default_factory=dict)
    """The versions that were measured there, by library."""
    claims: tuple[ClaimSpec, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _ids_once(self) -> Self:
        ids = [claim.id for claim in self.claims]
        if twice := [one for one in ids if ids.count(one) > 1]:
            raise ValueError(f"there are two claims `{twice[0]}`")
        return self
