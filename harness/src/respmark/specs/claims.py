"""Checks claims against the other specs: whether what they name exists, and which trials would show them."""

from collections.abc import Iterable, Iterator, Sequence
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


def check_claims(path: Path, guidance: GuidanceSpec, clients: Clients) -> None:
    """Refuse guidance that names a client, option or scenario that does not exist, or a version that is not pinned.

    Raises:
        SpecError: with the claim and the reason.
    """
    for claim in guidance.claims:
        for side in _sides(claim):
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


def _sides(claim: ClaimSpec) -> Iterator[CellSpec]:
    for point in claim.points:
        yield from (point.cell, point.against)


def chosen_claims(found: Sequence[Named], ids: Iterable[str]) -> list[Named]:
    """Return the claims with these ids, or all of them; two sources may use the same id.

    Raises:
        InvalidRequestError: there is no such claim.
    """
    chosen = tuple(ids)
    known = [claim.id for _, claim in found]
    if absent := [one for one in chosen if one not in known]:
        message = f"there is no claim `{absent[0]}`; there are: {nearest_first(absent[0], dict.fromkeys(known))}"
        raise InvalidRequestError(message)
    return [one for one in found if not chosen or one[1].id in chosen]


def made_of_claims(suite: SuiteSpec, claims: Sequence[Named], clients: Clients, named: Sequence[str] = ()) -> SuiteSpec:
    """Return the suite with the trials that these claims compare, each pair in the same block.

    If clients are named, only pairs of which one side is a named client.

    Raises:
        InvalidRequestError: none of the claims can be measured, or a named client is in none of them.
    """
    blocks: list[_Block] = []
    compared: dict[str, None] = {}
    for _, claim in claims:
        for point in claim.points:
            pair = (point.cell, point.against)
            sides = [one_client(side.client, clients).name for side in pair]
            compared.update(dict.fromkeys(sides))
            if not named or set(sides) & set(named):
                _place(blocks, claim.id, pair)
    if absent := [name for name in named if name not in compared]:
        message = f"no claim is about {absent[0]}; there are claims about: {nearest_first(absent[0], compared)}"
        raise InvalidRequestError(message)
    if not blocks:
        message = "no claim is left that respmark can measure"
        raise InvalidRequestError(message)
    trials = [spec for block in blocks for spec in block.trials(clients)]
    names = dict.fromkeys(name for spec in trials for name in spec.clients)
    return suite.model_copy(update={"trials": tuple(trials), "clients": tuple(names)})


class _Block:
    """Cells that take turns."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.cells: list[CellSpec] = []

    def without(self, pair: Iterable[CellSpec]) -> list[CellSpec]:
        """Return the cells of a pair that are not in the block."""
        return [cell for cell in pair if cell not in self.cells]

    def trials(self, clients: Clients) -> Iterator[TrialsSpec]:
        for cell in self.cells:
            yield TrialsSpec(
                scenario=cell.scenario,
                shape=_axes(cell),
                clients=(one_client(cell.client, clients).name,),
                block=self.name,
            )


def _place(blocks: list[_Block], claim: str, pair: tuple[CellSpec, CellSpec]) -> None:
    """Put a pair into the block that needs the fewest additional cells for it, or into a new one."""
    fitting = [
        block
        for block in blocks
        if len(missing := block.without(pair)) < len(pair) and len(block.cells) + len(missing) <= MOST_CELLS
    ]
    if fitting:
        block = min(fitting, key=lambda one: len(one.without(pair)))
    else:
        number = 1 + sum(one.name.rpartition("--")[0] == claim for one in blocks)
        block = _Block(f"{claim}--{number}")
        blocks.append(block)
    block.cells += block.without(pair)


def _axes(cell: CellSpec) -> ShapeAxes:
    fields = cell.shape.model_dump(exclude_defaults=True)
    return ShapeAxes.model_validate({name: (value,) for name, value in fields.items()})
