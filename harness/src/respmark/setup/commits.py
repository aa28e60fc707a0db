"""The commits of a library's repository: which lie between two of them, and one of them checked out and built.

Each commit is checked out in a clone of its own, which shares the repository's objects; the repository itself is only
read.
"""

import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from respmark.errors import InvalidRequestError
from respmark.nearest import nearest_first
from respmark.setup import steps, tools
from respmark.setup.host import Missing, SetupHost
from respmark.specs.builds import OWN_BUILD
from respmark.specs.client import ClientSpec
from respmark.specs.runner import CommitSpec, RunnerSpec

LOG: Final = "git"
SHORT: Final = 12
"""How much of a commit's hash is shown."""
COMMITS: Final = "commits"
"""The folder of their checkouts, in the build folder."""
MAIN: Final = "main"
"""The version that is the newest commit of a library's repository, whatever its branch is called."""
NEWEST: Final = "refs/respmark/main"
"""What the clone of a repository calls that commit."""


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
        raise InvalidRequestError(f"--git {repository}: not a git repository that can be read")
    near = ", ".join(nearest_first(name, tags.split()).split(", ")[:4])
    raise InvalidRequestError(f"there is no commit `{name}` in {repository}; the nearest tags are {near}")


def _git(repository: Path, host: SetupHost, *words: str) -> str | None:
    """Return what git prints; None if it fails."""
    finished = host.run(("git", "-C", str(repository.resolve()), *words), LOG)
    return finished.output if finished.code == 0 else None


def commit_of(build: Path, host: SetupHost) -> str | None:
    """Return the commit of the checkout that a build is, or lies in; None: git knows none."""
    folder = build if build.is_dir() else build.parent
    said = _git(folder, host, "describe", "--always", f"--abbrev={SHORT}", "--dirty", "--exclude=*")
    return None if said is None else said.strip()


def newest_commit(spec: ClientSpec, host: SetupHost) -> tuple[Path, Commit]:
    """Return a clone of a library's repository, brought up to date, and the newest commit of its main branch.

    Where the repository does not answer, the clone is used as it is, and that is said.

    Raises:
        InvalidRequestError: no repository is known, it cannot be reached and there is no clone, or git is missing.
    """
    if not spec.repository:
        raise InvalidRequestError(
            f"{spec.library}@{MAIN}: no repository of it is known that can be built here: build a checkout "
            f"yourself, and name {spec.library}@{OWN_BUILD}PATH"
        )
    if not host.which("git"):
        raise InvalidRequestError(f"{spec.library}@{MAIN} needs git, which is not on PATH: install it")
    clone = host.build / COMMITS / spec.library / "repository.git"
    clone.parent.mkdir(parents=True, exist_ok=True)
    failed = ""
    if not clone.is_dir():
        host.say(f"set-up: {spec.library}, a clone of {spec.repository}")
        failed = _asked(host, "clone", "--quiet", "--bare", spec.repository, str(clone))
    failed = failed or _asked(host, "-C", str(clone), "fetch", "--quiet", "origin", f"+HEAD:{NEWEST}")
    if failed and _git(clone, host, "rev-parse", "--verify", "--quiet", NEWEST) is None:
        raise InvalidRequestError(
            f"{spec.library}@{MAIN}: {spec.repository} cannot be reached ({failed}); name a checkout: "
            f"{spec.library}@{OWN_BUILD}PATH"
        )
    newest = _commit(clone, NEWEST, host)
    if failed:
        host.say(f"{spec.library}@{MAIN}: {spec.repository} did not answer ({failed}); using {newest.words}")
    return clone, newest


def _asked(host: SetupHost, *words: str) -> str:
    """Run git where it may ask a server, but not the user; return why it failed, or nothing."""
    finished = host.run(("env", "GIT_TERMINAL_PROMPT=0", "git", *words), LOG)
    return "" if finished.code == 0 else host.reason(finished)


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
    for need in runner.setup.needs if runner.setup else ():
        tools.find(need, host)
    checkout = _checked_out(repository, commit, spec, host)
    names = {
        "sources": str(host.sources),
        "build": str(host.build),
        "package": spec.package,
        "artifact": spec.package.rpartition(":")[2],
    }
    log = f"{spec.library}-{commit.sha[:SHORT]}"
    patterns = [steps.filled(pattern, names) for pattern in how.makes]
    if not _made(checkout, [how.proof] if how.proof else patterns):
        host.say(f"set-up: {spec.library}, commit {commit.words}")
        for command in how.commands:
            argv = tuple(steps.filled(word, names) for word in shlex.split(command))
            finished = host.run(argv, log, str(checkout))
            if finished.code != 0:
                raise Missing(host.reason(finished), f"See {steps.shown(host.log(log))}")
    if not (made := _made(checkout, patterns)):
        raise Missing(f"its build made no {' or '.join(patterns)}", f"See {steps.shown(host.log(log))}")
    return made[0]


def _made(checkout: Path, patterns: Sequence[str]) -> list[Path]:
    """Return what the first pattern finds that finds anything; "." is the checkout itself.

    Of several files, the one with the shortest name is first: the others are its sources and tests.
    """
    found = (
        [checkout] if one == "." else sorted(checkout.glob(one), key=lambda path: len(path.name)) for one in patterns
    )
    return next(filter(None, found), [])


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
            raise Missing(host.reason(finished), f"See {steps.shown(host.log(LOG))}")
    return folder
