"""The environment of one client: its library as pinned, in any other version, or as a build of one's own."""

import hashlib
import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from respmark.setup.machine import Machine, Missing
from respmark.specs.client import Client, ClientSpec
from respmark.specs.runner import EnvironmentSpec, ResolvedSpec, RunnerSpec, StepSpec

NOT_SOURCES: Final = frozenset({"node_modules", "target", "bin", "obj", "build", "vendor", "__pycache__"})
"""Folders that builds and package managers make."""


def environment_step(runner: RunnerSpec, spec: ClientSpec, client: Client, machine: Machine) -> StepSpec:
    """Return what makes the client's environment; raises Missing if it cannot be made from what was asked for."""
    made, own = runner.environment, spec.of_version(client.version).setup
    names = _names(runner, spec, client)
    lock = "" if own else _lock(made, client, names, machine)
    commands = own.commands if own else _commands(made, runner, client, lock)
    return StepSpec(
        name=f"{client.runner}-{client.installation}",
        says=f"{client.library} {client.version or spec.version} for {runner.language}" + (f", {lock}" if lock else ""),
        commands=tuple(
            _filled_words(command, {**names, "lock": lock, "lock_folder": str(Path(lock).parent)})
            for command in commands
        ),
        inputs=tuple(_filled(glob, names) for glob in (own.inputs if own else (*made.inputs, *filter(None, [lock])))),
        makes=_filled(made.makes, names),
        proof=_filled(own.proof if own else made.proof, names),
        folder=_filled(made.folder, names),
        packages=own.packages if own else made.packages,
        variables=made.variables,
        state=_state(client.own_build) if client.own_build else "",
    )


def resolved(runner: RunnerSpec, client: Client, machine: Machine) -> dict[str, str]:
    """Return the name and version of every package in the client's environment."""
    where = runner.environment.resolved
    if where is None:
        return {}
    text = "\n".join(_texts(where, client, machine))
    return dict(sorted((found["name"], found["version"]) for found in re.finditer(where.pattern, text)))


def _texts(where: ResolvedSpec, client: Client, machine: Machine) -> Iterator[str]:
    for path in sorted(machine.root.glob(where.files.replace("{client}", client.installation))):
        yield path.name
        if path.suffix == ".json":
            yield path.read_text(encoding="utf-8", errors="replace")


def _names(runner: RunnerSpec, spec: ClientSpec, client: Client) -> dict[str, str]:
    return {
        "library": client.library,
        "client": client.installation,
        "package": spec.package,
        "version": client.version or spec.version,
        "adapter": spec.of_version(client.version).adapter,
        "folder": f"{runner.name}/clients/{client.library}",
        "path": str(client.own_build or ""),
        "path_folder": str(client.own_build.parent if client.own_build else ""),
        "path_version": _version_in(client.own_build.name) if client.own_build else "",
    }


def _version_in(name: str) -> str:
    """Return the version in a package's file name: 2.9.0-fork for `StackExchange.Redis.2.9.0-fork.nupkg`."""
    found = re.search(r"(?<=[.-])\d+\..*(?=\.\w+$)", name)
    return found[0] if found else ""


def _lock(made: EnvironmentSpec, client: Client, names: dict[str, str], machine: Machine) -> str:
    lock = _filled(made.version_lock if client.version else made.lock, names)
    return lock if lock and not client.own_build and (machine.root / lock).is_file() else ""


def _commands(made: EnvironmentSpec, runner: RunnerSpec, client: Client, lock: str) -> tuple[str, ...]:
    if not client.own_build:
        return made.locked if lock else made.version
    if not made.file:
        raise Missing(f"{runner.language} has no clients of one's own here", "Name a version of the registry")
    if not client.own_build.exists():
        raise Missing(f"there is no {client.own_build}", f"After file: name {made.file_is}")
    return made.file


def _filled(text: str, names: dict[str, str]) -> str:
    return re.sub(r"\{(\w+)\}", lambda found: names.get(found[1], found[0]), text)


def _filled_words(command: str, names: dict[str, str]) -> str:
    """Fill in names word by word: no space or quote in one makes more words of it."""
    return shlex.join(_filled(word, names) for word in shlex.split(command))


def _state(path: Path) -> str:
    digest = hashlib.sha256()
    for file in sorted(_sources(path)):
        facts = file.lstat()
        digest.update(f"{file}\0{facts.st_size}\0{facts.st_mtime_ns}\0".encode())
    return digest.hexdigest()


def _sources(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
    for folder, folders, files in os.walk(path):
        folders[:] = [name for name in folders if name not in NOT_SOURCES and not re.search(r"^\.|\.egg-info$", name)]
        yield from (Path(folder) / name for name in files)
