"""Which cells are compared with which: a function for each question; none of them computes anything.

Two cells are compared directly if they took turns in a block. Otherwise each has its ratio to a control that took turns
with it, and those ratios are compared.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final, NamedTuple

from respmark.figures.cells import Cell, RunFigures, baseline_of
from respmark.specs.names import name_parts
from respmark.specs.versions import SortKey, VersionOrder, sort_key

NO_VERSION: Final[SortKey] = ((), False, ())


class Pair(NamedTuple):
    """Two cells; their ratio is that of the first to the second."""

    new: Cell
    base: Cell
    through: tuple[Cell, Cell] | None = None
    """If they did not take turns: the control that took turns with the first, and the same client beside the second."""

    @property
    def looks(self) -> int:
        """Return how often its runs were allowed to look at their figures to decide whether to go on."""
        return max(one.run.manifest.looks for one in (self.new, self.base))


def to_baseline(run: RunFigures, client: str | None = None) -> list[Pair]:
    """Return each cell with its block's baseline: the cell of a client, by default of the block's first."""
    pairs = ((cell, baseline_of(cell, client)) for cell in _in_turns(run))
    return [Pair(cell, base) for cell, base in pairs if base is not None and base is not cell]


def to_first_conditions(run: RunFigures) -> list[Pair]:
    """Return each cell with the same client's under its block's first conditions (workload, server, round trip).

    Of blocks that compare several clients, and each of them under several conditions.
    """
    found = []
    for block, cells in run.blocks.items():
        first: dict[tuple[object, ...], Cell] = {}
        for cell in cells if run.compares_conditions[block] else ():
            base = first.setdefault((cell.client, cell.scenario, cell.shape.direct), cell)
            found += [Pair(cell, base)] if base is not cell else []
    return found


def row_of(cell: Cell) -> tuple[object, ...]:
    """Return what the cells have in common that are ranked together: their use in a block.

    On different servers only where a block has one client.
    """
    by_server = cell.run.compares_conditions[cell.block]
    return cell.block, cell.scenario, cell.shape, cell.workload, cell.server if by_server else None


def rows_of(run: RunFigures, is_in: Callable[[Cell], bool] = lambda _: True) -> list[list[Cell]]:
    """Return the cells that are ranked together, in the order of the blocks."""
    return list(_grouped(filter(is_in, _in_turns(run)), row_of).values())


def of_each_row(rows: Iterable[Sequence[Cell]]) -> list[Pair]:
    """Return all pairs of each row."""
    return [Pair(one, other) for row in rows for other, one in combinations(row, 2)]


def versions(run: RunFigures) -> list[Pair]:
    """Return the newest version of each library with each older one that took turns with it."""
    known = (cell for cell in _in_turns(run) if cell.library_version)
    return [pair for cells in _grouped(known, _all_but_version).values() for pair in _newest_with_older(cells)]


def heads(run: RunFigures) -> list[Pair]:
    """Return each version or build of a library with the first one that was named, its base; measured or not."""
    groups = _grouped(run.cells, _all_but_version).values()
    bases = {one: cells[0] for cells in groups for one in cells}
    return [Pair(cell, bases[cell]) for cell in run.cells if bases[cell] is not cell]


def between(before: RunFigures, after: RunFigures, control: str | None = None) -> list[Pair]:
    """Return each cell of the second run with the same one of the first, measured or not.

    They are compared through a control of their block: the client that is named, or the first with the same versions
    in both runs. The control's own pair has none.
    """
    controls = _controls(before, after, control)
    new = {cell.cell_id: cell for cell in after.cells}
    return [
        Pair(new[cell.cell_id], cell, None if through is None or through[1] is cell else through)
        for cell in before.cells
        if cell.cell_id in new
        for through in (controls.get(cell.block) if cell.laps else None,)
    ]


def control_of(groups: Sequence[Iterable[Cell]], asked: str | None = None) -> str | None:
    """Return the client through which groups are compared: the one asked for, or the first that is the same in all."""
    if asked is not None:
        return asked
    versions = [{cell.client: cell.versions for cell in group} for group in groups]
    first = versions[0].items() if versions else ()
    return next((one for one, loaded in first if loaded and all(of.get(one) == loaded for of in versions)), None)


def neighbours(before: Sequence[Cell], after: Sequence[Cell], controls: Mapping[str, Cell]) -> Pair | None:
    """Return a release with the one before it, of each of which there is a cell in every block that has it.

    In the block that both are in, or else through the controls of the two; None if there is no ratio either way.
    """
    there = {cell.block: cell for cell in before}
    for cell in after:
        base = there.get(cell.block)
        if base is not None and cell.run.log_ratios(cell, base, cell.run.kind.main) is not None:
            return Pair(cell, base)
    new, base = (next((one for one in cells if one.block in controls), None) for cells in (after, before))
    return Pair(new, base, (controls[new.block], controls[base.block])) if new and base else None


def release_order(cell: Cell) -> SortKey:
    """Return what releases are sorted by; npm's order reads the pre-releases of the other registries, too."""
    key = sort_key(version_of(cell), VersionOrder.SEMVER)
    return key if isinstance(key, tuple) else NO_VERSION


def version_of(cell: Cell) -> str:
    """Return the version that was loaded, or else that its client's name has."""
    return cell.library_version or name_parts(cell.client).version


def _in_turns(run: RunFigures) -> Iterator[Cell]:
    return (cell for cells in run.blocks.values() for cell in cells)


def _grouped(cells: Iterable[Cell], key: Callable[[Cell], tuple[object, ...]]) -> dict[tuple[object, ...], list[Cell]]:
    groups: defaultdict[tuple[object, ...], list[Cell]] = defaultdict(list)
    for cell in cells:
        groups[key(cell)].append(cell)
    return groups


def _all_but_version(cell: Cell) -> tuple[object, ...]:
    """Return what compared versions have in common; options are those in the name: defaults may differ by version."""
    return cell.block, cell.library, name_parts(cell.client).options, *cell.use


def _newest_with_older(cells: Sequence[Cell]) -> Iterator[Pair]:
    newest = max(cells, key=release_order)
    return (Pair(newest, older) for older in cells if release_order(older) < release_order(newest))


def _controls(before: RunFigures, after: RunFigures, asked: str | None) -> dict[str, tuple[Cell, Cell]]:
    """Return the control's cells in the second run and in the first, by block."""
    found: dict[str, tuple[Cell, Cell]] = {}
    for block, cells in before.blocks.items():
        new = {cell.cell_id: cell for cell in after.blocks.get(block, ())}
        both = [(new[cell.cell_id], cell) for cell in cells if cell.cell_id in new]
        client = control_of([[base for _, base in both], [cell for cell, _ in both]], asked)
        if (control := next((one for one in both if one[1].client == client), None)) is not None:
            found[block] = control
    return found
