"""Temporary folders for a run: private, and removed however the run ends."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex

from respmark.files import told_if_not_written
from respmark.target.guardian import Guardian


def new_folder(guardian: Guardian, purpose: str = "") -> Path:
    """Make a folder that only this user can access; the guardian knows of it before it exists."""
    with told_if_not_written("a temporary folder"):
        folder = Path(tempfile.gettempdir()) / "-".join(filter(None, ("respmark", purpose, token_hex(8))))
        guardian.protect_folder(folder)
        try:
            folder.mkdir(mode=0o700)
        except OSError:
            guardian.release_folder(folder)  # whatever is there is not ours to remove
            raise
    return folder


def remove_folder(guardian: Guardian, folder: Path) -> None:
    """Remove such a folder, with everything in it."""
    shutil.rmtree(folder, ignore_errors=True)
    if not folder.exists():
        guardian.release_folder(folder)


@contextmanager
def guarded_folder(guardian: Guardian, purpose: str = "") -> Iterator[Path]:
    """Make such a folder, and remove it at the end."""
    folder = new_folder(guardian, purpose)
    try:
        yield folder
    finally:
        remove_folder(guardian, folder)
