"""What a run tells while it measures; it draws only when something has happened, because drawing takes CPU."""

import json
import time
from collections.abc import Callable, Mapping
from statistics import median
from typing import Final, Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

from respmark.console import Output
from respmark.escaping import line
from respmark.plan.needs import block_estimate_s, duration
from respmark.plan.trial import BlockRound, Plan
from respmark.results.records import Status, TrialRecord
from respmark.run.session import Observer
from respmark.specs.runner import RunnerSpec

FIRST: Final = 3
"""How many clients of a block are named as it ends."""
PLAN_S: Final = 60.0
"""The estimate counts as much as blocks of this length that took as long as was estimated: the first blocks do not tell
the pace of all."""
Provisional = Callable[[int, str], None]
"""Prints what so many rounds have found, marked with these words."""


class TimeLeft:
    """How long a plan still takes: its estimate, by the pace of the blocks that have run."""

    def __init__(self, plan: Plan, runners: Mapping[str, RunnerSpec], fills_s: float = 0.0) -> None:
        """`fills_s` is how long the run goes on if its rounds end earlier."""
        self._names = [block.name for block in plan.rounds]
        self._estimates_s = {block.name: block_estimate_s(plan, block, runners) for block in plan.rounds}
        self._end_s = time.monotonic() + fills_s
        self._took_s = self._estimated_s = PLAN_S
        self._block: str | None = None
        self._began_s = 0.0
        self.number = 0
        """Of the last block that was started, from 1."""

    def block_started(self, block: BlockRound, number: int) -> None:
        """Learn from how long the block before took; others may have been passed over."""
        now = time.monotonic()
        if self._block is not None:
            self._took_s += now - self._began_s
            self._estimated_s += self._estimates_s[self._block]
        self.number, self._block, self._began_s = number, block.name, now

    @property
    def total(self) -> int:
        """Return how many blocks there are; a run that goes on until it is precise has more than its plan."""
        return max(len(self._names), self.number)

    @property
    def seconds(self) -> float:
        """Return about how long it still takes."""
        now, pace = time.monotonic(), self._took_s / self._estimated_s
        left = sum(pace * self._estimates_s[name] for name in self._names[self.number :])
        if self._block is not None:
            left += max(0.0, self._began_s + pace * self._estimates_s[self._block] - now)
        return max(self._end_s - now, left)

    @property
    def words(self) -> str:
        """Write it."""
        return f"about {duration(self.seconds)} left"


class NoProgress(Observer):
    """Tells nothing; what went wrong stands in the summary."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Leave nothing behind."""


class LiveProgress(NoProgress):
    """Two lines that change on a terminal: where it is, and what the last block found; elsewhere one line a block.

    After each round, a provisional table stands above them.
    """

    def __init__(self, console: Console, left: TimeLeft, provisional: Provisional | None = None) -> None:
        self._console = console
        self._left = left
        self._provisional = provisional
        self._block = BlockRound("", 0, ())
        self._records: list[TrialRecord] = []
        self._found = ""
        self._live = Live(console=console, auto_refresh=False, transient=True) if console.is_terminal else None

    def block_started(self, block: BlockRound, number: int) -> None:
        """Show which block runs."""
        self._left.block_started(block, number)
        self._block, self._records = block, []
        self.progress("")

    def progress(self, text: str) -> None:
        """Show where it is."""
        if self._live is not None:
            left = self._left
            lines = [f"block {left.number} of {left.total}, {left.words}: {self._what}  {text}"]
            lines += [f"last: {self._found}"] if self._found else []
            self._live.update(Text("\n".join(map(line, lines)), no_wrap=True, overflow="ellipsis"), refresh=True)

    def trial_ended(self, record: TrialRecord) -> None:
        """Show what became of it, when its block has ended, or at once where it went wrong."""
        self._records.append(record)
        place = f"[{self._left.number}/{self._left.total}] {self._what}"
        if record.status is not Status.OK:
            self.note(f"{place}: {record.client.name}: {record.status}: {record.reason}")
        if len(self._records) == len(self._block.trials):
            self._found = first_clients(self._records)
            if self._live is None and self._found:
                self.note(f"{place}: {self._found}; {self._left.words}")

    def round_ended(self, number: int, of: int) -> None:
        """Show what was found so far."""
        if self._provisional is not None:
            self._provisional(number, f"provisional, after round {number} of {of}; {self._left.words}")

    def note(self, text: str) -> None:
        """Show a line that stays."""
        self._console.print(Text(line(text)), soft_wrap=True)

    @property
    def _what(self) -> str:
        """Write a round of a block: `batching, depth=100, round 2`."""
        return f"{self._block.name.replace('--', ', ')}, round {self._block.round}"

    def __enter__(self) -> Self:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()


def first_clients(records: list[TrialRecord]) -> str:
    """Write the highest figures of one round of a block: what was found, before anything can be claimed."""
    figures = {record.client.name: trial_rps(record) for record in records if record.status is Status.OK}
    order = sorted(figures, key=lambda client: -figures[client])
    first = ", ".join(f"{client} {figures[client]:,.0f}" for client in order[:FIRST])
    return first and f"{first} (commands/s)"


def trial_rps(record: TrialRecord) -> float:
    """Return the median of a trial's slices that count."""
    rates = [one.operations / one.elapsed_ns * 1e9 for one in record.slices if one.counts]
    return median(rates) if rates else 0.0


class JsonLines(NoProgress):
    """One JSON object a line on standard output as it happens: block-started, trial-ended, note or run-ended."""

    def __init__(self, left: TimeLeft) -> None:
        self._left = left

    def block_started(self, block: BlockRound, number: int) -> None:
        """Tell which block runs, of how many, and about how many seconds are left."""
        self._left.block_started(block, number)
        at = {"block": block.name, "round": block.round, "number": number, "of": self._left.total}
        write_event("block-started", **at, left_s=round(self._left.seconds, 1))

    def trial_ended(self, record: TrialRecord) -> None:
        """Tell what became of it; `rps` is of this round alone."""
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


def write_event(event: str, **fields: object) -> None:
    """Write one line; all but ASCII is escaped, so that no word of others gives a terminal orders."""
    output = Output("stdout")
    output.write(json.dumps({"event": event, **fields}, allow_nan=False) + "\n")
    output.flush()
