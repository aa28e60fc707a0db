"""A primary whose replica is at work while it is measured, and a stranger who only says HELLO."""

import contextlib
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from respmark.errors import TargetError
from respmark.target.control import Control
from respmark.target.guardian import Guardian
from respmark.target.spawn import Server
from tests.integration.conftest import Respmark
from tests.user_server import start_user_server

LIMIT_S = 30.0


@pytest.fixture
def primary() -> Iterator[Server]:
    """Return a server that the run does not start."""
    guardian = Guardian()
    server = start_user_server(guardian)
    try:
        yield server
    finally:
        server.stop()
        guardian.close()


def await_true(seen: Callable[[], bool]) -> None:
    """Wait until something can be seen."""
    deadline = time.monotonic() + LIMIT_S
    while not seen():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_primary_with_a_replica_can_be_measured(respmark: Respmark, primary: Server) -> None:
    """Its acknowledgements are its own: no slice is lost to them."""
    guardian = Guardian()
    port = str(primary.endpoint.port)
    replica = start_user_server(guardian, None, "--replicaof", "127.0.0.1", port, "--repl-diskless-sync-delay", "0")
    try:
        with Control(primary.endpoint) as control:
            await_true(lambda: b"state=online" in control.command("INFO", "replication"))
        finished = respmark("run", "tiny", "--target", f"redis://127.0.0.1:{port}", "--slice-s", "0.6", "--laps", "4")
    finally:
        replica.stop()
        guardian.close()
    assert finished.code == 0, finished.output + finished.errors
    evidence = [one["evidence"] for record in finished.records() for one in record["slices"]]
    assert {one["replicas"] for one in evidence} == {1}
    assert sum(one["other_calls"].get("replconf", 0) for one in evidence) > 0
    assert all(one["mismatch"] is None for record in finished.records() for one in record["slices"])


def test_a_stranger_who_only_says_hello_is_told(respmark: Respmark, primary: Server) -> None:
    """Handshakes belong to connections that were accepted: a hundred on one connection are somebody else's."""
    stop = threading.Event()

    def greet() -> None:
        with contextlib.suppress(TargetError), Control(primary.endpoint) as control:
            while not stop.wait(0.002):
                control.command("HELLO", "2")

    stranger = threading.Thread(target=greet)
    stranger.start()
    try:
        finished = respmark("run", "tiny", "--target", f"redis://127.0.0.1:{primary.endpoint.port}")
    finally:
        stop.set()
        stranger.join()
    assert finished.code == 1
    assert "commands that are not in the workload: HELLO" in " ".join(finished.output.split())
