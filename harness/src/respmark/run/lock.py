"""One run at a time on a machine: two would spoil each other's figures.

The lock is a file at a fixed path, whatever a user's TMPDIR is. An existing file is only opened for reading, never
written, truncated or given another mode: whatever it is, nobody's data is harmed. The kernel says who holds the lock.
(An abstract socket, which needs no file, would be invisible in other network namespaces, and macOS has none.)
"""

import contextlib
import errno
import fcntl
import os
import pwd
import re
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from respmark.errors import NothingRanError

LOCK_VARIABLE: Final = "RESPMARK_LOCK"
DEFAULT_PATH: Final = Path("/tmp/respmark.lock")  # noqa: S108 - the one folder that all users of all systems share
OPENED: Final = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY
"""Does not follow a symbolic link, and does not wait for the other end of a pipe."""
MODE: Final = 0o644
TRIES: Final = 5
PAUSE_S: Final = 0.05
KERNELS_LOCKS: Final = Path("/proc/locks")


def lock_path() -> Path:
    """Return the path of the machine's lock file; RESPMARK_LOCK names another (for tests)."""
    return Path(os.environ.get(LOCK_VARIABLE) or DEFAULT_PATH)


@contextlib.contextmanager
def only_run(path: Path) -> Iterator[None]:
    """Hold the lock; the kernel releases it when this process ends, however it ends.

    Raises:
        NothingRanError: another run holds it, or the file cannot be used as a lock; the message says which.
    """
    handle = _locked(path)
    try:
        yield
    finally:
        os.close(handle)


def _locked(path: Path) -> int:
    for _ in range(TRIES):
        handle = _opened(path)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            message = (
                f"another run is measuring on this machine ({_holder(handle, path)}); two at once would spoil each "
                "other's figures. Wait until it ends, or stop it"
            )
            os.close(handle)
            raise NothingRanError(message) from error
        if _is_at(handle, path):
            return handle
        # Somebody has removed the file that we hold: the next run would create another, and hold that.
        os.close(handle)
    raise NothingRanError(f"the lock file {path} is removed again and again; {_another()}")


def _opened(path: Path) -> int:
    for _ in range(TRIES):
        try:
            return _checked(_open_or_make(path), path)
        except PermissionError as error:
            # Another user may have just created it, and not yet made it readable for others.
            last: OSError = error
            time.sleep(PAUSE_S)
        except FileExistsError as error:
            last = error
        except OSError as error:
            last = error
            break
    kind = _kind(path) if last.errno in {errno.ELOOP, errno.ENXIO, errno.EMLINK} else None
    if kind is not None:
        raise NothingRanError(_not_a_lock(path, kind)) from last
    raise NothingRanError(f"cannot open the lock file {path}{_owned(path)}: {last.strerror}; {_another()}") from last


def _open_or_make(path: Path) -> int:
    """Open the file; if there is none, create it, and make it readable for every user."""
    with contextlib.suppress(FileNotFoundError):
        return os.open(path, OPENED)
    handle = os.open(path, OPENED | os.O_CREAT | os.O_EXCL, MODE)
    # Whatever our umask is, every user of the machine must be able to open it.
    os.fchmod(handle, MODE)
    return handle


def _checked(handle: int, path: Path) -> int:
    """Return the handle of a plain file that has one name; refuse anything else."""
    found = os.fstat(handle)
    if stat.S_ISREG(found.st_mode) and found.st_nlink <= 1:
        return handle
    os.close(handle)
    kind = "another file's second name" if stat.S_ISREG(found.st_mode) else _kind_of(found.st_mode)
    raise NothingRanError(_not_a_lock(path, kind))


def _kind(path: Path) -> str | None:
    with contextlib.suppress(OSError):
        return _kind_of(path.lstat().st_mode)
    return None


def _kind_of(mode: int) -> str:
    kinds = {stat.S_IFLNK: "a symbolic link", stat.S_IFIFO: "a pipe", stat.S_IFDIR: "a folder", stat.S_IFREG: "a file"}
    return kinds.get(stat.S_IFMT(mode), "a device or socket")


def _not_a_lock(path: Path, kind: str) -> str:
    return (
        f"{path} should be the machine's lock file and is {kind}{_owned(path)}; respmark leaves it alone. {_another()}"
    )


def _owned(path: Path) -> str:
    with contextlib.suppress(OSError):
        return f", which belongs to {_user(path.lstat().st_uid)}"
    return ""


def _another() -> str:
    return f"Have it removed, or set {LOCK_VARIABLE} to a path that can be used"


def _is_at(handle: int, path: Path) -> bool:
    with contextlib.suppress(OSError):
        return os.path.samestat(os.fstat(handle), path.lstat())
    return False


def _holder(handle: int, path: Path) -> str:
    """Say who holds the lock, according to the kernel: the file's content could be anybody's words."""
    pid = _holding_process(os.fstat(handle))
    if pid is None:
        return f"it holds {path}"
    try:
        owner = Path(f"/proc/{pid}").stat().st_uid
    except OSError:
        return f"process {pid}"
    return f"process {pid} of {_user(owner)}{_command(pid)}"


def _command(pid: int) -> str:
    """Name the respmark command that a process runs, and no other argument: those could be anybody's words."""
    with contextlib.suppress(OSError):
        found = re.search(rb"respmark(?:/__main__\.py)?\0([a-z]{1,20})\0", Path(f"/proc/{pid}/cmdline").read_bytes())
        return f": respmark {found[1].decode()}" if found else ""
    return ""


def _holding_process(file: os.stat_result) -> int | None:
    """Look the file up in /proc/locks: `1: FLOCK  ADVISORY  WRITE 4711 08:01:131 0 EOF`."""
    place = f"{os.major(file.st_dev):02x}:{os.minor(file.st_dev):02x}:{file.st_ino}"
    with contextlib.suppress(OSError):
        found = re.search(rf"FLOCK\s+\S+\s+WRITE\s+(\d+)\s+{place}\s", KERNELS_LOCKS.read_text())
        return int(found[1]) or None if found else None
    return None


def _user(number: int) -> str:
    try:
        return f"user {pwd.getpwuid(number).pw_name}"
    except KeyError:
        return f"user {number}"
