"""Finding a server program, and how it is started."""

from pathlib import Path
from typing import Literal

import pytest

from respmark.contract.trial import Endpoint
from respmark.errors import ExitCode, NothingRanError, TargetError
from respmark.specs.target import SpawnedTarget
from respmark.target.guardian import Guardian
from respmark.target.spawn import SERVER_VARIABLE, _arguments, _endpoint, find_server, spawn


def program(path: Path, script: str = "exit 0") -> Path:
    """Make a program."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def on_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder that is all of PATH."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.delenv(SERVER_VARIABLE, raising=False)
    return tmp_path / "bin"


def test_names_are_looked_for_in_order(on_path: Path, tmp_path: Path) -> None:
    """Valkey goes before Redis where both are installed."""
    redis = program(on_path / "redis-server")
    assert find_server(("valkey-server", "redis-server"), tmp_path / "none") == str(redis)
    valkey = program(on_path / "valkey-server")
    assert find_server(("valkey-server", "redis-server"), tmp_path / "none") == str(valkey)


def test_the_wheels_server_is_the_last_resort(on_path: Path, tmp_path: Path) -> None:
    """What set-up brought is used where nothing is installed, and only there."""
    wheel = program(tmp_path / "wheel" / "redis-server")
    assert find_server(("redis-server",), wheel) == str(wheel)
    installed = program(on_path / "redis-server")
    assert find_server(("redis-server",), wheel) == str(installed)


def test_a_server_can_be_named_by_the_environment(
    on_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever has several chooses one."""
    program(on_path / "redis-server")
    own = program(tmp_path / "own" / "my-server")
    monkeypatch.setenv(SERVER_VARIABLE, str(own))
    assert find_server(("redis-server",), tmp_path / "none") == str(own)


@pytest.mark.usefixtures("on_path")
def test_no_server_at_all_says_how_to_get_one(tmp_path: Path) -> None:
    """Nothing could run, and the message has three ways out."""
    with pytest.raises(NothingRanError) as caught:
        find_server(("valkey-server", "redis-server"), tmp_path / "none")
    for words in ("valkey-server, redis-server", "make setup", "apt-get install redis-server", "--target"):
        assert words in str(caught.value)
    assert caught.value.exit_code is ExitCode.NOTHING_RAN


def test_nothing_is_persisted_and_nobody_else_is_let_in(tmp_path: Path) -> None:
    """Persistence is off, only loopback is listened on, and files go to the run's own folder."""
    words = _arguments(Endpoint(host="127.0.0.1", port=7000), tmp_path)
    settings = dict(zip(words[::2], words[1::2], strict=True))
    assert settings["--port"] == "7000"
    assert settings["--bind"] == "127.0.0.1"
    assert (settings["--save"], settings["--appendonly"]) == ("", "no")
    assert settings["--dir"] == str(tmp_path)


@pytest.mark.parametrize("transport", ["tcp", "unix"])
def test_a_target_is_reached_as_its_spec_says(tmp_path: Path, transport: Literal["tcp", "unix"]) -> None:
    """A socket of the run's own, or a free port of loopback."""
    endpoint = _endpoint(SpawnedTarget(name="t", summary="", servers=("x",), transport=transport), tmp_path)
    assert (endpoint.unix_socket is not None) is (transport == "unix")
    assert endpoint.host in {None, "127.0.0.1"}
    assert (endpoint.unix_socket or str(tmp_path)).startswith(str(tmp_path))


def test_a_unix_socket_takes_the_place_of_the_port(tmp_path: Path) -> None:
    """No port is opened where a socket was asked for."""
    words = _arguments(Endpoint(unix_socket="/s"), tmp_path)
    settings = dict(zip(words[::2], words[1::2], strict=True))
    assert settings["--port"] == "0"
    assert settings["--unixsocket"] == "/s"


def test_a_server_that_does_not_start_is_told_in_its_own_words(
    on_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, guardian: Guardian
) -> None:
    """Its last lines are in the message, and its folder is gone."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    program(on_path / "redis-server", "echo 'Bad directive or wrong number of arguments'; exit 1")
    spec = SpawnedTarget(name="spawned", summary="", servers=("redis-server",))
    with pytest.raises(TargetError, match="did not start: Bad directive or wrong number of arguments"):
        spawn(spec, guardian)
    assert not list(tmp_path.glob("respmark-*"))
