"""Compares the cells of two runs.

Two runs are minutes apart, or on different machines: what disturbed one did not disturb the other, so a ratio of their
figures has no interval. What can have one is a client's ratio to its control, another client that took turns with it in
both runs and is the same in both. If that ratio differs between the runs, the client itself has changed, not only the
conditions.
"""

from collections.abc import Mapping

from respmark.contract.base import Message
from respmark.contract.trial import Scenario, Shape
from respmark.statistics.blocks import CountedCells, Pair, rounds_of_pairs
from respmark.statistics.cells import CountedRun, ReportCell, cells_of
from respmark.statistics.compare import Ratio, change_of, prior_of, with_claims
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
    through_control: dict[str, Ratio]
    """The factor by which the ratio to the control changed, with its interval, by metric; empty without a control."""


class Changes(Message):
    """Two runs side by side."""

    changes: list[Change]
    only_before: list[str]
    """Cells that only the first run has."""
    only_after: list[str]


def changes_between(before: CountedRun, after: CountedRun, control: str | None = None) -> Changes:
    """Return what changed; `control` is a client, by default each block's first whose versions are the same in both."""
    one, two = ({cell.cell_id: cell for cell in cells_of(run)} for run in (before, after))
    controls = {
        block: found
        for block, cells in before.blocks.items()
        if (found := _control(cells, after.blocks.get(block, {}), control)) is not None
    }
    clients = {
        cell_id: before.blocks[block][control].trial.client.name
        for block, control in controls.items()
        for cell_id in before.blocks[block]
    }
    through = {metric: _through(before, after, controls, metric) for metric in COMPARED}
    return Changes(
        changes=[
            _change(
                one[cell_id],
                two[cell_id],
                clients.get(cell_id),
                {metric: ratios[cell_id] for metric, ratios in through.items() if cell_id in ratios},
            )
            for cell_id in one
            if cell_id in two
        ],
        only_before=[cell_id for cell_id in one if cell_id not in two],
        only_after=[cell_id for cell_id in two if cell_id not in one],
    )


def _control(before: CountedCells, after: CountedCells, client: str | None) -> str | None:
    both = [cell_id for cell_id in before if cell_id in after]
    if client is not None:
        return next((cell_id for cell_id in both if before[cell_id].trial.client.name == client), None)
    versions = ((cell_id, before[cell_id].trial.versions, after[cell_id].trial.versions) for cell_id in both)
    return next((cell_id for cell_id, one, two in versions if one and one == two), None)


def _through(before: CountedRun, after: CountedRun, controls: Mapping[str, str], metric: str) -> dict[str, Ratio]:
    """Return the factor by which each cell's ratio to its control changed; each block is a family."""
    one, two = (rounds_of_pairs(_with_controls(run, controls), metric) for run in (before, after))
    priors = prior_of(one.values()), prior_of(two.values())
    changes = {key: change_of(one[key], two[key], priors) for key in one.keys() & two.keys()}
    known = {key: ratio for key, ratio in changes.items() if ratio is not None}
    return {cell_id: ratio for (_, cell_id), ratio in with_claims(known, lambda key: key[0]).items()}


def _with_controls(run: CountedRun, controls: Mapping[str, str]) -> dict[tuple[str, str], Pair]:
    return {
        (block, cell_id): (cell, run.blocks[block][control])
        for block, control in controls.items()
        for cell_id, cell in run.blocks[block].items()
        if cell_id != control
    }


def _change(before: ReportCell, after: ReportCell, control: str | None, through: dict[str, Ratio]) -> Change:
    one, two = before.measured, after.measured
    return Change(
        cell_id=before.cell_id,
        scenario=before.scenario,
        shape=before.shape,
        client=before.client,
        before=before,
        after=after,
        ratios={
            key: getattr(two, metric) / figure
            for key, (metric, _) in COMPARED.items()
            if one and two and (figure := getattr(one, metric))
        },
        control=None if control in {None, before.client} else control,
        through_control=through,
    )
