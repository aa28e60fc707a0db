"""A run's cells, each with how it compares: with its baseline, with its client's first conditions, with its row."""

from dataclasses import replace

from respmark.figures.cells import Cell, RunFigures
from respmark.figures.comparison import Change, Family, changes, per_base, per_block
from respmark.figures.pairing import Pair, to_baseline, to_first_conditions
from respmark.figures.ranking import standings_of


def cells_of(run: RunFigures, baseline: str | None = None) -> list[Cell]:
    """Return the cells of a run in the suite's order, compared with a client, by default each block's first."""
    comparisons = by_cell(to_baseline(run, baseline), per_base)
    conditions = by_cell(to_first_conditions(run), per_block)
    standings = standings_of(run)
    return [
        replace(
            cell,
            comparison=comparisons.get(cell.cell_id),
            change=conditions.get(cell.cell_id),
            standing=standings.get(cell.cell_id),
        )
        for cell in run.cells
    ]


def by_cell(pairs: list[Pair], family: Family) -> dict[str, Change]:
    """Return the changes of pairs that have a lap in common, by the cell whose figures are divided."""
    return {one.new.cell_id: one for one in changes(pairs, family) if one.main.is_known}
