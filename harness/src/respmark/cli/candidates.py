"""What `respmark bisect` searches: the releases of a library, two builds of one's own, or the commits between two."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from respmark.errors import InvalidRequestError
from respmark.nearest import nearest_first
from respmark.releases.pick import Every, pick
from respmark.setup.commits import SHORT, built_commit, commit_build, commits_between
from respmark.setup.host import SetupHost
from respmark.specs.builds import OWN_BUILD
from respmark.specs.catalogue import Catalogue
from respmark.specs.client import Client, ClientSpec
from respmark.specs.names import Name, name_parts
from respmark.specs.naming import one_client
from respmark.specs.versions import LATEST

TWO: Final = "name the two ends: respmark bisect redis-py@4.6.0 redis-py@8.1.0"
OF_GIT: Final = "with --git, name the library and two commits: respmark bisect redis-py --git ../redis-py v5.0.0 v6.0.0"


@dataclass(frozen=True)
class Candidates:
    """Versions to be searched."""

    library: str
    versions: tuple[str, ...]
    """From the oldest to the newest, as the search calls them."""
    client: Callable[[str], Client]
    """Returns the client of a version; raises Missing if it cannot be made."""
    reproduce: Callable[[str, str], Sequence[str]]
    """Returns the words of a command that measures two of them, without scenario and shape."""
    names: Mapping[str, str] = field(default_factory=dict)
    """What a reader needs to find a version again, where that is more than the search calls it."""


def candidates_of(
    names: Sequence[str], git: Path | None, suite: str, libraries: Catalogue, host: SetupHost
) -> Candidates:
    """Return what the words of the command line mean; raises InvalidRequestError if they mean nothing."""
    if git is not None:
        return _commits(names, git, libraries, host)
    if len(names) != len(("older", "newer")):
        raise InvalidRequestError(TWO)
    (spec, first, options), (other, last, other_options) = (_parsed(name, libraries) for name in names)
    if (spec, options) != (other, other_options):
        raise InvalidRequestError(f"{names[0]} and {names[1]} are not two versions of one client: {TWO}")
    versions = [first, last]
    if not any(version.startswith(OWN_BUILD) for version in versions):
        versions = _releases(spec, options, (first, last), libraries, host)

    def client(version: str) -> Client:
        return one_client(f"{spec.library}@{version}{options}", libraries.clients)

    def reproduce(older: str, newer: str) -> list[str]:
        ends = (("--client", client(version).name) for version in (older, newer))
        return ["respmark", "run", suite, *(word for end in ends for word in end)]

    return Candidates(spec.library, tuple(versions), client, reproduce)


def _parsed(name: str, libraries: Catalogue) -> tuple[ClientSpec, str, str]:
    """Return a name's library, its version (without one: the pinned one), and its options with their brackets."""
    parts = name_parts(name)
    spec = _library(parts.base, libraries)
    return spec, parts.version or spec.version, parts.settings


def _library(name: str, libraries: Catalogue) -> ClientSpec:
    known = [one.library for one in libraries.clients.values() if one.version]
    if name in known:
        return libraries.clients[name]
    if name in libraries.clients:
        raise InvalidRequestError(f"no version of {name} can be chosen: it does not come from a registry")
    near = nearest_first(name, known)
    raise InvalidRequestError(f"there is no client library `{name}` that has versions; there are: {near}")


def _releases(
    spec: ClientSpec, options: str, ends: tuple[str, str], libraries: Catalogue, host: SetupHost
) -> list[str]:
    """Return the releases from the first version to the last one, both included."""
    first, last = ends
    for version in {first, last} - {LATEST}:
        one_client(f"{spec.library}@{version}{options}", libraries.clients)  # refuses what is no version
    picked = pick(f"{spec.library}{options}", libraries, host, first=first, last=last, every=Every.RELEASE)
    if picked.doubt:
        host.say(f"{spec.library}: {picked.doubt}")
    versions = [str(one_client(name, libraries.clients).version) for name in picked.clients]
    if len(versions) == 1:
        raise InvalidRequestError(f"{spec.library} {versions[0]} is both ends: {TWO}")
    return versions


def _commits(names: Sequence[str], git: Path, libraries: Catalogue, host: SetupHost) -> Candidates:
    if len(names) != len(("library", "older", "newer")):
        raise InvalidRequestError(OF_GIT)
    name, older, newer = names
    parts = Name.of_client(name)
    if parts is None or parts.version:
        raise InvalidRequestError(f"{name}: {OF_GIT}")
    spec, _, options = _parsed(name, libraries)
    runner = libraries.runners[spec.runner]
    commit_build(spec, runner)  # refuses a language whose commits cannot be built, before anything is measured
    commits = {one.sha[:SHORT]: one for one in commits_between(git, older, newer, host)}

    def client(version: str) -> Client:
        build = built_commit(git, commits[version], spec, runner, host)
        return one_client(f"{spec.library}@{OWN_BUILD}{build}{options}", libraries.clients)

    def reproduce(first: str, last: str) -> list[str]:
        return ["respmark", "bisect", name, "--git", str(git), first, last]

    return Candidates(
        spec.library, tuple(commits), client, reproduce, {short: one.words for short, one in commits.items()}
    )
