"""The command line's answers and exit codes."""

import shutil
import subprocess
from pathlib import Path

import pytest

from bootstrap import cli
from bootstrap.errors import CannotContinue, RequestError
from bootstrap.worksite import Site

ROOT = Path(cli.__file__).parent.parent


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


def test_an_unknown_verb_is_refused() -> None:
    """What is not a verb is not a valid request."""
    with pytest.raises(SystemExit, match="2"):
        cli.main(["dance"])


def test_every_target_is_explained() -> None:
    """`make help` lists every public target of the Makefile."""
    makefile = (ROOT / "Makefile").read_text()
    targets = next(line for line in makefile.splitlines() if line.startswith(".PHONY:")).split()[1:]
    shown = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout  # noqa: S607
    assert [line.split()[1] for line in shown.splitlines() if line.startswith("  make ")] == targets


def test_a_machine_without_python_is_told_the_command(tmp_path: Path) -> None:
    """The shell script names what to install before any Python runs."""
    for name in ("sh", "dirname", "id"):
        found = shutil.which(name)
        assert found
        (tmp_path / name).symlink_to(found)
    asked = subprocess.run(
        [tmp_path / "sh", ROOT / "bootstrap/run.sh", "setup"],
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert asked.returncode == 3
    assert "apt-get install -y --no-install-recommends python3 python3-venv" in asked.stderr
