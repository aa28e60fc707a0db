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
"""A runner's exit code: the target refused it, or no longer answers."""


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
    awaited: bool = False
    """As `absent`, and the proxy waited for it as often as is needed to be sure."""


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
        """Return the scenario that was run."""
        return self.trial.cell.scenario

    @property
    def shape(self) -> Shape:
        """Return the scenario's shape."""
        return self.trial.cell.shape

    @property
    def ready(self) -> tuple[Ready, ...]:
        """Return what the runners said before the slice, one event per process."""
        return self.outcome.ready

    @property
    def answers(self) -> tuple[Slice, ...]:
        """Return what the runners claim about each slice, one answer per process, slice after slice."""
        return tuple(answer for one in self.outcome.slices for answer in one.answers)

    @property
    def is_target_lost(self) -> bool:
        """Return whether a runner ended because its target refused it or no longer answered."""
        return any(failure.runner_exit_code == TARGET_LOST_EXIT for failure in self.failures)

    @property
    def is_hung(self) -> bool:
        """Return whether a runner was ended because it said nothing for too long."""
        return any(failure.hung for failure in self.failures)

    @property
    def local_hits(self) -> int:
        """Return how many of the claimed commands the client's own cache answered; these were not on the wire."""
        reads = sum(one.evidence.expected.local_reads or 0 for one in self.outcome.slices)
        return reads - sum(answer.local_cache.misses for answer in self.answers if answer.local_cache is not None)

    def agree(self, claimed: int, sent: int) -> bool:
        """Return whether as many commands were on the wire as were claimed, or fewer if a cache may have answered."""
        return sent == claimed or (self.scenario is Scenario.CACHING and sent < claimed)

    @property
    def operations(self) -> int:
        """Return the number of commands that the runners claim."""
        return sum(answer.lead_in.operations + answer.measured.operations for answer in self.answers)
