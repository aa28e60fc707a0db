"""An observer for tests that need none."""

from respmark.plan.trial import BlockRound
from respmark.results.records import TrialRecord


class Silent:
    """An observer that tells nobody."""

    def block_started(self, block: BlockRound, number: int) -> None:
        """Say nothing."""

    def progress(self, text: str) -> None:
        """Say nothing."""

    def trial_ended(self, record: TrialRecord) -> None:
        """Say nothing."""

    def round_ended(self, number: int, of: int) -> None:
        """Say nothing."""

    def note(self, text: str) -> None:
        """Say nothing."""
