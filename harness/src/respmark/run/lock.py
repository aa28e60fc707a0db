"""One run at a time on a machine: two would spoil each other's figures."""

import contextlib
import fcntl
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from respmark.errors import NothingRanError

LOCK_VARIABLE: Final = "RESPMARK_LOCK"


def lock_path() -> Path:
    """Return the machine's lock file; RESPMARK_LOCK names another (for tests)."""
    return Path(os.environ.get(LOCK_VARIABLE) or Path(tempfile.gettempdir()) / "respmark.lock")


@contextlib.contextmanager
def only_run(path: Path, what: str) -> Iterator[None]:
    """Hold the lock; the kernel gives it back when this process ends, however it ends.

    Raises:
        NothingRanError: another run holds it; the message says which.
    """
    with _opened(path) as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            message = (
                f"another run is measuring on this machine ({_holder(path)}); two at once would spoil each other's "
                "figures. Wait until it ends, or stop it"
            )
            raise NothingRanError(message) from error
        os.ftruncate(handle, 0)
        os.pwrite(handle, json.dumps({"pid": os.getpid(), "what": what}).encode(), 0)
        yield
        os.ftruncate(handle, 0)


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[int]:
    # Writable for every user of the machine: the lock is the machine's, not a user's.
    try:
        handle = _open_or_make(path)
    except OSError as error:
        message = (
            f"cannot open the lock file {path}: {error.strerror}; set {LOCK_VARIABLE} to a path that can be written"
        )
        raise NothingRanError(message) from error
    with contextlib.suppress(PermissionError):  # another user's file has the mode already
        os.fchmod(handle, 0o666)
    try:
        yield handle
    finally:
        os.close(handle)


def _open_or_make(path: Path) -> int:
    """Open the file; make it only if it is not there: kernels refuse O_CREAT on another user's file in /tmp."""
    try:
        return os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)


def _holder(path: Path) -> str:
    try:
        holder = json.loads(path.read_text())
        return f"process {holder['pid']}: {holder['what']}"
    except (OSError, ValueError, KeyError):
        return f"it holds {path}"
