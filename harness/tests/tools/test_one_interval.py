"""A property of published runs: a pair of cells has one interval, whichever view shows it."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from respmark.figures.cells import RunFigures
from respmark.figures.comparison import Change, changes, per_base, per_block, per_metric, per_row, together
from respmark.figures.estimate import Ratio, confidence_of
from respmark.figures.pairing import heads, of_each_row, rows_of, to_baseline, to_first_conditions, versions
from respmark.figures.ranking import each_other
from respmark.figures.series import releases_of
from respmark.guidance.block import Found
from respmark.guidance.verdict import verdicts_of
from respmark.kinds.loops.kind import LOOPS
from respmark.results.store import read_manifest
from tests.builders.plan import SHIPPED
from tools.published import is_run, run_in
from tools.readme import PUBLISHED

AGAIN = ("guidance", "post")
"""Suites whose runs behind a round trip are there, too, and as good for this."""


def takes_turns(folder: Path) -> bool:
    """Return whether clients took turns with anything in a run's loops."""
    blocks = Counter(cell.block for cell in read_manifest(folder).cells if cell.scenario in LOOPS.scenarios)
    return any(cells > 1 for cells in blocks.values())


RUNS = [
    folder
    for folder in sorted(PUBLISHED.parent.iterdir())
    if is_run(folder) and folder.name not in AGAIN and takes_turns(folder)
]


def views(run: RunFigures) -> Iterator[Change]:
    """Yield what each view compares, of pairs that took turns."""
    clients = list(dict.fromkeys(cell.client for cell in run.cells if cell.laps))
    yield from changes(to_baseline(run), per_base)
    yield from changes([*to_baseline(run, clients[0]), *to_baseline(run, clients[-1])], per_base)
    yield from changes(to_first_conditions(run), per_block)
    yield from changes(versions(run), together)
    yield from changes(heads(run), per_metric)
    yield from changes(of_each_row(rows_of(run, lambda cell: cell.is_library)), per_row, ("rps",))
    yield from each_other(run).values()
    for point in (point for series in releases_of(run) for point in series.points):
        yield from (one for one in (point.to_control, point.step) if one is not None and one.pair.through is None)
    for one in (ratio for claim in verdicts_of(run, SHIPPED) for ratio in claim.ratios):
        if isinstance(one.found, Found) and one.found.estimate is not None:
            ratio = one.found.estimate.ratio(confidence_of(one.found.pair.looks))
            yield Change(one.found.pair, {}, {one.claimed.metric: ratio})


@pytest.mark.parametrize("folder", RUNS, ids=lambda folder: folder.name)
def test_a_pair_has_one_interval_in_every_view(folder: Path) -> None:
    """Turned round or not; what is shown may differ, as views correct for what else they show."""
    seen: dict[tuple[str, str, str], Ratio] = {}
    for one in views(run_in(folder)):
        for metric, ratio in one.ratios.items():
            new, base = one.new.cell_id, one.base.cell_id
            turned = (base, new, metric) in seen
            first = seen[base, new, metric].inverse if turned else seen.setdefault((new, base, metric), ratio)
            for value, other in ((ratio.value, first.value), (ratio.low, first.low), (ratio.high, first.high)):
                expected = other if other is None else pytest.approx(other, rel=1e-9)  # None: one round has no interval
                assert value == expected, (new, base, metric)
    assert seen
