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


def create(folder: Path) -> Path:
    """Make the results folder, and return the folder for what the tool writes."""
    raw = folder / "raw"
    make_folder(raw)
    return raw


def write_micro(folder: Path, run: MicroRun) -> None:
    """Write the file, whole or not at all."""
    write_model(folder / MICRO, run)


def read_folder(folder: Path, read: Callable[[Path], Trials]) -> list[Trials | MicroRun]:
    """Return what a results folder holds: trials, which `read` reads, micro-benchmarks, or both."""
    _check_name(folder)
    found: list[Trials | MicroRun] = [read(folder)] if (folder / MANIFEST).is_file() else []
    if (folder / MICRO).is_file():
        found.append(read_model(folder / MICRO, MicroRun))
    if not found:
        raise InvalidRequestError(f"{folder} is not the folder of a run: it has no {MANIFEST} and no {MICRO}")
    return found


def _check_name(folder: Path) -> None:
    try:
        folder.is_dir()
    except OSError as error:
        raise InvalidRequestError(f"{folder} cannot be read: {error.strerror}") from error
