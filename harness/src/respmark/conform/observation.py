"""What one short trial showed: what the runners claim, and what was on the wire."""

from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cached_property

from respmark.conform.shape import WireShape
from respmark.conform.trace import Trace
from respmark.contract.lines import Worked
from respmark.contract.trial import Scenario, Shape
from respmark.errors import ClientLostServerError, RunnerFailedError, RunnerHungError
from respmark.machine.sockets import Sockets
from respmark.plan.plan import PlannedCell
from respmark.results.records import Status
from respmark.specs.naming import RESP2
from respmark.specs.scenario import commands_per_unit


@dataclass(frozen=True)
class Deviation:
    """Something that is not as the definition says."""

    asked: str
    """What the definition asks for."""
    found: str
    order: int | None = None
    """The event of the trace that shows it."""
    absent: bool = False
    """True: not seen yet, try again with more time. False: seen, and forbidden."""


@dataclass(frozen=True)
class Slice:
    """One slice as its runners tell it."""

    first_command: int
    """Index in the workload of its first command, as it was ordered."""
    answers: dict[int, Worked] = field(default_factory=dict)
    """By number of the process."""


@dataclass(frozen=True)
class Observation:
    """One trial through the proxy, or one of its slices."""

    cell: PlannedCell
    status: Status
    reason: str | None
    """Why it is not `ok`, or what an `ok` trial lost."""
    runner_errors: tuple[RunnerFailedError, ...]
    slices: tuple[Slice, ...]
    """Those that every process has answered."""
    trace: Trace
    sockets: tuple[Sockets, ...] = ()
    """What the library asked of the kernel for its connections; empty: not known."""
    protocol: int = RESP2
    """RESP version of the client's label."""
    database: int = 0
    """Of the server: 0 is the default one, which no connection must select."""
    clock_error_ns: int = 0
    """By how much moments of a runner on another host may be wrong, as our clock tells them."""
    number: int = 0
    """Of the slice whose window `wire` shows; the first one has number 0."""

    @cached_property
    def wire(self) -> WireShape:
        """Return what was on the wire in the slice."""
        return WireShape(self.trace, self.number)

    @property
    def failure(self) -> str | None:
        """Return why a run would not publish the trial."""
        return None if self.status is Status.OK else self.reason or str(self.status)

    @property
    def scenario(self) -> Scenario:
        """Return the scenario that was run."""
        return self.cell.scenario

    @property
    def shape(self) -> Shape:
        """Return the scenario's shape."""
        return self.cell.shape

    @property
    def per_unit(self) -> int:
        """Return how many commands of the workload a unit has."""
        return commands_per_unit(self.scenario, self.shape)

    @property
    def answers(self) -> list[Worked]:
        """Return what the processes say of every slice."""
        return [answer for one in self.slices for answer in one.answers.values()]

    @property
    def operations(self) -> int:
        """Return how many commands the runners claim."""
        return sum(answer.units for answer in self.answers) * self.per_unit

    @property
    def errors(self) -> Counter[str]:
        """Return the failed units that the runners claim, by the library's error class."""
        return sum((Counter(answer.errors) for answer in self.answers), Counter())

    @property
    def is_server_lost(self) -> bool:
        """Return whether a runner ended because its server refused it or no longer answered."""
        return any(isinstance(error, ClientLostServerError) for error in self.runner_errors)

    @property
    def is_hung(self) -> bool:
        """Return whether a runner was ended because it did not answer."""
        return any(isinstance(error, RunnerHungError) for error in self.runner_errors)

    def agree(self, claimed: int, sent: int) -> bool:
        """Return whether as many commands were on the wire as were claimed, or fewer if a cache may have answered."""
        return sent == claimed or (self.scenario is Scenario.CACHING and sent < claimed)

    def of_slice(self, number: int) -> "Observation":
        """Return what one slice showed."""
        return replace(self, slices=self.slices[number : number + 1], number=number)
