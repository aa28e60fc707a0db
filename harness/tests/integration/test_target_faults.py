"""Targets that refuse, are in the wrong state, or die: the message says what, where, and what to do."""

import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from respmark.target.control import Control
from respmark.target.spawn import Server
from tests.integration.conftest import Respmark
from tests.integration.servers import Answer, Forward, certificates, listening
from tests.record_files import records_of, text_of

Seen = TypeVar("Seen")


def test_nobody_listens_there(respmark: Respmark) -> None:
    """A refused connection ends with exit code 4 and names the address."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    finished = respmark("run", "tiny", "--target", f"redis://127.0.0.1:{port}")
    assert finished.code == 4
    assert f"127.0.0.1:{port} cannot be reached" in finished.errors
    assert "is the server running there?" in finished.errors
    assert not finished.out.exists()


@pytest.mark.parametrize(("given", "words"), [(":wrong@", "refused the password"), ("", "asks for a password")])
def test_a_wrong_or_missing_password(respmark: Respmark, server: Server, given: str, words: str) -> None:
    """Exit code 4, what to write, and the password nowhere."""
    with Control(server.endpoint) as control:
        control.command("CONFIG", "SET", "requirepass", "right")
    finished = respmark("run", "tiny", "--target", f"redis://{given}127.0.0.1:{server.endpoint.port}")
    assert finished.code == 4
    assert words in finished.errors
    assert "wrong@" not in finished.errors


def test_the_password_is_in_no_result(respmark: Respmark, server: Server) -> None:
    """A run with a password works, and neither its files nor its output hold it."""
    with Control(server.endpoint) as control:
        control.command("CONFIG", "SET", "requirepass", "open-sesame")
    finished = respmark("run", "tiny", "--target", f"redis://:open-sesame@127.0.0.1:{server.endpoint.port}")
    assert finished.code == 0, finished.output + finished.errors
    written = "".join(text_of(path) for path in finished.out.rglob("*") if path.is_file())
    assert "open-sesame" not in written + finished.output + finished.errors
    assert ":***@" in json.dumps(finished.manifest()["command_line"])


def test_the_password_may_come_from_the_environment(
    respmark: Respmark, server: Server, environment: dict[str, str]
) -> None:
    """RESPMARK_TARGET_PASSWORD serves where the URL has none."""
    with Control(server.endpoint) as control:
        control.command("CONFIG", "SET", "requirepass", "from-environment")
    environment["RESPMARK_TARGET_PASSWORD"] = "from-environment"
    finished = respmark("run", "tiny", "--target", f"redis://127.0.0.1:{server.endpoint.port}")
    assert finished.code == 0, finished.output + finished.errors


def test_tls_where_the_server_has_none(respmark: Respmark, server: Server) -> None:
    """rediss:// to a plain server ends with exit code 4 and says that they do not agree on TLS."""
    finished = respmark("run", "tiny", "--target", f"rediss://127.0.0.1:{server.endpoint.port}")
    assert finished.code == 4
    assert "TLS" in finished.errors


def test_no_tls_where_the_server_wants_it(respmark: Respmark, server: Server, tmp_path: Path) -> None:
    """redis:// to a TLS server ends with exit code 4 and hints at rediss://."""
    context, _ = certificates(tmp_path)
    with listening(Forward(server.endpoint.port or 0), context) as port:
        finished = respmark("run", "tiny", "--target", f"redis://127.0.0.1:{port}")
    assert finished.code == 4
    assert "rediss://" in finished.errors


def test_a_certificate_that_nobody_vouches_for(respmark: Respmark, server: Server, tmp_path: Path) -> None:
    """An unknown authority is refused; with its file given, the target is reached."""
    context, authority = certificates(tmp_path)
    with listening(Forward(server.endpoint.port or 0), context) as port:
        refused = respmark("doctor", "--target", f"rediss://127.0.0.1:{port}")
        reached = respmark("doctor", "--target", f"rediss://127.0.0.1:{port}?ssl_ca_certs={authority}")
    assert refused.code == 4
    assert "certificate" in refused.errors
    assert reached.code == 0, reached.errors


def test_a_database_with_keys_is_never_flushed_unasked(respmark: Respmark, server: Server) -> None:
    """Exit code 4 and the keys still there; with --allow-flush the run goes on."""
    url = f"redis://127.0.0.1:{server.endpoint.port}"
    with Control(server.endpoint) as control:
        control.command("SET", "precious", "data")
        refused = respmark("run", "tiny", "--target", url)
        assert refused.code == 4
        assert "holds 1 keys" in refused.errors
        assert "--allow-flush" in refused.errors
        assert control.command("GET", "precious") == b"data"
        allowed = respmark("run", "tiny", "--target", url, "--allow-flush", out=refused.out.with_name("second"))
        assert allowed.code == 0, allowed.errors


def test_a_user_without_the_commands(respmark: Respmark, server: Server) -> None:
    """A user that may not SET is told which permission is missing."""
    with Control(server.endpoint) as control:
        control.command("ACL", "SETUSER", "bench", "on", ">secret", "~*", "+@all", "-set")
    finished = respmark("run", "tiny", "--target", f"redis://bench:secret@127.0.0.1:{server.endpoint.port}")
    assert finished.code == 4
    assert "does not let this user do what is needed" in finished.errors
    assert "set" in finished.errors.lower()


@pytest.mark.parametrize(
    ("setting", "words"),
    [(("REPLICAOF", "127.0.0.1", "1"), "read-only replica"), (("CONFIG", "SET", "maxclients", "1"), "maxclients")],
    ids=["a read-only replica", "no connection free"],
)
def test_a_server_that_cannot_be_used(respmark: Respmark, server: Server, setting: tuple[str, ...], words: str) -> None:
    """The user is told why: the primary is asked for, and what to raise is named."""
    with Control(server.endpoint) as control:
        control.command(*setting)
        finished = respmark("run", "tiny", "--target", f"redis://127.0.0.1:{server.endpoint.port}")
    assert finished.code == 4
    assert words in finished.errors


def test_no_connection_free_for_the_runner(respmark: Respmark, server: Server) -> None:
    """`maxclients` that leaves room for the harness alone fails the trials, each with the server's words."""
    with Control(server.endpoint) as control:
        control.command("CONFIG", "SET", "maxclients", "2")
        finished = respmark("run", "tiny", "--target", f"redis://127.0.0.1:{server.endpoint.port}")
    assert finished.code == 1
    assert {record["status"] for record in finished.records()} == {"failed"}
    assert "max number of clients" in finished.records()[0]["reason"]


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (b"-LOADING Redis is loading the dataset in memory\r\n", "is still loading its data"),
        (
            b"-MISCONF Redis is configured to save RDB snapshots, but it's unable to persist to disk\r\n",
            "refuses to write",
        ),
    ],
)
def test_a_server_in_the_wrong_state(respmark: Respmark, reply: bytes, words: str) -> None:
    """LOADING and MISCONF are told apart, with advice."""
    info = b"$%d\r\nrun_id:1\r\n\r\n" % len(b"run_id:1\r\n")
    with listening(Answer(ping=b"+PONG\r\n", dbsize=b":0\r\n", info=info, set=reply)) as port:
        finished = respmark("run", "tiny", "--target", f"redis://127.0.0.1:{port}")
    assert finished.code == 4
    assert words in finished.errors


def test_a_server_that_dies_in_a_slice_fails_that_round_and_is_started_anew(
    start: Callable[..., "subprocess.Popen[str]"], environment: dict[str, str], tmp_path: Path
) -> None:
    """Our own server is brought back: one round failed, the others measured, exit code 1."""
    out, works = tmp_path / "out", tmp_path / "works"
    environment["DOUBLE_TELLS"] = str(works)
    process = start("run", "tiny", "--rounds", "2", "--slice-s", "1.5", "--scenario", "sync", "--out", out)
    info = _when(lambda: json.loads((out / "manifest.json").read_text())["target"]["info"])
    _when(works.stat)
    os.kill(int(info["process_id"]), signal.SIGKILL)
    _, errors = process.communicate(timeout=60)
    records = sorted(records_of(out), key=lambda record: str(record["trial_id"]))
    assert [record["status"] for record in records] == ["failed", "ok"]
    assert process.returncode == 1, errors


def test_a_foreign_server_that_dies_stops_the_run_with_what_has_ended_kept(
    start: Callable[..., "subprocess.Popen[str]"], server: Server, tmp_path: Path
) -> None:
    """Nothing can bring another's server back: exit code 4, the ended trials stay, the manifest says stopped."""
    out = tmp_path / "out"
    url = f"redis://127.0.0.1:{server.endpoint.port}"
    process = start("run", "tiny", "--rounds", "50", "--target", url, "--out", out)
    _when(lambda: sorted((out / "trials").glob("[!.]*.json.gz"))[1])
    server.process.kill()
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 4
    assert "cannot be reached" in " ".join(errors.split())
    assert json.loads((out / "manifest.json").read_text())["status"] == "stopped"
    assert len(list((out / "trials").glob("[!.]*.json.gz"))) >= 2


def _when(look: Callable[[], Seen]) -> Seen:
    """Return what `look` sees as soon as it sees anything."""
    deadline = time.monotonic() + 60
    while True:
        try:
            return look()
        except (OSError, ValueError, LookupError):
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)
