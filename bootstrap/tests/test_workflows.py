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
    """No job has more permissions than to read the repository and to publish pages, and none keeps a credential."""
    allowed, *of_jobs = re.findall(r"permissions:\n((?: +\S+: \S+\n)+)", workflow)
    assert allowed == "  contents: read\n"
    assert of_jobs in ([], ["      contents: read\n      pages: write\n      id-token: write\n"])
    assert workflow.count("permissions:") == 1 + len(of_jobs)
    assert bool(of_jobs) == ("actions/deploy-pages@" in workflow)
    assert workflow.count("actions/checkout@") == workflow.count("persist-credentials: false")


def test_system_packages_are_decided_on(workflow: str) -> None:
    """Nobody sits at a terminal where something is set up."""
    sets_up = re.search(r"^ +(?:- )?run: .*\bmake\b|^ +make\b", workflow, re.MULTILINE) is not None
    assert sets_up == ('RESPMARK_SYSTEM_PACKAGES: "yes"' in workflow)
    assert "export RESPMARK_SYSTEM_PACKAGES=yes\n" in (ROOT / ".ci" / "run").read_text()
