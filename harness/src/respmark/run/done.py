"""What a resumed run has measured before."""

from collections.abc import Iterable, Mapping

from respmark.plan.trial import BlockRound
from respmark.results.records import Status, TrialRecord
from respmark.run.block import INTERRUPTED


class Done:
    """What the records of a run so far say."""

    def __init__(self, records: Iterable[TrialRecord] = ()) -> None:
        self.measured_s = 0.0
        """How long the slices lasted together that count, without their lead-ins."""
        self.missing: dict[str, str] = {}
        """Why clients were missing, by name; they stay missing, because all rounds need the same clients."""
        self.versions: dict[str, Mapping[str, str]] = {}
        """What the first trial of each client that was measured loaded; all later trials must load the same."""
        self._statuses: dict[str, Status] = {}
        """By trial, without those that were interrupted."""
        for record in sorted(records, key=lambda record: record.order):
            self._learn(record)

    def _learn(self, record: TrialRecord) -> None:
        self.measured_s += measured_s(record)
        if INTERRUPTED not in (record.reason or ""):
            self._statuses[record.trial_id] = record.status
        if record.status is Status.MISSING:
            self.missing[record.client.name] = record.reason or ""
        if record.slices:
            self.versions.setdefault(record.client.name, record.versions)

    def statuses(self, block: BlockRound) -> list[Status] | None:
        """Return the status of each trial of a block; None if one is not done: the block is then measured again.

        A block that was interrupted is measured again as a whole: its laps compare clients that take turns.
        """
        known = [self._statuses[trial.id] for trial in block.trials if trial.id in self._statuses]
        return known if len(known) == len(block.trials) else None


def measured_s(record: TrialRecord) -> float:
    """Return how long the slices of a trial lasted together that count, without their lead-ins."""
    return sum(one.elapsed_ns for one in record.slices if one.counts) / 1e9
