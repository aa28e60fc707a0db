"""What came of `--until`: reached, or how far, and what it would take."""

import math
from collections import Counter
from collections.abc import Iterator
from typing import Final

from respmark.figures.cells import RunFigures
from respmark.figures.precision import too_wide
from respmark.plan.needs import duration
from respmark.report.notes import joined
from respmark.results.manifest import PlannedCell, Until
from respmark.run.schedule import rounds_lacking

NAMED: Final = 5
"""How many comparisons are named that are not precise enough, the widest first."""


def precision_reached(run: RunFigures, until: Until) -> list[str]:
    """Return the lines that say whether every comparison of a run is as precise as was asked."""
    widths = too_wide(run, until.half_width)
    took = "" if run.manifest.wall_s is None else f" after {duration(run.manifest.wall_s)}"
    if not widths:
        return [f"Every comparison is known to ±{until.half_width:.1%}: reached{took}."]
    are = "1 is" if len(widths) == 1 else f"{len(widths)} are"
    first = f"Not every comparison is known to ±{until.half_width:.1%}: {are} less precise{took}."
    return [first, *_widest(run, until, widths)]


def _widest(run: RunFigures, until: Until, widths: dict[str, float]) -> Iterator[str]:
    rounds = Counter(trial.cell_id for trial in run.trials)
    blocks = {(trial.block, trial.round) for trial in run.trials}
    cells = {cell.cell_id: cell for cell in run.manifest.cells}
    block_s = (run.manifest.wall_s or 0.0) / max(1, len(blocks))
    order = sorted(widths, key=lambda cell_id: -widths[cell_id])
    for cell_id in order[:NAMED]:
        yield f" - {_named(cells[cell_id])}: {_further(rounds[cell_id], widths[cell_id], until.half_width, block_s)}"
    if len(order) > NAMED:
        yield f" - and {len(order) - NAMED} more"


def _named(cell: PlannedCell) -> str:
    return joined(f"{cell.client.name} in {cell.scenario}", cell.shape.label, cell.workload, cell.server)


def _further(rounds: int, width: float, wanted: float, block_s: float) -> str:
    if math.isinf(width):
        return "too few rounds for an interval"
    more = rounds_lacking(rounds, width, wanted)
    return f"±{width:.1%} after {rounds} rounds; about {more} more, {duration(more * block_s)}, should be enough"
