"""Suite specs: which trials a run has."""

import itertools
from typing import TYPE_CHECKING, Annotated, Final, Literal, Self

from pydantic import Field, create_model, model_validator

from respmark.contract.base import Message, PositiveCount, Seconds
from respmark.contract.trial import SHAPE_FIELDS, Scenario, Shape, check_shape, value_type

Dimension = Literal["client", "workload", "server", "rtt"]
"""What can take turns in a block."""


if TYPE_CHECKING:
    _Axes = Message
else:
    _Axes = create_model(
        "_Axes", __base__=Message, **{name: (tuple[value_type(name), ...], ()) for name in SHAPE_FIELDS}
    )


class ShapeAxes(_Axes):
    """The shapes of one scenario: every combination of the values given for each field of a shape."""

    if TYPE_CHECKING:

        def __init__(self, **axes: tuple[object, ...]) -> None:
            """Each field of a shape is an axis."""

    def shapes(self) -> list[Shape]:
        """Return every combination, the last axis changing fastest."""
        axes = {
            name: [None if value == SHAPE_FIELDS[name].nothing else value for value in values]
            for name, values in self
            if values
        }
        points = (dict(zip(axes, point, strict=True)) for point in itertools.product(*axes.values()))
        return [Shape(**{name: value for name, value in point.items() if value is not None}) for point in points]


ANY_SHAPE: Final = ShapeAxes()


class TrialsSpec(Message):
    """The trials of one scenario."""

    scenario: Scenario
    shape: ShapeAxes = ANY_SHAPE
    clients: tuple[str, ...] = ()
    """By name; empty: the suite's."""
    clients_without: Scenario | None = None
    """Measure only clients that do not support this scenario; if the user names `scenario`, and by default: all."""
    workloads: tuple[str, ...] = ()
    """Each of these, by name or as a path like the suite's own, is measured in its own blocks, unless `block` names one
    for all, or they are compared; default: the suite's workload."""
    servers: tuple[str, ...] = ()
    """On each of these, by name, path or URL; several take turns, in a block for each client. Default: the suite's."""
    compared: frozenset[Dimension] = frozenset()
    """What takes turns in a block; without `client`, each client has a block of its own. Default: servers if there are
    several, else clients."""
    block: str | None = Field(default=None, pattern=r"^(\{library\}-)?[a-z0-9-]+(\{[a-z_]+\})?$")
    """Compared with the other trials of this name; default: with those of the same scenario and shape. `java-{depth}`
    is a block for each depth, `{library}-tls` one for each library."""

    @property
    def turns(self) -> frozenset[Dimension]:
        """Return what takes turns in a block."""
        return self.compared or frozenset({"server"} if len(self.servers) > 1 else {"client"})

    def block_of(self, shape: Shape, library: str) -> str | None:
        """Return the name of the block of a trial of this shape and library; None: the usual one."""
        return self.block and self.block.format(library=library, **shape.model_dump(mode="json"))

    @model_validator(mode="after")
    def _shapes_fit(self) -> Self:
        for shape in self.shape.shapes():
            check_shape(self.scenario, shape)
            if (
                self.block
                and self.block.endswith("}")
                and self.block.rpartition("{")[2][:-1] not in self.shape.model_fields_set
            ):
                raise ValueError(f"block `{self.block}` names a field that the shape does not have")
        return self


class PartSpec(Message):
    """How often a part of a suite is measured: preparing costs less there, so more of it is affordable."""

    rounds: PositiveCount
    laps: PositiveCount


class SuiteSpec(Message):
    """A suite, as `specs/suites/*.toml` gives it."""

    name: str = Field(pattern=r"^[a-z0-9-]+$")
    summary: str
    workload: str
    """Name of a workload, or a path ending in .toml, relative to this file; for all trials that name no other."""
    server: str = "spawned"
    """Name of a server, or a URL."""
    rounds: PositiveCount
    laps: PositiveCount
    """Slices of each trial in a round."""
    slice_s: Annotated[float, Field(gt=0, allow_inf_nan=False)]
    """The measured part of a slice."""
    lead_in_s: Seconds
    """The same work at the start of a slice, which is not measured."""
    warmup_limit_s: Seconds
    """The longest that a client works before its first lap; 0: not at all."""
    minutes: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    """The longest that the suite may take: a slow machine measures fewer rounds, but never fewer than two; default:
    as long as its rounds take."""
    part: PartSpec | None = None
    """Rounds and laps of a run that measures only a part of the suite; default: those of the whole."""
    options: bool = False
    """Whether its trials are made from the clients' options: each value beside the client as installed."""
    about: Literal["throughput", "memory"] = "throughput"
    """What its answer shows first: commands per second, or the memory of clients by their connections."""
    guidance: tuple[str, ...] = ()
    """Names of guidance specs: the suite's clients and trials are made from what their claims compare."""
    clients: tuple[str, ...] = ()
    """By name, for trials that name none; left out: all that other trials name. The first is the baseline."""
    variants: bool = False
    """Whether these come with the variants that their specs name for a trial's scenario."""
    trials: tuple[TrialsSpec, ...] = ()

    @property
    def usual_clients(self) -> tuple[str, ...]:
        """Return the clients of trials that name none."""
        return self.clients or tuple(dict.fromkeys(name for trials in self.trials for name in trials.clients))

    @model_validator(mode="after")
    def _measures_something(self) -> Self:
        if not (self.guidance or self.options) and not (self.usual_clients and self.trials):
            raise ValueError("a suite needs `clients` and `trials`, or `guidance` or `options` to derive them from")
        return self
