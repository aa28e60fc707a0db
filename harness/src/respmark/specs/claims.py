"""Checks claims against the other specs: whether what they name exists, and which trials would show them."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from respmark.errors import InvalidRequestError, SpecError
from respmark.nearest import nearest_first
from respmark.specs.client import ClientSpec, unsupported_reason
from respmark.specs.guidance import CellSpec, ClaimSpec, GuidanceSpec
from respmark.specs.naming import one_client
from respmark.specs.suite import ShapeAxes, SuiteSpec, TrialsSpec

MOST_CELLS: Final = 8
"""The most cells in a block made of claims: the more take turns, the longer each waits for its own."""

Clients = dict[str, ClientSpec]
Named = tuple[GuidanceSpec, ClaimSpec]
Pair = tuple[CellSpec, CellSpec]


def check_claims(path: Path, guidance: GuidanceSpec, clients: Clients) -> None:
    """Refuse guidance that names a client, option or scenario that does not exist, or a version that is not pinned."""
    for claim in guidance.claims:
        for side in (side for point in claim.points for side in (point.cell, point.against)):
            if reason := _problem(side, clients):
                raise SpecError(path, f"claim `{claim.id}`: {reason}")


def _problem(side: CellSpec, clients: Clients) -> str | None:
    try:
        client = one_client(side.client, clients)
    except InvalidRequestError as error:
        return str(error)
    spec = clients[client.library]
    if client.version is not None and client.version not in spec.pinned:
        known = nearest_first(client.version, spec.pinned)
        return f"`{spec.library}` has no pinned version `{client.version}`; there are: {known}"
    reason = unsupported_reason(spec, client, side.scenario, side.shape)
    return f"{client.name} has no {side.scenario} of this shape: {reason}" if reason else None


def chosen_claims(found: Sequence[Named], ids: Iterable[str]) -> list[Named]:
    """Return the claims with these ids, or all of them; two sources may use the same id."""
    chosen, known = tuple(ids), dict.fromkeys(claim.id for _, claim in found)
    for one in chosen:
        if one not in known:
            raise InvalidRequestError(f"there is no claim `{one}`; there are: {nearest_first(one, known)}")
    return [one for one in found if not chosen or one[1].id in chosen]


def made_of_claims(suite: SuiteSpec, claims: Sequence[Named], clients: Clients, named: Sequence[str] = ()) -> SuiteSpec:
    """Return the suite with the pairs of trials that these claims compare, those with a named client if any is."""
    blocks: dict[str, list[CellSpec]] = {}
    compared: dict[str, None] = {}
    for _, claim in claims:
        for point in claim.points:
            sides = [one_client(side.client, clients).name for side in (point.cell, point.against)]
            compared.update(dict.fromkeys(sides))
            if not named or set(sides) & set(named):
                _place(blocks, claim.id, (point.cell, point.against))
    for name in named:
        if name not in compared:
            known = nearest_first(name, compared)
            raise InvalidRequestError(f"no claim is about {name}; there are claims about: {known}")
    if not blocks:
        raise InvalidRequestError("no claim is left that respmark can measure")
    trials = tuple(_trials(cell, block, clients) for block, cells in blocks.items() for cell in cells)
    names = dict.fromkeys(name for spec in trials for name in spec.clients)
    return suite.model_copy(update={"trials": trials, "clients": tuple(names)})


def _place(blocks: dict[str, list[CellSpec]], claim: str, pair: Pair) -> None:
    """Put a pair into the block that needs the fewest additional cells for it, or into a new one."""

    def missing(cells: list[CellSpec]) -> list[CellSpec]:
        return [cell for cell in pair if cell not in cells]

    fitting = [
        cells
        for cells in blocks.values()
        if len(missing(cells)) < len(pair) and len(cells) + len(missing(cells)) <= MOST_CELLS
    ]
    if fitting:
        block = min(fitting, key=lambda cells: len(missing(cells)))
    else:
        number = 1 + sum(name.rpartition("--")[0] == claim for name in blocks)
        block = blocks.setdefault(f"{claim}--{number}", [])
    block += missing(block)


def _trials(cell: CellSpec, block: str, clients: Clients) -> TrialsSpec:
    fields = cell.shape.model_dump(exclude_defaults=True)
    return TrialsSpec(
        scenario=cell.scenario,
        shape=ShapeAxes.model_validate({name: (value,) for name, value in fields.items()}),
        clients=(one_client(cell.client, clients).name,),
        block=block,
    )
