"""A machine without Python: it is installed where the user lets us, else the command is named."""

import subprocess
from pathlib import Path

import pytest

from bootstrap.cli import ROOT
from bootstrap.tests.test_machine import at_a_terminal

SETUP = ("/bin/sh", "bootstrap/run.sh", "setup")
INSTALL = "install -y --no-install-recommends python3 python3-venv"


@pytest.fixture
def bare(tmp_path: Path) -> dict[str, str]:
    """Give the environment of a Debian machine without Python, on which we are root; apt-get notes what it is to do."""
    programs = {
        "id": "echo 0",
        "apt-get": f'echo "$@" >>{tmp_path}/apt',
        "dirname": 'exec /usr/bin/dirname "$@"',
        "env": 'shift; exec "$@"',
    }
    (tmp_path / "apt").touch()
    (tmp_path / "bin").mkdir()
    for name, body in programs.items():
        program = tmp_path / "bin" / name
        program.write_text(f"#!/bin/sh\n{body}\n")
        program.chmod(0o755)
    return {"PATH": str(tmp_path / "bin")}


@pytest.mark.parametrize(("typed", "done"), [(b"y\n", ["update", INSTALL]), (b"n\n", []), (b"\n", []), (b"\x04", [])])
def test_python_is_installed_after_a_yes(bare: dict[str, str], tmp_path: Path, typed: bytes, done: list[str]) -> None:
    """Even what set-up itself needs is not installed without a word."""
    assert "python3 is not installed. Install it, with `apt-get install" in at_a_terminal(SETUP, typed, bare)
    assert (tmp_path / "apt").read_text().splitlines() == done


@pytest.mark.parametrize(("said", "done"), [("yes", ["update", INSTALL]), ("", []), ("no", [])])
def test_in_scripts_the_variable_decides(bare: dict[str, str], tmp_path: Path, said: str, done: list[str]) -> None:
    """Without it nothing is installed, and the command is named."""
    variables = bare | {"RESPMARK_SYSTEM_PACKAGES": said}
    finished = subprocess.run(
        SETUP, cwd=ROOT, env=variables, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert (tmp_path / "apt").read_text().splitlines() == done
    if not done:
        assert finished.returncode == 3
        assert f"apt-get update && apt-get {INSTALL}" in finished.stderr
        assert "RESPMARK_SYSTEM_PACKAGES=yes" in finished.stderr
