"""What one short trial showed: what the runners claim, and what was on the wire."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Final, Self, TypeVar

from respmark.contract.lines import Loaded, Work, Worked
from respmark.contract.trial import Scenario, Shape
from respmark.errors import RunnerFailedError
from respmark.execute.protocol import Executor, Latencies, Runner, TrialRequest
from respmark.execute.runner import TARGET_LOST_EXIT
from respmark.plan.trial import Cell
from respmark.results.records import Status
from respmark.specs.scenario import commands_per_unit
from respmark.wire.proxy import Proxy
from respmark.wire.shape import WireShape
from respmark.wire.trace import Trace

Value = TypeVar("Value")
LIMIT_S: Final = 20.0
"""The longest that a runner may be silent in a short trial, whatever goes wrong."""
TLS_LIMIT_S: Final = 60.0
"""The same over TLS: a runner that opens a thousand connections is silent during as many handshakes.

redis-py rereads the system's certificate authorities for each connection, which alone takes 26 s of CPU for a thousand.
"""


@dataclass(frozen=True)
class Deviation:
    """Something that is not as the definition says."""

    asked: str
    """What the definition asks for."""
    found: str
    order: int | None = None
    """The event of the trace that shows it."""
    absent: bool = False
    """Something required did not happen, but may with more time. False: something happened that must not."""


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

    cell: Cell
    status: Status
    reason: str | None
    """Why it is not `ok`, or what an `ok` trial lost."""
    runner_errors: tuple[RunnerFailedError, ...]
    slices: tuple[Slice, ...]
    """Those that every process has answered."""
    trace: Trace
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
    def is_target_lost(self) -> bool:
        """Return whether a runner ended because its target refused it or no longer answered."""
        return any(error.runner_exit_code == TARGET_LOST_EXIT for error in self.runner_errors)

    def agree(self, claimed: int, sent: int) -> bool:
        """Return whether as many commands were on the wire as were claimed, or fewer if a cache may have answered."""
        return sent == claimed or (self.scenario is Scenario.CACHING and sent < claimed)

    def of_slice(self, number: int) -> "Observation":
        """Return what one slice showed."""
        return replace(self, slices=self.slices[number : number + 1], number=number)


class ObservedExecutor:
    """Starts runners as `inner` does; marks in the trace when slices begin and end, and keeps what runners claim."""

    def __init__(self, inner: Executor, proxy: Proxy) -> None:
        self.proxy = proxy
        self.errors: list[RunnerFailedError] = []
        """How runners failed, if they did."""
        self.slices: list[Slice] = []
        self.describe = inner.describe
        self._inner = inner

    def start(self, request: TrialRequest) -> "ObservedRunner":
        """Start a runner whose target is a listener of the proxy."""
        moved = replace(request, target=self.proxy.endpoint_for(request.part))
        limit_s = LIMIT_S if moved.target.tls is None else TLS_LIMIT_S
        return ObservedRunner(self._inner.start(moved), self, request.part, limit_s)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Do nothing: whoever opened the inner executor ends what was started."""


class ObservedRunner:
    """One runner at work; its moments are marked in the trace, and it may be silent for no longer than `limit_s`."""

    def __init__(self, inner: Runner, executor: ObservedExecutor, part: int, limit_s: float) -> None:
        self._inner, self._executor, self._part, self._limit_s = inner, executor, part, limit_s
        self._slices = 0
        """How many it was ordered to do."""
        self.collect, self.kill, self.peak_memory_bytes = inner.collect, inner.kill, inner.peak_memory_bytes
        self.cpu_ns, self.threads_ns, self.compiling_ns = inner.cpu_ns, inner.threads_ns, inner.compiling_ns

    def load(self, limit_s: float) -> Loaded:
        """Ask the runner."""
        return self._heard(self._inner.load, limit_s)

    def connect(self, limit_s: float) -> None:
        """Let it connect, after marking `connect`."""
        self._mark("connect")
        self._heard(self._inner.connect, limit_s)

    def echo(self, commands: int, limit_s: float) -> list[Any]:
        """Let it verify, then mark `ready`."""
        replies = self._heard(partial(self._inner.echo, commands), limit_s)
        self._mark("ready")
        return replies

    def work(self, work: Work) -> None:
        """Let it work, after marking `go`."""
        self._slices += 1
        if len(self._executor.slices) < self._slices:
            self._executor.slices.append(Slice(work.first))
        self._mark("go")
        self._inner.work(work)

    def worked(self, limit_s: float) -> Worked:
        """Mark the answer as `end`, and keep it."""
        answer = self._heard(self._inner.worked, limit_s)
        self._mark("end")
        self._executor.slices[self._slices - 1].answers[self._part] = answer
        return answer

    def samples(self, limit_s: float) -> list[Latencies]:
        """Ask the runner."""
        return self._heard(self._inner.samples, limit_s)

    def end(self, limit_s: float) -> None:
        """Mark `stop`, let the runner close, and wait for its orderly end."""
        self._mark("stop")
        self._heard(self._inner.end, limit_s)

    def _mark(self, name: str) -> None:
        self._executor.proxy.mark(name, self._part)

    def _heard(self, ask: Callable[[float], Value], limit_s: float) -> Value:
        try:
            return ask(min(limit_s, self._limit_s))
        except RunnerFailedError as error:
            self._executor.errors.append(error)
            raise
