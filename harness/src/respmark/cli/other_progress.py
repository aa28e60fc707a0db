"""Progress for those who do not look on: nothing at all, or one JSON object a line."""

import json
from pathlib import Path
from types import TracebackType
from typing import Self

from respmark.cli.live import trial_rps
from respmark.cli.time_left import TimeLeft
from respmark.console import Output
from respmark.errors import ExitCode
from respmark.plan.trial import BlockRound
from respmark.results.records import Status, TrialRecord


class NoProgress:
    """Tells nothing; what went wrong stands in the summary."""

    def block_started(self, block: BlockRound, number: int) -> None:
        """Tell nothing."""

    def progress(self, text: str) -> None:
        """Tell nothing."""

    def trial_ended(self, record: TrialRecord) -> None:
        """Tell nothing."""

    def round_ended(self, number: int, of: int) -> None:
        """Tell nothing."""

    def note(self, text: str) -> None:
        """Tell nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _: TracebackType | None
    ) -> None:
        """Leave nothing behind."""


class JsonLines(NoProgress):
    """One JSON object a line on standard output, written as it happens.

    `event` is `block-started`, `trial-ended`, `note` or `run-ended`; a field without a value is null.
    """

    def __init__(self, left: TimeLeft) -> None:
        self._left = left
        self._block: BlockRound | None = None
        self._ended = 0

    def block_started(self, block: BlockRound, number: int) -> None:
        """Tell which block runs, of how many, and about how many seconds are left."""
        self._left.block_started(number, block.name)
        self._block, self._ended = block, 0
        write_event(
            "block-started",
            block=block.name,
            round=block.round,
            number=number,
            of=self._left.total,
            left_s=round(self._left.seconds, 1),
        )

    def trial_ended(self, record: TrialRecord) -> None:
        """Tell what became of it; `rps` is of this round alone."""
        self._ended += 1
        if self._block is not None and self._ended == len(self._block.trials):
            self._left.block_ended()
        write_event(
            "trial-ended",
            trial_id=record.trial_id,
            client=record.client.name,
            scenario=str(record.scenario),
            round=record.round,
            status=str(record.status),
            reason=record.reason,
            rps=round(trial_rps(record), 1) if record.status is Status.OK else None,
        )

    def note(self, text: str) -> None:
        """Tell something beside the trials."""
        write_event("note", text=text)


def run_ended(folder: Path, code: ExitCode) -> None:
    """Tell where the results are, and the exit code that is to come."""
    write_event("run-ended", folder=str(folder), exit_code=int(code))


def write_event(event: str, **fields: object) -> None:
    """Write one line; all but ASCII is escaped, so that no word of others gives a terminal orders."""
    output = Output("stdout")
    output.write(json.dumps({"event": event, **fields}, allow_nan=False) + "\n")
    output.flush()
