"""Targets that refuse, are in the wrong state, answer strangely, or die: the message says what, and what to do."""

import os
import signal
import socket
import threading
from pathlib import Path

import pytest

from respmark.errors import ExitCode
from respmark.target.control import Control
from respmark.target.guardian import Guardian
from respmark.target.spawn import Server
from tests.integration.conftest import LONG, Finished, Respmark, Start, url_of, wait_until
from tests.integration.servers import Answer, Forward, Retell, Retold, certificates, info, listening
from tests.user_server import start_user_server

UNREACHABLE, SOME_FAILED, OK = ExitCode.TARGET_UNREACHABLE, ExitCode.SOME_FAILED, ExitCode.OK
CLUSTER = """
name = "in-one-slot"
summary = "commands of several keys, in transactions and alone"
workload = "quick"
rounds = 1
laps = 2
slice_s = 0.05
lead_in_s = 0.02
warmup_limit_s = 0
clients = ["double"]

[[trials]]
scenario = "transaction"
shape = { depth = [10], form = ["batched"] }

[[trials]]
scenario = "batching"
shape = { depth = [10] }
workloads = ["mget", "mset"]
"""


def refuses(finished: Finished, words: str, code: ExitCode = UNREACHABLE) -> None:
    """Assert that the user reads why, without a stack trace."""
    assert "Traceback" not in finished.said
    assert finished.code == code, finished.said
    assert words in finished.said


def test_nobody_listens_there(respmark: Respmark) -> None:
    """The address is named, and no folder made."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    finished = respmark("run", "tiny", "--target", f"redis://127.0.0.1:{port}")
    refuses(finished, f"127.0.0.1:{port} cannot be reached")
    assert not finished.out.exists()


@pytest.mark.parametrize(
    ("setting", "userinfo", "words"),
    [
        (("CONFIG", "SET", "requirepass", "right"), ":wrong@", "refused the password"),
        (("CONFIG", "SET", "requirepass", "right"), "", "asks for a password"),
        (
            ("ACL", "SETUSER", "bench", "on", ">secret", "~*", "+@all", "-set"),
            "bench:secret@",
            "does not let this user",
        ),
        (("REPLICAOF", "127.0.0.1", "1"), "", "read-only replica"),
        (("CONFIG", "SET", "maxclients", "1"), "", "maxclients"),
        (("SET", "precious", "data"), "", "holds 1 keys"),
    ],
    ids=lambda value: value[2] if isinstance(value, tuple) else value,
)
def test_a_server_that_cannot_be_used(
    respmark: Respmark, server: Server, setting: tuple[str, ...], userinfo: str, words: str
) -> None:
    """The user is told why, and the password is not repeated."""
    with Control(server.endpoint) as control:
        control.command(*setting)
        finished = respmark("run", "tiny", "--target", url_of(server, userinfo))
    refuses(finished, words)
    assert "wrong@" not in finished.said


def test_a_database_with_keys_is_flushed_when_that_is_allowed(respmark: Respmark, server: Server) -> None:
    """In as many words."""
    with Control(server.endpoint) as control:
        control.command("SET", "may-go", "data")
        assert respmark("run", "tiny", "--target", url_of(server), "--allow-flush").code == 0
        assert control.command("EXISTS", "may-go") == 0


def test_no_connection_free_for_the_runner(respmark: Respmark, server: Server) -> None:
    """`maxclients` that leaves room for the harness alone fails the trials, each with the server's words."""
    with Control(server.endpoint) as control:
        control.command("CONFIG", "SET", "maxclients", "2")
        finished = respmark("run", "tiny", "--target", url_of(server))
    refuses(finished, "max number of clients", SOME_FAILED)
    assert {record["status"] for record in finished.records} == {"failed"}


def test_tls_on_one_side_only_and_certificates(respmark: Respmark, server: Server, tmp_path: Path) -> None:
    """Which scheme fits is said; an unknown authority is refused, and trusted when its file is given."""
    refuses(respmark("doctor", "--target", url_of(server).replace("redis", "rediss")), "TLS")
    context, authority = certificates(tmp_path)
    with listening(Forward(server.endpoint.port or 0), context) as port:
        refuses(respmark("doctor", "--target", f"redis://127.0.0.1:{port}"), "rediss://")
        refuses(respmark("doctor", "--target", f"rediss://127.0.0.1:{port}"), "certificate")
        assert respmark("doctor", "--target", f"rediss://127.0.0.1:{port}?ssl_ca_certs={authority}").code == 0


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ({"set": b"-LOADING Redis is loading the dataset in memory\r\n"}, "is still loading its data"),
        ({"set": b"-MISCONF Redis is configured to save RDB snapshots, but it's unable\r\n"}, "refuses to write"),
        ({"ping": b"-ERR no, not hush-hush-7, never\r\n"}, "answered with an error: no, not ***, never"),
        (
            {"ping": "-ERR \x1b[2J[red]hello \x9b31m\u202eolleh\r\n".encode()},
            "answered with an error: \N{REPLACEMENT CHARACTER}[2J[red]hello",
        ),
    ],
)
def test_a_server_that_answers_with_an_error(
    respmark: Respmark, monkeypatch: pytest.MonkeyPatch, reply: dict[str, bytes], words: str
) -> None:
    """With advice where there is any; neither a password nor orders for the terminal come through."""
    monkeypatch.setenv("RESPMARK_TARGET_PASSWORD", "hush-hush-7")
    text = b"run_id:1\r\n"
    known = {"ping": b"+PONG\r\n", "dbsize": b":0\r\n", "info": b"$%d\r\n%b\r\n" % (len(text), text)}
    with listening(Answer(**{**known, **reply})) as port:
        finished = respmark("run", "tiny", "--target", f"redis://127.0.0.1:{port}")
    refuses(finished, words)
    assert not set(finished.said) & {"\x1b", "\x9b", "\u202e"}
    assert "hush-hush" not in finished.said


def hang_up(_answer: bytes) -> bytes:
    """Close the connection in place of an answer."""
    raise ConnectionAbortedError


@pytest.mark.parametrize(
    ("retell", "words", "code"),
    [
        (info(r"connected_clients:\d+\r\n", ""), "the target's INFO has no `connected_clients`", UNREACHABLE),
        (info(r"used_cpu_user:[\d.]+", "used_cpu_user:plenty"), "says `used_cpu_user: plenty`", UNREACHABLE),
        (info(r"cmdstat_ping:calls=\d+", "cmdstat_ping:calls=many"), "says `cmdstat_ping: calls=many", UNREACHABLE),
        (lambda _answer: b":1\r\n", "answers INFO with something that is no text", UNREACHABLE),
        (lambda _answer: b"$0\r\n\r\n", "does not tell its run_id", UNREACHABLE),
        (hang_up, "closed the connection", UNREACHABLE),
        # A claim that no counter backs is refuted, not published.
        (info(r"cmdstat_\w+:.*\r\n", ""), "claimed", SOME_FAILED),
    ],
)
def test_a_server_whose_info_says_less(
    respmark: Respmark, server: Server, retell: Retell, words: str, code: ExitCode
) -> None:
    """A counter that is not there is named; what is no number is shown."""
    with listening(Retold(server.endpoint.port or 0, info=retell)) as port:
        refuses(respmark("run", "tiny", "--target", f"redis://127.0.0.1:{port}"), words, code)


def test_a_setting_that_is_not_shown(respmark: Respmark, server: Server) -> None:
    """Servers of a provider answer CONFIG GET with nothing."""
    with listening(Retold(server.endpoint.port or 0, config=lambda _answer: b"*0\r\n")) as port:
        refuses(respmark("doctor", "--target", f"redis://127.0.0.1:{port}"), "not shown to this user", OK)


def test_a_server_that_dies_in_a_slice_is_started_anew(
    start: Start, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """One of ours: one round failed, the others measured, exit code 1."""
    works = tmp_path / "works"
    monkeypatch.setenv("DOUBLE_TELLS", str(works))
    run = start("run", "tiny", "--rounds", "2", "--slice-s", "2", "--scenario", "sync").wait(works.exists)
    os.kill(int(Finished(0, "", "", run.out).manifest["target"]["info"]["process_id"]), signal.SIGKILL)
    finished = run.ended()
    assert [record["status"] for record in finished.records] == ["failed", "ok"]
    assert finished.code == 1, finished.errors


def test_a_server_of_others_that_dies_stops_the_run(start: Start, server: Server) -> None:
    """Nothing can bring it back: the ended trials stay, and the manifest says stopped."""
    run = start("run", "tiny", *LONG, "--target", url_of(server)).wait()
    server.process.kill()
    finished = run.ended()
    refuses(finished, "cannot be reached")
    assert finished.manifest["status"] == "stopped"
    assert finished.records


@pytest.mark.parametrize("settings", [(), ("--repl-diskless-sync-delay", "0")], ids=["alone", "with a replica"])
def test_somebody_elses_commands_are_found_and_a_replica_is_none(
    respmark: Respmark, server: Server, guardian: Guardian, settings: tuple[str, ...]
) -> None:
    """A hundred HELLOs on one connection are somebody else's; a replica's acknowledgements are the server's own."""
    stop = threading.Event()

    def greet() -> None:
        with Control(server.endpoint) as control:
            while not stop.wait(0.002):
                control.command("HELLO", "2")

    if settings:
        words = ("--replicaof", "127.0.0.1", str(server.endpoint.port), *settings)
        replica = start_user_server(guardian, None, *words)
        with Control(server.endpoint) as control:
            wait_until(lambda: b"state=online" in control.command("INFO", "replication"))
        finished = respmark("run", "tiny", "--target", url_of(server), "--slice-s", "0.6")
        replica.stop()
        assert finished.code == 0, finished.said
        return
    stranger = threading.Thread(target=greet)
    stranger.start()
    try:
        refuses(
            respmark("run", "tiny", "--target", url_of(server)), "commands that are not in the workload", SOME_FAILED
        )
    finally:
        stop.set()
        stranger.join()


def test_one_shard_in_cluster_mode_serves_commands_of_several_keys(
    respmark: Respmark, guardian: Guardian, specs: Path
) -> None:
    """As managed services give it by default: the keys of a unit are in one slot, and all are gone at the end."""
    clustered = start_user_server(guardian, None, "--cluster-enabled", "yes")
    (specs / "suites" / "in-one-slot.toml").write_text(CLUSTER)
    with Control(clustered.endpoint) as control:
        control.command("CLUSTER", "ADDSLOTS", *range(16_384))
        wait_until(lambda: b"cluster_state:ok" in control.command("CLUSTER", "INFO"))
        finished = respmark("run", "in-one-slot", "--server", url_of(clustered))
        assert finished.code == 0, finished.said
        assert [record["status"] for record in finished.records] == ["ok"] * 3
        assert control.command("DBSIZE") == 0
    clustered.stop()
