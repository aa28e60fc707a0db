"""A pull request of a small library is measured against its base, as action.yml has it done."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from respmark.errors import ExitCode
from respmark.paths import CHECKOUT
from respmark.results.records import Status
from tests.builders.plan import make_client, make_trial
from tests.builders.records import unmeasured
from tests.cli.builders import build, builds
from tests.git import git

LIBRARY = Path(__file__).parent / "library"
SHORT = "--rounds 3 --laps 6 --slice-s 0.03 --lead-in-s 0.01 --warmup-limit-s 0.2"


@dataclass(frozen=True)
class Measured:
    """A measurement that has ended."""

    code: int
    comment: str
    said: str


@pytest.fixture
def library(tmp_path: Path) -> Path:
    folder = tmp_path / "library"
    shutil.copytree(LIBRARY, folder, ignore=shutil.ignore_patterns("__pycache__"))
    git(folder, "init", "--quiet")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", "base")
    return folder


@pytest.fixture
def measure(library: Path, tmp_path: Path) -> Callable[[str], Measured]:
    """Commit what is changed, and measure it against the base."""

    def run(base: str) -> Measured:
        git(library, "commit", "--quiet", "--all", "--message", "head")
        kept = {name: value for name, value in os.environ.items() if not name.startswith("RESPMARK_SPECS")}
        given = {
            "MEASURE_CLIENT": "./bench/minired",
            "MEASURE_BASE": base,
            "MEASURE_SCENARIOS": "sync",
            "MEASURE_OPTIONS": SHORT,
            "MEASURE_FAIL_ON": "30%",
            "MEASURE_OUT": str(tmp_path / "out"),
            "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
            "XDG_CACHE_HOME": str(tmp_path / "cache"),
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        }
        done = subprocess.run(
            [CHECKOUT / "action" / "measure"],
            cwd=library,
            env={**kept, **given},
            capture_output=True,
            text=True,
            check=False,
        )
        comment = tmp_path / "out" / "comment.md"
        return Measured(done.returncode, comment.read_text() if comment.exists() else "", done.stdout + done.stderr)

    return run


@pytest.mark.timeout(600)
def test_a_slowed_commit_fails_and_an_equal_one_does_not(
    measure: Callable[[str], Measured], library: Path, tmp_path: Path
) -> None:
    """The comment names both builds, and is the job's summary, too; nothing is left in the repository."""
    base, source = git(library, "rev-parse", "HEAD"), library / "minired.py"
    source.write_text(source.read_text().replace("IDLE = 0", "IDLE = 20_000"))
    slowed = measure(base)
    assert slowed.code == ExitCode.SOME_FAILED, slowed
    assert slowed.comment.startswith("## respmark: RPS regressed by more than 30 % in 1 of 1 comparison\n")
    assert "minired@file:head / minired@file:base" in slowed.comment
    assert (tmp_path / "summary.md").read_text() == slowed.comment
    assert git(library, "status", "--porcelain") == ""
    assert len(git(library, "worktree", "list").splitlines()) == 1
    base = git(library, "rev-parse", "HEAD")
    source.write_text(source.read_text().replace("thirty lines", "forty lines"))
    equal = measure(base)
    assert equal.code == ExitCode.OK, equal
    assert equal.comment.startswith(("## respmark: no regression of RPS", "## respmark: too noisy")), equal


def test_the_action_gives_the_script_what_it_reads() -> None:
    """Each of its variables is set in action.yml, and no input goes into a command as text."""
    action = (CHECKOUT / "action.yml").read_text()
    script = (CHECKOUT / "action" / "measure").read_text()
    read = set(re.findall(r"MEASURE_[A-Z_]+", script))
    assert read == set(re.findall(r"^ +(MEASURE_[A-Z_]+): \$\{\{ \S+ \}\}", action, re.MULTILINE)) | {"MEASURE_OUT"}
    assert not [line for line in action.splitlines() if "run:" in line and "${{" in line]


@pytest.mark.parametrize("options", ["", "--rounds 3\n--laps 6"])
def test_latency_is_judged_only_at_a_rate(library: Path, tmp_path: Path, options: str) -> None:
    """That is said before anything is measured."""
    given = {"MEASURE_CLIENT": "redis-py", "MEASURE_BASE": "HEAD", "MEASURE_METRIC": "p99", "MEASURE_OPTIONS": options}
    variables = {**os.environ, **given, "MEASURE_OUT": str(tmp_path / "out")}
    done = subprocess.run(
        [CHECKOUT / "action" / "measure"], cwd=library, env=variables, capture_output=True, text=True, check=False
    )
    assert (done.returncode, "options: --rate 2000" in done.stderr) == (ExitCode.INVALID_REQUEST, True), done.stderr


PRETENDS = """#!/bin/sh
for word; do
    [ "$before" = --out ] && mkdir -p "$word" && touch "$word/manifest.json"
    before=$word
done
echo "$@" >>"$CALLS"
"""


def test_a_new_branch_is_measured_against_the_default_branch(library: Path, tmp_path: Path) -> None:
    """A push of one has zeros for the commit before it; options may have several lines."""
    program, calls, clone = tmp_path / "respmark", tmp_path / "calls", tmp_path / "clone"
    program.write_text(PRETENDS)
    program.chmod(0o755)
    git(tmp_path, "clone", "--quiet", str(library), str(clone))
    given = {
        "MEASURE_CLIENT": "redis-py",
        "MEASURE_BASE": "0" * 40,
        "MEASURE_OPTIONS": "--rounds 3\n--laps 6\n",
        "MEASURE_BUILD": 'git rev-parse HEAD >>"$CALLS"',
        "MEASURE_OUT": str(tmp_path / "out"),
        "CALLS": str(calls),
        "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
    }
    (clone / "more").write_text("more")
    git(clone, "add", ".")
    git(clone, "commit", "--quiet", "--message", "more")
    subprocess.run([CHECKOUT / "action" / "measure"], cwd=clone, env={**os.environ, **given}, check=True)
    base, head, run, _ = calls.read_text().splitlines()
    assert (base, head) == (git(library, "rev-parse", "HEAD"), git(clone, "rev-parse", "HEAD"))
    assert " --rounds 3 --laps 6 --out " in run


GH = """#!/bin/sh
echo "$@" >>"$CALLS"
case "$*" in
*/pulls*) echo "$NUMBER" ;;
"run download"*) for last; do :; done; cp -r "$ARTIFACT_FILES/." "$last" ;;
*--paginate*) echo "$EARLIER" ;;
*) for last; do :; done; cat "${last#body=@}" >"$WRITTEN" ;;
esac
"""


@pytest.mark.parametrize(
    ("number", "earlier", "called"),
    [
        ("7", "", "--method POST repos/o/r/issues/7/comments"),
        ("7", "99", "--method PATCH repos/o/r/issues/comments/99"),
        ("", "", None),
    ],
)
def test_the_comment_is_written_once_and_then_renewed(
    tmp_path: Path, number: str, earlier: str, called: str | None
) -> None:
    """Which pull request it is comes from the event alone; without an open one, nothing is written.

    It is made of the run's files: what else is in the artifact is not read, and names in them call nobody.
    """
    program, calls, written = tmp_path / "gh", tmp_path / "calls", tmp_path / "written.md"
    program.write_text(GH)
    program.chmod(0o755)
    files = tmp_path / "files"
    files.mkdir()
    (files / "comment.md").write_text("[a link](https://example.org) @somebody\n")
    failed = unmeasured(Status.FAILED, "see https://example.org, @somebody", make_trial(client=make_client("head")))
    builds(files / "base-head", *build("base", 1000), failed)
    variables = {
        "PATH": f"{tmp_path}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "GITHUB_REPOSITORY": "o/r",
        "ARTIFACT": "respmark",
        "FAIL_ON": "5%",
        "METRIC": "rps",
        "RUN_ID": "1",
        "HEAD_OWNER": "fork",
        "HEAD_BRANCH": "fast",
        "NUMBER": number,
        "EARLIER": earlier,
        "CALLS": str(calls),
        "ARTIFACT_FILES": str(files),
        "WRITTEN": str(written),
    }
    subprocess.run([CHECKOUT / "action" / "comment" / "comment"], env=variables, check=True, capture_output=True)
    asked = calls.read_text()
    assert "head=fork:fast" in asked
    assert (called in asked) if called else not written.exists()
    if called:
        text = written.read_text()
        assert text.startswith("<!-- respmark -->\n## respmark: nothing could be compared\n")
        assert "see https:&#47;&#47;example.org, &#64;somebody" in text
        assert "a link" not in text
