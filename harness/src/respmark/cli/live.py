"""Live progress of a run: drawn only when something has happened, because drawing takes CPU from what is measured."""

from collections.abc import Callable
from statistics import median
from types import TracebackType
from typing import Final, Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

from respmark.cli.time_left import TimeLeft
from respmark.escaping import line
from respmark.plan.trial import BlockRound
from respmark.results.records import Status, TrialRecord

FIRST: Final = 3
"""How many clients of a round are named as it ends."""


Provisional = Callable[[int, str], None]
"""Prints what so many rounds have found, marked with these words."""


def no_table(_rounds: int, _words: str) -> None:
    """Print nothing."""


class LiveProgress:
    """Two lines that change on a terminal: where it is, and what the last block found; elsewhere one line a block.

    After each round, a provisional table stands above them.
    """

    def __init__(self, console: Console, left: TimeLeft, provisional: Provisional = no_table) -> None:
        self._console = console
        self._left = left
        self._provisional = provisional
        self._block: BlockRound | None = None
        self._ended: list[TrialRecord] = []
        self._found = ""
        self._live = Live(console=console, auto_refresh=False, transient=True) if console.is_terminal else None

    def block_started(self, block: BlockRound, number: int) -> None:
        """Show which block runs."""
        self._left.block_started(number, block.name)
        self._block = block
        self._ended = []
        self._draw("")

    def progress(self, text: str) -> None:
        """Show where it is."""
        self._draw(text)

    def trial_ended(self, record: TrialRecord) -> None:
        """Show what became of it, when its block has ended, or at once where it went wrong."""
        self._ended.append(record)
        if record.status is not Status.OK:
            self._say(f"{self._place}: {record.client.name}: {record.status}: {record.reason}")
        if self._block is not None and len(self._ended) == len(self._block.trials):
            self._block_ended()

    def round_ended(self, number: int, of: int) -> None:
        """Show what was found so far."""
        self._provisional(number, f"provisional, after round {number} of {of}; {self._left.words}")

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

    @property
    def _place(self) -> str:
        """Return which block it is, and of how many."""
        return f"[{self._left.number}/{self._left.total}] {block_words(self._block)}"

    def _block_ended(self) -> None:
        self._left.block_ended()
        self._found = first_clients(self._ended)
        if self._live is None and self._found:
            self._say(f"{self._place}: {self._found}; {self._left.words}")

    def _draw(self, text: str) -> None:
        if self._live is not None:
            where = f"block {self._left.number} of {self._left.total}, {self._left.words}: {block_words(self._block)}"
            lines = [f"{where}  {text}", *([f"last: {self._found}"] if self._found else [])]
            self._live.update(Text("\n".join(map(line, lines)), no_wrap=True, overflow="ellipsis"), refresh=True)

    def _say(self, text: str) -> None:
        self._console.print(Text(line(text)), soft_wrap=True)


def block_words(block: BlockRound | None) -> str:
    """Write a round of a block: `batching, depth=100, round 2`."""
    return "" if block is None else f"{block.name.replace('--', ', ')}, round {block.round}"


def first_clients(records: list[TrialRecord]) -> str:
    """Write the highest figures of one round of a block: what was found, before anything can be claimed."""
    figures = {record.client.name: trial_rps(record) for record in records if record.status is Status.OK}
    if not figures:
        return ""
    order = sorted(figures, key=lambda client: -figures[client])
    more = f" and {len(order) - FIRST} more" if len(order) > FIRST else ""
    return ", ".join(f"{client} {figures[client]:,.0f}" for client in order[:FIRST]) + f"{more} (commands/s)"


def trial_rps(record: TrialRecord) -> float:
    """Return the median of a trial's slices that count."""
    rates = [one.operations / one.elapsed_ns * 1e9 for one in record.slices if one.counts]
    return median(rates) if rates else 0.0
