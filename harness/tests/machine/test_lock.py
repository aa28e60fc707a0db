"""One run at a time on a machine, and signals that end it as Ctrl-C does."""

import contextlib
import os
import pwd
import signal
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from respmark.errors import ExitCode, NothingRanError
from respmark.machine.interrupts import signals_as_interrupt
from respmark.machine.lock import LOCK_VARIABLE, check_free, only_run

NOBODY = 65534
PRECIOUS = "a user's file: \u001b[31mevil"


def refusal(path: Path) -> str:
    with pytest.raises(NothingRanError) as caught, only_run(path):
        pass
    assert caught.value.exit_code is ExitCode.NOTHING_RAN
    return str(caught.value)


def test_a_second_run_is_refused_until_the_first_has_ended(tmp_path: Path) -> None:
    """The message names the process, its user, and what to do."""
    with only_run(tmp_path / "lock"):
        said = refusal(tmp_path / "lock")
    assert f"process {os.getpid()} of user {pwd.getpwuid(os.getuid()).pw_name}" in said
    assert "Wait until it ends, or stop it" in said
    with only_run(tmp_path / "lock"):
        pass


def test_a_refusal_leaves_no_file_open(tmp_path: Path) -> None:
    """A worker of a cluster, which refuses run after run, does not run out of them."""
    path, is_open = tmp_path / "lock", Path("/proc/self/fd")
    with only_run(path):
        before = len(list(is_open.iterdir()))
        for unusable in (path, tmp_path):
            refusal(unusable)
        assert len(list(is_open.iterdir())) == before
        with pytest.raises(NothingRanError):
            check_free(path)
    check_free(path)


def test_what_is_no_plain_file_is_no_lock(tmp_path: Path) -> None:
    """A link, which is not followed; another file's second name; a pipe, for whose other end nobody waits; a folder."""
    victim, link, dangling = tmp_path / "victim", tmp_path / "link", tmp_path / "dangling"
    victim.write_text(PRECIOUS)
    victim.chmod(0o600)
    link.symlink_to(victim)
    dangling.symlink_to(tmp_path / "made")
    (tmp_path / "second").hardlink_to(victim)
    os.mkfifo(tmp_path / "pipe")
    owner = pwd.getpwuid(os.getuid()).pw_name
    for path in (link, dangling, tmp_path / "second", tmp_path / "pipe", tmp_path):
        said = refusal(path)
        assert f"cannot use {path}, which belongs to user {owner} as the machine's lock file" in said
        assert LOCK_VARIABLE in said
    assert (victim.read_text(), stat.S_IMODE(victim.stat().st_mode)) == (PRECIOUS, 0o600)
    assert not (tmp_path / "made").exists()
    assert "as the machine's lock file: No such file or directory" in refusal(tmp_path / "none" / "lock")


@contextlib.contextmanager
def user(number: int) -> Iterator[None]:
    """Be another user, if we are root and may."""
    if os.geteuid() == 0:
        os.seteuid(number)
    try:
        yield
    finally:
        os.seteuid(os.getuid())


@pytest.mark.parametrize("umask", [0o022, 0o077])
@pytest.mark.parametrize("users", [(0, NOBODY), (NOBODY, 0), (NOBODY, NOBODY - 1)])
def test_the_lock_is_the_machines(users: tuple[int, int], umask: int) -> None:
    """Whoever makes the file, with whatever umask: every other user is refused while it is held, and not afterwards."""
    before = os.umask(umask)
    try:
        with tempfile.TemporaryDirectory(dir="/tmp") as name:
            Path(name).chmod(0o1777)
            path = Path(name) / "lock"
            with user(users[0]), only_run(path), user(users[1]):
                assert "another run is measuring" in refusal(path)
            with user(users[1]), only_run(path):
                pass
    finally:
        os.umask(before)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_is_an_interrupt(number: signal.Signals) -> None:
    """What a run does on Ctrl-C it does on SIGTERM and SIGHUP; afterwards signals are as before."""
    before = signal.getsignal(number)
    with pytest.raises(KeyboardInterrupt, match=number.name), signals_as_interrupt():
        os.kill(os.getpid(), number)
    with contextlib.suppress(ZeroDivisionError), signals_as_interrupt():
        assert signal.getsignal(number) is not before
        _ = 1 / 0
    assert signal.getsignal(number) is before
