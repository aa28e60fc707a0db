"""What follows a run: it is told where the run is, and what became of each trial."""

import time
from dataclasses import dataclass

from respmark.plan.plan import Block
from respmark.results.records import TrialRecord


@dataclass(frozen=True)
class Progress:
    """Where a run is when a round of a block begins."""

    number: int
    """Of the block, counted from 1 over all rounds."""
    of: int
    """How many blocks there are, as far as is known by now."""
    ends_s: float
    """When the run is expected to end, by `time.monotonic`."""

    @property
    def left_s(self) -> float:
        """Return about how long the run still takes."""
        return max(0.0, self.ends_s - time.monotonic())


class Observer:
    """Follows a run and says nothing; methods must return quickly, because the machine is measuring."""

    def block_started(self, block: Block, progress: Progress) -> None:
        """A round of a block begins."""

    def progress(self, text: str) -> None:
        """The block has reached this point; called between slices."""

    def trial_ended(self, record: TrialRecord) -> None:
        """A trial has ended and its record is written."""

    def note(self, text: str) -> None:
        """There is something that the user should know."""
