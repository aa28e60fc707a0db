"""What the workflows that run elsewhere may do, and what they bring along."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


@pytest.fixture(params=WORKFLOWS, ids=lambda path: path.name)
def workflow(request: pytest.FixtureRequest) -> str:
    """Give the text of one."""
    path: Path = request.param
    return path.read_text()


def test_actions_are_pinned(workflow: str) -> None:
    """A tag can be moved to other code, a commit cannot; the version stands beside it."""
    used = re.findall(r"uses: *(\S+.*)", workflow)
    assert used
    assert [one for one in used if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", one)] == []


def test_nothing_may_be_written(workflow: str) -> None:
    """No job has more permissions than to read the repository, and none keeps a credential."""
    assert re.findall(r"permissions:\n((?: +\S+: \S+\n)+)", workflow) == ["  contents: read\n"]
    assert workflow.count("permissions:") == 1
    assert workflow.count("actions/checkout@") == workflow.count("persist-credentials: false")


def test_system_packages_are_decided_on(workflow: str) -> None:
    """Nobody sits at a terminal there."""
    assert 'RESPMARK_SYSTEM_PACKAGES: "yes"' in workflow
    assert "export RESPMARK_SYSTEM_PACKAGES=yes\n" in (ROOT / ".ci" / "run").read_text()
