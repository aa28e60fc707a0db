"""The harness's own environment: on a machine without Python, or without its module venv, it is said what to type."""

import subprocess
from pathlib import Path

import pytest

from respmark.paths import CHECKOUT

PYTHON = "install -y --no-install-recommends python3 python3-venv"


@pytest.fixture
def bare(tmp_path: Path) -> Path:
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
    path = home / "bin" / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


def install(home: Path, said: str = "") -> tuple[int, str]:
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


@pytest.mark.parametrize(("other", "stays"), [("/opt/python3.11", False), ("/usr/bin/python3.11", True)])
def test_an_environment_of_another_python_is_made_anew(bare: Path, other: str, *, stays: bool) -> None:
    """`venv` leaves the old interpreter in it beside the new one's library, and nothing can be imported."""
    program(bare, "python3", 'case "$*" in *venv*) exit 1 ;; *executable*) echo /usr/bin/python3.11 ;; esac')
    made = bare / ".build" / "harness"
    (made / "bin").mkdir(parents=True)
    program(made, "python", f"echo {other}")
    assert install(bare)[0] == 3
    assert (made / "bin" / "python").exists() is stays
