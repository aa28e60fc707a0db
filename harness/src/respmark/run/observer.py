"""What a run tells while it works."""

from typing import Protocol

from respmark.plan.trial import BlockRound
from respmark.results.records import TrialRecord


class Observer(Protocol):
    """Whoever wants to know how the run goes; must be quick, the machine is measuring."""

    def block_started(self, block: BlockRound, number: int) -> None:
        """Round of a block, number `number` (from 1) of the run, begins."""

    def progress(self, text: str) -> None:
        """Where the block is; told between slices."""

    def trial_ended(self, record: TrialRecord) -> None:
        """A trial has ended and its record is written."""

    def note(self, text: str) -> None:
        """Something that the user should know."""


class Recorder(Protocol):
    """Where records go; each is written whole as its trial ends."""

    def record(self, record: TrialRecord) -> None:
        """Keep this record.

        Raises:
            RunFolderError: it cannot be written.
        """
