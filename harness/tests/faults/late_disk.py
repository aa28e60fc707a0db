"""The command `respmark` on a disk that fills up when a manifest is about to say that its run has ended."""

import errno
import os

from respmark.cli import main
from respmark.results import store
from respmark.results.manifest import Manifest, RunStatus

before = store.RunFolder.write_manifest


def full_at_the_end(folder: store.RunFolder, manifest: Manifest) -> None:
    """Write a manifest as long as its run goes on."""
    if manifest.status is not RunStatus.RUNNING:
        setattr(os, "fsync", full)  # noqa: B010 - a type checker knows only the real one
    before(folder, manifest)


def full(_handle: object) -> None:
    """Fail as a full disk does."""
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


setattr(store.RunFolder, "write_manifest", full_at_the_end)  # noqa: B010 - a method that a type checker would miss

if __name__ == "__main__":
    main()
