"""What a run that goes on has measured before."""

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
        """Return why clients were missing, by name: they stay so, or rounds would differ in who takes turns."""
        return {
            record.client.name: record.reason or ""
            for record in self.records.values()
            if record.status is Status.MISSING and not record.loaded
        }

    @property
    def versions(self) -> dict[str, Mapping[str, str]]:
        """Return what the first trial of each client loaded; those to come are held against it."""
        ordered = sorted(self.records.values(), key=lambda record: record.order, reverse=True)
        return {record.client.name: result.versions for record in ordered for result in record.results[:1]}

    def statuses(self, block: BlockRound) -> list[Status] | None:
        """Return what became of a block's trials; None: one of them is not done, so the block is measured again.

        A block that was cut short is measured as a whole: its laps compare clients that take turns.
        """
        records = [self.records.get(trial.id) for trial in block.trials]
        known = [record for record in records if record is not None and INTERRUPTED not in (record.reason or "")]
        return [record.status for record in known] if len(known) == len(block.trials) else None
