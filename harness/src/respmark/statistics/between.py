"""Compares the cells of two runs.

Two runs are minutes apart, or on different machines: what disturbed one did not disturb the other, so a ratio of their
figures has no interval. What can have one is a client's ratio to its control, another client that took turns with it in
both runs and is the same in both. If that ratio differs between the runs, the client itself has changed, not only the
conditions.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from respmark.contract.base import Message
from respmark.contract.trial import Scenario, Shape
from respmark.statistics.blocks import CountedCells, ShownRatio, claimed, rounds_between
from respmark.statistics.cells import CountedRun, ReportCell, cells_of
from respmark.statistics.compare import Prior, Ratio, Rounds, change_of, prior_of
from respmark.statistics.measured import COMPARED


class Change(Message):
    """One cell in two runs."""

    cell_id: str
    scenario: Scenario
    shape: Shape
    client: str
    before: ReportCell
    after: ReportCell
    ratios: dict[str, float]
    """The second run's figures divided by the first's, by metric (`rps`, `client_cpu`, `server_cpu`); without
    intervals."""
    control: str | None
    """The client that is the same in both runs; null if there is none, and for the control itself."""
    through_control: dict[str, ShownRatio]
    """The factor by which the ratio to the control changed, with its interval, by metric; empty without a control."""


class Changes(Message):
    """Two runs side by side."""

    changes: list[Change]
    only_before: list[str]
    """Cells that only the first run has."""
    only_after: list[str]


@dataclass(frozen=True)
class _Block:
    """One block in both runs."""

    before: CountedCells
    after: CountedCells
    control: str
    """ID of the control's cell."""


def changes_between(before: CountedRun, after: CountedRun, control: str | None = None) -> Changes:
    """Return what changed; `control` is a client, by default each block's first whose versions are the same in both."""
    one, two = ({cell.cell_id: cell for cell in cells_of(run)} for run in (before, after))
    pairs = [
        _Block(before.blocks[name], after.blocks[name], found)
        for name in before.blocks.keys() & after.blocks.keys()
        if (found := _control(before.blocks[name], after.blocks[name], one, two, control)) is not None
    ]
    through: dict[str, dict[str, ShownRatio]] = {}
    for metric in COMPARED:
        for cell_id, ratio in _through(pairs, metric).items():
            through.setdefault(cell_id, {})[metric] = ratio
    controls = {cell_id: one[block.control].client for block in pairs for cell_id in block.before}
    return Changes(
        changes=[
            _change(one[cell_id], two[cell_id], controls.get(cell_id), through.get(cell_id, {}))
            for cell_id in one
            if cell_id in two
        ],
        only_before=[cell_id for cell_id in one if cell_id not in two],
        only_after=[cell_id for cell_id in two if cell_id not in one],
    )


def _control(
    before: CountedCells,
    after: CountedCells,
    one: Mapping[str, ReportCell],
    two: Mapping[str, ReportCell],
    client: str | None,
) -> str | None:
    both = [cell_id for cell_id in before if cell_id in after]
    if client is not None:
        return next((cell_id for cell_id in both if one[cell_id].client == client), None)
    same = (cell_id for cell_id in both if one[cell_id].versions and one[cell_id].versions == two[cell_id].versions)
    return next(same, None)


def _through(blocks: Sequence[_Block], metric: str) -> dict[str, ShownRatio]:
    """Return the factor by which each cell's ratio to its control changed."""
    sides = [
        [_to_control(block, cells, metric) for block, cells in zip(blocks, side, strict=True)]
        for side in ([block.before for block in blocks], [block.after for block in blocks])
    ]
    priors: tuple[Prior, Prior] = (_prior(sides[0]), _prior(sides[1]))
    found: dict[str, ShownRatio] = {}
    for one, two in zip(*sides, strict=True):
        family: dict[str, Ratio] = {}
        for cell_id in one.keys() & two.keys():
            if (ratio := change_of(one[cell_id], two[cell_id], priors)) is not None:
                family[cell_id] = ratio
        found |= claimed(family)
    return found


def _prior(blocks: Sequence[Mapping[str, Rounds]]) -> Prior:
    return prior_of(rounds for block in blocks for rounds in block.values())


def _to_control(block: _Block, cells: CountedCells, metric: str) -> dict[str, Rounds]:
    control = cells[block.control]
    found = {
        cell_id: rounds_between(one, control, metric) for cell_id, one in cells.items() if cell_id != block.control
    }
    return {cell_id: rounds for cell_id, rounds in found.items() if rounds is not None}


def _change(before: ReportCell, after: ReportCell, control: str | None, through: dict[str, ShownRatio]) -> Change:
    one, two = before.measured, after.measured
    ratios = {
        key: getattr(two, metric) / figure
        for key, (metric, _) in COMPARED.items()
        if one and two and (figure := getattr(one, metric))
    }
    return Change(
        cell_id=before.cell_id,
        scenario=before.scenario,
        shape=before.shape,
        client=before.client,
        before=before,
        after=after,
        ratios=ratios,
        control=None if control == before.client else control,
        through_control=through,
    )
