"""docs/adding-a-client.md, followed to the letter: description, adapter, pins, and `respmark conform` is green."""

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from respmark.cli import check
from respmark.cli.app import run_command
from respmark.errors import ExitCode
from respmark.paths import CHECKOUT, OWN_CLIENTS, build
from respmark.specs.catalogue import Catalogue
from tests.builders.plan import copy_specs

PAGE = CHECKOUT / "docs" / "adding-a-client.md"
FILE = re.compile(r"^#+ .*?`(\w+)/clients/([\w-]+)/(\S+)`\n.*?^```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OF_PERL = re.compile(r"^`(perl/\S+)`.*?:\n\n```toml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PINS = {
    "python": {"requirements.txt"},
    "node": {"package.json", "package-lock.json"},
    "go": {"go.mod", "go.sum"},
}
NAMES = {"python": "tiny", "node": "tiny-node", "go": "tiny-go"}


@pytest.fixture(params=PINS)
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def folders(tmp_path: Path, language: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The page's clients, in folders of one's own; what set-up makes of them goes."""
    monkeypatch.setenv(OWN_CLIENTS, "")  # what naming a folder leaves there goes
    for of, name, file, text in FILE.findall(PAGE.read_text(encoding="utf-8")):
        (tmp_path / name).mkdir(exist_ok=True)
        where = f'language = "{of}"\n' if file == "client.toml" else ""
        (tmp_path / name / file).write_text(where + text, encoding="utf-8")
    yield tmp_path
    for name in (NAMES[language], "broken"):
        for made in (build() / language / name, *build().glob(f"*/**/{language}?{name}*")):
            shutil.rmtree(made) if made.is_dir() else made.unlink(missing_ok=True)


@pytest.mark.timeout(300)
def test_a_client_added_as_the_page_says_conforms(
    folders: Path, language: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its pins are written, and it conforms whatever is done to a reply; what it leaves out has its reason.

    Beside it is one that cannot be loaded, which costs itself alone, while it is there and after it is gone.
    """
    tiny, broken = folders / NAMES[language], folders / "broken"
    written = {path.name for path in tiny.iterdir()}
    assert run_command(["setup", str(tiny), "--lock"]) is ExitCode.OK, capsys.readouterr().err
    assert {path.name for path in tiny.iterdir()} == written | PINS[language]
    shutil.copytree(tiny, broken)
    (adapter,) = written - {"client.toml"}
    (broken / adapter).write_text("this is ( no program\n")
    assert run_command(["setup", str(broken)]) is ExitCode.SOME_FAILED
    words = ["--scenario", "sync", "--scenario", "pipelining", "--jobs", "2"]
    assert run_command(["conform", str(tiny), *words]) is ExitCode.OK, capsys.readouterr().out
    shutil.rmtree(broken)
    os.environ[OWN_CLIENTS] = str(tiny)
    assert run_command(["setup", str(tiny)]) is ExitCode.OK
    printed = capsys.readouterr().out
    for shown in ("tampering: reset", "the example leaves"):
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
    for shown in ("depth 1000", "tampering: error", "Tiny has no pool"):
        assert shown in printed
