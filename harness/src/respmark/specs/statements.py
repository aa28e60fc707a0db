"""What a claim says of cells.

A statement compares two cells, or it holds each round of one cell against a bound, `at_most` or `at_least`.
"""

import math
from collections.abc import Iterator
from enum import StrEnum
from itertools import zip_longest
from typing import Annotated, Final, Literal, Self, cast, get_args

from pydantic import Field, model_validator

from respmark.contract.base import Message, PositiveCount
from respmark.contract.trial import Scenario, Shape, check_shape

ClaimMetric = Literal["rps", "client_cpu", "server_cpu", "p50", "p99", "server_memory", "element"]
"""Commands per second, the client's CPU per command, the server's CPU per command, latency at one rate for both, the
server's memory per key, the time until an element reaches the client."""
BoundMetric = Literal[
    "longest_wait",
    "perceived_wait",
    "first_success",
    "recovered",
    "errors",
    "failed_afresh",
    "lost",
    "doubled",
    "wrong",
    "late",
    "connections_left",
    "reconnects",
    "cpu",
    "server_calls",
]
"""Of what a client does under a fault, in one round (docs/faults.md says what each is); and into how many commands it
splits one whose keys are across the slots of a cluster."""
BOUND_METRICS: Final = frozenset[str](get_args(BoundMetric))
BOUND_UNITS: Final[dict[BoundMetric, str]] = {
    **dict.fromkeys(("longest_wait", "perceived_wait", "first_success", "recovered"), "s"),
    "reconnects": "a second",
    "cpu": "%",
}
"""Their units; all others are counts."""


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
    BETWEEN = "between"
    """Between the two ratios that the claim names."""


DIFFERENCE: Final = 1.03
"""The factor of `more` and `less` if a claim names none: nobody would act on a smaller difference."""
LIKENESS: Final = 1.10
"""The factor of the other directions if a claim names none."""


class Place(StrEnum):
    """Where the clients are."""

    LOCAL = "local"
    """On the server's machine: loopback or a unix socket."""
    NETWORK = "network"
    """Behind a round trip, of a network or of respmark's relay."""


class Conditions(Message):
    """What a claim was measured under, as far as its source says."""

    workload: str | None = None
    """The claim is judged on this workload alone; null: on any."""
    place: Place | None = None
    """The claim says nothing about the other place; null: it is judged in both."""
    rtt_ms: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    """Round trip; 0: client and server on one machine. Evidence from the nearest round trip comes first."""
    server: Literal["redis", "valkey"] | None = None
    """Evidence from this kind of server comes first."""

    def replaced_by(self, own: "Conditions") -> "Conditions":
        """Return these, with what a claim says instead."""
        return self.model_copy(update=own.model_dump(exclude_none=True))

    @property
    def contradiction(self) -> str | None:
        """Return why the round trip does not fit the place, if it does not."""
        if self.place is Place.NETWORK and not self.rtt_ms:
            return 'place = "network" needs rtt_ms, so that a relay can make the round trip'
        if self.place is Place.LOCAL and self.rtt_ms:
            return 'place = "local" has no round trip: rtt_ms must be 0'
        return None

    @property
    def usual_place(self) -> Place | None:
        """Return where the claim was measured; None: the source does not say."""
        if self.rtt_ms is None:
            return self.place
        return Place.NETWORK if self.rtt_ms else Place.LOCAL


class CellSpec(Message):
    """One side of a comparison."""

    client: str = ""
    """A client by its full name; a library's name alone means the library with every option at its default. Empty on
    both sides: each client that the claim is about."""
    scenario: Scenario
    shape: Shape = Shape()
    workload: str | None = None
    """By name; null: that of the claim's conditions, or else the suite's."""
    server: str | None = None
    """By name; null: the suite's."""

    @property
    def label(self) -> str:
        """Return client, scenario, shape, workload and server in one line."""
        words = [f"{name} {value}" for name, value in self.shape.model_dump(mode="json", exclude_defaults=True).items()]
        words += [f"{name} {value}" for name in ("workload", "server") if (value := getattr(self, name))]
        return f"{self.client} {self.scenario}" + (f" ({', '.join(words)})" if words else "")

    def at(self, depth: int | None) -> "CellSpec":
        """Return the cell at a depth; None: the cell as it is."""
        shape = self.shape if depth is None else self.shape.model_copy(update={"depth": depth})
        return self.model_copy(update={"shape": shape})

    def under(self, conditions: Conditions) -> "CellSpec":
        """Return the cell as the conditions complete it: with their workload, and behind a network's round trip."""
        rtt_ms = conditions.rtt_ms if conditions.place is Place.NETWORK else None
        shape = self.shape if rtt_ms is None else self.shape.model_copy(update={"rtt_ms": rtt_ms})
        return self.model_copy(update={"workload": self.workload or conditions.workload, "shape": shape})


class ClaimedRatio(Message):
    """One comparison that a claim makes: the figure of `cell` divided by that of `against`."""

    metric: ClaimMetric
    direction: Direction
    factor: float
    between: tuple[float, float] | None = None
    """The lowest and the highest ratio, of the direction `between`."""
    cell: CellSpec
    against: CellSpec
    published: float | None
    """The ratio that was published."""
    times: float = 1.0
    """What the ratio is multiplied by; see `StatementSpec`."""
    of_everyone: bool = Field(default=False, exclude=True)
    """Whether the claim makes it of every client: it is judged by those that were measured."""

    @property
    def ends(self) -> tuple[float, float]:
        """Return the ratios between which that of the claim lies if it holds: 0 or infinity where it has no bound."""
        more, less = self.factor, 1 / self.factor
        return {
            Direction.MORE: (more, math.inf),
            Direction.LESS: (0.0, less),
            Direction.NO_MORE: (0.0, more),
            Direction.NO_LESS: (less, math.inf),
            Direction.SAME: (less, more),
            Direction.BETWEEN: self.between or (0.0, math.inf),
        }[self.direction]

    @property
    def bounds(self) -> tuple[float, float]:
        """Return the logarithms between which the ratio lies if the claim holds, before it is multiplied."""
        low, high = (math.log(end) if end else -math.inf for end in self.ends)
        times = math.log(self.times)
        return low - times, high - times


class ClaimedBound(Message):
    """One bound that a claim sets: on a figure of each round of a cell."""

    metric: BoundMetric
    at_most: float | None
    at_least: float | None
    """One of the two is set."""
    cell: CellSpec
    published: float | None
    """The figure that was published."""
    of_everyone: bool = Field(default=False, exclude=True)
    """Whether the claim sets it for each of several clients: it is judged by those that were measured."""

    def is_kept(self, value: float) -> bool:
        """Return whether a round with this figure keeps it."""
        return value <= self.at_most if self.at_most is not None else value >= (self.at_least or 0.0)


Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
NotNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Bounds = tuple[Positive, Positive]


class StatementSpec(Message):
    """What a claim says about two cells, at one depth or at several; or about each round of one cell."""

    metric: ClaimMetric | BoundMetric = "rps"
    direction: Direction | None = None
    """Null with a bound, and only then."""
    factor: Annotated[float, Field(gt=1, allow_inf_nan=False)] | None = None
    """What counts as a difference; null: 1.03 for `more` and `less`, 1.10 for the others."""
    between: Bounds | None = None
    """The lowest and the highest ratio; for the direction `between` alone, which has no factor."""
    cell: CellSpec
    against: CellSpec | None = None
    """What the cell is compared with; null with a bound, and only then."""
    at_most: NotNegative | None = None
    """The most that the figure of a round may be; one that was not reached yet counts as what it had come to."""
    at_least: NotNegative | None = None
    """The least."""
    times: Positive = 1.0
    """What the ratio is multiplied by: how much of the work of `against` one command of `cell` does."""
    depth: tuple[PositiveCount, ...] = ()
    """Depths of both cells, if the claim is about several."""
    published: tuple[Positive, ...] = ()
    """The ratios that were published, one per depth, or the figure; empty: the source gives none."""
    of_everyone: bool = Field(default=False, exclude=True)
    """Whether it is that of one client, made of a statement about several."""

    @property
    def sides(self) -> tuple[CellSpec, ...]:
        """Return the cells that it is about, as the spec has them."""
        return (self.cell,) if self.against is None else (self.cell, self.against)

    @property
    def is_bound(self) -> bool:
        """Return whether it holds each round of one cell against a bound."""
        return self.at_most is not None or self.at_least is not None

    @property
    def names_nobody(self) -> bool:
        """Return whether it is about each client of its claim."""
        return not any(side.client for side in self.sides)

    def of(self, client: str, *, of_everyone: bool) -> "StatementSpec":
        """Return it about one client."""
        named = {"cell": self.cell.model_copy(update={"client": client})}
        if self.against is not None:
            named["against"] = self.against.model_copy(update={"client": client})
        return self.model_copy(update={**named, "of_everyone": of_everyone or self.is_bound})

    @model_validator(mode="after")
    def _is_one_of_both(self) -> Self:
        if self.at_most is not None and self.at_least is not None:
            raise ValueError("a statement has either `at_most` or `at_least`")
        if self.is_bound == (self.metric not in BOUND_METRICS):
            known = ", ".join(get_args(BoundMetric))
            raise ValueError(f"`at_most` and `at_least` bound one of {known}, and nothing else does; not {self.metric}")
        compared = {"against", "direction", "factor", "between", "times", "depth"} & self.model_fields_set
        if self.is_bound and compared:
            raise ValueError(f"a bound compares nothing: leave out {', '.join(sorted(compared))}")
        if not self.is_bound and (self.against is None or self.direction is None):
            raise ValueError("a statement needs `against` and `direction`, or `at_most` or `at_least`")
        return self

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if (self.direction is Direction.BETWEEN) != (self.between is not None) or (self.between and self.factor):
            raise ValueError('direction = "between" needs `between = [low, high]` and no factor; no other has them')
        if self.between and self.between[0] >= self.between[1]:
            raise ValueError("`between` has the lower ratio first")
        expected = max(1, len(self.depth))
        if self.published and len(self.published) != expected:
            raise ValueError(f"`published` has {len(self.published)} ratios for {expected} comparisons")
        for bound in self.bounds():
            check_shape(bound.cell.scenario, bound.cell.shape)
        for claimed in self.ratios():
            if claimed.cell == claimed.against:
                raise ValueError("`cell` and `against` are the same: nothing is compared")
            for side in (claimed.cell, claimed.against):
                check_shape(side.scenario, side.shape)
                if self.metric in {"p50", "p99"} and side.shape.rate is None:
                    raise ValueError(
                        f"`{self.metric}` is compared at a rate: give the shape a rate, such as `find p99=20ms`"
                    )
        return self

    def ratios(self) -> Iterator[ClaimedRatio]:
        """Return every comparison, in the order of the depths; none if it is a bound."""
        if self.against is None or self.direction is None or self.metric in BOUND_METRICS:
            return
        usual = DIFFERENCE if self.direction in {Direction.MORE, Direction.LESS} else LIKENESS
        for depth, published in zip_longest(self.depth or (None,), self.published):
            yield ClaimedRatio(
                metric=cast("ClaimMetric", self.metric),
                direction=self.direction,
                factor=self.factor or usual,
                between=self.between,
                cell=self.cell.at(depth),
                against=self.against.at(depth),
                published=published,
                times=self.times,
                of_everyone=self.of_everyone,
            )

    def bounds(self) -> Iterator[ClaimedBound]:
        """Return the bound, if it is one."""
        if self.is_bound:
            yield ClaimedBound(
                metric=cast("BoundMetric", self.metric),
                at_most=self.at_most,
                at_least=self.at_least,
                cell=self.cell,
                published=next(iter(self.published), None),
                of_everyone=self.of_everyone,
            )
