"""Whole runs on a server that somebody else uses: whatever ends them, the keys of others are there and ours are not."""

import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from respmark.target.control import Control
from respmark.target.spawn import Server
from tests.integration.conftest import Respmark
from tests.integration.second_client import SecondClient, commands_seen, own_keys_left

Start = Callable[..., "subprocess.Popen[str]"]


@dataclass
class Under:
    """A run under way."""

    process: "subprocess.Popen[str]"
    server: Server
    out: Path

    def ended(self) -> tuple[int, str, str]:
        """Wait until the run and its guardian have ended; return the exit code and what they said."""
        output, errors = self.process.communicate(timeout=100)
        return self.process.returncode, output, " ".join(errors.split())


@pytest.fixture
def run(start: Start, server: Server, tmp_path: Path) -> Iterator[Callable[..., Under]]:
    """Return what starts a run on the server and waits until it measures."""
    begun: list[Under] = []

    def begin(*words: str) -> Under:
        out = tmp_path / "out"
        url = f"redis://127.0.0.1:{server.endpoint.port}"
        process = start("run", "tiny", "--slice-s", "0.05", "--target", url, "--out", out, *words)
        begun.append(Under(process, server, out))
        while not list((out / "trials").glob("[!.]*.json.gz")) and process.poll() is None:
            time.sleep(0.02)
        return begun[-1]

    yield begin
    for under in begun:
        under.process.kill()
        under.process.communicate()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_a_run_that_is_ended_leaves_the_keys_of_others_and_none_of_its_own(
    run: Callable[..., Under], server: Server, number: signal.Signals
) -> None:
    """Ctrl-C, a request to end, a terminal that closes, and SIGKILL, after which only the guardian is left."""
    under = run("--rounds", "500")
    assert own_keys_left(server.endpoint) > 0
    with SecondClient(server.endpoint) as client:
        under.process.send_signal(number)
        code, _, errors = under.ended()
    assert code == (-signal.SIGKILL if number is signal.SIGKILL else 130), errors
    assert client.lost() == []
    assert own_keys_left(server.endpoint) == 0
    assert not {"flushdb", "flushall"} & commands_seen(server.endpoint)


def test_a_killed_run_is_cleaned_up_after_with_the_password(
    run: Callable[..., Under], server: Server, environment: dict[str, str]
) -> None:
    """The guardian has it, though nobody could have read it from there."""
    with Control(server.endpoint) as control:
        control.command("CONFIG", "SET", "requirepass", "open-sesame")
        environment["RESPMARK_TARGET_PASSWORD"] = "open-sesame"
        under = run("--rounds", "500")
        assert len(control.command("KEYS", "respmark:*")) > 0
        under.process.kill()
        _, output, errors = under.ended()
        assert control.command("KEYS", "*") == []
    assert "open-sesame" not in output + errors


def test_keys_that_come_during_a_run_are_left_alone_and_told(run: Callable[..., Under], server: Server) -> None:
    """The issue's own case: an empty database, a key in the middle of the run, and a run that goes on to its end."""
    # So many that it is not over before the key is there, however long we are kept waiting.
    under = run("--rounds", "8")
    with Control(server.endpoint) as control:
        control.command("SET", "user:1", "precious")
        code, output, errors = under.ended()
        assert code in {0, 1}, errors
        assert control.command("GET", "user:1") == b"precious"
        assert control.command("KEYS", "*") == [b"user:1"]
        assert b"cmdstat_flushdb" not in control.command("INFO", "commandstats")
    assert "held up to 1 keys that this run did not write; they are left alone" in " ".join(output.split())
    assert "held up to 1 keys that this run did not write" in (under.out / "manifest.json").read_text()


def test_no_other_commands_are_sent_than_docs_targets_md_lists(respmark: Respmark, server: Server) -> None:
    """What is sent to a server that the run did not start, from the first connection to the last."""
    finished = respmark("run", "tiny", "--target", f"redis://127.0.0.1:{server.endpoint.port}")
    assert finished.code == 0, finished.output + finished.errors
    seen = {name.partition("|")[0] for name in commands_seen(server.endpoint)}
    assert seen - {"auth", "hello", "select", "client", "ping"} == {"info", "dbsize", "get", "set", "unlink"}
    assert own_keys_left(server.endpoint) == 0


def test_a_user_that_may_touch_nothing_else_is_enough(
    respmark: Respmark, server: Server, environment: dict[str, str]
) -> None:
    """With the keys and the commands of docs/targets.md, the server itself sees to it that others' keys are safe."""
    commands = ["ping", "info", "dbsize", "set", "unlink", "get", "multi", "exec", "hello", "select", "client"]
    with Control(server.endpoint) as control:
        permitted = [f"+{name}" for name in commands]
        control.command("ACL", "SETUSER", "bench", "on", ">secret", "~respmark:*", "-@all", *permitted)
    environment["RESPMARK_TARGET_PASSWORD"] = "secret"
    finished = respmark("run", "tiny", "--target", f"redis://bench@127.0.0.1:{server.endpoint.port}")
    assert finished.code == 0, finished.output + finished.errors
    assert own_keys_left(server.endpoint) == 0


def test_a_run_with_every_key_of_its_own_still_compares_with_others(respmark: Respmark, tmp_path: Path) -> None:
    """Two runs have other names and the same workload."""
    first = respmark("run", "tiny", out=tmp_path / "first").manifest()
    second = respmark("run", "tiny", out=tmp_path / "second").manifest()
    assert first["workload"] == second["workload"]
    assert first["workload_sha256"] == second["workload_sha256"]
