"""An observer for tests that need none."""

from respmark.plan.trial import Trial
from respmark.records import TrialRecord


class Silent:
    """An observer that tells nobody."""

    def trial_started(self, trial: Trial, number: int) -> None:
        """Say nothing."""

    def figure(self, operations_per_s: float) -> None:
        """Say nothing."""

    def trial_ended(self, record: TrialRecord) -> None:
        """Say nothing."""

    def note(self, text: str) -> None:
        """Say nothing."""
