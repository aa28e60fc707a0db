"""One run at a time on a machine, and nobody's files suffer for it."""

import os
import pwd
import re
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from respmark.errors import ExitCode, NothingRanError
from respmark.run import lock as module
from respmark.run.lock import DEFAULT_PATH, LOCK_VARIABLE, lock_path, only_run

PRECIOUS = "a user's file"
NOBODY = 65534


def refusal(path: Path) -> str:
    """Return why a run does not begin."""
    with pytest.raises(NothingRanError) as caught, only_run(path):
        pass
    assert caught.value.exit_code is ExitCode.NOTHING_RAN
    return str(caught.value)


def test_a_second_run_is_refused_with_who_holds_the_lock(tmp_path: Path) -> None:
    """The message names the process, its user, and what to do."""
    with only_run(tmp_path / "lock"):
        said = refusal(tmp_path / "lock")
    assert f"process {os.getpid()} of user {pwd.getpwuid(os.getuid()).pw_name}" in said
    assert "Wait until it ends, or stop it" in said


def test_the_lock_is_free_afterwards(tmp_path: Path) -> None:
    """Another run may begin as soon as this one has ended, or failed."""
    with only_run(tmp_path / "lock"):
        pass
    with pytest.raises(KeyboardInterrupt), only_run(tmp_path / "lock"):
        raise KeyboardInterrupt
    with only_run(tmp_path / "lock"):
        pass


def test_what_stands_in_the_file_stays_there(tmp_path: Path) -> None:
    """Whatever file it is: nothing is written to it or cut off, and its mode stays."""
    path = tmp_path / "lock"
    path.write_text(PRECIOUS)
    path.chmod(0o640)
    with only_run(path):
        assert "another run is measuring" in refusal(path)
    assert path.read_text() == PRECIOUS
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_words_in_the_file_are_not_repeated(tmp_path: Path) -> None:
    """They are anybody's, and would speak to the terminal."""
    path = tmp_path / "lock"
    path.write_text('{"pid": 1, "what": "\\u001b[31mevil"}')
    with only_run(path):
        said = refusal(path)
    assert "evil" not in said


def test_a_holder_that_the_kernel_does_not_tell_is_refused_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other systems have no /proc/locks."""
    monkeypatch.setattr(module, "KERNELS_LOCKS", tmp_path / "none")
    with only_run(tmp_path / "lock"):
        assert f"another run is measuring on this machine (it holds {tmp_path / 'lock'})" in refusal(tmp_path / "lock")


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    """A link to somebody's file in the lock's place: the file keeps its content and its mode."""
    victim = tmp_path / "victim"
    victim.write_text(PRECIOUS)
    victim.chmod(0o600)
    (tmp_path / "lock").symlink_to(victim)
    said = refusal(tmp_path / "lock")
    owner = pwd.getpwuid(os.getuid()).pw_name
    assert f"cannot use {tmp_path / 'lock'}, which belongs to user {owner} as the machine's lock file" in said
    assert LOCK_VARIABLE in said
    assert victim.read_text() == PRECIOUS
    assert stat.S_IMODE(victim.stat().st_mode) == 0o600


def test_a_link_to_nothing_makes_nothing(tmp_path: Path) -> None:
    """Nobody can have us make a file where they may not."""
    (tmp_path / "lock").symlink_to(tmp_path / "made")
    assert "cannot use" in refusal(tmp_path / "lock")
    assert not (tmp_path / "made").exists()


def test_what_is_no_plain_file_is_no_lock(tmp_path: Path) -> None:
    """Another file's second name, a pipe (for whose other end nobody waits), a folder."""
    (tmp_path / "victim").write_text(PRECIOUS)
    (tmp_path / "second").hardlink_to(tmp_path / "victim")
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "second", tmp_path / "pipe", tmp_path):
        assert "it is no plain file with a single name; respmark leaves it alone" in refusal(path)
    assert (tmp_path / "victim").read_text() == PRECIOUS


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    """The message names the file and the variable that names another."""
    said = refusal(tmp_path / "none" / "lock")
    assert f"cannot use {tmp_path / 'none' / 'lock'} as the machine's lock file: No such file or directory" in said
    assert LOCK_VARIABLE in said


@contextmanager
def user(number: int) -> Iterator[None]:
    """Be another user, if we are root and may."""
    if os.geteuid() == 0:
        os.seteuid(number)
    try:
        yield
    finally:
        os.seteuid(os.getuid())


@pytest.fixture
def shared() -> Iterator[Path]:
    """Return a folder as /tmp is: everybody's, and what is in it is its owner's."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        Path(name).chmod(0o1777)
        yield Path(name)


@pytest.mark.parametrize("umask", [0o022, 0o077])
@pytest.mark.parametrize("users", [(0, NOBODY), (NOBODY, 0), (NOBODY, NOBODY - 1)])
def test_the_lock_is_the_machines(shared: Path, users: tuple[int, int], umask: int) -> None:
    """Whoever makes the file, with whatever umask: every other user is refused while it is held, and not afterwards."""
    before = os.umask(umask)
    try:
        with user(users[0]), only_run(shared / "lock"), user(users[1]):
            assert "another run is measuring" in refusal(shared / "lock")
        with user(users[1]), only_run(shared / "lock"):
            pass
    finally:
        os.umask(before)


def test_a_file_of_another_user_that_we_may_not_read_is_told(shared: Path) -> None:
    """It says whose it is: it cannot be used, and it is not touched."""
    path = shared / "lock"
    with user(NOBODY):
        path.write_text(PRECIOUS)
        path.chmod(0)
    with user(NOBODY - 1):
        said = refusal(path)
    assert re.search(r"cannot use .*, which belongs to user \w+ as the machine's lock file: Permission denied", said)


def test_every_user_has_the_same_lock_wherever_temporary_files_go(tmp_path: Path) -> None:
    """TMPDIR is a user's own, the machine is not."""
    code = "from respmark.run.lock import lock_path; print(lock_path())"
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    del environment[LOCK_VARIABLE]
    said = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert Path(said.stdout.strip()) == DEFAULT_PATH


def test_another_lock_can_be_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests, and runs that cannot disturb each other, have locks of their own."""
    monkeypatch.setenv(LOCK_VARIABLE, "/somewhere/else")
    assert lock_path() == Path("/somewhere/else")
