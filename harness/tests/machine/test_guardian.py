"""Ending what a run started, whatever becomes of the run."""

import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from pydantic import SecretStr

from respmark.machine import guardian as module
from respmark.machine.guardian import Guardian, start_guarded
from respmark.machine.process_group import reap
from respmark.servers.control import Control
from respmark.servers.info import run_id_of
from respmark.servers.node import Node
from respmark.servers.own_keys import OwnKeys
from tests.builders.plan import HIDDEN
from tests.processes import OBEDIENT, gone, running


def commanded(mark: Path) -> list[str]:
    return [sys.executable, "-c", f"open({str(mark)!r}, 'a').write('done')"]


@pytest.mark.parametrize("is_released", [False, True])
def test_what_is_protected_is_ended_when_the_guardian_is_closed(tmp_path: Path, *, is_released: bool) -> None:
    """Processes are ended, commands run, folders removed; what was released is left alone."""
    (tmp_path / "own").mkdir()
    with running(OBEDIENT) as process:
        with closing(Guardian()) as guardian:
            guardian.protect("process", process.pid)
            guardian.protect("folder", str(tmp_path / "own"))
            guardian.protect("command", ["/no/such/program"])
            guardian.protect("command", commanded(tmp_path / "mark"))
            if is_released:
                guardian.release("process", process.pid)
                guardian.release("folder", str(tmp_path / "own"))
                guardian.release("command", commanded(tmp_path / "mark"))
        assert gone(process.pid) is not is_released
    assert (tmp_path / "own").exists() is is_released
    assert (tmp_path / "mark").exists() is not is_released
    guardian.release("process", 1)  # what ends after the run's end has nobody to tell


def test_everything_is_ended_when_the_run_is_killed(tmp_path: Path) -> None:
    """Even SIGKILL of the run leaves neither its processes nor its folders behind: the end of the pipe tells."""
    (tmp_path / "own").mkdir()
    with running(OBEDIENT) as process:
        run = (
            "import os, signal; from respmark.machine.guardian import Guardian; "
            f"g = Guardian(); g.protect('process', {process.pid}); g.protect('folder', {str(tmp_path / 'own')!r}); "
            "print(g._process.pid, flush=True); os.kill(os.getpid(), signal.SIGKILL)"
        )
        killed = subprocess.run([sys.executable, "-c", run], stdout=subprocess.PIPE, check=False)
        assert killed.returncode == -signal.SIGKILL
        process.wait()
    while not gone(int(killed.stdout)):
        time.sleep(0.01)
    assert not (tmp_path / "own").exists()


def test_a_program_that_nobody_knows_of_never_starts(
    tmp_path: Path, guardian: Guardian, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Were we killed before the guardian knows of a server, it would serve for ever: it waits for what never comes."""
    monkeypatch.setattr(module, "OPEN_GATE", b"")
    with (tmp_path / "output").open("wb") as output:
        process = start_guarded(guardian, ["touch", str(tmp_path / "started")], output)
    assert reap(process) == 1
    guardian.release("process", process.pid)
    assert not (tmp_path / "started").exists()


@pytest.mark.parametrize(
    ("changes", "is_released", "left"),
    [({}, False, {b"user:1"}), ({}, True, None), ({"run_ids": frozenset({"0" * 40})}, False, None)],
    ids=["protected", "released", "on another server"],
)
def test_keys_of_a_killed_run_are_removed(
    server: Node, changes: dict[str, str], left: set[bytes] | None, *, is_released: bool
) -> None:
    """By a password that only the guardian was told; not those of others, nor where the run never wrote."""
    with Control(server.endpoint) as control:
        control.command("CONFIG", "SET", "requirepass", HIDDEN)
    endpoint = server.endpoint.model_copy(update={"password": SecretStr(HIDDEN)})
    with Control(endpoint) as control:
        fields = {
            "endpoint": endpoint,
            "run_ids": frozenset({run_id_of(control)}),
            "prefix": "respmark:00000000:",
            "digits": 3,
        }
        keys = OwnKeys.model_validate({**fields, "count": 5, **changes})
        for name in (*map(keys.name, range(5)), b"user:1"):
            control.command("SET", name, "x")
        every = set(control.command("KEYS", "*"))
        with closing(Guardian()) as guardian:
            guardian.protect("keys", keys.model_dump_json())
            if is_released:
                guardian.release("keys", keys.model_dump_json())
        assert set(control.command("KEYS", "*")) == (left or every)
