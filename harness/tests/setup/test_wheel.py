"""The wheel is the whole product: installed outside of a checkout, it needs nothing that is on PATH."""

import json
import shutil
import zipfile
from pathlib import Path

import pytest

from respmark.carried import carried
from respmark.errors import ExitCode
from respmark.paths import CHECKOUT
from tests.builders.plan import workload_file
from tests.setup.wheel import Installed, installed, wheel

__all__ = ["installed", "wheel"]

pytestmark = pytest.mark.timeout(600)

SUITE = """
name = "mine"
summary = "a suite of the user's own"
workload = "mine.toml"
rounds = 2
laps = 2
slice_s = 0.02
lead_in_s = 0.01
warmup_limit_s = 0
clients = ["redis-py", "redis-py@3.5.3"]

[[trials]]
scenario = "sync"
"""


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


def test_an_installed_respmark_measures_and_judges_in_an_empty_folder(installed: Installed) -> None:
    """A suite, a workload and a client of the user's own beside two shipped clients; page, comparison, verdict."""
    (installed.work / "mine.toml").write_text(workload_file("mine", commands=2000))
    (installed.work / "my-suite.toml").write_text(SUITE)
    own_client(installed.work / "my-client")
    assert "not installed yet; `respmark run` installs it" in " ".join(installed("list", "redis-py").output.split())
    clients = [word for name in ("redis-py", "redis-py@3.5.3", "./my-client/") for word in ("--client", name)]
    ran = installed("run", "./my-suite.toml", *clients)
    assert ran.code == ExitCode.OK, ran
    (folder,) = (installed.work / "results").iterdir()
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["clients"] == ["redis-py", "redis-py@3.5.3", "my-client"]
    statuses = {record["client"]["name"]: record["status"] for record in map(json.loads, _lines(folder))}
    assert statuses == dict.fromkeys(manifest["clients"], "ok")
    page = installed("report", str(folder), "--format", "html", "--out", "page.html")
    assert page.code == ExitCode.OK, page
    assert "my-client" in (installed.work / "page.html").read_text()
    picture = installed("chart", str(folder), "forest")
    assert picture.code == ExitCode.INVALID_REQUEST
    assert "install `respmark[pictures]`" in picture.errors
    judged = installed("compare", str(folder), "--fail-on", "99%", "--format", "markdown")
    assert judged.code == ExitCode.OK, judged
    assert "| sync |" in judged.output
    verdicts = installed("verdict", str(folder))
    assert verdicts.code == ExitCode.NOTHING_RAN  # it measured no claim of those that the wheel carries
    assert "to measure the rest: respmark run" in verdicts.output
    assert "This machine" in installed().output


def _lines(folder: Path) -> list[str]:
    return (folder / "trials.jsonl").read_text().splitlines()
