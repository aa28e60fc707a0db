"""What a run has measured so far, as its records say: learned alike from those of a new and of a resumed run."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from respmark.errors import ExitCode
from respmark.plan.plan import Block
from respmark.results.records import Status, TrialRecord

INTERRUPTED: Final = "the run was interrupted"
"""Part of the reason that is recorded for a trial that the user interrupted."""


class RunState:
    """What the records of a run say; the first trial of a client, and of a cell, binds all later ones."""

    def __init__(self, records: Iterable[TrialRecord] = ()) -> None:
        self.missing: dict[str, str] = {}
        """Why clients were missing, by name; they stay missing, because all rounds need the same clients."""
        self.versions: dict[str, Mapping[str, str]] = {}
        """What the first trial of each client that is `ok` loaded; all later trials must load the same."""
        self.off_core: dict[str, bool] = {}
        """Whether the first trial of each cell that is `ok` was kept off the server's CPU."""
        self._statuses: dict[str, Status] = {}
        """By trial, without those that were interrupted."""
        self._measured_s: dict[str, float] = {}
        """By trial."""
        for record in sorted(records, key=lambda record: record.order):
            self.learn(record)

    def learn(self, record: TrialRecord) -> None:
        """Learn what became of a trial; of one that is measured again, the last record counts."""
        self._measured_s[record.trial_id] = record.measured_s
        if INTERRUPTED not in (record.reason or ""):
            self._statuses[record.trial_id] = record.status
        if record.status is Status.MISSING:
            self.missing[record.client.name] = record.reason or ""
        if record.status is Status.OK:
            self.versions.setdefault(record.client.name, record.versions)
            if record.is_off_core is not None:
                self.off_core.setdefault(record.cell_id, record.is_off_core)

    def knows(self, trial_id: str) -> bool:
        """Return whether it is known what became of a trial."""
        return trial_id in self._statuses

    def is_done(self, block: Block) -> bool:
        """Return whether it is known what became of every trial of a block.

        A block that was interrupted is measured again as a whole: its laps compare clients that take turns.
        """
        return all(trial.id in self._statuses for trial in block.trials)

    @property
    def measured_s(self) -> float:
        """Return how long the slices lasted together that count, without their lead-ins."""
        return sum(self._measured_s.values())

    @property
    def exit_code(self) -> ExitCode:
        """Return the exit code of a run that ends now."""
        return exit_code(self._statuses.values())


def exit_code(statuses: Iterable[Status]) -> ExitCode:
    """Return the exit code for the statuses of all trials."""
    counts = Counter(statuses)
    if not counts[Status.OK]:
        return ExitCode.SOME_FAILED if counts[Status.FAILED] else ExitCode.NOTHING_RAN
    return ExitCode.SOME_FAILED if counts[Status.FAILED] else ExitCode.OK
