"""Claims about several clients: a statement whose sides name none stands once for each that can do what it says."""

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cache

from respmark.errors import InvalidRequestError
from respmark.specs.client import Client
from respmark.specs.guidance import ClaimSpec, Clients, GuidanceSpec
from respmark.specs.naming import find_clients, one_client
from respmark.specs.statements import StatementSpec
from respmark.workload.spec import WorkloadSpec


def of_each_client(
    guidance: GuidanceSpec, known: Clients, workload: Callable[[str], WorkloadSpec], others: Collection[str] = ()
) -> GuidanceSpec:
    """Return a source in which each statement whose sides name no client stands once for each that can do it.

    Those are whom the claim names, or else the source; and `others`, by name, if the source is about everyone. Raises
    InvalidRequestError for a name that means nothing, or a claim that none of them can show.
    """
    find, more = cache(workload), _known_ones(others, known) if guidance.everyone else []
    usual = _named(guidance.clients, known)
    claims = []
    for claim in guidance.claims:
        asked = {one.name: one for one in (*(_named(claim.clients, known) or usual), *more)}
        statements: list[StatementSpec] = []
        for one in claim.statements:
            if not one.names_nobody or not asked:
                statements.append(one)
                continue
            able = _able(one, claim, asked.values(), known, find)
            statements += [one.of(client.name, of_everyone=guidance.everyone) for client in able]
        if claim.statements and not statements:
            raise InvalidRequestError(f"claim `{claim.id}`: none of {', '.join(asked)} can do what it says")
        claims.append(claim.model_copy(update={"statements": tuple(statements)}))
    return guidance.model_copy(update={"clients": tuple(one.name for one in usual), "claims": tuple(claims)})


def _named(names: Iterable[str], known: Clients) -> list[Client]:
    return list({client.name: client for name in names for client in find_clients(name, known)}.values())


def _known_ones(names: Iterable[str], known: Clients) -> list[Client]:
    """Return the clients with these names that are known here: a run may have had others."""
    found = []
    for name in names:
        try:
            found.append(one_client(name, known))
        except InvalidRequestError:
            continue
    return found


def _able(
    statement: StatementSpec,
    claim: ClaimSpec,
    clients: Iterable[Client],
    known: Clients,
    workload: Callable[[str], WorkloadSpec],
) -> Iterator[Client]:
    """Yield the clients that can express both sides of a statement and have methods for their commands."""
    sides = [side.under(claim.conditions) for side in statement.sides]
    for client in clients:
        spec = known[client.library]
        sent = (workload(side.workload) if side.workload else None for side in sides)
        if not any(spec.why_not(client, side.scenario, side.shape, one) for side, one in zip(sides, sent, strict=True)):
            yield client
