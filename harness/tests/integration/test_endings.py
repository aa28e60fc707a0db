"""Runs that are cut short: what has ended stays, nothing is left running, and the keys of others are there."""

import json
import os
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from respmark.servers.control import Control
from respmark.servers.node import Node
from tests.integration.conftest import LONG, Respmark, Start, url_of, wait_until, wait_until_gone
from tests.integration.run_files import records_of
from tests.integration.second_client import SecondClient, commands_seen, own_keys_left
from tests.processes import gone, started_by


def status_of(out: Path) -> str:
    status: str = json.loads((out / "manifest.json").read_text())["status"]
    return status


@pytest.fixture
def temporary(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="t-") as folder:
        monkeypatch.setenv("TMPDIR", folder)
        yield Path(folder)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_run_that_is_ended_leaves_the_keys_of_others_and_none_of_its_own(
    start: Start, server: Node, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    """A request to end, which is a Ctrl-C by another name, and SIGKILL, after which only the guardian is left.

    The guardian has the password, though nobody could have read it from there.
    """
    monkeypatch.setenv("RESPMARK_SERVER_PASSWORD", "open-sesame")
    with Control(server.endpoint) as control:
        control.command("ACL", "SETUSER", "bench", "on", ">open-sesame", "~*", "+@all")
    run = start("run", "tiny", *LONG, "--server", url_of(server, "bench@")).wait()
    assert own_keys_left(server.endpoint) > 0
    with SecondClient(server.endpoint) as client:
        finished = run.ended(number)
    assert finished.code == (-signal.SIGKILL if number is signal.SIGKILL else 130), finished.errors
    assert client.lost() == []
    assert own_keys_left(server.endpoint) == 0
    assert not {"flushdb", "flushall"} & commands_seen(server.endpoint)
    assert "open-sesame" not in finished.said


def test_an_interrupted_run_keeps_what_has_ended_and_goes_on_later(start: Start, respmark: Respmark) -> None:
    """Exit code 130, the tables of what there is, no process is left; `--resume` measures the rest, as precisely."""
    words = ("run", "tiny", "--rounds", "2", "--seed", "5")
    run = start(*words, "--until", "90%").wait()
    children = started_by(run.process.pid)
    finished = run.ended(signal.SIGINT)
    assert finished.code == 130, finished.errors
    assert status_of(run.out) == "interrupted"
    assert "THIS RUN IS INCOMPLETE" in finished.output
    wait_until_gone(children)
    resumed = respmark(*words, "--resume", run.out, out=run.out)
    assert resumed.code == 0, resumed.said
    assert status_of(run.out) == "complete"
    by_trial = {record["trial_id"]: record for record in records_of(run.out)}
    assert [record["status"] for record in by_trial.values()] == ["ok"] * 4
    assert resumed.manifest["until"]
    again = respmark(*words, "--resume", run.out, out=run.out)
    assert again.code == 2
    assert "is complete: nothing is left to be measured" in again.errors


@pytest.mark.parametrize(
    ("words", "folders"),
    [
        (("run", "tiny", *LONG), ("share/tiny.columns", "server.log")),
        (("conform", "double", "--jobs", "2"), ("respmark-conform-", "server.log")),
    ],
    ids=lambda value: value[0],
)
def test_a_killed_command_leaves_neither_processes_nor_folders(
    start: Start, temporary: Path, words: tuple[str, ...], folders: tuple[str, ...]
) -> None:
    """As soon as its folders are there it is killed; its guardian ends and removes everything, and itself."""

    def is_there() -> bool:
        there = [str(path.relative_to(temporary)) for path in temporary.rglob("*")]
        return all(any(folder in name for name in there) for folder in folders)

    run = start(*words).wait(is_there)
    left = started_by(run.process.pid)
    run.ended(signal.SIGKILL)
    assert left
    wait_until_gone(left)
    wait_until(lambda: not list(temporary.iterdir()))


def test_a_guardian_that_is_gone_stops_the_run(start: Start) -> None:
    """Nothing would end what the run starts if the run itself were killed; what has ended is kept."""
    run = start("run", "tiny", *LONG).wait()
    guardian = next(
        pid
        for pid in started_by(run.process.pid)
        if not gone(pid) and b"guardian" in Path(f"/proc/{pid}/cmdline").read_bytes()
    )
    os.kill(guardian, signal.SIGKILL)
    finished = run.ended()
    assert finished.code == 1
    assert "is gone: if this run were killed now, nothing would stop its processes" in finished.errors
    assert status_of(run.out) == "stopped"


def test_two_runs_at_once_are_refused(start: Start, respmark: Respmark, tmp_path: Path) -> None:
    """The second run ends with exit code 3 and says who is measuring."""
    run = start("run", "tiny", *LONG).wait()
    second = respmark("run", "tiny", out=tmp_path / "second")
    run.ended(signal.SIGINT)
    assert second.code == 3
    assert f"process {run.process.pid} of user " in second.errors
    assert not second.out.exists()


def test_results_that_have_no_place(respmark: Respmark, tmp_path: Path) -> None:
    """A file in the place of the folder, and the folder of another run, whose files stay."""
    (tmp_path / "blocked").write_text("a file")
    assert "--out" in respmark("run", "tiny", out=tmp_path / "blocked" / "run").errors
    first = respmark("run", "tiny")
    before = {path: path.stat().st_mtime_ns for path in first.out.rglob("*") if path.is_file()}
    again = respmark("run", "tiny")
    assert again.code == 3
    assert "already exists" in again.errors
    assert {path: path.stat().st_mtime_ns for path in first.out.rglob("*") if path.is_file()} == before
