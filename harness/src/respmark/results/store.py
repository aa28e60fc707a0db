"""The folder of a run: `manifest.json`, and `trials.jsonl` with a line a trial, written as the trial ends."""

import errno
import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from io import BufferedIOBase
from pathlib import Path
from typing import Final, Self, TypeVar

from pydantic import ValidationError

from respmark.contract.base import Message
from respmark.contract.trial import EVERY, Scenario
from respmark.errors import InvalidRequestError, ResultsLostError, RunFolderError
from respmark.files import write_whole
from respmark.results.manifest import Manifest
from respmark.results.records import FORMAT, Status, TrialRecord

Model = TypeVar("Model", bound=Message)

MANIFEST: Final = "manifest.json"
TRIALS: Final = "trials.jsonl"
COMPRESSED: Final = "trials.jsonl.xz"
"""The same in published runs."""
TRIAL_ID: Final = re.compile(rb'\{"trial_id": ?"([^"]*)"')
"""How a line begins."""
SCENARIO: Final = re.compile(rb'"scenario": ?"([^"]*)"')
Record = TypeVar("Record", bound=TrialRecord)
RecordType = Callable[[Scenario], type[Record] | None]
"""Returns what records of a scenario are: each kind of trial has its own; None: they are left out."""
IDENTITY: Final = frozenset({"run_id", "trial_id"})
"""Fields that all files of runs have, in any format."""
UNNUMBERED: Final = 1
"""The format of runs whose files do not state it."""
ADVICE: Final = {
    errno.ENOSPC: "free some space, or name another folder with --out",
    errno.EFBIG: "raise the file size limit, or name another folder with --out",
    errno.EDQUOT: "free some of your disk quota, or name another folder with --out",
    errno.EEXIST: "a run with this name already exists; name another folder with --out",
}

# --- writing ---------------------------------------------------------------------------------------------------------


@dataclass
class RunFolder:
    """The folder of a run that is being made."""

    folder: Path
    is_measured: bool = False
    """Whether it has a trial for which something was measured."""

    @classmethod
    def create(cls, folder: Path) -> Self:
        """Make the folder; raises RunFolderError if it cannot be made."""
        make_folder(folder)
        return cls(folder)

    @classmethod
    def reopen(cls, folder: Path) -> Self:
        """Return the folder of a run that is resumed; a last line that was cut off is removed."""
        path = folder / TRIALS
        with _explained(path):
            if path.exists():
                with path.open("r+b") as file:
                    file.truncate(sum(len(line) for line in file if line.endswith(b"\n")))
        return cls(folder, is_measured=True)

    @contextmanager
    def discarded_if_refused(self) -> Iterator[None]:
        """Remove the folder if an error ends the run before its first trial: its name can be used again."""
        try:
            yield
        except BaseException:
            if not (self.folder / TRIALS).exists():
                with suppress(OSError):
                    (self.folder / MANIFEST).unlink(missing_ok=True)
                    self.folder.rmdir()
            raise

    def append(self, record: TrialRecord) -> None:
        """Write a trial's line, whole or not at all; raises ResultsLostError if something was measured before."""
        self.is_measured |= record.status in {Status.OK, Status.FAILED}
        path = self.folder / TRIALS
        with measured_and_lost() if self.is_measured else nullcontext(), _explained(path):
            _append(path, line_of(record))

    def write_manifest(self, manifest: Manifest) -> None:
        """Write the manifest, whole or not at all."""
        write_model(self.folder / MANIFEST, manifest)


def line_of(record: TrialRecord) -> bytes:
    """Return the line of a trial; what has its default is left out."""
    return record.model_dump_json(exclude_defaults=True).encode() + b"\n"


def _append(path: Path, line: bytes) -> None:
    with path.open("ab", buffering=0) as file:
        before = file.tell()
        try:
            left = memoryview(line)
            while left:
                left = left[file.write(left) :]
            os.fsync(file.fileno())
        except OSError:
            file.truncate(before)
            raise


@contextmanager
def measured_and_lost() -> Iterator[None]:
    """Turn a RunFolderError into a ResultsLostError: something was measured, and cannot be written."""
    try:
        yield
    except RunFolderError as error:
        raise ResultsLostError(f"{error}; what was written before is kept") from error


def make_folder(folder: Path) -> None:
    """Make the folder of a new run; raises RunFolderError if it cannot be made, or holds something already."""
    with _explained(folder):
        is_empty = folder.is_dir() and not any(folder.iterdir())
        folder.mkdir(parents=True, exist_ok=is_empty)


def write_model(path: Path, content: Message) -> None:
    """Write a file of a run, whole or not at all; raises what `write_file` does."""
    write_file(path, content.model_dump_json(indent=1).encode() + b"\n")


def write_file(path: Path, content: bytes) -> None:
    """Write a file of a run, whole or not at all; raises RunFolderError if it cannot be written."""
    with _explained(path):
        write_whole(path, content)


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        advice = ADVICE.get(error.errno or 0, "name a writable folder with --out")
        raise RunFolderError(f"cannot write {path}: {error.strerror}; {advice}") from error


# --- reading ---------------------------------------------------------------------------------------------------------


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a run; raises InvalidRequestError if the folder is none of a run, or it cannot be read."""
    if not (folder / MANIFEST).is_file():
        raise InvalidRequestError(f"{folder} is not a run folder: it has no {MANIFEST}")
    return read_model(folder / MANIFEST, Manifest)


def read_model(path: Path, model: type[Model]) -> Model:
    """Read a file of a run; raises InvalidRequestError if it cannot be read, with the field that is wrong."""
    with _readable(path):
        content = path.read_bytes()
    return _validated(str(path), model, content)


def read_records(folder: Path, record_type: RecordType[Record]) -> Iterator[Record]:
    """Yield the records of a run in the order of their lines; of a trial that was measured again, the last one.

    `record_type` knows the kinds of trial: `respmark.kinds.record_type`.

    Raises InvalidRequestError if a line cannot be read; the message says which one, and which field is wrong.
    """
    # A resumed run measures a whole block again, so a trial may have several lines.
    last = {found[1] if (found := TRIAL_ID.match(line)) else line: place for place, line in _lines(folder)}
    kept = set(last.values())
    for place, line in _lines(folder):
        if place in kept and (model := _type_of(line, record_type)) is not None:
            yield _validated(place, model, line)


def _type_of(line: bytes, record_type: RecordType[Record]) -> type[Record] | None:
    found = SCENARIO.search(line)
    name = found[1].decode() if found else None
    return record_type(Scenario(name) if name in EVERY else Scenario.SYNC)  # whose fields say what is wrong


def _lines(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield each line with its place; a last line without its end was cut off as it was written."""
    for path in (folder / COMPRESSED, folder / TRIALS):
        if path.exists():
            with _readable(path), _unpacked(path) if path == folder / COMPRESSED else path.open("rb") as file:
                for number, line in enumerate(file, start=1):
                    if line.endswith(b"\n"):
                        yield f"{path}, line {number},", line


@contextmanager
def _unpacked(path: Path) -> Iterator[BufferedIOBase]:
    try:
        import lzma  # noqa: PLC0415 - some Pythons are built without it, and only published runs need it
    except ImportError as error:
        raise InvalidRequestError(f"{path} cannot be read: this Python has no lzma; unpack it with unxz") from error
    try:
        with lzma.open(path) as file:
            yield file
    except (EOFError, lzma.LZMAError) as error:
        raise InvalidRequestError(f"{path} cannot be read: {error}") from error


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InvalidRequestError(f"{path} cannot be read: {error.strerror or error}") from error


def _validated(place: str, model: type[Model], content: bytes) -> Model:
    try:
        return model.model_validate_json(content)
    except ValidationError as error:
        if (advice := _other_format(content, model)) is not None:
            raise InvalidRequestError(f"{place} {advice}") from error
        detail = error.errors()[0]
        key = ".".join(map(str, detail["loc"])) or "the whole"
        raise InvalidRequestError(f"{place} does not read: `{key}`: {detail['msg']}") from error


def _other_format(content: bytes, model: type[Message]) -> str | None:
    """Return what to do about a file of a run whose format has another number; None if that is not why it is wrong."""
    if "format" not in model.model_fields:
        return None
    try:
        found = json.loads(content)
        number = found.get("format", UNNUMBERED if found.keys() & IDENTITY else None)
    except (ValueError, AttributeError):
        return None
    if number is None:
        return "is no file of a run of respmark"
    if not isinstance(number, int) or number == FORMAT:
        return None
    if number > FORMAT:
        return f"was written by a newer respmark (format {number}, this one reads {FORMAT}): update respmark"
    return f"was written by an older respmark (format {number}, this one reads {FORMAT}): read it with that version"
