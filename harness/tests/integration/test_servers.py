"""Servers that refuse, are in the wrong state, answer strangely, or die: the message says what, and what to do."""

import os
import signal
import socket
import threading
from pathlib import Path

import pytest

from respmark.errors import ExitCode
from respmark.servers.control import Control
from respmark.servers.node import Node
from tests.integration.conftest import LONG, Finished, Respmark, Start, url_of
from tests.integration.servers import answering

UNREACHABLE, SOME_FAILED = ExitCode.SERVER_UNREACHABLE, ExitCode.SOME_FAILED


def refuses(finished: Finished, words: str, code: ExitCode = UNREACHABLE) -> None:
    assert "Traceback" not in finished.said
    assert finished.code == code, finished.said
    assert words in finished.said


def test_nobody_listens_there(respmark: Respmark) -> None:
    """The address is named, and no folder made."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    finished = respmark("run", "tiny", "--server", f"redis://127.0.0.1:{port}")
    refuses(finished, f"127.0.0.1:{port} cannot be reached")
    assert not finished.out.exists()


@pytest.mark.parametrize(
    ("setting", "userinfo", "words"),
    [
        (("CONFIG", "SET", "requirepass", "right"), ":wrong@", "refused the password"),
        (("SET", "precious", "data"), "", "holds 1 keys"),
    ],
    ids=lambda value: value[2] if isinstance(value, tuple) else value,
)
def test_a_server_that_cannot_be_used(
    respmark: Respmark, server: Node, setting: tuple[str, ...], userinfo: str, words: str
) -> None:
    """The user is told why, and the password is not repeated."""
    with Control(server.endpoint) as control:
        control.command(*setting)
        finished = respmark("run", "tiny", "--server", url_of(server, userinfo))
    refuses(finished, words)
    assert "wrong@" not in finished.said


def test_a_server_that_answers_with_an_error(respmark: Respmark, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a password nor orders for the terminal come through."""
    monkeypatch.setenv("RESPMARK_SERVER_PASSWORD", "hush-hush-7")
    with answering(ping="-ERR \x1b[2J[red]no, not hush-hush-7 \x9b31m\u202eolleh\r\n".encode()) as port:
        finished = respmark("run", "tiny", "--server", f"redis://127.0.0.1:{port}")
    refuses(finished, "answered with an error: \N{REPLACEMENT CHARACTER}[2J[red]no, not ***")
    assert not set(finished.said) & {"\x1b", "\x9b", "\u202e"}
    assert "hush-hush" not in finished.said


def test_a_server_that_dies_in_a_slice_is_started_anew(
    respmark: Respmark, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """One of ours: one round failed, the others measured, exit code 1."""
    monkeypatch.setenv("DOUBLE_TELLS", str(tmp_path / "works"))
    words = ("--rounds", "2", "--scenario", "sync", "--client", "double[mode=ends-server]")
    finished = respmark("run", "tiny", *words)
    assert [record["status"] for record in finished.records] == ["failed", "ok"]
    assert finished.code == 1, finished.errors


def test_a_server_of_others_that_dies_stops_the_run(start: Start, server: Node) -> None:
    """Nothing can bring it back: the ended trials stay, and the manifest says stopped."""
    run = start("run", "tiny", *LONG, "--server", url_of(server)).wait()
    assert server.pid is not None
    os.kill(server.pid, signal.SIGKILL)
    finished = run.ended()
    refuses(finished, "cannot be reached")
    assert finished.manifest["status"] == "stopped"
    assert finished.records


def test_somebody_elses_commands_are_found(respmark: Respmark, server: Node) -> None:
    """A hundred HELLOs on one connection are somebody else's."""
    stop = threading.Event()

    def greet() -> None:
        with Control(server.endpoint) as control:
            while not stop.wait(0.002):
                control.command("HELLO", "2")

    stranger = threading.Thread(target=greet)
    stranger.start()
    try:
        refuses(
            respmark("run", "tiny", "--server", url_of(server)), "commands that are not in the workload", SOME_FAILED
        )
    finally:
        stop.set()
        stranger.join()
