"""Versions of libraries in their registry's order, and the ones that a prefix such as `5` or `5.0` covers."""

import re
from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from packaging.version import InvalidVersion, Version

LATEST: Final = "latest"
WHOLE: Final = 3
"""A version of so many numbers names one release, in every registry here."""
NUMBERED: Final = re.compile(r"[vV]?(?P<release>\d+(?:\.\d+)*)(?P<suffix>[^+]*)")
RELEASED: Final = frozenset({"", "final", "ga", "release"})
"""Suffixes of a release, as Maven has them; any other is of a version before it."""
SortKey = tuple[tuple[int, ...], bool, tuple[tuple[int, str], ...]]


class VersionOrder(StrEnum):
    """How a registry orders versions."""

    PEP440 = "pep440"
    SEMVER = "semver"
    """Numbers, then what precedes a release: npm, NuGet, Composer, and Maven, where `.RELEASE` counts as nothing."""


def release_of(version: str) -> tuple[int, ...]:
    """Return a version's numbers without trailing zeros: (6, 3) for `v6.3.0-rc1`, () for `distribution`."""
    found = NUMBERED.match(version)
    numbers = tuple(map(int, found["release"].split("."))) if found else ()
    while numbers and not numbers[-1]:
        numbers = numbers[:-1]
    return numbers


def sort_key(version: str, order: VersionOrder) -> Version | SortKey | None:
    """Return what versions are sorted by; None: it is no version."""
    if order is VersionOrder.PEP440:
        try:
            return Version(version)
        except InvalidVersion:
            return None
    found = NUMBERED.fullmatch(version.partition("+")[0])
    if found is None:
        return None
    suffix = found["suffix"].strip(".-").lower()
    parts = re.findall(r"\d+|[a-z]+", suffix)
    before = tuple((int(part), "") if part.isdigit() else (0, part) for part in parts)
    return release_of(version), suffix in RELEASED, () if suffix in RELEASED else before


def is_release(version: str, order: VersionOrder) -> bool:
    """Return whether it is a version, and none that precedes a release."""
    key = sort_key(version, order)
    if isinstance(key, Version):
        return not key.is_prerelease
    return key is not None and key[1]


def in_order(versions: Iterable[str], order: VersionOrder) -> list[str]:
    """Return versions from the oldest to the newest, without what is none."""
    keyed = [(key, one) for one in versions if (key := sort_key(one, order)) is not None]
    return [one for _, one in sorted(keyed)]


def is_before(version: str, other: str, order: VersionOrder) -> bool:
    """Return whether a version is older than another; False where one of them is no version."""
    first, second = sort_key(version, order), sort_key(other, order)
    return first is not None and second is not None and first < second  # type: ignore[operator]


def covered(prefix: str, versions: Iterable[str], order: VersionOrder) -> str | None:
    """Return the newest version that a name means: that version itself, else the newest release that begins with it."""
    ordered = in_order(versions, order)
    if prefix in ordered:
        return prefix
    releases = [one for one in ordered if is_release(one, order)]
    if prefix == LATEST:
        return next(reversed(releases), None)
    if not (wanted := NUMBERED.fullmatch(prefix)):
        return None
    if wanted["suffix"]:
        return next((one for one in ordered if sort_key(one, order) == sort_key(prefix, order)), None)
    return next((one for one in reversed(releases) if begins_with(one, prefix)), None)


def is_whole(version: str) -> bool:
    """Return whether a version names one release, and does not only begin one: 4.6.0, but not 4.6."""
    return len(_numbers(version)) >= WHOLE


def begins_with(version: str, prefix: str) -> bool:
    """Return whether a version's numbers begin with those of a prefix: 5.0.8 with 5.0, and 5 with 5.0."""
    numbers, parts = _numbers(version), _numbers(prefix)
    return bool(parts) and [*numbers, *["0"] * len(parts)][: len(parts)] == parts


def _numbers(version: str) -> list[str]:
    found = NUMBERED.match(version)
    return found["release"].split(".") if found else []


def nearest(version: str, versions: Iterable[str], order: VersionOrder, count: int = 4) -> list[str]:
    """Return the versions next to one that does not exist, in order."""
    ordered = in_order(versions, order)
    older = [one for one in ordered if is_before(one, version, order)]
    newer = [one for one in ordered if is_before(version, one, order)]
    return [*older[-(count - min(count // 2, len(newer))) :], *newer[: count - min(count - count // 2, len(older))]]
