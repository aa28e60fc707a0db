"""Do a step: not at all if nothing changed, in place if its inputs did, from scratch otherwise.

A stamp records what a step was last done for: its first line has the interpreter, the tools and the checkout's own
path, on which the step builds; its second line has a digest of the step's commands and of the contents of its inputs.
"""

import hashlib
import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from respmark.setup import debian
from respmark.setup.host import QUESTIONS, Finished, Missing, SetupHost
from respmark.specs.builds import version_in_name
from respmark.specs.client import Client, ClientSpec, PackagesSpec
from respmark.specs.runner import EnvironmentSpec, RunnerSpec, StepSpec

PYTHON: Final = Path(sys.executable).resolve()
"""Not a virtual environment's: that of the harness may be made anew."""
AGAIN: Final = "remove the cause, then run the same command again."
NOT_SOURCES: Final = re.compile(r"\..*|.*\.egg-info|node_modules|target|bin|obj|build|vendor|__pycache__")
"""Folders that builds, package managers and git make."""


class CommandFailed(Missing):
    """A command of a step failed, and not what the step needs from the system."""


def do(step: StepSpec, foundation: str, host: SetupHost) -> None:
    """Do the step unless it is done for exactly what is here now; raise Missing with the decisive sentence."""
    made, kept = host.root / (step.proof or step.makes), host.build / "stamp" / step.name
    before = kept.read_text(errors="replace") if kept.is_file() else ""
    if before == stamp_of(step, foundation, host) and made.exists():
        return
    if step.packages:
        _bring(step.packages, host)
    stamp, advice = stamp_of(step, foundation, host), f"See {shown(host.log(step.name))}; {AGAIN}"
    host.say(f"set-up: {step.says}")
    # No stamp until the step is done again, and nothing left of what it made unless that is a sound base.
    for path in (kept, host.log(step.name)):
        path.unlink(missing_ok=True)
    if before.partition("\n")[0] != stamp.partition("\n")[0] or not made.exists():
        _remove(host.root / step.makes)
    for command in step.commands:
        argv = tuple(word.replace("{python}", str(PYTHON)) for word in shlex.split(command))
        finished = host.run(argv, step.name, step.folder)
        if finished.code != 0 and not _done_offline(step, argv, finished, host):
            raise CommandFailed(host.reason(finished), advice)
    if not made.exists():
        raise Missing(f"its commands succeeded, but {step.proof or step.makes} is not there", advice)
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(stamp)


def _done_offline(step: StepSpec, argv: tuple[str, ...], failed: Finished, host: SetupHost) -> bool:
    """Try a command again that failed, with the package manager's own cache alone; say so if that does it."""
    if not step.offline or host.run((*step.offline, *argv), step.name, step.folder).code != 0:
        return False
    host.say(f"{step.says}: taken from the package manager's cache; its registry gave: {host.reason(failed)}")
    return True


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def shown(path: Path) -> Path:
    """Return a path as a user types it: results name it, and may be published."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def stamp_of(step: StepSpec, foundation: str, host: SetupHost) -> str:
    """Return the stamp of the step when it is up to date; the user's variables are part of its foundation."""
    python = f"{PYTHON} {sys.version.split()[0]}"
    variables = [f"{name}={value}" for name in step.variables if (value := host.variables.get(name))]
    digest = hashlib.sha256(repr((step.commands, step.state)).encode())
    for path in sorted({path for glob in step.inputs for path in host.root.glob(glob) if path.is_file()}):
        content = path.read_bytes()
        digest.update(f"\0{path.relative_to(host.root)}\0{len(content)}\0".encode() + content)
    return f"{' '.join((str(host.root), python, foundation, *variables))}\n{digest.hexdigest()}\n"


def _bring(packages: PackagesSpec, host: SetupHost) -> None:
    """Install what a step needs unless it is there; raise Missing if it is not there in the end."""
    check = tuple(shlex.split(packages.check))
    with host.lock:
        if host.run(check, QUESTIONS).code == 0:
            return
        debian.install(packages.names, packages.lacking, host, packages.advice)
        if host.run(check, QUESTIONS).code != 0:
            message = f"{packages.lacking}, although Debian's {' '.join(packages.names)} is installed"
            raise Missing(message, "See whether the one that is first on PATH is Debian's")


# --- the environment of one client: its library as pinned, in any other version, or as a build of one's own -----------


def environment_step(runner: RunnerSpec, spec: ClientSpec, client: Client, host: SetupHost) -> StepSpec:
    """Return what makes the client's environment; raises Missing if it cannot be made from what was asked for."""
    made, here, build = runner.environment, spec.of_version(client.version), client.own_build
    own = here.setup
    names = {
        "library": client.library,
        "client": client.installation,
        "package": here.package,
        "version": client.version or spec.version,
        "adapter": here.adapter,
        "folder": f"{runner.name}/clients/{client.library}",
        "path": str(build or ""),
        "path_folder": str(build.parent if build else ""),
        "path_version": version_in_name(build.name) if build else "",
        "path_id": client.installation.rpartition("-")[2],
    }
    lock = filled(made.version_lock if client.version else made.lock, names)
    if own or build or not (lock and (host.root / lock).is_file()):
        lock = ""
    commands = own.commands if own else _commands(made, runner, build, lock)
    filling = {**names, "lock": lock, "lock_folder": str(Path(lock).parent)}
    return StepSpec(
        name=f"{client.runner}-{client.installation}",
        says=f"{client.library} {names['version']}".rstrip()
        + f" for {runner.language}"
        + (f", {lock}" if lock else ""),
        # Filled in word by word: no space or quote in a name makes more words of it.
        commands=tuple(shlex.join(filled(word, filling) for word in shlex.split(command)) for command in commands),
        inputs=tuple(filled(glob, names) for glob in (own.inputs if own else (*made.inputs, *filter(None, [lock])))),
        makes=filled(made.makes, names),
        proof=filled(own.proof if own else made.proof, names),
        folder=filled(made.folder, names),
        packages=own.packages if own else made.packages,
        variables=made.variables,
        state=_state(build) if build else "",
        offline=() if own or build else made.offline,
    )


def _commands(made: EnvironmentSpec, runner: RunnerSpec, build: Path | None, lock: str) -> tuple[str, ...]:
    if not build:
        return made.locked if lock else made.version
    if not made.file:
        raise Missing(
            f"{runner.language} has no clients that can be built from files here", "Name a version from the registry"
        )
    if not build.exists():
        raise Missing(f"there is no {build}", f"After file: name {made.file_is}")
    return made.file


def filled(text: str, names: dict[str, str]) -> str:
    """Return a text of a spec with `{name}` replaced where the name is known."""
    return re.sub(r"\{(\w+)\}", lambda found: names.get(found[1], found[0]), text)


def _state(path: Path) -> str:
    """Return what changes when a file of a build of one's own does."""
    digest = hashlib.sha256()
    for file in sorted([path] if path.is_file() else _sources(path)):
        facts = file.lstat()
        digest.update(f"{file}\0{facts.st_size}\0{facts.st_mtime_ns}\0".encode())
    return digest.hexdigest()


def _sources(path: Path) -> Iterator[Path]:
    for folder, folders, files in os.walk(path):
        folders[:] = [name for name in folders if not NOT_SOURCES.fullmatch(name)]
        yield from (Path(folder) / name for name in files)


def resolved(runner: RunnerSpec, client: Client, host: SetupHost) -> dict[str, str]:
    """Return the name and version of every package in the client's environment."""
    where = runner.environment.resolved
    if where is None:
        return {}
    paths = sorted(host.root.glob(where.files.replace("{client}", client.installation)))
    texts = (path.read_text(encoding="utf-8", errors="replace") for path in paths if path.suffix in {".json", ".txt"})
    text = "\n".join((*(path.name for path in paths), *texts))
    return dict(sorted((found["name"], found["version"]) for found in re.finditer(where.pattern, text)))
