"""Servers that refuse, hide, stop, end, restart or ask for a password: one sentence each."""

import os
import resource
import signal
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from respmark.errors import ExitCode, ServerLostError
from respmark.servers import control
from respmark.servers.control import Control
from respmark.servers.node import Node
from respmark.triage.asking import READS
from respmark.triage.node_watch import LISTED_TWICE, NodeWatch
from respmark.triage.options import WatchOptions
from respmark.triage.snapshot import NodeSnapshot
from respmark.triage.unseen import unseen
from respmark.triage.watch import watch
from tests.triage.builders import make_judge
from tests.triage.conftest import SECONDS, Start, Triage, connect_to, url_of
from tools.triage_loads.loads import LOADS, running

UNREACHABLE = ExitCode.SERVER_UNREACHABLE


def ask(server: Node, *words: str) -> Any:  # noqa: ANN401 - a reply can be anything
    with Control(server.endpoint) as connection:
        return connection.command(*words)


def test_a_user_with_few_rights_is_told_what_cannot_be_seen(triage: Triage, start: Start) -> None:
    """A note for each command that is refused; the rest is judged all the same."""
    server = start()
    ask(server, "ACL", "SETUSER", "watcher", "on", ">pass", "+info", "+client|list")
    finished = triage(url_of(server, "watcher:pass@"), "--seconds", SECONDS, "--keys", "10", "--monitor")
    assert finished.code == ExitCode.OK, finished.errors
    refused = ("CONFIG GET", "SLOWLOG GET", "LATENCY HISTOGRAM", "LATENCY LATEST", "SCAN", "MONITOR")
    assert [name for name in refused if f"{name} cannot be used (not-seen)" not in finished.output] == []
    assert "cannot be found without it: long-call, slow-commands" in finished.output
    assert "pass@" not in finished.output + finished.errors.replace("watcher:pass@", "")


def test_commands_that_a_service_takes_away_are_notes(triage: Triage, start: Start) -> None:
    """Managed services rename CONFIG and the like."""
    names = ("CONFIG", "MONITOR", "SLOWLOG", "LATENCY", "CLIENT")
    server = start(*(word for name in names for word in ("--rename-command", name, "")))
    finished = triage(url_of(server), "--seconds", SECONDS, "--monitor", "--format", "json")
    assert finished.code == ExitCode.OK
    assert finished.output.count('"not-seen"') == len(
        {"CONFIG GET", "MONITOR", "SLOWLOG GET", "LATENCY LATEST", "LATENCY HISTOGRAM", "CLIENT LIST"}
    )


def test_a_slow_log_that_is_off_is_said(start: Start) -> None:
    """It would be empty, and that would mean nothing."""
    server = start("--slowlog-log-slower-than", "-1")
    node = watch(server.endpoint, WatchOptions(0.5)).nodes[0]
    (note,) = make_judge().findings(node)
    assert "the slow log is off" in note.seen[0].evidence


def test_a_server_that_asks_for_a_password(triage: Triage, start: Start) -> None:
    """How to give it."""
    server = start()
    ask(server, "CONFIG", "SET", "requirepass", "secret")
    finished = triage(url_of(server), "--seconds", SECONDS)
    assert finished.code == UNREACHABLE
    assert "asks for a password" in finished.errors
    assert "--ask-password" in finished.errors


def test_the_password_is_taken_and_not_repeated(
    triage: Triage, start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither in the report nor in the file."""
    monkeypatch.setenv("RESPMARK_SERVER_PASSWORD", "hush-hush-7")
    saved, server = tmp_path / "saved.json", start()
    ask(server, "CONFIG", "SET", "requirepass", "hush-hush-7")
    finished = triage(url_of(server), "--seconds", SECONDS, "--save", saved)
    assert finished.code == ExitCode.OK
    assert "hush-hush" not in finished.output + finished.errors + saved.read_text()


def test_a_stopped_server_is_named_as_such(triage: Triage, start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel accepts the connection, and nobody answers."""
    monkeypatch.setattr(control, "TIMEOUT_S", 0.3)
    server = start()
    assert server.pid is not None
    os.kill(server.pid, signal.SIGSTOP)
    try:
        finished = triage(url_of(server), "--seconds", SECONDS)
    finally:
        os.kill(server.pid, signal.SIGCONT)
    assert finished.code == UNREACHABLE
    assert "accepts connections, but it has not answered for" in finished.errors
    assert "it is stopped, blocked by a long command" in finished.errors


def lost(server: Node, strike: Callable[[], object]) -> str:
    """Return what is said of a server that something happens to during the watch."""
    struck = threading.Event()

    def sleep(_: float) -> None:
        if not struck.is_set():
            struck.set()
            strike()

    with pytest.raises(ServerLostError) as raised:
        watch(server.endpoint, WatchOptions(1.0), sleep=sleep)
    return str(raised.value)


def kill(server: Node) -> None:
    assert server.pid is not None
    os.kill(server.pid, signal.SIGKILL)
    server.close()


def test_a_server_that_is_stopped_during_the_watch(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence, with the moment."""
    monkeypatch.setattr(control, "TIMEOUT_S", 0.3)
    server = start()
    pid = server.pid or 0
    try:
        assert "stopped answering 0 s after the watch began" in lost(server, lambda: os.kill(pid, signal.SIGSTOP))
    finally:
        os.kill(pid, signal.SIGCONT)


def during(server: Node, strike: Callable[[], object]) -> NodeSnapshot:
    """Return what is seen of a server that something happens to during the watch, and that goes on."""
    struck = threading.Event()

    def sleep(seconds: float) -> None:
        time.sleep(seconds)
        if not struck.is_set():
            struck.set()
            strike()

    return watch(server.endpoint, WatchOptions(0.5), sleep=sleep).nodes[0]


def test_a_server_that_stood_still_is_found(start: Start) -> None:
    """By our own round trips, whatever it was: here, clients were paused."""
    server = start()
    node = during(server, lambda: ask(server, "CLIENT", "PAUSE", "700", "ALL"))
    assert "stood-still" in [one.id for one in make_judge().findings(node)]


def test_counters_that_are_set_back_are_counted_from_then_on(start: Start) -> None:
    """CONFIG RESETSTAT is no restart, and does not make rates negative."""
    server = start()

    def strike() -> None:
        ask(server, "CONFIG", "RESETSTAT")
        for _ in range(5):
            ask(server, "KEYS", "*")

    for _ in range(50):
        ask(server, "PING")
    node = during(server, strike)
    assert node.resets == 1
    assert any("CONFIG RESETSTAT" in words for words in unseen(node))


def test_a_server_that_ends_during_the_watch(start: Start) -> None:
    """One sentence."""
    server = start()
    assert "ended, or cannot be reached any more" in lost(server, lambda: kill(server))


def test_a_server_that_is_restarted_during_the_watch(start: Start) -> None:
    """Its counters began anew: nothing can be said."""
    server = start()

    def restart() -> None:
        kill(server)
        start(port=server.endpoint.port)

    assert "was restarted within 0 s of the watch" in lost(server, restart)


def test_a_connection_that_somebody_closes(start: Start) -> None:
    """The server is the same."""
    server = start()
    said = lost(server, lambda: ask(server, "CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"))
    assert "closed respmark's connection" in said


def test_a_key_that_may_not_be_looked_at_hides_no_other(triage: Triage, start: Start) -> None:
    """A user of some keys only sees those; the rest is counted."""
    server = start()
    ask(server, "MSET", "mine:1", "x", "mine:2", "x", "other", "x")
    ask(server, "ACL", "SETUSER", "some", "on", ">pass", "~mine:*", "+@all")
    finished = triage(url_of(server, "some:pass@"), "--seconds", SECONDS, "--keys", "10", "--format", "json")
    assert "1 keys that this user may not look at" in finished.output
    assert "MEMORY USAGE" not in finished.output


def test_a_sentinel_is_no_server(triage: Triage, start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says where that is."""
    server = start()
    monkeypatch.setattr(NodeWatch, "_info", lambda *_: {"redis_mode": "sentinel"})
    finished = triage(url_of(server), "--seconds", SECONDS)
    assert finished.code == UNREACHABLE
    assert "is a Sentinel" in finished.errors


def test_a_server_without_tls_is_told_from_one_that_stands_still(
    triage: Triage, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It waits for the rest of a command; the way out is another URL."""
    monkeypatch.setattr(control, "TIMEOUT_S", 0.3)
    monkeypatch.setattr(control, "CONNECT_TIMEOUT_S", 0.3)
    finished = triage(url_of(start()).replace("redis:", "rediss:"), "--seconds", SECONDS)
    assert finished.code == UNREACHABLE
    assert "write redis://" in finished.errors or "redis:// for others" in finished.errors


def test_a_database_of_the_url_is_selected_only_for_keys(triage: Triage, start: Start) -> None:
    """A user who may only watch may not SELECT."""
    server = start()
    ask(server, "ACL", "SETUSER", "watcher", "on", ">pass", "+info", "+ping", "+client|list")
    assert triage(f"{url_of(server, 'watcher:pass@')}/3", "--seconds", SECONDS).code == ExitCode.OK


def test_everything_that_is_sent_only_reads(start: Start) -> None:
    """The server itself says of each command whether it writes."""
    server = start()
    for name in READS - {"CLIENT SETNAME"}:
        ((_, _, flags, *_),) = ask(server, "COMMAND", "INFO", name.partition(" ")[0])
        assert b"write" not in {bytes(flag) for flag in flags}, name


@pytest.mark.full
def test_thousands_of_clients_and_of_keys(start: Start) -> None:
    """CLIENT LIST is asked for once, and SCAN looks at no more keys than were asked for."""
    number = LISTED_TWICE + 1
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    server = start("--enable-debug-command", "local")
    ask(server, "DEBUG", "POPULATE", "20000")
    with ExitStack() as opened:
        for _ in range(number):
            opened.enter_context(Control(server.endpoint))
        node = watch(server.endpoint, WatchOptions(0.5, keys=5_000)).nodes[0]
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert node.keys is not None
    assert node.keys.seen == 5_000
    assert node.own["client|list"] == 1
    assert sum(group.connections for group in node.clients) == number


def test_keys_is_found_on_each_server(start_each: Start) -> None:
    """And nothing is refused."""
    server = start_each()
    load = next(one for one in LOADS if one.name == "KEYS")
    with running(load, connect_to(server)):
        node = watch(server.endpoint, WatchOptions(1.0)).nodes[0]
    assert [one.id for one in make_judge().findings(node)] == ["keys-command"]
