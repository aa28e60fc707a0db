"""What a run tells while it works."""

from typing import Protocol

from respmark.plan.trial import Trial
from respmark.records import TrialRecord


class Observer(Protocol):
    """Whoever wants to know how the run goes; must be quick, the machine is measuring."""

    def trial_started(self, trial: Trial, number: int) -> None:
        """Trial `number` (from 1) begins."""

    def figure(self, operations_per_s: float) -> None:
        """About once a second in the window: the figure so far."""

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
