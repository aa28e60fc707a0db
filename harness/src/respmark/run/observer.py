"""What a run reports while it measures, and where it keeps what it measured."""

from typing import Protocol

from respmark.plan.trial import BlockRound
from respmark.results.records import TrialRecord


class Observer(Protocol):
    """Follows a run; its methods must return quickly, because the machine is measuring."""

    def block_started(self, block: BlockRound, number: int) -> None:
        """A round of a block begins: number `number` of the run, counted from 1."""

    def progress(self, text: str) -> None:
        """The block has reached this point; called between slices."""

    def trial_ended(self, record: TrialRecord) -> None:
        """A trial has ended and its record is written."""

    def round_ended(self, number: int, of: int) -> None:
        """A round of every block has ended, and more are to come; nothing is measured until this returns."""

    def note(self, text: str) -> None:
        """There is something that the user should know."""


class Recorder(Protocol):
    """Stores records; each is written whole when the round of its block ends."""

    def append(self, record: TrialRecord) -> None:
        """Store this record; raises RunFolderError if it cannot be written."""
