"""Make the environment of one client in one version: its packages, then its program, in `.build/<language>/<client>`.

The program is made from a copy of the language's core and of this client's folder alone: no other folder can break it.
Each of the two has its own stamp, so that an edited adapter installs nothing anew. A version that failed is not tried
again in every set-up, only when a user asks for it by name, or when a command, the adapter, a tool or the core changes.
"""

import hashlib
import os
import re
import shlex
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from respmark.setup import steps
from respmark.setup.host import Missing, SetupHost
from respmark.specs.builds import version_in_name
from respmark.specs.client import Client, ClientSpec
from respmark.specs.client_tables import OwnSetupSpec, PackagesSpec
from respmark.specs.own import own_client
from respmark.specs.runner import ClientCommands, EnvironmentSpec, RunnerSpec, StepSpec

NOT_SOURCES: Final = re.compile(r"\..*|.*\.egg-info|node_modules|target|bin|obj|build|vendor|__pycache__")
"""Folders that builds, package managers and git make."""
UNREACHED: Final = re.compile(
    r"(?i)timed? ?out|time-?out|resolve host|name resolution|dns|connect|network|unreachable|offline|not in the cache|"
    r"ENOTFOUND|EAI_AGAIN|ECONN|socket|TLS|certificate|NU1301|no space left"
)
"""What package managers say of registries out of reach, and of full disks: it may be otherwise in a minute."""
FORK: Final = """sh -c 'cd clients && names={library}/fork.sed && [ -e $names ] || names=/dev/null
for file in {original}/*; do
    own={library}/${file##*/}
    [ -d $file ] || [ -e $own ] || sed -f $names $file >$own || exit
done
rm -r {original}'"""
"""Makes of the original's files those of a fork, which has its own in place of some."""


@dataclass(frozen=True)
class Environment:
    """The environment of a client, whatever its options."""

    runner: RunnerSpec
    spec: ClientSpec
    client: Client
    host: SetupHost

    def make(self, foundation: str, *, again: bool) -> None:
        """Install its packages and make its program unless both are current; raise Missing if they cannot be made.

        `again`: also if that is known to fail.
        """
        self._check_adapter()
        packages, program = self._packages, self._program(foundation)
        stamp = steps.stamp_of(program, foundation, self.host)
        is_remembered = self.client.version is not None and self.client.own_build is None
        if is_remembered and not again:
            self._check_not_failed(stamp)
        for step in filter(None, (packages, program)):
            try:
                steps.do(step, foundation, self.host)
            except Missing as why:
                if is_remembered and isinstance(why, steps.CommandFailed):
                    self._remember(stamp, step, str(why))
                if self.client.version and self.client.version not in self.spec.pinned:
                    adapter = self.spec.of_version(self.client.version).adapter
                    why.advice += f"\n(if the adapter, {adapter}, does not fit this version: name another one)"
                raise
        self._failed.unlink(missing_ok=True)

    def _check_adapter(self) -> None:
        """Raise Missing if the adapter is not where the client's description says."""
        file = steps.filled(self._how.adapter, self._names)
        folders = [self._folder(one) for one in filter(None, (self.client.library, self.spec.adapter_of))]
        if file and not any((folder / file).is_file() for folder in folders):
            raise Missing(
                f"there is no {shown_in(folders[0] / file, self.host.sources)}",
                f"It is what `adapter` in {steps.DESCRIPTION} names: correct that, or the file's name",
            )

    def lock(self, foundation: str) -> None:
        """Write the pins of its packages into the client's folder; raise Missing if that fails."""
        library, stage = self.client.library, f".build/pins/{self._name}"
        if not (self._how.lock_with and self._names["package"]):
            self.host.say(f"{self._says}: its only pin is `version` in its {steps.DESCRIPTION}")
            return
        program = self._program(foundation)
        step = StepSpec(
            name=f"pins/{self._name}",
            says=f"{self._says}, its pins",
            commands=self._filled((*self._fork, *self._how.lock_with)),
            inputs=program.inputs,
            makes=stage,
            folder=program.folder,
            stage=stage,
            also=program.also,
        )
        (self.host.build / "stamp" / step.name).unlink(missing_ok=True)
        steps.do(step, foundation, self.host)
        place = (self._folder(library) / self._lock_name).parent
        for name in self._how.pins:
            pin = steps.filled(name, {"lock_name": self._lock_name})
            place.mkdir(exist_ok=True)
            shutil.copy(self.host.root / stage / "clients" / library / pin, place)

    def resolved(self) -> dict[str, str]:
        """Return the name and version of every package in it."""
        where = self._how.resolved
        if where is None:
            return {}
        paths = sorted((self.host.root / self._place).glob(where.files))
        files = (path for path in paths if path.suffix in {".json", ".txt"})
        texts = (path.read_text(encoding="utf-8", errors="replace") for path in files)
        text = "\n".join((*(path.name for path in paths), *texts))
        return dict(sorted((found["name"], found["version"]) for found in re.finditer(where.pattern, text)))

    @property
    def _how(self) -> EnvironmentSpec:
        return self.runner.environment

    @property
    def _name(self) -> str:
        return f"{self.runner.name}-{self.client.installation}"

    @property
    def _place(self) -> str:
        return f".build/{self.runner.name}/{self.client.installation}"

    @property
    def _says(self) -> str:
        version = self.client.version or self.spec.version
        return f"{' '.join(filter(None, (self.client.library, version)))} for {self.runner.language}"

    @cached_property
    def _lock(self) -> Path | None:
        """Return the lock file of the version, if there is one."""
        path = self._folder(self.client.library) / self._lock_name
        return path if path.is_file() and not self.client.own_build else None

    @property
    def _lock_name(self) -> str:
        version = self.client.version
        return steps.filled(self._how.version_lock, {"version": version}) if version else self._how.lock

    def _folder(self, library: str) -> Path:
        """Return where a library's files are, which may be a folder of the user's."""
        return own_client(library) or self.host.sources / self.runner.name / "clients" / library

    @cached_property
    def _names(self) -> dict[str, str]:
        """Return what stands for a name in braces in the commands."""
        here, build = self.spec.of_version(self.client.version), self.client.own_build
        group, _, artifact = here.package.rpartition(":")
        return {
            "library": self.client.library,
            "client": self.client.installation,
            "package": here.package,
            "group": group,
            "artifact": artifact,
            "version": self.client.version or self.spec.version,
            "adapter": here.adapter,
            "original": self.spec.adapter_of,
            "core": f"{{sources}}/{self.runner.name}",
            "folder": self._as_written(self._folder(self.client.library)),
            "path": str(build or ""),
            "path_folder": str(build.parent if build else ""),
            "path_version": version_in_name(build.name) if build else "",
            "path_id": self.client.installation.rpartition("-")[2],
        }

    def _as_written(self, path: Path) -> str:
        """Return a path in the checkout so that a stamp is the same wherever that lies."""
        return str(path).replace(f"{self.host.sources}/", "{sources}/")

    @cached_property
    def _packages(self) -> StepSpec | None:
        """Return what installs its packages; None if it has none."""
        how, own, build, lock = self._how, self._own, self.client.own_build, self._lock
        commands = own.commands if own else self._chosen(how.install, is_locked=lock is not None)
        if not commands or not (own or lock or build or self._names["package"]):
            return None
        made_of = self._own_inputs() if own else [lock] if lock else []
        return StepSpec(
            name=f"packages/{self._name}",
            says=f"{self._says}, its packages",
            commands=self._filled(commands),
            makes=self._place,
            proof=f"{self._place}/{own.proof if own else how.install.proof}",
            folder=self._place,
            packages=own.packages if own else how.packages,
            variables=how.variables,
            state=_contents(made_of) + (_state(build) if build else ""),
            offline=() if own or build else how.offline,
        )

    def _program(self, foundation: str) -> StepSpec:
        """Return what makes its program, which is made again when its packages are others."""
        how, packages, build, library = self._how, self._packages, self.client.own_build, self.client.library
        commands = self._chosen(how.build, is_locked=self._lock is not None and self.client.version is None)
        stage = f"{self._place}/src"
        state = steps.stamp_of(packages, foundation, self.host) if packages else _state(build) if build else ""
        return StepSpec(
            name=self._name,
            says=f"{self._says}, its program",
            commands=self._filled((*self._fork, *commands)),
            inputs=tuple(f"{self.runner.name}/{glob}" for glob in how.core),
            makes=stage if packages else self._place,
            proof=f"{self._place}/{how.build.proof}" if commands else stage,
            folder=self.runner.name,
            stage=stage,
            also={f"clients/{one}": str(self._folder(one)) for one in filter(None, (self.spec.adapter_of, library))},
            packages=None if packages else self._own.packages if self._own else self._built_with,
            variables=how.variables,
            state=state,
            offline=() if build or packages else how.offline,
        )

    @property
    def _fork(self) -> tuple[str, ...]:
        return (FORK,) if self.spec.adapter_of else ()

    @property
    def _own(self) -> OwnSetupSpec | None:
        return self.spec.of_version(self.client.version).setup

    @property
    def _built_with(self) -> PackagesSpec | None:
        """Return the system's packages that a program needs where it installs nothing."""
        return None if self._how.install.version else self._how.packages

    def _own_inputs(self) -> list[Path]:
        folder = self._folder(self.client.library)
        return [path for glob in (self._own.inputs if self._own else ()) for path in sorted(folder.glob(glob))]

    def _chosen(self, commands: ClientCommands, *, is_locked: bool) -> tuple[str, ...]:
        if not self.client.own_build:
            return commands.locked if is_locked else commands.version
        if not (self._how.install.file or self._how.build.file):
            raise Missing(
                f"{self.runner.language} has no clients that can be built from files here",
                "Name a version from the registry",
            )
        if not self.client.own_build.exists():
            raise Missing(f"there is no {self.client.own_build}", f"After file: name {self._how.file_is}")
        return commands.file

    def _filled(self, commands: tuple[str, ...]) -> tuple[str, ...]:
        """Fill names in, word by word: no space or quote in a name makes more words of it."""
        lock = self._as_written(self._lock) if self._lock else ""
        names = {**self._names, "lock": lock, "lock_name": self._lock_name, "lock_folder": str(Path(lock).parent)}
        return tuple(shlex.join(steps.filled(word, names) for word in shlex.split(command)) for command in commands)

    @property
    def _failed(self) -> Path:
        """Where it is kept why the environment could not be made."""
        return self.host.build / "not-made" / self._name

    def _check_not_failed(self, stamp: str) -> None:
        """Raise Missing with the reason of the last attempt if it was made of just what is here now."""
        if not self._failed.is_file():
            return
        known, step, reason = self._failed.read_text().split("\n\n", 2)
        if known == stamp.strip():
            log = steps.shown(self.host.log(step))
            advice = f"It was not tried again. See {log}; to try again, type: respmark setup {self.client.installed}"
            raise Missing(reason, advice)

    def _remember(self, stamp: str, step: StepSpec, reason: str) -> None:
        """Keep why a step failed, unless a registry was out of reach."""
        self._failed.unlink(missing_ok=True)
        if not UNREACHED.search(reason):
            self._failed.parent.mkdir(parents=True, exist_ok=True)
            self._failed.write_text(f"{stamp.strip()}\n\n{step.name}\n\n{reason}")


def shown_in(path: Path, sources: Path) -> Path:
    """Return a path as it is in the checkout, or as a user types it."""
    return path.relative_to(sources) if path.is_relative_to(sources) else steps.shown(path)


def _contents(paths: list[Path]) -> str:
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in paths)).hexdigest() if paths else ""


def _state(path: Path) -> str:
    """Return what changes when a file of a build of the user's does."""
    digest = hashlib.sha256()
    for file in sorted([path] if path.is_file() else _sources(path)):
        facts = file.lstat()
        digest.update(f"{file}\0{facts.st_size}\0{facts.st_mtime_ns}\0".encode())
    return digest.hexdigest()


def _sources(path: Path) -> Iterator[Path]:
    for folder, folders, files in os.walk(path):
        folders[:] = [name for name in folders if not NOT_SOURCES.fullmatch(name)]
        yield from (Path(folder) / name for name in files)
