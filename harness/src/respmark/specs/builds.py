"""The version of a build of one's own: what the name of its file says, or what its sources say."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from respmark.contract.base import Message
from respmark.specs.versions import release_of

OWN_BUILD: Final = "file:"
"""What the version of a build of one's own begins with; the path follows."""
ENDING: Final = re.compile(r"\.(?:tar\.\w+|\w+)$")
WHEEL: Final = ".whl"


class VersionPlace(Message):
    """Where the sources of a library say which version they are."""

    files: str
    """Glob, in the folder of the sources."""
    pattern: str
    """Finds `version`."""


def path_of(version: str | None) -> Path | None:
    """Return where a build of one's own is; None: the version is none."""
    if version is None or not version.startswith(OWN_BUILD):
        return None
    return Path(version.removeprefix(OWN_BUILD)).expanduser().resolve()


def version_of_build(build: Path, places: Iterable[VersionPlace]) -> str | None:
    """Return the version that a build says it is; None if it does not say, or says that it has none (0.0.0)."""
    said = version_in_name(build.name) if build.is_file() else _said_by(build, places)
    return said if said and release_of(said) else None


def version_in_name(name: str) -> str:
    """Return the version in a package's file name: 2.9.0-fork for `StackExchange.Redis.2.9.0-fork.nupkg`."""
    if name.endswith(WHEEL):
        return name.split("-")[1] if "-" in name else ""
    found = re.search(r"(?<=[.-])\d+\..*", ENDING.sub("", name))
    return found[0] if found else ""


def _said_by(folder: Path, places: Iterable[VersionPlace]) -> str:
    files = ((place.pattern, file) for place in places for file in sorted(folder.glob(place.files)) if file.is_file())
    texts = ((pattern, file.read_text(encoding="utf-8", errors="replace")) for pattern, file in files)
    return next((found["version"] for pattern, text in texts if (found := re.search(pattern, text))), "")
