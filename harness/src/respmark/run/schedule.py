"""Which block of a run comes next, how many laps it gets, when the run is over, and how long that takes.

There are four kinds: the plan's rounds and laps; as many as fit into so many minutes; rounds until every comparison is
precise, within a budget; as many as whoever looks at the figures asks for.

Every round costs fresh processes and their warm-up, and every block the loading of its trials; a further lap costs
little. The number of laps that narrows a ratio most in a given time is the square root of what preparing a block costs
in laps, times how much more laps vary than processes do (Kalibera and Jones, "Rigorous benchmarking in reasonable
time", 2013). Costs are those that are seen on this machine, and where there is no time for so many laps, blocks share
it by how much their laps vary here.
"""

import math
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby
from pathlib import Path
from statistics import fmean
from typing import Final

from respmark.plan.expand import one_round
from respmark.plan.needs import (
    NONE_YET,
    is_search,
    lap_estimate_s,
    planned_laps,
    preparation_estimate_s,
    processes_of,
    with_new_processes,
)
from respmark.plan.trial import BlockRound, Plan
from respmark.results.manifest import Until
from respmark.specs.runner import RunnerSpec

LAP_VARIANCE: Final = 20.0
"""Variance of a ratio of RPS between laps, divided by its variance between fresh processes: 0.142² / 0.031² in the
published run of `quick`."""
LEAST_LAPS: Final = 3
"""The fewest laps of a block in a round; one of them may be lost."""
MOST_LAPS: Final = 40
"""More would help little against what the processes' own luck does, however long their preparation was."""
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
    variance: float = 0.0
    """Of the logarithm of throughput from lap to lap, the mean of its trials; 0: not known."""


@dataclass
class Costs:
    """What blocks cost: the plan's estimates, corrected by what is seen on this machine."""

    plan: Plan
    runners: Mapping[str, RunnerSpec]
    _spent: dict[str, list[tuple[float, Spent]]] = field(default_factory=dict)
    """By block: how long its preparation was estimated to take, and what it took."""

    def learn(self, block: BlockRound, new: Mapping[str, int], spent: Spent) -> None:
        """Learn what a round of a block took; `new` is how many processes of each client started with it."""
        self._spent.setdefault(block.name, []).append((self._estimate_s(block, new), spent))

    def preparation_s(self, block: BlockRound, new: Mapping[str, int]) -> float:
        """Return how long everything but its laps takes in one round of a block."""
        return self._estimate_s(block, new) * self._factor(self._spent.get(block.name, []))

    def lap_s(self, block: BlockRound) -> float:
        """Return how long one of its laps takes."""
        spent = [one for _, one in self._spent.get(block.name, [])]
        laps = sum(one.laps for one in spent)
        return sum(one.laps_s for one in spent) / laps if laps else lap_estimate_s(self.plan.settings, block)

    def best_laps(self, block: BlockRound, prepared_s: float) -> int:
        """Return the number of laps that narrows its ratios most in a given time."""
        best = math.floor(math.sqrt(prepared_s / self.lap_s(block) * LAP_VARIANCE))
        return min(MOST_LAPS, max(LEAST_LAPS, best))

    def laps_within(self, left_s: float, block: BlockRound, to_come: Sequence[BlockRound]) -> int:
        """Return how many laps a block has of a time that it shares with others.

        The sum of the variances of their figures is smallest if each has as many as the standard deviation of its laps,
        divided by the square root of what a lap costs.
        """
        weight = self._deviation(block) / math.sqrt(self.lap_s(block))
        wanted_s = sum(self._deviation(one) * math.sqrt(self.lap_s(one)) for one in (block, *to_come))
        return math.floor(left_s * weight / wanted_s)

    def _deviation(self, block: BlockRound) -> float:
        """Return the standard deviation of a block's laps, or that of all blocks' if this one's is not known."""
        known = [(name, one.variance) for name, each in self._spent.items() for _, one in each if one.variance]
        own = [variance for name, variance in known if name == block.name]
        return math.sqrt(fmean(own or [variance for _, variance in known] or [1.0]))

    def least_s(self, blocks: Sequence[BlockRound]) -> float:
        """Return how long a round of these blocks takes with the fewest laps."""
        return sum(self.preparations_s(blocks)) + LEAST_LAPS * sum(map(self.lap_s, blocks))

    def preparations_s(self, blocks: Sequence[BlockRound], started: Mapping[str, int] = NONE_YET) -> list[float]:
        """Return how long everything but the laps takes in each block of a round; `started` have their processes."""
        return [self.preparation_s(*both) for both in with_new_processes(blocks, self.runners, started)]

    def _factor(self, spent: Sequence[tuple[float, Spent]]) -> float:
        """Return how much longer preparing a block takes than was estimated, or any block if this one is not known."""
        if spent:
            return fmean(one.prepared_s / estimated_s for estimated_s, one in spent)
        known = [one for each in self._spent.values() for one in each]
        took_s = sum(one.prepared_s for _, one in known)
        return (took_s + ESTIMATED_S) / (sum(estimated_s for estimated_s, _ in known) + ESTIMATED_S)

    def _estimate_s(self, block: BlockRound, new: Mapping[str, int]) -> float:
        return preparation_estimate_s(self.plan.settings, block, self.runners, new)


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
    _rounds: list[list[BlockRound]] = field(init=False)
    """Those that have not begun."""
    _ahead: list[BlockRound] = field(init=False, default_factory=list)
    """Blocks of this round that have not begun."""
    _started: Counter[str] = field(init=False, default_factory=Counter)
    """How many processes each client has in this round."""
    _new: Mapping[str, int] = field(init=False, default_factory=Counter)
    """How many of each started with this block."""
    _block_ends_s: float = field(init=False, default=0.0)
    """When this block is expected to end."""
    _counts: dict[str, int] = field(init=False, default_factory=dict)
    """How many rounds each block had so far."""

    def __post_init__(self) -> None:
        self.costs = Costs(self.plan, self.runners)
        self._rounds = [list(blocks) for _, blocks in groupby(self.plan.rounds, lambda block: block.round)]

    def rounds(self) -> Iterator[list[BlockRound]]:
        """Yield the run's rounds; what comes next is decided when the one before is over."""
        while self._goes_on():
            self._ahead, self._started = self._rounds.pop(0), Counter()
            yield list(self._ahead)

    def begins(self, block: BlockRound) -> bool:
        """A round of a block is next; return whether there is time for it."""
        self._ahead = self._ahead[1:]
        ((_, self._new),) = with_new_processes([block], self.runners, self._started)
        if not self._affords(block):
            return False
        self._started |= processes_of(block)
        self.begun += 1
        self._counts[block.name] = self._counts.get(block.name, 0) + 1
        self._block_ends_s = self.clock() + self._block_s(block, self.costs.preparation_s(block, self._new))
        return True

    def laps(self, _block: BlockRound, _prepared_s: float) -> int:
        """Return how many laps a round of a block gets, whose preparation took so long."""
        return self.plan.settings.laps

    def ended(self, block: BlockRound, spent: Spent | None) -> None:
        """A round of a block is over; None: it was cut short."""
        if spent is not None:
            self.costs.learn(block, self._new, spent)

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
        return of_block + sum(self._block_s(*both) for both in self._to_come())

    def _to_come(self) -> list[tuple[BlockRound, float]]:
        """Return the blocks that have not begun, with how long everything but the laps of each takes."""
        prepared_s = self.costs.preparations_s(self._ahead, self._started)
        prepared_s += [one_s for blocks in self._rounds for one_s in self.costs.preparations_s(blocks)]
        return list(zip([*self._ahead, *chain.from_iterable(self._rounds)], prepared_s, strict=True))

    def _block_s(self, block: BlockRound, prepared_s: float) -> float:
        laps = planned_laps(self.plan.settings, block) if is_search(block) else self.laps(block, prepared_s)
        return prepared_s + laps * self.costs.lap_s(block)

    def _affords(self, block: BlockRound) -> bool:
        needed_s = self.costs.preparation_s(block, self._new) + LEAST_LAPS * self.costs.lap_s(block)
        return self._counts.get(block.name, 0) < LEAST_ROUNDS or self.clock() + needed_s <= self.end_s

    def _goes_on(self) -> bool:
        return bool(self._rounds)

    def _last(self) -> int:
        return max((self.plan.settings.rounds, *self._counts.values()))


@dataclass
class TimedSchedule(Schedule):
    """The plan's rounds as far as they fit into the time, with the laps that are best where the time allows them.

    Time that is left goes to further rounds, of the least certain blocks first. Which those are depends on the widths
    of intervals and not on what they say: no look at the figures decides whether a difference is shown.
    """

    least_certain: Callable[[], Sequence[str]] | None = None
    """Returns the names of the blocks that compare clients, the least certain one first; None: when the plan's rounds
    are over, the run is."""

    def laps(self, block: BlockRound, prepared_s: float) -> int:
        """Return the best number of laps, or the block's share of the time that is left for laps."""
        best, to_come = self.costs.best_laps(block, prepared_s), self._to_come()
        left_s = self.end_s - self.clock() - sum(one_s for _, one_s in to_come)
        return max(LEAST_LAPS, min(best, self.costs.laps_within(left_s, block, [one for one, _ in to_come])))

    @property
    def left_s(self) -> float:
        """Return about how long the run still takes."""
        left_s = max(0.0, self.end_s - self.clock())
        return left_s if self.least_certain else min(left_s, super().left_s)

    def _goes_on(self) -> bool:
        left_s = self.end_s - self.clock()
        while self._last_planned() > LEAST_ROUNDS and sum(map(self.costs.least_s, self._rounds)) > left_s:
            self._rounds.pop()
        if not self._rounds and self.least_certain is not None and left_s > 0:
            self._rounds = [blocks] if (blocks := self._another(self.least_certain(), left_s)) else []
        return bool(self._rounds)

    def _last_planned(self) -> int:
        return self._rounds[-1][0].round if self._rounds else 0

    def _another(self, names: Sequence[str], left_s: float) -> list[BlockRound]:
        """Return one more round of as many of these blocks as there is time for, the first ones of them."""
        every = {block.name: block for block in one_round(self.plan.cells, self.plan.settings.seed, self._last() + 1)}
        chosen: list[BlockRound] = []
        for name in names:
            if self.costs.least_s([*chosen, every[name]]) <= left_s:
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

    def laps(self, block: BlockRound, prepared_s: float) -> int:
        """Return the best number of laps."""
        return self.costs.best_laps(block, prepared_s)

    def _goes_on(self) -> bool:
        if not self._rounds and self.clock() < self.end_s:
            self._rounds = self._needed(self.widths())
        return bool(self._rounds)

    def _needed(self, widths: Mapping[str, float]) -> list[list[BlockRound]]:
        """Return the rounds that blocks still need, each block in as many as it needs."""
        needed: dict[str, int] = {}
        for cell in self.plan.cells:
            if (width := widths.get(cell.id)) is not None:
                more = more_rounds(self._counts.get(cell.block, 0), width, self.until.half_width)
                needed[cell.block] = max(more, needed.get(cell.block, 0))
        last, seed = self._last(), self.plan.settings.seed
        rounds = [
            [block for block in one_round(self.plan.cells, seed, last + more) if needed.get(block.name, 0) >= more]
            for more in range(1, max(needed.values(), default=0) + 1)
        ]
        affordable = [blocks for blocks in rounds if self.clock() + self.costs.least_s(blocks) <= self.end_s]
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
    fixed_laps: bool = False
    """Whether blocks have the plan's laps, and not the best number of them."""


@dataclass
class AskedSchedule(Schedule):
    """The plan's rounds, then as many more as whoever looks at the figures asks for, until the time is over."""

    asked: Asked = field(kw_only=True)
    folder: Path = field(kw_only=True)
    """The run's, in which its figures are."""

    def laps(self, block: BlockRound, prepared_s: float) -> int:
        """Return the best number of laps, or the plan's."""
        return self.plan.settings.laps if self.asked.fixed_laps else self.costs.best_laps(block, prepared_s)

    def _goes_on(self) -> bool:
        if not self._rounds and self.clock() < self.end_s:
            last, seed = self._last(), self.plan.settings.seed
            more = range(last + 1, last + 1 + self.asked.more(self.folder, self.completed))
            rounds = [one_round(self.plan.cells, seed, number) for number in more]
            self._rounds = [blocks for blocks in rounds if self.clock() + self.costs.least_s(blocks) <= self.end_s]
        return bool(self._rounds)


def more_rounds(rounds: int, half_width: float, wanted: float) -> int:
    """Return how many more rounds an interval needs that is so wide after these; at most as many again."""
    most = max(1, (GROWTH - 1) * rounds)
    return most if math.isinf(half_width) else min(most, max(1, rounds_lacking(rounds, half_width, wanted)))


def rounds_lacking(rounds: int, half_width: float, wanted: float) -> int:
    """Return how many more rounds make an interval as narrow as wanted: it shrinks as their square root."""
    return math.ceil(rounds * ((half_width / wanted) ** 2 - 1))
