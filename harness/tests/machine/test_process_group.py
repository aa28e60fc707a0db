"""Ending what was started, and never what has its number by now."""

import os
import signal
import subprocess
import sys
import time

import pytest

from respmark.machine import process_group as module
from respmark.machine.process_group import ProcessGroup, await_end, end_child, end_groups, reap
from tests.processes import OBEDIENT, ORPHANING, PARENT, STUBBORN, child, gone, members, running

WITH_PROC, NUMBERS = "/proc", "numbers"


@pytest.fixture(params=[WITH_PROC, NUMBERS], autouse=True)
def kernel(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Be on Linux, and on a system without /proc; insist soon."""
    if request.param == NUMBERS:
        monkeypatch.delattr(os, "waitid")
        monkeypatch.setattr(module, "PROC", module.PROC / "none")
    monkeypatch.setattr(module, "PATIENCE_S", 0.1)
    kind: str = request.param
    return kind


ON_LINUX = pytest.mark.parametrize("kernel", [WITH_PROC], indirect=True)
"""Without /proc there are no start times, and what was reaped is not held."""


def until_none_is_left(group: int) -> None:
    while members(group):
        time.sleep(0.01)


def group_of(process: "subprocess.Popen[bytes]") -> ProcessGroup:
    return ProcessGroup(process.pid, module.start_time(process.pid))


@pytest.mark.parametrize(
    ("script", "codes"),
    [
        (OBEDIENT, {-signal.SIGTERM, -signal.SIGKILL}),
        (STUBBORN, {-signal.SIGKILL}),
        (PARENT, {-signal.SIGTERM, -signal.SIGKILL}),
    ],
)
def test_a_child_is_asked_then_killed_with_its_own_children(script: str, codes: set[int]) -> None:
    """Ignoring SIGTERM does not help, nor does a leader that listens help its child."""
    with child(script) as process:
        end_child(process)
        until_none_is_left(process.pid)
        assert process.returncode in codes


def test_a_child_that_is_stopped_goes_on_to_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """It need not be killed for that."""
    monkeypatch.setattr(module, "PATIENCE_S", 60.0)
    with child(OBEDIENT) as process:
        os.killpg(process.pid, signal.SIGSTOP)
        end_child(process)
        assert process.returncode == -signal.SIGTERM


def test_who_outlives_a_leader_that_ended_by_itself_is_ended() -> None:
    """Before the leader is reaped, while its number is still its own."""
    with child(ORPHANING) as process:
        assert process.stdin is not None
        process.stdin.close()
        assert await_end(process, 60)
        assert reap(process) == 0
        until_none_is_left(process.pid)


def test_a_child_that_was_reaped_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its number may be another's by now: nothing at all is signalled."""
    signalled: list[object] = []
    with subprocess.Popen([sys.executable, "-c", ""], start_new_session=True) as process:
        process.wait()
        monkeypatch.setattr(os, "killpg", lambda *words: signalled.append(words))
        end_child(process)
        assert reap(process) == 0
    assert signalled == []


@pytest.mark.parametrize("script", [OBEDIENT, STUBBORN, PARENT])
def test_groups_of_others_are_ended(kernel: str, script: str) -> None:
    """They are asked, then killed, with all their members; ending twice is ending once."""
    with running(script) as process:
        group = group_of(process)
        end_groups([group])
        assert process.wait() in {-signal.SIGTERM, -signal.SIGKILL}
        until_none_is_left(process.pid)
        end_groups([group])
        assert kernel == NUMBERS or not group.is_left()


@ON_LINUX
def test_a_group_whose_number_is_anothers_by_now_is_not_signalled() -> None:
    """The process that has it was started at another time."""
    with child(OBEDIENT) as stranger:
        ours = group_of(stranger)._replace(started=1)
        assert not ours.is_left()
        end_groups([ours])
        assert not ours.signal(signal.SIGKILL)
        assert not gone(stranger.pid)
