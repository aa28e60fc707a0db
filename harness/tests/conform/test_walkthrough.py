"""docs/adding-a-client.md, followed once: adapter, spec, and `respmark conform tinyresp` is green."""

import json
import os
import shutil
from pathlib import Path

import pytest

from respmark.cli.app import run_command
from respmark.errors import ExitCode
from respmark.paths import BUILD, SPECS
from respmark.specs.catalogue import Catalogue
from tests.conform.test_command import conform

WALKTHROUGH = Path(__file__).with_name("walkthrough")
PYTHON = BUILD / "python" / "default" / "bin" / "python"
RUNNER = f"""
name = "python"
language = "Python"
command = [{json.dumps(str(PYTHON))}, {json.dumps(str(WALKTHROUGH / "runner.py"))}]
bare = [{json.dumps(str(PYTHON))}]
advice = "run `make setup`"
"""


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    """Return the specs with one more client, in the runner that knows it."""
    shutil.copytree(SPECS, tmp_path / "specs")
    shutil.copy(WALKTHROUGH / "tinyresp.toml", tmp_path / "specs" / "clients")
    (tmp_path / "specs" / "runners" / "python.toml").write_text(RUNNER)
    return tmp_path / "specs"


@pytest.mark.timeout(300)
def test_a_client_added_as_the_page_says_conforms(
    specs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In every scenario that its spec names, in every shape, under every fault."""
    if not PYTHON.exists() and "python" not in os.environ.get("RESPMARK_REQUIRE", "").split(","):
        pytest.skip("the Python runner is not set up; run `make setup`")
    monkeypatch.setattr(conform, "Catalogue", lambda: Catalogue(specs))
    code = run_command(["conform", "tinyresp", "--jobs", "2"])
    printed = capsys.readouterr().out
    assert code is ExitCode.OK, printed
    for shown in ("sync", "depth 1000, batched", "fault: reset", "tinyresp has no asynchronous API"):
        assert shown in printed
