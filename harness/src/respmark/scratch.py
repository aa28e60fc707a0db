"""Writing temporary files, with a sentence for the user if one cannot be written."""

import contextlib
import errno
from collections.abc import Iterator
from pathlib import Path

from respmark.errors import NothingRanError


@contextlib.contextmanager
def told_if_not_written(what: str | Path) -> Iterator[None]:
    """Turn a failure to write something temporary into a sentence that says what to do.

    Raises:
        NothingRanError: it cannot be written.
    """
    try:
        yield
    except OSError as error:
        full = error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
        advice = "free some space, or name another folder with TMPDIR" if full else "name another folder with TMPDIR"
        message = f"cannot write {what}: {error.strerror or error}; {advice}"
        raise NothingRanError(message) from error
