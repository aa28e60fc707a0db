"""Makes a suite of published claims: blocks of the cells that they compare, and the cells on which they set bounds."""

from collections.abc import Sequence
from typing import Final

from respmark.errors import InvalidRequestError
from respmark.nearest import nearest_first
from respmark.specs.guidance import Clients, Named
from respmark.specs.naming import one_client
from respmark.specs.statements import CellSpec
from respmark.specs.suite import ShapeAxes, SuiteSpec, TrialsSpec

MOST_CELLS: Final = 8
"""The most cells in a block made of claims or releases: the more take turns, the longer each waits for its own."""

Cells = dict[CellSpec, None]


def made_of_claims(suite: SuiteSpec, claims: Sequence[Named], clients: Clients, named: Sequence[str] = ()) -> SuiteSpec:
    """Return the suite with the trials that these claims are about, those of a named client if any is.

    Cells that a claim compares are in a block together; those with a bound are in the block of their shape.
    """
    blocks: dict[str | None, Cells] = {}
    known: dict[str, None] = {}
    for _, claim in claims:
        for claimed in claim.ratios:
            pair = dict.fromkeys(side.under(claim.conditions) for side in (claimed.cell, claimed.against))
            sides = [one_client(side.client, clients).name for side in pair]
            known.update(dict.fromkeys(sides))
            if not named or set(sides) & set(named):
                _place(blocks, claim.id, pair)
        for bound in claim.bounds:
            client = one_client(bound.cell.client, clients).name
            known[client] = None
            if not named or client in named:
                blocks.setdefault(None, {})[bound.cell.under(claim.conditions)] = None
    for name in named:
        if name not in known:
            raise InvalidRequestError(f"no claim is about {name}; there are claims about: {nearest_first(name, known)}")
    if not blocks:
        raise InvalidRequestError("respmark can measure none of these claims")
    trials = tuple(_trials(cell, block, clients) for block, cells in blocks.items() for cell in cells)
    names = dict.fromkeys(name for spec in trials for name in spec.clients)
    return suite.model_copy(update={"trials": trials, "clients": tuple(names)})


def _place(blocks: dict[str | None, Cells], claim: str, pair: Cells) -> None:
    """Put a pair into the block that needs the fewest additional cells for it, or into a new one."""
    fitting = [
        cells
        for block, cells in blocks.items()
        if block is not None and cells.keys() & pair.keys() and len(cells.keys() | pair.keys()) <= MOST_CELLS
    ]
    if fitting:
        block = min(fitting, key=lambda cells: len(pair.keys() - cells.keys()))
    else:
        number = 1 + sum(name is not None and name.rpartition("--")[0] == claim for name in blocks)
        block = blocks.setdefault(f"{claim}--{number}", {})
    block |= pair


def _trials(cell: CellSpec, block: str | None, clients: Clients) -> TrialsSpec:
    fields = cell.shape.model_dump(exclude_defaults=True)
    return TrialsSpec(
        scenario=cell.scenario,
        shape=ShapeAxes.model_validate({name: (value,) for name, value in fields.items()}),
        clients=(one_client(cell.client, clients).name,),
        workloads=() if cell.workload is None else (cell.workload,),
        servers=() if cell.server is None else (cell.server,),
        block=block,
    )
