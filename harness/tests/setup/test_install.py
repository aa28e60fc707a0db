"""The harness's own environment: on a machine without Python, or without its module venv, it is said what to type."""

import subprocess
from pathlib import Path

import pytest

from respmark.paths import CHECKOUT

PYTHON = "install -y --no-install-recommends python3 python3-venv"
OLD = """case "$*" in
*version_info*) exit 1 ;; # older than 3.11
*sys.version*) echo 3.9.2 ;;
esac"""
NO_VENV = """case "$*" in
*ensurepip*) exit 1 ;;
*python3.%d-venv*) echo python3.11-venv ;;
*import\\ os*) echo here ;;
esac"""


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """Give a checkout on a Debian machine without Python, on which we are root, and the programs that it has."""
    for name in ("cat", "dirname", "grep", "mkdir", "rm", "sed", "tee"):
        (tmp_path / "bin").mkdir(exist_ok=True)
        (tmp_path / "bin" / name).symlink_to(f"/usr/bin/{name}")
    program(tmp_path, "id", "echo 0")
    program(tmp_path, "apt-get", f'echo "$@" >>{tmp_path}/apt')
    program(tmp_path, "apt-cache", 'echo "  Candidate: 3.11.2"')
    program(tmp_path, "env", 'shift; exec "$@"')
    harness = tmp_path / "harness"
    harness.mkdir()
    for name in ("install.sh", "requirements.txt", "pyproject.toml"):
        (harness / name).write_bytes((CHECKOUT / "harness" / name).read_bytes())
    (tmp_path / "apt").touch()
    return tmp_path


def program(home: Path, name: str, body: str) -> None:
    """Put a program on PATH."""
    path = home / "bin" / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


def install(home: Path, said: str = "") -> tuple[int, str]:
    """Install the harness in a script, where nobody can be asked; return the exit code and what it says."""
    ended = subprocess.run(
        ["/bin/sh", "harness/install.sh"],
        cwd=home,
        env={"PATH": str(home / "bin"), "RESPMARK_SYSTEM_PACKAGES": said},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    return ended.returncode, ended.stderr


@pytest.mark.parametrize(("said", "done"), [("yes", ["update", PYTHON]), ("", []), ("no", [])])
def test_a_missing_python_is_installed_only_where_that_is_allowed(bare: Path, said: str, done: list[str]) -> None:
    """Else the command is named."""
    code, words = install(bare, said)
    assert (bare / "apt").read_text().splitlines() == done
    assert code == 3
    if not done:
        assert f"As root, type: apt-get update && apt-get {PYTHON}" in words
        assert "RESPMARK_SYSTEM_PACKAGES=yes" in words


def test_a_python_that_is_too_old_is_said(bare: Path) -> None:
    """A newer one is on PATH, or the system has a package of it."""
    program(bare, "python3", OLD)
    code, words = install(bare)
    assert code == 3
    assert "respmark needs Python 3.11 or later; python3 is 3.9.2." in words
    assert "As root, type: apt-get install python3.14 python3.14-venv" in words
    program(bare, "python3.12", "exit 0")
    assert "A newer one is here: make bench PYTHON=python3.12" in install(bare)[1]


@pytest.mark.parametrize("candidate", ["3.11.2", "(none)"])
def test_a_missing_venv_is_said(bare: Path, candidate: str) -> None:
    """The package is named if the system has it; uv does without."""
    program(bare, "python3", NO_VENV)
    program(bare, "apt-cache", f'echo "  Candidate: {candidate} http://deb.debian.org"')
    code, words = install(bare)
    assert code == 3
    assert "python3 cannot make virtual environments: it has no ensurepip." in words
    assert ("apt-get install -y --no-install-recommends python3.11-venv" in words) == (candidate != "(none)")
    assert "https://docs.astral.sh/uv/getting-started/installation" in words
