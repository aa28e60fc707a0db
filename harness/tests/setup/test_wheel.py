"""The wheel is the whole product: installed outside of a checkout, it needs nothing that is on PATH."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from uv import find_uv_bin

from respmark.carried import carried
from respmark.errors import ExitCode
from respmark.paths import CHECKOUT
from tests.builders.plan import workload_file

SUITE = """
name = "mine"
summary = "a suite of the user's own"
workload = "mine.toml"
rounds = 2
laps = 3
slice_s = 0.02
lead_in_s = 0.01
warmup_limit_s = 0
clients = ["redis-py", "redis-py@3.5.3"]

[[trials]]
scenario = "sync"
"""


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


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    command: list[str | Path] = [
        find_uv_bin(),
        "build",
        "--quiet",
        "--wheel",
        "--out-dir",
        tmp_path,
        CHECKOUT / "harness",
    ]
    subprocess.run(command, check=True)
    (built,) = tmp_path.glob("*.whl")
    return built


@pytest.fixture
def respmark(wheel: Path, tmp_path: Path) -> Installed:
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


def own_client(folder: Path) -> None:
    """Make a client of one's own out of valkey-py's: another name, and the language that its place does not tell."""
    shutil.copytree(CHECKOUT / "python" / "clients" / "valkey", folder, ignore=shutil.ignore_patterns("__pycache__"))
    spec, adapter = folder / "client.toml", folder / "valkey_py.py"
    spec.write_text(f'language = "python"\n{spec.read_text()}')
    adapter.write_text(adapter.read_text().replace('self.versions = {"valkey"', f'self.versions = {{"{folder.name}"'))


def test_it_carries_specs_and_the_folder_of_each_language(wheel: Path) -> None:
    """All that is tracked of them but tests, by a rule and not by a list; and what containers are built from."""
    inside = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("respmark/sources/")}
    found = {str(path) for path in carried(CHECKOUT)}
    assert inside == {f"respmark/sources/{name}" for name in (*found, "COMMIT")}
    languages = [path.parent.name for path in CHECKOUT.glob("*/runner.toml")]
    assert {f"{name}/runner.toml" for name in languages} <= found
    assert {"docker-compose.yml", ".env", "python/Dockerfile", "harness/specs/suites/quick.toml"} <= found
    assert not [name for name in found if "/tests/" in name or "/node_modules/" in name or "/target/" in name]


@pytest.mark.timeout(600)
def test_an_installed_respmark_measures_and_judges_in_an_empty_folder(respmark: Installed) -> None:
    """A suite, a workload and a client of the user's own beside two shipped clients; page, comparison, verdict."""
    (respmark.work / "mine.toml").write_text(workload_file("mine", commands=2000))
    (respmark.work / "my-suite.toml").write_text(SUITE)
    own_client(respmark.work / "my-client")
    assert "not installed yet; `respmark run` installs it" in " ".join(respmark("list", "redis-py").output.split())
    clients = [word for name in ("redis-py", "redis-py@3.5.3", "./my-client/") for word in ("--client", name)]
    ran = respmark("run", "./my-suite.toml", *clients)
    assert ran.code == ExitCode.OK, ran
    (folder,) = (respmark.work / "results").iterdir()
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["clients"] == ["redis-py", "redis-py@3.5.3", "my-client"]
    statuses = {record["client"]["name"]: record["status"] for record in map(json.loads, _lines(folder))}
    assert statuses == dict.fromkeys(manifest["clients"], "ok")
    page = respmark("report", str(folder), "--format", "html", "--out", "page.html")
    assert page.code == ExitCode.OK, page
    assert "my-client" in (respmark.work / "page.html").read_text()
    picture = respmark("chart", str(folder), "forest")
    assert picture.code == ExitCode.INVALID_REQUEST
    assert "install `respmark[pictures]`" in picture.errors
    judged = respmark("compare", str(folder), "--fail-on", "99%", "--format", "markdown")
    assert judged.code == ExitCode.OK, judged
    assert "| sync |" in judged.output
    assert respmark("compare", str(folder), "--fail-on", "much").code == ExitCode.INVALID_REQUEST
    assert respmark("verdict", str(folder)).code == ExitCode.OK
    assert "This machine" in respmark().output


def _lines(folder: Path) -> list[str]:
    return (folder / "trials.jsonl").read_text().splitlines()
