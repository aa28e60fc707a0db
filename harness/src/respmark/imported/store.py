"""The file `imported.json` of a results folder."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from respmark import __version__
from respmark.contract.base import SCHEMA_VERSION
from respmark.imported.model import ImportedRun, LoadTool
from respmark.imported.read import read_records
from respmark.micro.model import MicroRun
from respmark.micro.store import Trials, read_folder, write_raw
from respmark.results.store import read_model, write_model
from respmark.results.untrusted import check_cells, check_names, fitting_together, is_there, read_regular

IMPORTED: Final = "imported.json"


def import_load(tool: LoadTool, path: Path, folder: Path, command_line: list[str]) -> ImportedRun:
    """Read a load generator's file, and write what it holds into a results folder, with a copy of the file.

    Raises:
        InvalidRequestError: it is not a file of that tool, or holds nothing.
        RunFolderError: the folder cannot be written.
    """
    with fitting_together(path):
        records = read_records(tool, path)
    run = ImportedRun(
        schema_version=SCHEMA_VERSION,
        run_id=folder.name,
        respmark_version=__version__,
        command_line=command_line,
        imported_at=datetime.now(UTC),
        imported_from=path.name,
        tool=tool,
        records=records,
    )
    write_raw(folder, path.name, read_regular(path))
    write_model(folder / IMPORTED, run)
    return run


def read_any(folder: Path, read: Callable[[Path], Trials]) -> list[Trials | MicroRun | ImportedRun]:
    """Return what a results folder holds: trials, which `read` reads, micro-benchmarks, or what was imported.

    Raises:
        InvalidRequestError: it holds nothing, is newer than this version, or a file cannot be read.
    """
    return [read_imported(folder)] if is_imported(folder) else [*read_folder(folder, read)]


def is_imported(folder: Path) -> bool:
    """Return whether a folder holds what a load generator measured."""
    return is_there(folder / IMPORTED)


def read_imported(folder: Path) -> ImportedRun:
    """Return what was imported from a load generator.

    Raises:
        InvalidRequestError: it is newer than this version, or cannot be read.
    """
    run = read_model(folder / IMPORTED, ImportedRun, folder)
    check_cells(folder / IMPORTED, map(str, range(len(run.records))))
    check_names(folder / IMPORTED, [run.run_id])
    return run
