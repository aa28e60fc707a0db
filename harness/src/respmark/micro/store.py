"""The file `micro.json` of a results folder."""

from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

from respmark.errors import InvalidRequestError
from respmark.micro.model import MicroRun
from respmark.results.store import MANIFEST, make_folder, read_model, write_model

Trials = TypeVar("Trials")
"""What trials are read as."""

MICRO: Final = "micro.json"
RAW: Final = "raw"
"""Folder for what the tool itself wrote."""


def create(folder: Path) -> Path:
    """Make the results folder, and return the folder for what the tool writes.

    Raises:
        RunFolderError: it cannot be made.
    """
    make_folder(folder / RAW)
    return folder / RAW


def write_micro(folder: Path, run: MicroRun) -> None:
    """Write the file, whole or not at all."""
    write_model(folder / MICRO, run)


def read_folder(folder: Path, read: Callable[[Path], Trials]) -> list[Trials | MicroRun]:
    """Return what a results folder holds: trials, micro-benchmarks, or both.

    Args:
        folder: The results folder.
        read: Reads the trials, if there are any.

    Raises:
        InvalidRequestError: it holds neither, is newer than this version, or a file cannot be read.
    """
    found: list[Trials | MicroRun] = [read(folder)] if (folder / MANIFEST).is_file() else []
    if (folder / MICRO).is_file():
        found.append(read_model(folder / MICRO, MicroRun))
    if not found:
        message = f"{folder} is not the folder of a run: it has no {MANIFEST} and no {MICRO}"
        raise InvalidRequestError(message)
    return found
