"""Where deeper stops paying: for each client and round trip, the depth from which twice as deep adds little."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Final

from respmark.figures.cells import RunFigures
from respmark.kinds.loops.metrics import LoopFigures
from respmark.report.labels import use_label
from respmark.report.table import Chapter, Column, TableCell, subject, tables

PAYS: Final = 1.1
"""Deeper pays if it has at least this much of the commands per second."""
LINE: Final = (
    "the depth from which twice the depth (or the next depth measured) adds less than 10 % to commands per second; "
    "0 ms: no added round trip"
)
NOTES: Final = (
    "1,000+: even the deepest measured adds 10 % or more; in parentheses: the range over rounds, where they differ",
    "depths do not take turns, so there is no interval; a step that adds about 10 % may be noise",
)
Key = tuple[str, str, float]
"""Scenario, shape and workload in words, without depth and round trip; the client; the round trip in ms."""


@dataclass(frozen=True, eq=False)
class DepthCurve:
    """The figures of a client that differ only in depth, of which there are several."""

    by_depth: Mapping[int, LoopFigures]
    rounds: Sequence[Mapping[int, float]]
    """Commands per second by depth, of each round that has all depths."""

    @property
    def stop(self) -> int | None:
        """Return the depth from which deeper stops paying; None if it still pays at the deepest."""
        return _stop({depth: measured.rps_median for depth, measured in self.by_depth.items()})

    @property
    def text(self) -> str:
        """Return it in words."""
        pays_on = max(self.by_depth) + 1
        first, *stops = (self.stop or pays_on, *sorted({_stop(points) or pays_on for points in self.rounds}))
        words = [f"{pays_on - 1:,}+" if stop == pays_on else f"{stop:,}" for stop in (first, *stops)]
        return f"{words[0]} ({words[1]}..{words[-1]})" if len(stops) > 1 else words[0]


def _stop(rps: Mapping[int, float]) -> int | None:
    deepest, found = max(rps), None
    for depth in sorted(rps.keys() - {deepest}, reverse=True):
        deeper = min((one for one in rps if one >= 2 * depth), default=deepest)
        if rps[deeper] >= PAYS * rps[depth]:
            break
        found = depth
    return found


def curves(run: RunFigures) -> dict[Key, DepthCurve]:
    """Return the curves of what was measured in several depths behind a round trip, in the order of the cells."""
    found: defaultdict[Key, dict[int, tuple[str, LoopFigures]]] = defaultdict(dict)
    for cell in run.cells:
        if cell.measured and cell.shape.depth and cell.shape.rate is None:
            key = (use_label(cell, "depth", "rtt_ms"), cell.subject, cell.shape.rtt_ms or 0.0)
            found[key].setdefault(cell.shape.depth, (cell.cell_id, cell.measured))
    several = {key: of_depth for key, of_depth in found.items() if len(of_depth) > 1}
    behind = {use for use, _, rtt_ms in several if rtt_ms}
    rps = {(number, cell): one for cell, number, one in run.rounds["cell_id", "round", "rps_median"].iter_rows()}
    numbers = sorted({number for number, _ in rps})
    made = {}
    for key, of_depth in several.items():
        by_round = [{depth: rps.get((one, cell)) for depth, (cell, _) in of_depth.items()} for one in numbers]
        whole = [{depth: one for depth, one in points.items() if one} for points in by_round if all(points.values())]
        made[key] = DepthCurve({depth: measured for depth, (_, measured) in of_depth.items()}, whole)
    return {key: curve for key, curve in made.items() if key[0] in behind}


def depth_chapters(run: RunFigures) -> list[Chapter]:
    """Return the chapter, with a table per use, a row per client and a column per round trip; none without either."""
    found = curves(run)

    def of_trip(rtt_ms: float) -> Column[tuple[str, str]]:
        return Column(f"{rtt_ms:g} ms", lambda of: found[*of, rtt_ms].text if (*of, rtt_ms) in found else "")

    name: Column[tuple[str, str]] = subject(lambda of: TableCell(of[1], "client"))
    trips = map(of_trip, sorted({rtt_ms for _, _, rtt_ms in found}))
    shown = tables(dict.fromkeys((use, client) for use, client, _ in found), itemgetter(0), [name, *trips])
    return [Chapter("depth where deeper stops paying", (LINE,), shown, NOTES)] if shown else []
