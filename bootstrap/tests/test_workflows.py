"""What the workflows that run elsewhere may do, and what they bring along."""

import re

import pytest

from bootstrap.cli import ROOT

WORKFLOWS = {path.name: path.read_text() for path in (ROOT / ".github" / "workflows").glob("*.yml")}


@pytest.mark.parametrize("name", WORKFLOWS)
def test_actions_are_pinned_and_nothing_may_be_written(name: str) -> None:
    """A tag can be moved to other code, a commit cannot; the version stands beside it.

    No job has more permissions than to read the repository and to publish pages, and none keeps a credential.
    """
    workflow = WORKFLOWS[name]
    used = re.findall(r"uses: *(\S+.*)", workflow)
    assert used
    assert [one for one in used if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", one)] == []
    allowed, *of_jobs = re.findall(r"permissions:\n((?: +\S+: \S+\n)+)", workflow)
    assert allowed == "  contents: read\n"
    assert of_jobs in ([], ["      contents: read\n      pages: write\n      id-token: write\n"])
    assert workflow.count("permissions:") == 1 + len(of_jobs)
    assert bool(of_jobs) == ("actions/deploy-pages@" in workflow)
    assert workflow.count("actions/checkout@") == workflow.count("persist-credentials: false")


@pytest.mark.parametrize("name", WORKFLOWS)
def test_system_packages_are_decided_on(name: str) -> None:
    """Nobody sits at a terminal where something is set up."""
    sets_up = re.search(r"^ +(?:- )?run: .*\bmake\b|^ +make\b", WORKFLOWS[name], re.MULTILINE) is not None
    assert sets_up == ('RESPMARK_SYSTEM_PACKAGES: "yes"' in WORKFLOWS[name])
    assert "export RESPMARK_SYSTEM_PACKAGES=yes\n" in (ROOT / ".ci" / "run").read_text()
