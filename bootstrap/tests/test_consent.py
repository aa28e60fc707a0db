"""What is asked at a real terminal, and what is done where there is none."""

import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ASK = (
    "from pathlib import Path; from bootstrap.machine import Host; host = Host(Path('/none')); "
    "print('answered', [host.ask('Install? [y/N] '), host.ask('Install? [y/N] ')])"
)
LIMIT_S = 60


def at_a_terminal(command: list[str], typed: bytes, environment: dict[str, str]) -> tuple[int, str]:
    """Run a command at a terminal of its own, where somebody types; give its exit code and what was shown."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment, cwd=ROOT, start_new_session=True
    ) as process:
        os.close(theirs)
        os.write(ours, typed)
        shown = b"".join(_read(ours))
        return process.wait(LIMIT_S), shown.decode(errors="replace").replace("\r\n", "\n")


def _read(terminal: int) -> Iterator[bytes]:
    while True:
        try:
            data = os.read(terminal, 4096)
        except OSError:  # the other side has closed it
            os.close(terminal)
            return
        yield data


def test_a_user_is_asked_once() -> None:
    """The question is shown, and the answer remembered."""
    code, shown = at_a_terminal([sys.executable, "-c", ASK], b"y\n", dict(os.environ))
    assert code == 0
    assert shown.count("Install? [y/N]") == 1
    assert "answered ['y\\n', 'y\\n']" in shown


def test_the_end_of_input_is_an_answer() -> None:
    """Ctrl-D is no yes, and no error."""
    code, shown = at_a_terminal([sys.executable, "-c", ASK], b"\x04", dict(os.environ))
    assert code == 0
    assert "answered ['', '']" in shown


def test_nobody_is_asked_without_a_terminal() -> None:
    """A script would wait for ever."""
    finished = subprocess.run(
        [sys.executable, "-c", ASK], cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True
    )
    assert finished.stdout == "answered [None, None]\n"


@pytest.fixture
def bare(tmp_path: Path) -> dict[str, str]:
    """Give the environment of a Debian machine without Python, on which we are root; apt-get notes what it is to do."""
    programs = {
        "id": "echo 0",
        "apt-get": f'echo "$@" >>{tmp_path}/apt',
        "dirname": 'exec /usr/bin/dirname "$@"',
        "env": 'shift; exec "$@"',
    }
    (tmp_path / "bin").mkdir()
    for name, body in programs.items():
        program = tmp_path / "bin" / name
        program.write_text(f"#!/bin/sh\n{body}\n")
        program.chmod(0o755)
    return {"PATH": str(tmp_path / "bin")}


SETUP = ["/bin/sh", "bootstrap/run.sh", "setup"]
INSTALLED = ["update", "install -y --no-install-recommends python3 python3-venv"]


def installed(folder: Path) -> list[str]:
    """Give what apt-get was to do."""
    path = folder / "apt"
    return path.read_text().splitlines() if path.exists() else []


@pytest.mark.parametrize(("typed", "done"), [(b"y\n", INSTALLED), (b"n\n", []), (b"\n", []), (b"\x04", [])])
def test_python_is_installed_after_a_yes(bare: dict[str, str], tmp_path: Path, typed: bytes, done: list[str]) -> None:
    """Even what set-up itself needs is not installed without a word."""
    _, shown = at_a_terminal(SETUP, typed, bare)
    assert "python3 is not installed. Install it, with `apt-get install" in shown
    assert installed(tmp_path) == done


@pytest.mark.parametrize(
    ("variable", "done"),
    [({"RESPMARK_SYSTEM_PACKAGES": "yes"}, INSTALLED), ({}, []), ({"RESPMARK_SYSTEM_PACKAGES": "no"}, [])],
)
def test_in_scripts_the_variable_decides(
    bare: dict[str, str], tmp_path: Path, variable: dict[str, str], done: list[str]
) -> None:
    """Without it nothing is installed, and the command is named."""
    finished = subprocess.run(
        SETUP, cwd=ROOT, env=bare | variable, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert installed(tmp_path) == done
    if not done:
        assert finished.returncode == 3
        assert "apt-get update && apt-get install -y --no-install-recommends python3 python3-venv" in finished.stderr
        assert "RESPMARK_SYSTEM_PACKAGES=yes" in finished.stderr
