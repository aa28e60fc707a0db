"""The commits of a library's repository: which lie between two of them, and one of them checked out and built.

Each commit is checked out in a clone of its own, which shares the repository's objects; the repository itself is only
read.
"""

import shlex
import shutil
from pathlib import Path
from typing import Final, NamedTuple

from respmark.errors import InvalidRequestError
from respmark.nearest import nearest_first
from respmark.setup import steps
from respmark.setup.host import Missing, SetupHost, decisive
from respmark.specs.client import ClientSpec
from respmark.specs.runner import CommitSpec, RunnerSpec

LOG: Final = "git"
SHORT: Final = 12
"""How much of a commit's hash is shown."""
COMMITS: Final = "commits"
"""The folder of their checkouts, in the build folder."""


class Commit(NamedTuple):
    """One commit."""

    sha: str
    date: str
    """Of the commit: 2026-11-27."""
    subject: str

    @property
    def words(self) -> str:
        """Return it as a reader finds it again."""
        return f"{self.sha[:SHORT]} ({self.date}, {self.subject})"


def commits_between(repository: Path, older: str, newer: str, host: SetupHost) -> list[Commit]:
    """Return the commits from the older one to the newer one, along the first parents, both included.

    Where the older one is on a branch of its own, as releases often are, those since that branch began follow it.

    Raises:
        InvalidRequestError: it is no repository, a commit does not exist, or the older one is not older.
    """
    first, last = (_commit(repository, name, host) for name in (older, newer))
    if first.sha == last.sha:
        raise InvalidRequestError(f"{older} and {newer} are the same commit, {first.words}")
    base = (_git(repository, host, "merge-base", first.sha, last.sha) or "").strip()
    if base in {"", last.sha}:
        raise InvalidRequestError(f"{older} is not older than {newer}: name the older commit first")
    branched = [] if base == first.sha else [_commit(repository, base, host)]
    if branched:
        host.say(f"{older} is on a branch of its own, which began with {branched[0].words}")
    listed = _git(repository, host, "log", "--first-parent", "--reverse", FORMAT, f"{base}..{last.sha}")
    return [first, *branched, *map(_read, (listed or "").splitlines())]


FORMAT: Final = "--format=%H%x09%cs%x09%s"


def _read(line: str) -> Commit:
    return Commit(*line.split("\t", 2))


def _commit(repository: Path, name: str, host: SetupHost) -> Commit:
    if (found := _git(repository, host, "log", "-1", FORMAT, f"{name}^{{commit}}", "--")) is not None:
        return _read(found.strip())
    tags = _git(repository, host, "tag")
    if tags is None and not host.which("git"):
        raise InvalidRequestError("--git needs git, which is not on PATH: install it")
    if tags is None:
        raise InvalidRequestError(f"--git {repository}: it is no git repository that can be read")
    near = ", ".join(nearest_first(name, tags.split()).split(", ")[:4])
    raise InvalidRequestError(f"there is no commit `{name}` in {repository}; the nearest tags are {near}")


def _git(repository: Path, host: SetupHost, *words: str) -> str | None:
    """Return what git prints; None if it fails."""
    finished = host.run(("git", "-C", str(repository.resolve()), *words), LOG)
    return finished.output if finished.code == 0 else None


def commit_build(spec: ClientSpec, runner: RunnerSpec) -> CommitSpec:
    """Return how commits of a library are built; raises InvalidRequestError if those of its language cannot be."""
    if (how := runner.environment.commit) is None:
        raise InvalidRequestError(
            f"{runner.language} has no --git: build each commit yourself, and compare {spec.library}@file:PATH, where "
            f"PATH is {runner.environment.file_is}"
        )
    return how


def built_commit(repository: Path, commit: Commit, spec: ClientSpec, runner: RunnerSpec, host: SetupHost) -> Path:
    """Return what `file:` takes of a commit, checked out and built through the library's own build.

    Raises:
        InvalidRequestError: commits of this language's clients cannot be built.
        Missing: it cannot be checked out, or its build fails.
    """
    how = commit_build(spec, runner)
    checkout = _checked_out(repository, commit, spec, host)
    names = {"root": str(host.root), "artifact": spec.package.rpartition(":")[2]}
    log = f"{spec.library}-{commit.sha[:SHORT]}"
    pattern = steps.filled(how.makes, names)
    if not (made := _made(checkout, pattern)):
        host.say(f"set-up: {spec.library}, commit {commit.words}")
        for command in how.commands:
            argv = tuple(steps.filled(word, names) for word in shlex.split(command))
            finished = host.run(argv, log, str(checkout))
            if finished.code != 0:
                raise Missing(decisive(finished.output), f"See {steps.shown(host.log(log))}")
        made = _made(checkout, pattern)
    if not made:
        raise Missing(f"its build made no {pattern}", f"See {steps.shown(host.log(log))}")
    return made[0]


def _made(checkout: Path, pattern: str) -> list[Path]:
    """Return what the build made, the file first whose name is shortest: the others are its sources and tests."""
    return [checkout] if pattern == "." else sorted(checkout.glob(pattern), key=lambda path: len(path.name))


def _checked_out(repository: Path, commit: Commit, spec: ClientSpec, host: SetupHost) -> Path:
    folder = host.build / COMMITS / spec.library / commit.sha[:SHORT]
    if (_git(folder, host, "rev-parse", "HEAD") or "").strip() == commit.sha:
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    clone = ("git", "clone", "--quiet", "--shared", "--no-checkout", str(repository.resolve()), str(folder))
    for argv in (clone, ("git", "-C", str(folder), "checkout", "--quiet", "--detach", commit.sha)):
        finished = host.run(argv, LOG)
        if finished.code != 0:
            shutil.rmtree(folder, ignore_errors=True)
            raise Missing(decisive(finished.output), f"See {steps.shown(host.log(LOG))}")
    return folder
