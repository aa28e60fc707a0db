"""One run at a time on a machine: two would spoil each other's figures.

The lock is a file at a fixed path, whatever a user's TMPDIR is. It is opened for reading alone, never through a link,
and never written or truncated (as the package filelock does): whatever file it is, nobody's data is harmed, and every
user can open what another has made. The kernel says who holds the lock.
"""

import contextlib
import fcntl
import os
import pwd
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from respmark.errors import NothingRanError

LOCK_VARIABLE: Final = "RESPMARK_LOCK"
DEFAULT_PATH: Final = Path("/tmp/respmark.lock")  # noqa: S108 - the one folder that all users of all systems share
OPENED: Final = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY
"""Does not follow a symbolic link, and does not wait for the other end of a pipe."""
MODE: Final = 0o644
KERNELS_LOCKS: Final = Path("/proc/locks")


def lock_path() -> Path:
    """Return the path of the machine's lock file; RESPMARK_LOCK names another (for tests)."""
    return Path(os.environ.get(LOCK_VARIABLE) or DEFAULT_PATH)


@contextlib.contextmanager
def only_run(path: Path) -> Iterator[None]:
    """Hold the lock until this process ends; raises NothingRanError if another run has it, or it cannot be used."""
    handle = _opened(path)
    try:
        _take(handle, path)
        yield
    finally:
        os.close(handle)


def check_free(path: Path) -> None:
    """Raise NothingRanError if another run is measuring on this machine, or its lock cannot be used."""
    with only_run(path):
        pass


def _take(handle: int, path: Path) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise NothingRanError(
            f"another run is measuring on this machine ({_holder(handle, path)}); two at once would distort each "
            "other's figures. Wait until it ends, or stop it"
        ) from error


def _opened(path: Path) -> int:
    try:
        handle = _open_or_make(path)
    except OSError as error:
        raise _unusable(path, error.strerror or str(error)) from error
    found = os.fstat(handle)
    if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1:
        os.close(handle)
        raise _unusable(path, "it is not a regular file with a single link")
    return handle


def _open_or_make(path: Path) -> int:
    with contextlib.suppress(FileNotFoundError):
        return os.open(path, OPENED)
    handle = os.open(path, OPENED | os.O_CREAT, MODE)
    # Whatever our umask is, every user of the machine must be able to open it; somebody else's stays as it is.
    with contextlib.suppress(PermissionError):
        os.fchmod(handle, MODE)
    return handle


def _unusable(path: Path, why: str) -> NothingRanError:
    owner = ""
    with contextlib.suppress(OSError):
        owner = f", which belongs to {_user(path.lstat().st_uid)}"
    message = f"cannot use {path}{owner} as the machine's lock file: {why}; respmark leaves it alone."
    return NothingRanError(f"{message} Have it removed, or set {LOCK_VARIABLE} to a path that can be used")


def _holder(handle: int, path: Path) -> str:
    """Say who holds the lock, according to the kernel, and which command of respmark that is.

    Neither the file's content nor other arguments are repeated: those could be anybody's words.
    """
    found, place = os.fstat(handle), None
    file = f"{os.major(found.st_dev):02x}:{os.minor(found.st_dev):02x}:{found.st_ino}"
    with contextlib.suppress(OSError):  # `1: FLOCK  ADVISORY  WRITE 4711 08:01:131 0 EOF`
        place = re.search(rf"FLOCK\s+\S+\s+WRITE\s+([1-9]\d*)\s+{file}\s", KERNELS_LOCKS.read_text())
    if place is None:
        return f"it holds {path}"
    process = Path("/proc", place[1])
    with contextlib.suppress(OSError):
        command = re.search(rb"respmark(?:/__main__\.py)?\0([a-z]{1,20})\0", (process / "cmdline").read_bytes())
        named = f": respmark {command[1].decode()}" if command else ""
        return f"process {place[1]} of {_user(process.stat().st_uid)}{named}"
    return f"process {place[1]}"


def _user(number: int) -> str:
    try:
        return f"user {pwd.getpwuid(number).pw_name}"
    except KeyError:
        return f"user {number}"
