"""`--until`: further rounds of blocks whose comparisons are too wide, and what came of it."""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from respmark.figures.cells import RunFigures
from respmark.figures.precision import too_wide
from respmark.kinds.reading import read
from respmark.numbers import duration
from respmark.report.labels import joined
from respmark.results.manifest import CellDescription, Until
from respmark.run.run import Run

NAMED: Final = 5
"""How many comparisons are named that are not precise enough, the widest first."""
GROWTH: Final = 2
"""By how much the rounds of a block may grow between two looks at its figures: few rounds say little about how many
are needed."""


def measure_until(run: Run, until: Until, tell: Callable[[str], None]) -> None:
    """Measure further rounds of the blocks whose comparisons are wider than wanted, until none is or the time is over.

    After a look at the figures come as many rounds as are still needed by them, at most as many as there were; then
    comes the next look. How often it may look is not limited: see docs/statistics.md for what that does to intervals.
    """
    while run.has_time():
        needed: dict[str, int] = {}
        wide = 0
        for found in read(run.folder.folder):
            widths = too_wide(found, until.half_width)
            needed |= _rounds_needed(found, widths, until.half_width)
            wide += len(widths)
        if not run.has_time(needed):
            return
        most = max(needed.values())
        tell(f"{wide} comparisons are less precise than ±{until.half_width:.1%}: up to {most} more rounds")
        for more in range(most):
            if not run.measure_round({name for name, rounds in needed.items() if rounds > more}):
                return


def _rounds_needed(figures: RunFigures, widths: Mapping[str, float], wanted: float) -> dict[str, int]:
    """Return how many more rounds blocks need, by block, without those that need none."""
    rounds = Counter(trial.cell_id for trial in figures.trials)
    needed: dict[str, int] = {}
    for cell in figures.manifest.cells:
        if (width := widths.get(cell.cell_id)) is not None:
            needed[cell.block] = max(needed.get(cell.block, 0), more_rounds(rounds[cell.cell_id], width, wanted))
    return needed


def more_rounds(rounds: int, half_width: float, wanted: float) -> int:
    """Return how many more rounds an interval needs that is so wide after these; at most as many again."""
    most = max(1, (GROWTH - 1) * rounds)
    return most if math.isinf(half_width) else min(most, max(1, rounds_lacking(rounds, half_width, wanted)))


def rounds_lacking(rounds: int, half_width: float, wanted: float) -> int:
    """Return how many more rounds make an interval as narrow as wanted: it shrinks as their square root."""
    return math.ceil(rounds * ((half_width / wanted) ** 2 - 1))


def precision_reached(figures: RunFigures, until: Until) -> list[str]:
    """Return the lines that say whether every comparison of a run is as precise as was asked."""
    widths = too_wide(figures, until.half_width)
    took = "" if figures.manifest.wall_s is None else f" after {duration(figures.manifest.wall_s)}"
    if not widths:
        return [f"Every comparison is known to ±{until.half_width:.1%}: reached{took}."]
    are = "1 is" if len(widths) == 1 else f"{len(widths)} are"
    first = f"Not every comparison is known to ±{until.half_width:.1%}: {are} less precise{took}."
    return [first, *_widest(figures, until, widths)]


def _widest(figures: RunFigures, until: Until, widths: dict[str, float]) -> Iterator[str]:
    rounds = Counter(trial.cell_id for trial in figures.trials)
    blocks = {(trial.block, trial.round) for trial in figures.trials}
    cells = {cell.cell_id: cell for cell in figures.manifest.cells}
    block_s = (figures.manifest.wall_s or 0.0) / max(1, len(blocks))
    order = sorted(widths, key=lambda cell_id: -widths[cell_id])
    for cell_id in order[:NAMED]:
        yield f" - {_named(cells[cell_id])}: {_further(rounds[cell_id], widths[cell_id], until.half_width, block_s)}"
    if len(order) > NAMED:
        yield f" - and {len(order) - NAMED} more"


def _named(cell: CellDescription) -> str:
    return joined(f"{cell.client.name} in {cell.scenario}", cell.shape.label, cell.workload, cell.server)


def _further(rounds: int, width: float, wanted: float, block_s: float) -> str:
    if math.isinf(width):
        return "too few rounds for an interval"
    more = rounds_lacking(rounds, width, wanted)
    return f"±{width:.1%} after {rounds} rounds; about {more} more, {duration(more * block_s)}, should be enough"
