"""Searches from the command line to the text for an issue, in a library whose slow versions wait before commands."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from respmark.cli import questions
from tests.git import git
from tests.integration.conftest import Respmark
from tests.integration.paced import installed, pace

OPTIONS = ("--suite", "tiny", "--laps", "2", "--at-least", "100%")
SLOW_SINCE = "1.1.0"
RELEASES = {"1.0.0": False, SLOW_SINCE: True, "1.2.0": True, "1.3.0": True}

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(autouse=True)
def few_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(questions, "CONFIRMING", 2)


@pytest.fixture
def library(specs: Path, request: pytest.FixtureRequest) -> Iterator[None]:
    with installed(specs, f"paced-{request.node.name.split('_')[-1]}", RELEASES):
        yield


def searched(out: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((out / "bisect.json").read_text())
    return content


def steps(out: Path) -> list[tuple[str, str]]:
    found = (one["step"]["difference"] for one in searched(out)["steps"])
    return [(one["older"], one["newer"]) for one in found]


@pytest.mark.usefixtures("library")
def test_the_slow_release_is_found_among_releases(respmark: Respmark, tmp_path: Path) -> None:
    """Of all that its registry has, which take turns first; a search that is resumed measures nothing again."""
    out = tmp_path / "search"
    finished = respmark("bisect", "paced@1.0.0", "paced@1.3.0", *OPTIONS, "--out", out)
    assert finished.code == 0, finished.said
    assert ("1.0.0", SLOW_SINCE) in steps(out), finished.said
    assert searched(out)["found"]["versions"] == list(RELEASES)
    assert "first 4 of them in turns, about " in finished.output
    assert [one["versions"] for one in searched(out)["found"]["questions"]] == [["1.0.0", SLOW_SINCE]]
    assert f"paced {SLOW_SINCE}: slower" in finished.output
    assert f"## paced {SLOW_SINCE}: slower than 1.0.0 in `sync`" in (out / "issue-1.md").read_text()
    before = {path: path.read_bytes() for path in out.glob("*/trials.jsonl")}
    again = respmark("bisect", "paced@1.0.0", "paced@1.3.0", *OPTIONS, "--resume", out)
    assert again.code == 0, again.said
    assert {path: path.read_bytes() for path in out.glob("*/trials.jsonl")} == before


@pytest.mark.usefixtures("library")
def test_the_slow_commit_is_found_among_commits(respmark: Respmark, tmp_path: Path) -> None:
    """One in between that cannot be set up is skipped, and named with the step."""
    out, repository = tmp_path / "search", tmp_path / "library"
    repository.mkdir()
    git(repository, "init", "--quiet")
    for subject, text in (
        ("fast", pace("1.0.0", is_slow=False)),
        ("broken", None),
        ("slow", pace("1.0.0", is_slow=True)),
    ):
        (repository / ("README" if text is None else "pace.py")).write_text(text or "broken")
        if text is None:
            git(repository, "rm", "--quiet", "pace.py")
        git(repository, "add", ".")
        git(repository, "commit", "--quiet", f"--message={subject}")
    finished = respmark("bisect", "paced", "--git", repository, "HEAD~2", "HEAD", *OPTIONS, "--out", out)
    assert finished.code == 0, finished.said
    ((older, newer),) = steps(out)
    names = searched(out)["names"]
    assert "fast" in names[older]
    assert "slow" in names[newer]
    ((broken, why),) = searched(out)["steps"][0]["step"]["between"].items()
    assert "broken" in names[broken]
    assert "pace.py" in why
