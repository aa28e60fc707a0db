"""Which releases of a library are meant: those that its registry has from one version to another."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from respmark.errors import InvalidRequestError
from respmark.setup.host import SetupHost
from respmark.setup.registry import versions_of
from respmark.specs.catalogue import Catalogue
from respmark.specs.client import ClientSpec
from respmark.specs.names import Name
from respmark.specs.versions import (
    LATEST,
    begins_with,
    covered,
    in_order,
    is_before,
    is_release,
    is_whole,
    nearest,
    release_of,
)

MINOR: Final = 2
"""A minor version is so many numbers: 4.6."""


class Every(StrEnum):
    """Which of the releases between two versions are meant."""

    MINOR = "minor"
    """The newest release of each minor version: 4.6.0 for 4.6."""
    RELEASE = "release"
    """All of them."""


class Picked(NamedTuple):
    """The releases that were meant."""

    clients: list[str]
    """Clients' names with whole versions, from the oldest to the newest: `redis-py@4.6.0[protocol=2]`."""
    doubt: str = ""
    """Why newer releases may be missing: the registry did not answer."""


def pick(
    client: str,
    catalogue: Catalogue,
    host: SetupHost,
    *,
    first: str = "",
    last: str = LATEST,
    every: Every = Every.MINOR,
) -> Picked:
    """Return the releases of a client's library from `first` to `last`, both included.

    Args:
        client: A library, or one configuration of it: `redis-py`, `redis-py[parser=python]`.
        catalogue: The libraries.
        host: Where the registry is asked.
        first: A version, or how it begins: with `4`, the oldest release of version 4. Empty: the oldest that can be
            measured.
        last: A version, or how it begins: with `4`, the newest release of version 4; `latest`: the newest of all.
        every: Which of them. Whole versions that `first` and `last` name are always among them.

    Raises:
        InvalidRequestError: there is no such client or version, none can be named, or there is none between the two.
    """
    spec, options = _library(client, catalogue)
    listed = versions_of(spec, catalogue.runners[spec.runner], host)
    versions = between(listed.versions, spec, first, last, every)
    return Picked([f"{spec.library}@{version}{options}" for version in versions], listed.doubt)


def _library(client: str, catalogue: Catalogue) -> tuple[ClientSpec, str]:
    """Return the library that a client's name has, and the options in it, with their brackets."""
    name = Name.of_client(client)
    if name and name.version:
        raise InvalidRequestError(f"{client}: name the library without a version; --from and --to name versions")
    spec = catalogue.clients.get(name.base) if name else None
    if name is None or spec is None:
        known = ", ".join(name for name, one in catalogue.clients.items() if one.version)
        raise InvalidRequestError(f"there is no client library `{client}`; these have versions: {known}")
    if not spec.version:
        raise InvalidRequestError(f"no version of {spec.library} can be chosen: it does not come from a registry")
    return spec, name.settings


def between(
    versions: Sequence[str], spec: ClientSpec, first: str = "", last: str = LATEST, every: Every = Every.MINOR
) -> list[str]:
    """Return the releases among a registry's versions from `first` to `last`, in order; see `pick`."""
    order = spec.version_order
    known = [one for one in in_order(versions, order) if not (spec.since and is_before(one, spec.since, order))]
    oldest, newest = _oldest(first, known, spec), _newest(last, known, spec)
    named = {one for text, one in ((first, oldest), (last, newest)) if is_whole(text)}
    found = [
        one
        for one in known
        if not (is_before(one, oldest, order) or is_before(newest, one, order))
        and (one in named or is_release(one, order))
    ]
    if not found:
        raise InvalidRequestError(f"no release of {spec.library} is both {oldest} or newer and {newest} or older")
    if every is Every.RELEASE:
        return found
    of_minor = {(*release_of(one), 0, 0)[:MINOR]: one for one in found}
    return [one for one in found if one in {*of_minor.values(), *named}]


def _oldest(prefix: str, known: Sequence[str], spec: ClientSpec) -> str:
    """Return the oldest version that a name covers."""
    if not prefix and known:
        return known[0]
    releases = (one for one in known if is_release(one, spec.version_order) and begins_with(one, prefix))
    return _newest(prefix, known, spec) if prefix in known else next(releases, "") or _newest(prefix, known, spec)


def _newest(prefix: str, known: Sequence[str], spec: ClientSpec) -> str:
    """Return the newest version that a name covers; raises InvalidRequestError if there is none."""
    if (found := covered(prefix, known, spec.version_order)) is not None:
        return found
    near = nearest(prefix, known, spec.version_order) or known[-1:]
    those = f"the nearest are {', '.join(near)}" if near else "the registry has none"
    raise InvalidRequestError(
        f"there is no {spec.library} {prefix} that can be measured; {those} (respmark list {spec.library} --versions)"
    )
