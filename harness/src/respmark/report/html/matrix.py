"""What the matrix says about a cell and the baseline; the page's script says the same when the baseline changes."""

import math
from dataclasses import dataclass

from respmark.report.html.view import Column, MatrixCell, Row
from respmark.report.notes import OTHER_DECODING

METRIC = "rps"
"""The metric that the page shows first."""
TIMES = "\N{MULTIPLICATION SIGN}"


@dataclass(frozen=True)
class Mark:
    """A cell compared with the baseline."""

    kind: str
    """`baseline`, `better`, `worse`, `level` (no difference shown), `alone` (nothing to compare with)."""
    text: str
    spoken: str
    """What screen readers say."""
    strength: float
    """How far the ratio is from 1, from 0 to 1, relative to the row's farthest that is shown."""


def mark(row: Row, place: MatrixCell, baseline: Column, farthest: float) -> Mark:
    """Return the mark of a measured cell by throughput; `farthest` is what `strongest` returns for the row."""
    to = row.by_column.get(baseline.number)
    if place is to:
        return Mark("baseline", "baseline", "baseline", 0)
    ratio = None if to is None else row.ratio(METRIC, place, to)
    if ratio is None:
        return Mark("alone", "", "not compared with the baseline", 0)
    differs = to is not None and to.cell.decodes_to != place.cell.decodes_to
    times = f"{ratio.value:.2f}{TIMES}" + (f" {OTHER_DECODING}" if differs else "")
    heard = f"{ratio.value:.2f} times" + (", decodes to another type" if differs else "")
    if not ratio.shown:
        return Mark("level", f"= {times}", f"{heard}, no difference shown", 0)
    kind, sign = ("better", "▲") if ratio.value > 1 else ("worse", "▼")
    return Mark(kind, f"{sign} {times}", f"{heard}, difference shown, {kind}", abs(math.log(ratio.value)) / farthest)


def strongest(row: Row, baseline: Column) -> float:
    """Return the largest logarithm, of either sign, of the row's ratios that show a difference."""
    to = row.by_column.get(baseline.number)
    if to is None:
        return 1.0
    ratios = (row.ratio(METRIC, place, to) for place in row.measured if place is not to)
    return max((abs(math.log(ratio.value)) for ratio in ratios if ratio is not None and ratio.shown), default=1.0)
