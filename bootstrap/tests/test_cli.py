"""The command line's answers and exit codes."""

import shutil
import subprocess
from pathlib import Path

import pytest

from bootstrap import cli
from bootstrap.errors import CannotContinue, RequestError
from bootstrap.machine import Finished, Site
from bootstrap.prepare import Prepared
from bootstrap.tests.fakes import FakeSite


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (RequestError("no such thing"), 2, "no such thing\n"),
        (CannotContinue("why", "what to do"), 3, "The harness cannot be set up: why\nwhat to do\n"),
        (KeyboardInterrupt(), 130, "Interrupted; the next set-up repairs what was left half done.\n"),
    ],
)
def test_each_error_has_its_exit_code(
    error: BaseException, code: int, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """No stack trace, a sentence, and the documented code."""

    def fail(_: Site) -> None:
        raise error

    monkeypatch.setattr(cli, "prepare", fail)
    assert cli.main(["setup"]) == code
    assert capsys.readouterr().err == said


@pytest.mark.parametrize(
    ("purpose", "code", "said"),
    [
        ("bench", 0, ""),
        ("bench", 1, "The harness does not start: a reason; see .build/log/list.log\n"),
        ("docker", 0, ""),
    ],
)
def test_set_up_ends_with_a_start(  # noqa: PLR0913 - a machine, and what is said
    site: FakeSite,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    *,
    purpose: str,
    code: int,
    said: str,
) -> None:
    """Runners are asked what they can do once, unless they are to be in images."""
    monkeypatch.setattr(cli, "prepare", lambda _: Prepared())
    monkeypatch.setattr(cli, "Site", lambda *_: site)
    site.purpose, command = purpose, "list" if purpose == "bench" else "--version"
    site.results[f".build/harness/bin/respmark {command}"] = Finished(code, "a reason")
    assert cli.main(["setup", "--for", purpose]) == code
    assert capsys.readouterr().out == said


def test_every_target_is_explained() -> None:
    """`make help` lists every public target of the Makefile."""
    makefile = (cli.ROOT / "Makefile").read_text()
    targets = next(line for line in makefile.splitlines() if line.startswith(".PHONY:")).split()[1:]
    shown = subprocess.check_output(["make", "help"], cwd=cli.ROOT, text=True)  # noqa: S607 - make, as users type it
    assert [line.split()[1] for line in shown.splitlines() if line.startswith("  make ")] == targets


def test_clean_takes_what_was_made_and_never_results(tmp_path: Path) -> None:
    """Sources and results stay."""
    made = (".build/harness/x", "node/node_modules/x", "node/dist/x", "harness/src/__pycache__/x", ".ruff_cache/x")
    kept = ("harness/src/a.py", "results/run/manifest.json", "results/run/__pycache__/x", "node/src/main.ts")
    for name in made + kept:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    shutil.copy(cli.ROOT / "Makefile", tmp_path)
    subprocess.run(["make", "clean"], cwd=tmp_path, check=True)  # noqa: S607 - make, as users type it
    left = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert left == {*kept, "Makefile"}
    assert not (tmp_path / ".build").exists()
