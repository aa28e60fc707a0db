"""Which block of a run comes next, when the run is over, and how long that takes.

There are four kinds: the plan's rounds; as many as fit into so many minutes; rounds until every comparison is precise,
within a budget; as many as whoever looks at the figures asks for. Each round of a block has fresh processes, and the
plan's number of laps.
"""

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby
from pathlib import Path
from statistics import fmean
from typing import Final

from respmark.plan.loops import lap_estimate_s, planned_laps, preparation_estimate_s
from respmark.plan.plan import Block, Plan
from respmark.results.manifest import Until
from respmark.specs.runner import RunnerSpec

LEAST_ROUNDS: Final = 2
"""So many rounds are measured whatever they take: one shows nothing about how processes differ."""
GROWTH: Final = 2
"""By how much the rounds of a block may grow between two looks at its figures: few rounds say little about how many
are needed."""
ESTIMATED_S: Final = 60.0
"""The plan's estimate counts as much as blocks of this length that took as long as was estimated."""


@dataclass(frozen=True)
class Spent:
    """How long a round of a block took."""

    prepared_s: float
    """Everything but its laps."""
    laps: int
    laps_s: float


@dataclass
class Costs:
    """What blocks cost: the plan's estimates, corrected by what is seen on this machine."""

    plan: Plan
    runners: Mapping[str, RunnerSpec]
    _spent: dict[str, list[tuple[float, Spent]]] = field(default_factory=dict)
    """By block: how long its preparation was estimated to take, and what it took."""

    def learn(self, block: Block, spent: Spent) -> None:
        """Learn what a round of a block took."""
        self._spent.setdefault(block.name, []).append((self._estimate_s(block), spent))

    def preparation_s(self, block: Block) -> float:
        """Return how long everything but its laps takes in one round of a block."""
        return self._estimate_s(block) * self._factor(self._spent.get(block.name, []))

    def lap_s(self, block: Block) -> float:
        """Return how long one of its laps takes."""
        spent = [one for _, one in self._spent.get(block.name, [])]
        laps = sum(one.laps for one in spent)
        return sum(one.laps_s for one in spent) / laps if laps else lap_estimate_s(self.plan.settings, block)

    def round_s(self, blocks: Iterable[Block]) -> float:
        """Return how long a round of these blocks takes."""
        laps = ((block, planned_laps(self.plan.settings, block)) for block in blocks)
        return sum(self.preparation_s(block) + count * self.lap_s(block) for block, count in laps)

    def _factor(self, spent: Sequence[tuple[float, Spent]]) -> float:
        """Return how much longer preparing a block takes than was estimated, or any block if this one is not known."""
        if spent:
            return fmean(one.prepared_s / estimated_s for estimated_s, one in spent)
        known = [one for each in self._spent.values() for one in each]
        took_s = sum(one.prepared_s for _, one in known)
        return (took_s + ESTIMATED_S) / (sum(estimated_s for estimated_s, _ in known) + ESTIMATED_S)

    def _estimate_s(self, block: Block) -> float:
        return preparation_estimate_s(self.plan.settings, block, self.runners)


@dataclass
class Schedule:
    """The plan's rounds, each block with the plan's laps."""

    plan: Plan
    runners: Mapping[str, RunnerSpec]
    end_s: float = math.inf
    """When the run is to end, by `clock`."""
    clock: Callable[[], float] = time.monotonic
    costs: Costs = field(init=False)
    begun: int = field(init=False, default=0)
    """How many blocks have begun."""
    _rounds: list[list[Block]] = field(init=False)
    """Those that have not begun."""
    _ahead: list[Block] = field(init=False, default_factory=list)
    """Blocks of this round that have not begun."""
    _block_ends_s: float = field(init=False, default=0.0)
    """When this block is expected to end."""
    _counts: dict[str, int] = field(init=False, default_factory=dict)
    """How many rounds each block had so far."""

    def __post_init__(self) -> None:
        self.costs = Costs(self.plan, self.runners)
        self._rounds = [list(blocks) for _, blocks in groupby(self.plan.rounds, lambda block: block.round)]

    def rounds(self) -> Iterator[list[Block]]:
        """Yield the run's rounds; what comes next is decided when the one before is over."""
        while self._goes_on():
            self._ahead = self._rounds.pop(0)
            yield list(self._ahead)

    def begins(self, block: Block) -> bool:
        """A round of a block is next; return whether there is time for it."""
        self._ahead = self._ahead[1:]
        if not self._affords(block):
            return False
        self.begun += 1
        self._counts[block.name] = self._counts.get(block.name, 0) + 1
        self._block_ends_s = self.clock() + self._block_s(block)
        return True

    def ended(self, block: Block, spent: Spent | None) -> None:
        """A round of a block is over; None: it was cut short."""
        if spent is not None:
            self.costs.learn(block, spent)

    @property
    def completed(self) -> int:
        """Return how many rounds every block had at least."""
        return min((self._counts.get(block.name, 0) for block in self.plan.rounds), default=0)

    @property
    def blocks(self) -> int:
        """Return how many blocks there are, as far as is known by now."""
        return self.begun + len(self._ahead) + sum(map(len, self._rounds))

    @property
    def left_s(self) -> float:
        """Return about how long the run still takes."""
        of_block = max(0.0, self._block_ends_s - self.clock())
        return of_block + sum(map(self._block_s, chain(self._ahead, *self._rounds)))

    def _block_s(self, block: Block) -> float:
        return self.costs.round_s([block])

    def _affords(self, block: Block) -> bool:
        is_due = self._counts.get(block.name, 0) < LEAST_ROUNDS
        return is_due or self.clock() + self._block_s(block) <= self.end_s

    def _goes_on(self) -> bool:
        return bool(self._rounds)

    def _last(self) -> int:
        return max((self.plan.settings.rounds, *self._counts.values()))


@dataclass
class TimedSchedule(Schedule):
    """The plan's rounds as far as they fit into the time.

    Where it is to be filled, what is left goes to further rounds, of the least certain blocks first. Which those are
    depends on the widths of intervals and not on what they say: no look at the figures decides whether a difference is
    shown.
    """

    least_certain: Callable[[], Sequence[str]] | None = None
    """Returns the names of the blocks that compare clients, the least certain one first; None: when the plan's rounds
    are over, the run is."""

    @property
    def left_s(self) -> float:
        """Return about how long the run still takes."""
        left_s = max(0.0, self.end_s - self.clock())
        return left_s if self.least_certain else min(left_s, super().left_s)

    def _goes_on(self) -> bool:
        left_s = self.end_s - self.clock()
        while self._last_planned() > LEAST_ROUNDS and sum(map(self.costs.round_s, self._rounds)) > left_s:
            self._rounds.pop()
        if not self._rounds and self.least_certain is not None and left_s > 0:
            self._rounds = [blocks] if (blocks := self._another(self.least_certain(), left_s)) else []
        return bool(self._rounds)

    def _last_planned(self) -> int:
        return self._rounds[-1][0].round if self._rounds else 0

    def _another(self, names: Sequence[str], left_s: float) -> list[Block]:
        """Return one more round of as many of these blocks as there is time for, the first ones of them."""
        every = {block.name: block for block in self.plan.round(self._last() + 1)}
        chosen: list[Block] = []
        for name in names:
            if self.costs.round_s([*chosen, every[name]]) <= left_s:
                chosen.append(every[name])
        return [block for block in every.values() if block in chosen]


@dataclass
class PreciseSchedule(Schedule):
    """The plan's rounds, then more of the blocks whose comparisons are not precise enough, until the budget is spent.

    After a look at the figures come as many rounds as are still needed by them, at most as many as there were; then
    comes the next look. How often it may look is not limited: see docs/statistics.md for what that does to intervals.
    """

    until: Until = field(kw_only=True)
    widths: Callable[[], Mapping[str, float]] = field(kw_only=True)
    """Returns the half widths that are larger than wanted, by cell."""
    note: Callable[[str], None] = lambda _text: None

    def _goes_on(self) -> bool:
        if not self._rounds and self.clock() < self.end_s:
            self._rounds = self._needed(self.widths())
        return bool(self._rounds)

    def _needed(self, widths: Mapping[str, float]) -> list[list[Block]]:
        """Return the rounds that blocks still need, each block in as many as it needs."""
        needed: dict[str, int] = {}
        for cell in self.plan.cells:
            if (width := widths.get(cell.id)) is not None:
                more = more_rounds(self._counts.get(cell.block, 0), width, self.until.half_width)
                needed[cell.block] = max(more, needed.get(cell.block, 0))
        last = self._last()
        rounds = [
            [block for block in self.plan.round(last + more) if needed.get(block.name, 0) >= more]
            for more in range(1, max(needed.values(), default=0) + 1)
        ]
        affordable = [blocks for blocks in rounds if self.clock() + self.costs.round_s(blocks) <= self.end_s]
        if affordable:
            wanted = f"±{self.until.half_width:.1%}"
            self.note(f"{len(widths)} comparisons are less precise than {wanted}: up to {len(affordable)} more rounds")
        return affordable


@dataclass(frozen=True)
class Asked:
    """What whoever looks at the figures wants of a run."""

    more: Callable[[Path, int], int]
    """Is given the run's folder and how many rounds there were, and returns how many more are needed; 0: it is over."""
    end_s: float = math.inf
    """No round is started that is estimated to end later, by `time.monotonic`, but for the first two."""


@dataclass
class AskedSchedule(Schedule):
    """The plan's rounds, then as many more as whoever looks at the figures asks for, until the time is over."""

    asked: Asked = field(kw_only=True)
    folder: Path = field(kw_only=True)
    """The run's, in which its figures are."""

    def _goes_on(self) -> bool:
        if not self._rounds and self.clock() < self.end_s:
            last = self._last()
            more = range(last + 1, last + 1 + self.asked.more(self.folder, self.completed))
            rounds = [self.plan.round(number) for number in more]
            self._rounds = [blocks for blocks in rounds if self.clock() + self.costs.round_s(blocks) <= self.end_s]
        return bool(self._rounds)


def more_rounds(rounds: int, half_width: float, wanted: float) -> int:
    """Return how many more rounds an interval needs that is so wide after these; at most as many again."""
    most = max(1, (GROWTH - 1) * rounds)
    return most if math.isinf(half_width) else min(most, max(1, rounds_lacking(rounds, half_width, wanted)))


def rounds_lacking(rounds: int, half_width: float, wanted: float) -> int:
    """Return how many more rounds make an interval as narrow as wanted: it shrinks as their square root."""
    return math.ceil(rounds * ((half_width / wanted) ** 2 - 1))
