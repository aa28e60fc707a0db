"""What a resumed run has measured before."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from respmark.plan.trial import BlockRound
from respmark.results.records import Status, TrialRecord
from respmark.run.block import INTERRUPTED


@dataclass(frozen=True)
class Done:
    """The records of a run so far, by trial."""

    records: Mapping[str, TrialRecord] = field(default_factory=dict)

    @property
    def missing(self) -> dict[str, str]:
        """Return why clients were missing, by name; they stay missing, because all rounds need the same clients."""
        return {
            record.client.name: record.reason or ""
            for record in self.records.values()
            if record.status is Status.MISSING and not record.loaded
        }

    @property
    def versions(self) -> dict[str, Mapping[str, str]]:
        """Return the versions that each client's first trial loaded; all later trials must load the same."""
        ordered = sorted(self.records.values(), key=lambda record: record.order, reverse=True)
        return {record.client.name: result.versions for record in ordered for result in record.results[:1]}

    def statuses(self, block: BlockRound) -> list[Status] | None:
        """Return the status of each trial of a block; None if one is not done: the block is then measured again.

        A block that was interrupted is measured again as a whole: its laps compare clients that take turns.
        """
        records = [self.records.get(trial.id) for trial in block.trials]
        known = [record for record in records if record is not None and INTERRUPTED not in (record.reason or "")]
        return [record.status for record in known] if len(known) == len(block.trials) else None
