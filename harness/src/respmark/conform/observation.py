"""What one short trial showed."""

from dataclasses import dataclass
from typing import Final

from respmark.contract.events import Ready, Slice
from respmark.contract.trial import Scenario, Shape
from respmark.errors import RunnerFailedError
from respmark.plan.trial import Trial
from respmark.run.participant import Outcome
from respmark.wire.shape import WireShape
from respmark.wire.trace import Trace

TARGET_LOST_EXIT: Final = 4
"""Of a runner: the target refused it, or answers no more."""


@dataclass(frozen=True)
class Deviation:
    """Something that is not as the definition says."""

    asked: str
    """What the definition asks for."""
    found: str
    order: int | None = None
    """The event of the trace that shows it."""
    absent: bool = False
    """What was to happen at some time did not; with more time it may. False: something happened that must not."""
    awaited: bool = False
    """The same, and the proxy waited for it as often as it takes."""


@dataclass(frozen=True)
class Observation:
    """One trial through the proxy."""

    trial: Trial
    outcome: Outcome
    failures: tuple[RunnerFailedError, ...]
    trace: Trace
    wire: WireShape

    @property
    def scenario(self) -> Scenario:
        """Return what was run."""
        return self.trial.cell.scenario

    @property
    def shape(self) -> Shape:
        """Return its numbers and forms."""
        return self.trial.cell.shape

    @property
    def ready(self) -> tuple[Ready, ...]:
        """Return what the runners said before the slice, one a process."""
        return self.outcome.ready

    @property
    def answers(self) -> tuple[Slice, ...]:
        """Return what they claim of the one slice, one a process; of several, one after the other."""
        return tuple(answer for one in self.outcome.slices for answer in one.answers)

    @property
    def is_target_lost(self) -> bool:
        """Tell whether a runner ended because its target refused it or answered no more."""
        return any(failure.runner_exit_code == TARGET_LOST_EXIT for failure in self.failures)

    @property
    def local_hits(self) -> int:
        """Return how many of the claimed commands the client's own cache answered: these are on no wire."""
        reads = sum(one.evidence.expected.local_reads or 0 for one in self.outcome.slices)
        return reads - sum(answer.local_cache.misses for answer in self.answers if answer.local_cache is not None)

    def agree(self, claimed: int, sent: int) -> bool:
        """Tell whether so many commands were on the wire as are claimed, or fewer where a cache may have answered."""
        return sent == claimed or (self.scenario is Scenario.CACHING and sent < claimed)

    @property
    def operations(self) -> int:
        """Return the commands that the runners claim."""
        return sum(answer.lead_in.operations + answer.measured.operations for answer in self.answers)
