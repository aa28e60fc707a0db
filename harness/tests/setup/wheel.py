"""The wheel, and a virtual environment with it."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from uv import find_uv_bin

from respmark.paths import CHECKOUT


@dataclass(frozen=True)
class Finished:
    """A command that has ended."""

    code: int
    output: str
    errors: str


@dataclass(frozen=True)
class Installed:
    """A virtual environment with the wheel, and an empty folder to work in."""

    program: Path
    work: Path
    variables: dict[str, str]

    def __call__(self, *words: str) -> Finished:
        """Run the command."""
        done = subprocess.run(
            [self.program, *words], cwd=self.work, env=self.variables, capture_output=True, text=True, check=False
        )
        return Finished(done.returncode, done.stdout, " ".join(done.stderr.split()))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command: list[str | Path] = [
        find_uv_bin(),
        "build",
        "--quiet",
        "--wheel",
        "--out-dir",
        folder,
        CHECKOUT / "harness",
    ]
    subprocess.run(command, check=True)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture
def installed(wheel: Path, tmp_path: Path) -> Installed:
    uv, home, work = find_uv_bin(), tmp_path / "venv", tmp_path / "work"
    subprocess.run([uv, "venv", "--quiet", "--python", sys.executable, home], check=True)
    pins: list[str | Path] = ["--constraint", CHECKOUT / "harness" / "requirements.txt"]
    subprocess.run([uv, "pip", "install", "--quiet", "--python", home, *pins, wheel], check=True)
    (tmp_path / "empty").mkdir()
    work.mkdir()
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("RESPMARK_", "PYTHON"))}
    own = {"PATH": str(tmp_path / "empty"), "XDG_CACHE_HOME": str(tmp_path / "cache"), "COLUMNS": "100"}
    cache = subprocess.run([uv, "cache", "dir"], capture_output=True, text=True, check=True).stdout.strip()
    own |= {"UV_CACHE_DIR": cache, "RESPMARK_LOCK": os.environ["RESPMARK_LOCK"]}
    return Installed(home / "bin" / "respmark", work, {**kept, **own})
