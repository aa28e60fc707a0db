"""Writing files whole or not at all."""

import errno
import os
from pathlib import Path

import pytest

from respmark.files import write_whole


def full_disk(_handle: int) -> None:
    """Fail as a full disk does."""
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_content_is_written(tmp_path: Path) -> None:
    """The file has the bytes, is readable for others, and nothing lies beside it."""
    write_whole(tmp_path / "a", b"new")
    assert (tmp_path / "a").read_bytes() == b"new"
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o644
    assert list(tmp_path.iterdir()) == [tmp_path / "a"]


def test_a_file_is_replaced(tmp_path: Path) -> None:
    """What was there before is gone whole."""
    (tmp_path / "a").write_bytes(b"something longer")
    write_whole(tmp_path / "a", b"new")
    assert (tmp_path / "a").read_bytes() == b"new"


def test_a_full_disk_leaves_the_old_file_and_nothing_partial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader still sees the whole old file, and no temporary file takes space."""
    (tmp_path / "a").write_bytes(b"old")
    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(OSError, match="No space left"):
        write_whole(tmp_path / "a", b"new")
    assert (tmp_path / "a").read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [tmp_path / "a"]


def test_a_folder_that_is_not_there_is_the_callers_to_explain(tmp_path: Path) -> None:
    """The system's own error comes through."""
    with pytest.raises(FileNotFoundError):
        write_whole(tmp_path / "no" / "a", b"new")
