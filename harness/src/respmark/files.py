"""Writing files: whole or not at all, and with a sentence for the user if that cannot be done."""

import contextlib
import errno
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from respmark.errors import NothingRanError, OutputError


def write_whole(path: Path, content: bytes) -> None:
    """Write `content` to `path` so that a reader sees the old file or the new one, never a part."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(0o644)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_out_file(path: Path, content: bytes) -> None:
    """Write the file that `--out` names, whole or not at all; raises OutputError if it cannot be written."""
    try:
        write_whole(path, content)
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror}; name another file with --out") from error


@contextlib.contextmanager
def explained_if_not_written(what: str | Path) -> Iterator[None]:
    """Turn a failure to write something temporary into a sentence that says what to do."""
    try:
        yield
    except OSError as error:
        full = error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
        advice = "free some space, or choose another folder with TMPDIR" if full else "name another folder with TMPDIR"
        raise NothingRanError(f"cannot write {what}: {error.strerror or error}; {advice}") from error
