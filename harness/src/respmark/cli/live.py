"""Live progress of a run: drawn only when something has happened, because drawing takes CPU from what is measured."""

import time
from statistics import median
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

from respmark.escaping import line
from respmark.plan.estimate import estimate_s
from respmark.plan.trial import BlockRound, Plan
from respmark.records import Status, TrialRecord
from respmark.statistics.figures import rps


class LiveProgress:
    """One line that changes on a terminal; one line a trial elsewhere."""

    def __init__(self, console: Console, plan: Plan) -> None:
        self._console = console
        self._total = len(plan.rounds)
        self._estimate_s = estimate_s(plan) / max(self._total, 1)
        self._began = time.monotonic()
        self._number = 0
        self._done = 0
        self._what = ""
        self._live = Live(console=console, auto_refresh=False, transient=True) if console.is_terminal else None

    def block_started(self, block: BlockRound, number: int) -> None:
        """Show which block runs."""
        self._number = number
        self._what = f"{block.name.replace('--', ', ')}, round {block.round}"
        self._draw("")

    def progress(self, text: str) -> None:
        """Show where it is."""
        self._draw(text)

    def trial_ended(self, record: TrialRecord) -> None:
        """Show what became of it."""
        self._done = self._number
        if record.status is Status.OK and self._live is not None:
            return
        self._say(f"[{self._number}/{self._total}] {self._what}: {record.client.name}: {outcome(record)}")

    def note(self, text: str) -> None:
        """Show something beside the trials."""
        self._say(text)

    def __enter__(self) -> Self:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def _draw(self, figure: str) -> None:
        if self._live is not None:
            left = f"about {duration(self._left_s())} left"
            line = f"block {self._number} of {self._total}, {left}: {self._what}  {figure}"
            self._live.update(Text(line, no_wrap=True, overflow="ellipsis"), refresh=True)

    def _left_s(self) -> float:
        """Estimate from the trials so far, once there are some."""
        elapsed = time.monotonic() - self._began
        each = elapsed / self._done if self._done else self._estimate_s
        return each * (self._total - self._number + 1)

    def _say(self, text: str) -> None:
        self._console.print(Text(line(text)), soft_wrap=True)


def outcome(record: TrialRecord) -> str:
    """Write what became of a trial in one line."""
    if record.status is not Status.OK:
        return f"{record.status}: {record.reason}"
    return f"{median(map(rps, record.counted_slices)):,.0f} commands/s"


def duration(seconds: float) -> str:
    """Write a duration: `42 s`, `7 min`, `3 h 20 min`."""
    minutes = round(seconds / 60)
    if seconds < 100:  # noqa: PLR2004 - below that, seconds are what a reader wants
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"  # noqa: PLR2004 - as above
