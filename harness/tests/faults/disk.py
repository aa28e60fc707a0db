"""A disk that is full: a small file system where one can be mounted, else the same error at the same place.

Run as a program, it is the command `respmark` on a disk that is only said to be full.
"""

import contextlib
import errno
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER, SIZE = "RESPMARK_TEST_DISK", "RESPMARK_TEST_DISK_KIB"


@dataclass(frozen=True)
class SmallDisk:
    """A folder that holds only so much."""

    folder: Path
    prefix: tuple[str, ...]
    """How the command is started on it; empty: as always."""


@contextlib.contextmanager
def small_disk(folder: Path, kibibytes: int) -> Iterator[SmallDisk]:
    """Mount a small file system, or say so to the command."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={kibibytes}k", "tmpfs", str(folder)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        yield SmallDisk(folder, (sys.executable, "-m", "tests.faults.disk", str(folder), str(kibibytes)))
        return
    try:
        yield SmallDisk(folder, ())
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def pretend(folder: Path, kibibytes: int) -> None:
    """Let `fsync` fail as on a full disk once a folder holds so much."""
    before = os.fsync

    def fail_if_full(handle: Any) -> None:  # noqa: ANN401 - whatever has a descriptor
        held = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
        if held > kibibytes * 1024:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        before(handle)

    setattr(os, "fsync", fail_if_full)  # noqa: B010 - a type checker knows only the real one


if __name__ == "__main__":
    from respmark.cli import main

    pretend(Path(sys.argv[1]), int(sys.argv[2]))
    del sys.argv[1:3]
    main()
