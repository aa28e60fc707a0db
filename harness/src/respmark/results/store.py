"""Writes and reads the folder of a run."""

import errno
import gc
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Final, TypeVar

from pydantic import ValidationError

from respmark.contract.base import Message
from respmark.errors import InvalidRequestError, ResultsLostError, RunFolderError
from respmark.files import write_whole
from respmark.results.compact import CompactRecord, PackedFile, PackedRecord, pack
from respmark.results.manifest import Manifest
from respmark.results.records import Status, TrialRecord
from respmark.results.slice_table import FileColumns, SliceTable, join
from respmark.results.untrusted import (
    GZIP,
    XZ,
    check_cells,
    check_names,
    check_once,
    is_there,
    read_json_bytes,
    record_contents,
    shown,
)
from respmark.results.version1 import Record, TrialRecord1

Model = TypeVar("Model", bound=Message)

MANIFEST: Final = "manifest.json"
TRIALS: Final = "trials"
COMPACT_VERSION: Final = 3
"""From this version on, records are compact; before, each was a plain JSON object."""
JOINED: Final = 200_000
"""How many values of slices are read before they are put into arrays: as lists, they take five times the memory."""


@dataclass(frozen=True, eq=False)
class Run:
    """A run as read from its files; it is equal only to itself, so results can be cached by run."""

    folder: Path
    manifest: Manifest
    records: tuple[Record, ...]

    def by_cell(self) -> list[list[Record]]:
        """Return the records of each cell."""
        found: defaultdict[str, list[Record]] = defaultdict(list)
        for record in self.records:
            found[record.cell_id].append(record)
        return list(found.values())


class RunFolder:
    """The folder of a run that is being made."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._measured = False

    @classmethod
    def create(cls, folder: Path) -> "RunFolder":
        """Make the folder.

        Raises:
            RunFolderError: it cannot be made or written.
        """
        make_folder(folder / TRIALS)
        return cls(folder)

    @classmethod
    def reopen(cls, folder: Path) -> "RunFolder":
        """Return the folder of a run that is resumed."""
        reopened = cls(folder)
        reopened._measured = True
        return reopened

    def record(self, record: TrialRecord) -> None:
        """Write a trial's file, whole or not at all.

        Raises:
            ResultsLostError: it cannot be written, and something was measured.
            RunFolderError: it cannot be written, and nothing was measured.
        """
        self._measured = self._measured or record.status in {Status.OK, Status.FAILED}
        with measured_and_lost() if self._measured else nullcontext():
            write_file(self.folder / trial_path(record), pack(record))

    def write_manifest(self, manifest: Manifest) -> None:
        """Write the manifest, whole or not at all."""
        write_model(self.folder / MANIFEST, manifest)


def trial_path(record: Record) -> Path:
    """Return where a trial's record is in the folder of its run; for a packed record, only its name."""
    if isinstance(record, PackedRecord):
        return Path(TRIALS, record.trial_id)
    suffix = ".json.gz" if record.schema_version >= COMPACT_VERSION else ".json"
    return Path(TRIALS, f"{record.trial_id}{suffix}")


@contextmanager
def measured_and_lost() -> Iterator[None]:
    """Report what cannot be written as measured and lost.

    Raises:
        ResultsLostError: it cannot be written.
    """
    try:
        yield
    except RunFolderError as error:
        raise ResultsLostError(f"{error}; what was written before is kept") from error


def make_folder(folder: Path) -> None:
    """Make a folder inside the folder of a new run.

    Raises:
        RunFolderError: it cannot be made, or exists already.
    """
    try:
        folder.mkdir(parents=True)
    except OSError as error:
        raise RunFolderError(_explain(folder.parent, error)) from error


def write_model(path: Path, content: Message, indent: int | None = 1) -> None:
    """Write a file of a run, whole or not at all.

    Raises:
        RunFolderError: it cannot be written.
    """
    write_file(path, content.model_dump_json(indent=indent).encode() + b"\n")


def write_file(path: Path, content: bytes) -> None:
    """Write a file of a run, whole or not at all.

    Raises:
        RunFolderError: it cannot be written.
    """
    try:
        write_whole(path, content)
    except OSError as error:
        raise RunFolderError(_explain(path, error)) from error


def _explain(path: Path, error: OSError) -> str:
    advice = {
        errno.ENOSPC: "free some space, or name another folder with --out",
        errno.EFBIG: "raise the limit of a file's size, or name another folder with --out",
        errno.EDQUOT: "free some of your quota, or name another folder with --out",
        errno.EEXIST: "a run of this name is there already; name another folder with --out",
    }.get(error.errno or 0, "name a folder that you may write to with --out")
    return f"cannot write {path}: {error.strerror}; {advice}"


def read_run(folder: Path) -> Run:
    """Read a run.

    Raises:
        InvalidRequestError: it is not the folder of a run, is newer than this version, or a file cannot be read.
    """
    manifest = read_manifest(folder)
    records = list(chain.from_iterable(read_batches(folder, manifest)))
    return Run(folder, manifest, tuple(sorted(records, key=in_order)))


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a run; raises what `read_run` does."""
    if not is_there(folder / MANIFEST):
        message = f"{folder} is not the folder of a run: it has no {MANIFEST}"
        raise InvalidRequestError(message)
    manifest = read_model(folder / MANIFEST, Manifest, folder)
    planned = [cell.cell_id for cell in manifest.cells]
    check_cells(folder, planned)
    check_names(folder, [manifest.run_id, *planned])
    check_once(folder / MANIFEST, "cell", planned)
    return manifest


def in_order(record: Record) -> tuple[int, int, str]:
    """Return what the records of a run are sorted by."""
    return record.round, record.order, record.trial_id


@contextmanager
def _without_collecting() -> Iterator[None]:
    """Keep Python from looking for cycles again and again in what is read: it has none."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def read_batches(folder: Path, manifest: Manifest) -> Iterator[list[Record]]:
    """Yield the records of a run, those of several files at a time, in the order of the files' names.

    The slices of similar trials of a batch are in the same arrays.

    Raises:
        InvalidRequestError: a file cannot be read, or the files do not belong to one run.
    """
    cells = {cell.cell_id for cell in manifest.cells}
    trials: list[str] = []

    def noted(batch: list[Record]) -> list[Record]:
        cells.update(record.cell_id for record in batch)
        trials.extend(record.trial_id for record in batch)
        return batch

    contents = record_contents(folder / TRIALS, folder)
    # A variable of a loop would keep a batch in memory while the next one is read.
    yield from map(noted, iter(lambda: _read_batch(contents, manifest), []))
    check_cells(folder, cells)
    check_names(folder, [*sorted(cells), *trials])
    check_once(folder, "trial", trials)


def _read_batch(contents: Iterator[tuple[Path, bytes]], manifest: Manifest) -> list[Record]:
    """Return the records of the next files, with the slices of similar trials in the same arrays; none at the end."""
    records: list[Record] = []
    files: list[tuple[Path, FileColumns]] = []
    values = 0
    with _without_collecting():
        for path, content in contents:
            found, columns = _read_file(path, content, manifest)
            records += found
            files += [(path, one) for one in columns]
            values += sum(one.size for one in columns)
            if values > JOINED:
                break
        _join(files)
    return records


def _join(files: list[tuple[Path, FileColumns]]) -> None:
    """Put the slices of similar trials into the same arrays; an error names the file whose slices are invalid."""
    alike: defaultdict[tuple[object, ...], list[tuple[Path, FileColumns]]] = defaultdict(list)
    for path, columns in files:
        alike[columns.signature].append((path, columns))
    for some in alike.values():
        try:
            join([columns for _, columns in some])
        except ValueError:
            for path, columns in some:
                with named_in_error(path):
                    join([columns])


@contextmanager
def named_in_error(path: Path) -> Iterator[None]:
    """Name the file in the error if its slices cannot be read.

    Raises:
        InvalidRequestError: they cannot be read.
    """
    try:
        yield
    except ValueError as error:
        message = f"{path} does not read: `slices`: {shown(f'Value error, {error}')}"
        raise InvalidRequestError(message) from error


def _read_file(path: Path, content: bytes, manifest: Manifest) -> tuple[Sequence[Record], list[FileColumns]]:
    """Return the records of a file and the columns of their slices."""
    if path.suffix != XZ:
        record = _validated(path, _record_model(path, manifest), content)
        slices = record.slices if isinstance(record, TrialRecord) else ()
        return [record], [slices.columns] if isinstance(slices, SliceTable) and slices.columns else []
    packed = packed_file(path, content)
    with named_in_error(path):
        columns = [one.read() for one in packed.slices]
    return packed.with_slices(columns), columns


def packed_file(path: Path, content: bytes) -> PackedFile:
    """Return what a packed file holds.

    Raises:
        InvalidRequestError: it cannot be read.
    """
    packed = _validated(path, PackedFile, content)
    check_names(path, [one.trial_id for one in packed.trials])
    return packed


def _record_model(path: Path, manifest: Manifest) -> type[Record]:
    if path.suffix == GZIP:
        return CompactRecord
    return TrialRecord1 if manifest.schema_version == 1 else TrialRecord


def read_model(path: Path, model: type[Model], folder: Path | None = None) -> Model:
    """Read a file of a run; it must not lead out of `folder`, the run's.

    Raises:
        InvalidRequestError: it is newer than this version, or cannot be read.
    """
    return _validated(path, model, read_json_bytes(path, folder))


def _validated(path: Path, model: type[Model], content: bytes) -> Model:
    try:
        return model.model_validate_json(content)
    except ValidationError as error:
        raise InvalidRequestError(_misread(path, error)) from error


def _misread(path: Path, error: ValidationError) -> str:
    detail = error.errors()[0]
    key = shown(".".join(str(part) for part in detail["loc"])) or "the file"
    if detail["type"] == "less_than_equal" and key == "schema_version":
        versions = f"schema_version {shown(detail['input'])}, this one reads up to {detail['ctx']['le']}"
        return f"{path} was written by a newer respmark ({versions}); update respmark"
    return f"{path} does not read: `{key}`: {shown(detail['msg'])}"
