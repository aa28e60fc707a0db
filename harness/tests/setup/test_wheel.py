"""The wheel works outside of a checkout: it carries specs and the runners' sources, and builds in the user's cache."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from uv import find_uv_bin

from respmark.paths import HARNESS

CLIENTS = ("--client", "redis-py", "--client", "redis-py[parser=python]")
SHORT = ("--scenario", "sync", "--rounds", "1", "--laps", "1", "--slice-s", "0.02", "--warmup-limit-s", "0")


@pytest.fixture
def outside(tmp_path: Path) -> dict[str, str]:
    uv, packages = find_uv_bin(), tmp_path / "packages"
    subprocess.run([uv, "build", "--quiet", "--wheel", "--out-dir", tmp_path, HARNESS], check=True)
    (wheel,) = tmp_path.glob("*.whl")
    options = ["--quiet", "--no-deps", "--python", sys.executable]
    subprocess.run([uv, "pip", "install", *options, "--target", packages, wheel], check=True)
    kept = {name: value for name, value in os.environ.items() if name != "RESPMARK_SPECS"}
    return {**kept, "PYTHONPATH": str(packages), "XDG_CACHE_HOME": str(tmp_path / "cache")}


def respmark(variables: Mapping[str, str], folder: Path, *words: str) -> str:
    command = [sys.executable, "-P", "-m", "respmark", *words]
    return subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=True).stdout


@pytest.mark.timeout(300)
def test_two_clients_are_compared_outside_of_a_checkout(outside: dict[str, str], tmp_path: Path) -> None:
    """What is not set up yet is said; a run sets it up, measures, and leaves its results where it was started."""
    work = tmp_path / "work"
    work.mkdir()
    listed = respmark(outside, work, "list", "redis-py")
    assert "not installed yet; `respmark run` installs it" in " ".join(listed.split())
    respmark(outside, work, "run", "smoke", *CLIENTS, *SHORT)
    (manifest,) = (work / "results").glob("*/manifest.json")
    told = json.loads(manifest.read_text())
    assert told["clients"] == ["redis-py", "redis-py[parser=python]"]
    first, *_ = map(json.loads, manifest.with_name("trials.jsonl").read_text().splitlines())
    assert told["packages"]["redis-py"]["redis"] == first["versions"]["redis-py"]
    (build,) = (tmp_path / "cache" / "respmark").glob("*/.build")
    assert (build / "python" / "redis-py" / "bin" / "python").exists()
