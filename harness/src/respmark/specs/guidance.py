"""Guidance specs: published claims about clients, each with the statements that can show whether it holds."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, Self

from pydantic import Field, model_validator

from respmark.contract.base import Message, PositiveCount
from respmark.errors import InvalidRequestError, SpecError
from respmark.machine.limits import FILES_BESIDE
from respmark.nearest import nearest_first
from respmark.specs.client import ClientSpec
from respmark.specs.naming import one_client
from respmark.specs.statements import CellSpec, ClaimedBound, ClaimedRatio, Conditions, Place, StatementSpec
from respmark.specs.versions import is_whole

USUAL_SUITE: Final = "guidance"
"""The suite that measures advice: what all users are told, of libraries as they are installed today."""


class NeedsSpec(Message):
    """What a machine must have for a claim to be measured on it."""

    cpus: PositiveCount | None = None
    """For the server's threads and the clients together."""
    connections: PositiveCount | None = None
    """Of one process: of a client, or of the server, which has those of all who wait, too."""

    @property
    def words(self) -> str:
        """Return them in one line; empty: it needs nothing in particular."""
        cpus = f"{self.cpus} CPUs" if self.cpus else ""
        return " and ".join(filter(None, [cpus, f"{self.connections:,} connections" if self.connections else ""]))


@dataclass(frozen=True)
class Capacity:
    """What there is for claims; None: not limited."""

    cpus: int | None = None
    files: int | None = None
    """How many files, connections among them, a process may open."""
    chosen: frozenset[str] = frozenset()
    """What is not the claim's to choose, `server`, `workload` or `rtt`: the user or the containers do."""
    no_vanishing: str | None = None
    """Why connections cannot vanish here without a packet; None: they can."""


UNLIMITED: Final = Capacity()


class ClaimSpec(Message):
    """One claim."""

    id: str = Field(pattern=r"^[a-z0-9-]+$")
    gist: str
    """What is claimed, in our words."""
    section: str
    """Where the source says so."""
    clients: tuple[str, ...] = ()
    """Whom it is about, instead of the clients of its source: each statement whose sides name no client. Of a source
    about everyone: of whom its suite measures it, where nobody is named."""
    statements: tuple[StatementSpec, ...] = ()
    """What must be true, all of it, if the claim holds."""
    needs: NeedsSpec = NeedsSpec()
    conditions: Conditions = Conditions()
    """The source's own, and what the claim says instead of them."""
    not_bounds: dict[str, str] = Field(default_factory=dict)
    """Numbers in the gist that are neither bounds nor conditions of a comparison, and why they stand there."""
    rule: str | None = None
    """The rule of `respmark triage` that finds the opposite in a live server, and has the code; null: there is none."""
    out_of_reach: str | None = None
    """Why respmark cannot show it, if it cannot."""

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if bool(self.statements) == bool(self.out_of_reach):
            raise ValueError(f"claim `{self.id}` must have either statements or the reason why it is out of reach")
        return self

    @property
    def ratios(self) -> tuple[ClaimedRatio, ...]:
        """Return every comparison that the claim makes."""
        return tuple(claimed for statement in self.statements for claimed in statement.ratios())

    @property
    def bounds(self) -> tuple[ClaimedBound, ...]:
        """Return every bound that the claim sets."""
        return tuple(bound for statement in self.statements for bound in statement.bounds())

    @property
    def sides(self) -> list[CellSpec]:
        """Return every cell that it is about, as its conditions complete them."""
        compared = [side for claimed in self.ratios for side in (claimed.cell, claimed.against)]
        return [side.under(self.conditions) for side in (*compared, *(bound.cell for bound in self.bounds))]

    def lacking(self, capacity: Capacity) -> str | None:
        """Return what it needs and does not get; None: it can be measured."""
        return "; ".join(self._lacking(capacity)) or None

    def _lacking(self, capacity: Capacity) -> Iterator[str]:
        needs = self.needs
        if needs.cpus and capacity.cpus is not None and needs.cpus > capacity.cpus:
            yield f"needs {needs.cpus} CPUs; available: {capacity.cpus}"
        if needs.connections and capacity.files is not None and needs.connections + FILES_BESIDE > capacity.files:
            yield f"needs {needs.connections:,} connections, but a process may open only {capacity.files:,} files"
        for field in sorted(capacity.chosen - {"rtt"}):
            if any(getattr(side, field) for side in self.sides):
                also = " and --via docker" if field == "server" else ""
                yield f"has {field}s of its own: measure it without --{field}{also}"
        if "rtt" in capacity.chosen and self.conditions.place is Place.LOCAL:
            yield "is about clients on the server's machine: measure it without --rtt"


class GuidanceSpec(Message):
    """What one source claims, as `specs/guidance/*.toml` gives it."""

    name: str = Field(pattern=r"^[a-z0-9-]+$")
    title: str
    url: str
    published: str
    """When, as far as the source says."""
    setup: str
    """What it was measured on."""
    suite: str = USUAL_SUITE
    """The suite that measures what it claims."""
    versions: dict[str, str] = Field(default_factory=dict)
    """The versions that were measured there, by library."""
    conditions: Conditions = Conditions()
    """Those of all claims; a claim can replace each of them with its own."""
    clients: tuple[str, ...] = ()
    """Whom the claims are about: a statement whose sides name no client is made of each of them that has what it needs.
    Names as suites have them: `default/*` are the libraries with that tag."""
    everyone: bool = False
    """Whether they are about every other client, too, that is named or was measured: each is judged by those that
    were."""
    claims: tuple[ClaimSpec, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _shared_conditions(self) -> Self:
        """Complete every claim's conditions with the source's."""
        claims = tuple(
            one.model_copy(update={"conditions": self.conditions.replaced_by(one.conditions)}) for one in self.claims
        )
        for one in claims:
            if problem := one.conditions.contradiction:
                raise ValueError(f"claim `{one.id}`: {problem}")
        object.__setattr__(self, "claims", claims)  # the model is frozen from here on
        return self

    @model_validator(mode="after")
    def _ids_once(self) -> Self:
        ids = [claim.id for claim in self.claims]
        if twice := [one for one in ids if ids.count(one) > 1]:
            raise ValueError(f"two claims have the id `{twice[0]}`")
        return self


Clients = dict[str, ClientSpec]
Find = Callable[[str], object]
"""Returns what has a name, or raises an InvalidRequestError that says what there is."""
Named = tuple[GuidanceSpec, ClaimSpec]


def check_claims(path: Path, guidance: GuidanceSpec, clients: Clients, find: Mapping[str, Find]) -> None:
    """Refuse guidance that names what does not exist, or a version that is not a whole one.

    `find` looks for the names of cells' other fields, `workload` and `server`.
    """
    look = {field: cache(one) for field, one in find.items()}
    for claim in guidance.claims:
        for side in claim.sides:
            if reason := _problem(side, clients, look):
                raise SpecError(path, f"claim `{claim.id}`: {reason}")


def _problem(side: CellSpec, clients: Clients, find: Mapping[str, Find]) -> str | None:
    if not side.client:
        return (
            "a side names no client: name one on both sides, or none on either, and `clients` for the claim or for all"
        )
    try:
        client = one_client(side.client, clients)
        for field, look in find.items():
            if name := getattr(side, field):
                look(name)
    except InvalidRequestError as error:
        return str(error)
    spec = clients[client.library]
    if client.version is not None and client.version not in spec.pinned and not is_whole(client.version):
        return f"`{side.client}` is no single release: name a whole version, as its registry has it"
    reason = spec.why_not(client, side.scenario, side.shape)
    return f"{client.name} has no {side.scenario} of this shape: {reason}" if reason else None


def chosen_claims(found: Sequence[Named], ids: Iterable[str]) -> list[Named]:
    """Return the claims with these ids, or all of them; two sources may use the same id."""
    chosen, known = tuple(ids), dict.fromkeys(claim.id for _, claim in found)
    for one in chosen:
        if one not in known:
            raise InvalidRequestError(f"there is no claim `{one}`; there are: {nearest_first(one, known)}")
    return [one for one in found if not chosen or one[1].id in chosen]


def left_out(claims: Iterable[Named], capacity: Capacity) -> dict[str, str]:
    """Return why claims cannot be measured with this capacity, by their ids."""
    return {claim.id: why for _, claim in claims if (why := claim.lacking(capacity))}


def lacking_lines(lacking: Mapping[str, str]) -> list[str]:
    """Return why claims cannot be measured, a line a claim."""
    return [f"claim `{claim}`: {why}" for claim, why in lacking.items()]
