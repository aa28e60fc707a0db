"""What a library's registry has, asked through the language's own package manager, and which version a name means."""

import json
import re
import shlex
import time
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

from respmark.errors import InvalidRequestError
from respmark.files import write_whole
from respmark.setup import steps, tools
from respmark.setup.commits import MAIN, built_commit, commit_build, newest_commit
from respmark.setup.host import Missing, SetupHost
from respmark.setup.prepare import alone
from respmark.specs.builds import OWN_BUILD
from respmark.specs.catalogue import Catalogue
from respmark.specs.client import ClientSpec, numbers
from respmark.specs.names import Name
from respmark.specs.naming import ALL, too_old
from respmark.specs.runner import RunnerSpec
from respmark.specs.versions import LATEST, covered, in_order, is_before, is_whole, nearest

FRESH_S: Final = 600.0
"""For how long a registry is not asked again."""


class Listed(NamedTuple):
    """The versions that a library's registry has."""

    versions: list[str]
    """From the oldest to the newest."""
    doubt: str = ""
    """Why they may be out of date: the registry did not answer."""


def exact_names(names: Iterable[str], catalogue: Catalogue, host: SetupHost) -> tuple[str, ...]:
    """Return clients' names with whole versions: `redis-py@5.3.1` for `redis-py@5`; the others as they are.

    Registries are asked only about versions that are neither pinned nor set up.
    """
    return tuple(_exact_name(name, catalogue, host) for name in names)


def _exact_name(name: str, catalogue: Catalogue, host: SetupHost) -> str:
    parts = Name.of_client(name)
    spec = catalogue.clients.get(parts.base) if parts else None
    if parts is None or spec is None:
        return name
    version = parts.version
    if version == MAIN and MAIN not in spec.pinned:
        return str(replace(parts, version=f"{OWN_BUILD}{_main_built(spec, catalogue, host)}"))
    if version.startswith(OWN_BUILD):
        _tell_own_version(version, spec, host)
    if not _needs_registry(version, spec, host):
        return name
    listed = versions_of(spec, catalogue.runners[spec.runner], host)
    found = covered(version, listed.versions, spec.version_order)
    if found is None and listed.doubt and is_whole(version):
        found = version  # its package manager may have it in its own cache
    if listed.doubt:
        host.say(f"{spec.library}@{version}: {listed.doubt}")
    if found is None:
        raise InvalidRequestError(_unknown(version, spec, listed))
    if found != version:
        host.say(f"{spec.library}@{version} is {spec.library}@{found}")
    return str(replace(parts, version=found))


def _main_built(spec: ClientSpec, catalogue: Catalogue, host: SetupHost) -> Path:
    """Return the newest commit of a library's repository, built as `file:` takes it."""
    runner = catalogue.runners[spec.runner]
    commit_build(spec, runner)  # refuses a language whose commits cannot be built, before anything is fetched
    with alone(host):
        clone, newest = newest_commit(spec, host)
        host.say(f"{spec.library}@{MAIN} is commit {newest.words}")
        try:
            return built_commit(clone, newest, spec, runner, host)
        except Missing as why:
            raise InvalidRequestError(f"{spec.library}@{MAIN} cannot be built: {why}; {why.advice}") from why


def _tell_own_version(version: str, spec: ClientSpec, host: SetupHost) -> None:
    """Say which version a build of one's own is taken to be: adapter and defaults follow from it."""
    own = spec.own_version(version)
    taken = f"is version {own}" if own else f"does not say which version it is: it is taken to be like {spec.version}"
    host.say(f"{spec.library}@{version} {taken}")


def _needs_registry(version: str, spec: ClientSpec, host: SetupHost) -> bool:
    """Return whether the registry must be asked what a version means."""
    if not version or version == ALL or version.startswith(OWN_BUILD) or version in spec.pinned or not spec.version:
        return False
    if version != LATEST and not numbers(version):  # a branch, say: names are refused elsewhere
        return False
    return not _stamp(spec, version, host).exists()


def _unknown(version: str, spec: ClientSpec, listed: Listed) -> str:
    if spec.since and is_before(version, spec.since, spec.version_order):
        return too_old(spec, version)
    near = nearest(version, listed.versions, spec.version_order) or listed.versions[-1:]
    those = f"the nearest are {', '.join(near)}" if near else "none is known here"
    return f"there is no {spec.library} {version}; {those} (respmark list {spec.library} --versions: all of them)"


def versions_of(spec: ClientSpec, runner: RunnerSpec, host: SetupHost) -> Listed:
    """Return the versions that the registry has; where it does not answer, those that are known here."""
    kept = host.build / "registry" / f"{spec.runner}-{spec.library}.json"
    with suppress(OSError):
        if time.time() - kept.stat().st_mtime < FRESH_S:
            return Listed(json.loads(kept.read_text()))
    try:
        versions = in_order(_asked(spec, runner, host), spec.version_order)
    except Missing as why:
        return _known_here(spec, kept, str(why), host)
    kept.parent.mkdir(exist_ok=True)
    write_whole(kept, json.dumps(versions).encode())
    return Listed(versions)


def _asked(spec: ClientSpec, runner: RunnerSpec, host: SetupHost) -> set[str]:
    registry = runner.environment.registry
    if registry is None:
        raise Missing(f"{runner.language} has no registry here")
    package = spec.package.partition("[")[0]
    group, _, artifact = package.rpartition(":")
    names = {"package": package, "package_folder": f"{group.replace('.', '/')}/{artifact}"}
    argv = tuple(steps.filled(word, names) for word in shlex.split(registry.command))
    with alone(host):
        for need in runner.setup.needs if runner.setup else ():
            tools.find(need, host)
        finished = host.run(argv, f"{spec.runner}-{spec.library}-versions", registry.folder)
    text = finished.output
    if registry.files:
        paths = host.root.glob(steps.filled(registry.files, names))
        text = "\n".join(path.read_text(encoding="utf-8") for path in paths)
    lines = re.findall(registry.line, text, re.MULTILINE) if registry.line else [text]
    found = {match["version"] for line in lines for match in re.finditer(registry.pattern, line)}
    if finished.code != 0 or not found:
        raise Missing(host.reason(finished))
    return found


def _known_here(spec: ClientSpec, kept: Path, why: str, host: SetupHost) -> Listed:
    """Return what the registry had when it last answered, and what is set up."""
    versions, of = tried(spec, host).keys() - {"", *_unversioned(spec)}, "the versions that are installed here"
    with suppress(OSError):
        when = time.strftime("%Y-%m-%d", time.localtime(kept.stat().st_mtime))
        versions, of = versions | set(json.loads(kept.read_text())), f"what it had on {when}"
    ordered = in_order(versions | {spec.version}, spec.version_order)
    return Listed(ordered, f"the registry did not answer ({why}); using {of}")


def _unversioned(spec: ClientSpec) -> Collection[str]:
    return [one for one in spec.pinned if not numbers(one)]


def _stamp(spec: ClientSpec, version: str, host: SetupHost) -> Path:
    return host.build / "stamp" / f"{spec.runner}-{spec.library}-{version}"


def tried(spec: ClientSpec, host: SetupHost) -> dict[str, str]:
    """Return every version that was set up here, or for which that failed: `set up`, or why it is missing."""
    begin = f"{spec.runner}-{spec.library}-"
    stamps = [path.name.removeprefix(begin) for path in (host.build / "stamp").glob(f"{begin}*")]
    found = {version: "set up" for version in stamps if numbers(version) and not version.startswith("file-")}
    if (host.build / "stamp" / begin.removesuffix("-")).exists():
        found[spec.version] = "set up"
    begin = f"{spec.runner}@{spec.library}-"
    for path in (host.build / "status").glob(f"{begin}*.json"):
        version = path.name.removeprefix(begin).removesuffix(".json")
        if not version.startswith("file-"):
            found[version] = f"missing: {json.loads(path.read_text())['sentence']}"
    return found
