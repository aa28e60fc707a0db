"""docs/adding-a-client.md, followed to the letter: description, pins, adapter, and `respmark conform` is green."""

import re
from pathlib import Path

import pytest

from respmark.cli import check
from respmark.cli.app import run_command
from respmark.errors import ExitCode
from respmark.paths import CHECKOUT
from respmark.specs.catalogue import Catalogue
from tests.builders.plan import copy_specs

PAGE = CHECKOUT / "docs" / "adding-a-client.md"
STEP = re.compile(r"^## \d\. .*?`(python/\S+)`\n.*?^```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OF_PERL = re.compile(r"^`(perl/\S+)`.*?:\n\n```toml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FOLDER = Path("python/clients/valkey")


@pytest.fixture
def languages(tmp_path: Path) -> Path:
    copy_specs(tmp_path)
    for path in (tmp_path / FOLDER).iterdir():
        path.unlink()
    (tmp_path / "python" / "runner").symlink_to(CHECKOUT / "python" / "runner")
    for name, text in STEP.findall(PAGE.read_text(encoding="utf-8")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    runner = tmp_path / "python" / "runner.toml"
    runner.write_text(runner.read_text(encoding="utf-8").replace('"python/runner"', f'"{tmp_path}/python/runner"'))
    return tmp_path


@pytest.mark.timeout(300)
def test_a_client_added_as_the_page_says_conforms(
    languages: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In every shape of a scenario, under every fault; what it leaves out has its reason."""
    written = sorted(path.name for path in (languages / FOLDER).iterdir())
    assert written == ["client.toml", "requirements.in", "valkey_py.py"]
    pinned = (CHECKOUT / FOLDER / "requirements.in").read_text(encoding="utf-8")
    assert (languages / FOLDER / "requirements.in").read_text(encoding="utf-8").strip() in pinned
    assert (CHECKOUT / ".build" / "python" / "valkey" / "bin" / "python").exists(), "run `make setup`"
    monkeypatch.setattr(check, "Catalogue", lambda: Catalogue(languages))
    code = run_command(["conform", "valkey", "--scenario", "batching", "--scenario", "pipelining", "--jobs", "2"])
    printed = capsys.readouterr().out
    assert code is ExitCode.OK, printed
    for shown in ("depth 1000", "fault: reset", "leaves out"):
        assert shown in printed


@pytest.mark.timeout(300)
def test_a_runner_in_another_language_conforms(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The page's Perl program, and the two files that make it known."""
    copy_specs(tmp_path)
    for name, text in OF_PERL.findall(PAGE.read_text(encoding="utf-8")):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert "tiny" in Catalogue(tmp_path).clients
    monkeypatch.setattr(check, "Catalogue", lambda: Catalogue(tmp_path))
    code = run_command(["conform", "tiny", "--scenario", "batching", "--scenario", "pool", "--jobs", "2"])
    printed = capsys.readouterr().out
    assert code is ExitCode.OK, printed
    for shown in ("depth 1000", "fault: error", "Tiny has no pool"):
        assert shown in printed
