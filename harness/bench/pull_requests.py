"""How often the action fails a pull request that slows a library, and one that does not.

    .build/harness/bin/python harness/bench/pull_requests.py --times 10

Runs `action/measure`, which the action on GitHub runs, for two pull requests of the small library of the tests, in
turns: one makes each command slower, the other changes a comment. Prints Markdown: what was found, and how often.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cyclopts

from respmark.errors import ExitCode
from respmark.escaping import markdown_row
from respmark.paths import CHECKOUT

LIBRARY: Final = CHECKOUT / "harness" / "tests" / "action" / "library"
IDENTITY: Final = ("-c", "user.name=Somebody", "-c", "user.email=somebody@example.org")
SHORT: Final = "--rounds 4 --laps 8 --slice-s 0.05 --lead-in-s 0.02 --warmup-limit-s 0.3"


@dataclass(frozen=True)
class PullRequest:
    """A change to the library."""

    name: str
    was: str
    now: str
    expected: ExitCode


PULL_REQUESTS: Final = (
    PullRequest("slowed", "IDLE = 0", "IDLE = 20_000", ExitCode.SOME_FAILED),
    PullRequest("equal", "thirty lines", "forty lines", ExitCode.OK),
)


def git(folder: Path, *words: str) -> str:
    """Run git in a folder, and return what it prints."""
    command = ["git", *IDENTITY, *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)  # noqa: S603 - our own
    return done.stdout.strip()


def made(folder: Path) -> tuple[Path, str]:
    """Return a repository of the library, and its only commit."""
    library = folder / "library"
    shutil.copytree(LIBRARY, library, ignore=shutil.ignore_patterns("__pycache__"))
    for words in (("init", "--quiet"), ("add", "."), ("commit", "--quiet", "--message", "base")):
        git(library, *words)
    return library, git(library, "rev-parse", "HEAD")


def measured(library: Path, base: str, one: PullRequest, out: Path, fail_on: str) -> int:
    """Return the exit code of the action's step for a pull request."""
    git(library, "checkout", "--quiet", "--detach", base)
    source = library / "minired.py"
    source.write_text(source.read_text().replace(one.was, one.now))
    git(library, "commit", "--quiet", "--all", "--message", one.name)
    given = {
        "MEASURE_CLIENT": "./bench/minired",
        "MEASURE_BASE": base,
        "MEASURE_SCENARIOS": "sync",
        "MEASURE_OPTIONS": SHORT,
        "MEASURE_FAIL_ON": fail_on,
        "MEASURE_OUT": str(out),
        "XDG_CACHE_HOME": str(out.parent / "cache"),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    done = subprocess.run(  # noqa: S603 - our own
        [CHECKOUT / "action" / "measure"],
        cwd=library,
        env=os.environ | given,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != one.expected:
        print(f"{one.name}: exit code {done.returncode}\n{done.stdout}{done.stderr}", file=sys.stderr)
    return done.returncode


def main(*, times: int = 10, fail_on: str = "30%") -> int:
    """Measure each pull request so many times; return 1 if one was not judged as it should be.

    Args:
        times: Measurements of each.
        fail_on: The loss beyond which a regression that is shown fails.
    """
    codes: dict[str, Counter[int]] = {one.name: Counter() for one in PULL_REQUESTS}
    with tempfile.TemporaryDirectory(prefix="respmark-bench-") as folder:
        library, base = made(Path(folder))
        for _ in range(times):
            for one in PULL_REQUESTS:
                codes[one.name][measured(library, base, one, Path(folder) / "out", fail_on)] += 1
    print(markdown_row(("pull request", "measured", "fails", "passes", "other exit codes")))
    print(markdown_row(["---"] * 5))
    for one in PULL_REQUESTS:
        found = codes[one.name]
        failed, passed = found[ExitCode.SOME_FAILED], found[ExitCode.OK]
        counts = (found.total(), failed, passed, found.total() - failed - passed)
        print(markdown_row((one.name, *map(str, counts))))
    return int(any(codes[one.name][one.expected] < times for one in PULL_REQUESTS))


if __name__ == "__main__":
    cyclopts.run(main)
