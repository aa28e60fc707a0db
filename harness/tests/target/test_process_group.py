"""Ending what was started, and never what has its number by now."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from respmark.target import process_group as module
from respmark.target.process_group import ProcessGroup, await_end, end_child, end_groups, has_ended, reap, swept
from tests.processes import OBEDIENT, ORPHANING, PARENT, STUBBORN, child, gone, members, running, started

NOBODY = 65534
WITH_PROC = "/proc"
NUMBERS = "numbers"


@pytest.fixture(params=[WITH_PROC, NUMBERS], autouse=True)
def kernel(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Be on Linux, and on a system without /proc."""
    if request.param == NUMBERS:
        monkeypatch.delattr(os, "waitid")
        monkeypatch.setattr(module, "PROC", module.PROC / "none")
    kind: str = request.param
    return kind


ON_LINUX = pytest.mark.parametrize("kernel", [WITH_PROC], indirect=True)
"""Without /proc there are no start times, and what was reaped is not held."""


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Insist soon."""
    monkeypatch.setattr(module, "PATIENCE_S", 0.1)


def until_none_is_left(group: int) -> None:
    """Wait until a group has no running member; the test's own limit ends what never comes."""
    while members(group):
        time.sleep(0.01)


def group_of(process: "subprocess.Popen[bytes]") -> ProcessGroup:
    """Return a child's group."""
    group = ProcessGroup.of(process.pid)
    assert group is not None
    return group


def test_a_child_that_listens_is_asked() -> None:
    """A process that ends when it is asked is not killed."""
    with child(OBEDIENT) as process:
        end_child(process)
        assert process.returncode == -signal.SIGTERM


@pytest.mark.usefixtures("impatient")
def test_a_child_that_does_not_listen_is_killed() -> None:
    """Ignoring SIGTERM does not help."""
    with child(STUBBORN) as process:
        end_child(process)
        assert process.returncode == -signal.SIGKILL


def test_children_of_a_child_that_ends_are_ended_with_it() -> None:
    """The leader listens, its child does not: it is killed as soon as the leader has ended."""
    with child(PARENT) as process:
        end_child(process)
        until_none_is_left(process.pid)
        assert process.returncode == -signal.SIGTERM


def test_who_outlives_a_leader_that_ended_by_itself_is_ended() -> None:
    """Before the leader is reaped, while its number is still its own."""
    with child(ORPHANING) as process:
        assert process.stdin is not None
        process.stdin.close()
        assert await_end(process, 60)
        assert reap(process) == 0
        until_none_is_left(process.pid)


@ON_LINUX
def test_who_outlives_a_leader_that_was_reaped_meanwhile_is_ended() -> None:
    """Where somebody else's code reaps it, the group is held from before."""
    with child(ORPHANING) as process:
        with swept(process):
            assert process.stdin is not None
            process.stdin.close()
            process.wait()
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


def test_waiting_does_not_reap(kernel: str) -> None:
    """The number stays the child's own until it is reaped, so that its group can be signalled by it."""
    with subprocess.Popen([sys.executable, "-c", ""], start_new_session=True) as process:
        assert await_end(process, 60)
        assert has_ended(process)
        if kernel != NUMBERS:
            assert process.returncode is None
        assert reap(process) == 0


def test_waiting_has_an_end() -> None:
    """A process that goes on is told."""
    with child(OBEDIENT) as process:
        assert not await_end(process, 0.05)
        assert not has_ended(process)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("script", [OBEDIENT, STUBBORN, PARENT])
def test_groups_of_others_are_ended(script: str) -> None:
    """They are asked, then killed, with all their members."""
    with running(script) as process:
        end_groups([group_of(process)])
        assert process.wait() in {-signal.SIGTERM, -signal.SIGKILL}
        until_none_is_left(process.pid)


def test_a_group_that_is_gone_is_no_error() -> None:
    """Ending twice is ending once."""
    with child(OBEDIENT) as process:
        group = group_of(process)
        end_child(process)
    end_groups([group])
    assert not group.signal(signal.SIGTERM)
    assert not group.is_left()


@ON_LINUX
def test_a_process_of_another_start_time_is_not_the_one_that_was_started() -> None:
    """The number was given to somebody else in between."""
    with child(OBEDIENT) as process:
        started = module.start_time(process.pid)
        assert started is not None
        assert ProcessGroup.of(process.pid, started) is not None
        assert ProcessGroup.of(process.pid, started - 1) is None


@ON_LINUX
def test_members_of_a_group_whose_number_is_anothers_are_not_signalled() -> None:
    """Ours has ended, the number leads another group now: who is in that is not ours."""
    with child(OBEDIENT) as stranger:
        started = module.start_time(stranger.pid)
        assert started is not None
        ours = ProcessGroup(stranger.pid, started - 1)
        assert not ours.is_left()
        assert not ours.signal(signal.SIGKILL)
        assert not gone(stranger.pid)


@ON_LINUX
def test_a_number_that_nobody_has_is_nobodys_group() -> None:
    """A process that was reaped before we looked cannot be held."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    assert ProcessGroup.of(process.pid) is None


@contextmanager
def another_user() -> Iterator[None]:
    """Be a user who may signal nobody else, if we are root and may become one."""
    if os.geteuid() != 0:
        yield
        return
    os.setresuid(NOBODY - 1, NOBODY - 1, 0)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setresuid(0, 0, 0)


@contextmanager
def not_ours() -> Iterator[ProcessGroup]:
    """Return the group of a process that we may not signal: another user's, or the system's first."""
    if os.geteuid() != 0:
        yield ProcessGroup(1, module.start_time(1))
        return
    with started("sh", "-c", "echo up; exec sleep 300", user=NOBODY) as process:
        yield group_of(process)


@pytest.mark.usefixtures("impatient")
def test_a_process_that_may_not_be_signalled_is_left_and_is_no_error() -> None:
    """It belongs to another user: nothing is raised, and it goes on."""
    with not_ours() as group:
        with another_user():
            assert not group.signal(signal.SIGKILL)
            end_groups([group])
        assert not gone(group.leader)


@pytest.mark.usefixtures("impatient")
def test_a_child_that_may_not_be_signalled_is_told(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It took another user's identity: we do not wait for it for ever, and say so."""

    def refuse(*_: object) -> None:
        raise PermissionError

    with child(OBEDIENT) as process:
        with monkeypatch.context() as patch:
            patch.setattr(os, "killpg", refuse)
            end_child(process)
        assert not gone(process.pid)
        assert f"process {process.pid} could not be ended" in capfd.readouterr().err
