"""Servers that the run did not start: whatever happens to them or on them, keys of others stay and ours go."""

import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path

from respmark.errors import ExitCode
from respmark.target.control import Control
from respmark.target.guardian import Guardian
from respmark.target.spawn import Server
from tests.faults.fault import Fault, proves
from tests.faults.test_signals import ended, wait_for_trials
from tests.integration.conftest import Respmark
from tests.integration.second_client import SecondClient, commands_seen, own_keys_left
from tests.integration.servers import Leading, listening
from tests.user_server import start_user_server

Start = Callable[..., "subprocess.Popen[str]"]
WRITING = {"flushdb", "flushall", "set", "unlink", "del"}
FLUSHING = """
name = "flushing"
summary = "for tests"
commands = 10
preload_keys = 10
sizes = { mean_bytes = 8, standard_deviation_bytes = 1, min_bytes = 4, max_bytes = 16 }

[[mix]]
name = "FLUSHALL"
share = 1.0
keys = 10
arguments = []
"""
fault = partial(proves, exit_code=ExitCode.TARGET_UNREACHABLE)


def begun(start: Start, port: int | None, out: Path, *words: str) -> "subprocess.Popen[str]":
    """Start a run on a server and wait until it measures."""
    url = f"redis://127.0.0.1:{port}"
    process = start("run", "tiny", "--slice-s", "0.05", *words, "--target", url, "--out", out)
    wait_for_trials(out)
    return process


@fault("is anyone else using this server?", exit_code=ExitCode.SOME_FAILED)
def test_somebody_elses_commands(start: Start, server: Server, tmp_path: Path, fault: Fault) -> None:
    """Trials in which they were seen are failed, the run goes on, and none of its keys is lost."""
    process = begun(start, server.endpoint.port, tmp_path / "out", "--rounds", "20")
    with SecondClient(server.endpoint) as client:
        fault.check(ended(process, tmp_path / "out"))
    assert client.lost() == []
    assert own_keys_left(server.endpoint) == 0


@fault("is out of memory")
def test_a_server_that_runs_out_of_memory(start: Start, server: Server, tmp_path: Path, fault: Fault) -> None:
    """The run stops, and removes what it wrote before; a key of somebody else stays."""
    process = begun(start, server.endpoint.port, tmp_path / "out", "--rounds", "500")
    with Control(server.endpoint) as control:
        control.command("SET", "user:1", "precious")
        control.command("CONFIG", "SET", "maxmemory", "1")
        fault.check(ended(process, tmp_path / "out"))
        assert control.command("KEYS", "*") == [b"user:1"]


@fault("leads to another server than before, or the server there has been restarted")
def test_a_restarted_server(start: Start, server: Server, tmp_path: Path, fault: Fault) -> None:
    """What it holds now is not known to be ours, even under our names: the user is told how to remove it."""
    process = begun(start, server.endpoint.port, tmp_path / "out", "--rounds", "500", "--allow-flush")
    with Control(server.endpoint) as control:
        control.command("SET", "user:1", "precious")
        control.command("SAVE")
    server.process.kill()
    server.process.wait()
    program = [server.program, "--port", str(server.endpoint.port), "--dir", str(server.folder), "--save", ""]
    with subprocess.Popen(program, stdout=subprocess.DEVNULL) as again:
        finished = ended(process, tmp_path / "out")
        fault.check(finished)
        with Control(server.endpoint) as control:
            assert control.command("GET", "user:1") == b"precious"
        assert not {"unlink", "flushdb", "flushall"} & commands_seen(server.endpoint)
        again.kill()
    assert "respmark clean --server URL --keys respmark:" in " ".join(finished.output.split())


@fault("leads to another server than before, or the server there has been restarted")
def test_a_name_that_leads_to_another_server(
    start: Start, server: Server, guardian: Guardian, tmp_path: Path, fault: Fault
) -> None:
    """What was allowed for one server is not done to the other: its keys stay, and it is not flushed."""
    other = start_user_server(guardian)
    with SecondClient(other.endpoint) as client:
        pass
    leading = Leading(server.endpoint.port or 0)
    with listening(leading) as port:
        process = begun(start, port, tmp_path / "out", "--rounds", "500", "--allow-flush")
        leading.port = other.endpoint.port or 0
        fault.check(ended(process, tmp_path / "out"))
    assert client.lost() == []
    assert not {"unlink", "flushdb", "flushall"} & commands_seen(other.endpoint)
    assert own_keys_left(server.endpoint) == 0
    other.stop()


@fault("does not let this user do what is needed")
def test_a_user_who_may_not_delete(
    respmark: Respmark, server: Server, environment: dict[str, str], fault: Fault
) -> None:
    """Found before the keys are written that could not be removed: one stands there for the trial of it."""
    with Control(server.endpoint) as control:
        control.command("ACL", "SETUSER", "bench", "on", ">secret", "~respmark:*", "+@all", "-unlink", "-del")
    environment["RESPMARK_TARGET_PASSWORD"] = "secret"
    fault.check(respmark("run", "tiny", "--target", f"redis://bench@127.0.0.1:{server.endpoint.port}"))
    assert own_keys_left(server.endpoint) == 1


@fault("has FLUSHALL, which may change keys that the run did not write", exit_code=ExitCode.INVALID_REQUEST)
def test_a_workload_that_flushes(respmark: Respmark, server: Server, tmp_path: Path, fault: Fault) -> None:
    """It is not sent, and nothing else that writes is."""
    (tmp_path / "flushing.toml").write_text(FLUSHING)
    words = ("--workload", tmp_path / "flushing.toml", "--target", f"redis://127.0.0.1:{server.endpoint.port}/1")
    with Control(server.endpoint) as control:
        control.command("SET", "user:1", "precious")
        control.command("CONFIG", "RESETSTAT")
        fault.check(respmark("run", "tiny", *words, "--allow-flush"))
        assert not commands_seen(server.endpoint) & WRITING
        assert control.command("GET", "user:1") == b"precious"
