"""Writing files whole or not at all."""

import errno
import os
from pathlib import Path

import pytest

from respmark.files import write_whole


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Readable for others; on a full disk a reader still sees the old file, and no temporary file takes space."""
    path = tmp_path / "a"
    write_whole(path, b"something longer")
    write_whole(path, b"old")
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"old", 0o644)

    def full_disk(_handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(OSError, match="No space left"):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
