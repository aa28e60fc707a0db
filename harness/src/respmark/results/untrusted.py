"""Reads results as if an attacker had written them: with bounded memory and time, and nothing outside the folder."""

import lzma
import os
import re
import stat
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from respmark.errors import InvalidRequestError
from respmark.escaping import line

MEBIBYTE: Final = 2**20
FILE_LIMIT: Final = 64 * MEBIBYTE
"""Size of one file in bytes; the largest that a run has are a few hundred KB."""
FOLDER_LIMIT: Final = 512 * MEBIBYTE
"""Size of all files of one run together, in bytes."""
FILES_LIMIT: Final = 50_000
CELLS_LIMIT: Final = 5_000
"""The suite `full` has several hundred."""
SHOWN: Final = 100
"""How many characters of untrusted text a message shows."""
NO_FIGURE: Final = re.compile(
    rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|(?<=[:\[,\s])(?P<number>-?(?:\d{19,}|[\d.]+[eE]\+?\d{3,}|NaN|Infinity))', re.DOTALL
)
"""A JSON string, in which any digits may stand, or a number that no measurement has: too long for 64 bits, or not
finite."""
ZEROS: Final = bytes.maketrans(b"123456789einfaty", b"0" * 9 + b"EINFATY")
"""A translation that turns all digits into zeros, and the letters of `e`, `NaN` and `Infinity` into capitals."""
GZIP: Final = ".gz"
XZ: Final = ".xz"
XZ_MEMORY: Final = 32 * MEBIBYTE
"""In bytes; unpacking a file of respmark's takes 9 MB."""
NO_NAME: Final = re.compile(r"[/\\\0]|^\.{0,2}$")


def shown(word: object) -> str:
    """Return untrusted text for a message, shortened and made harmless."""
    text = line(str(word))
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."


def is_there(path: Path) -> bool:
    """Return whether there is a file.

    Raises:
        InvalidRequestError: the system does not let us look.
    """
    try:
        return path.is_file()
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from error


def read_regular(path: Path, inside: Path | None = None) -> bytes:
    """Return the content of a file; `inside` is the folder that it must not lead out of.

    Raises:
        InvalidRequestError: it cannot be read, is not a regular file, is too large, or is in another folder.
    """
    try:
        if inside is not None and not path.resolve().is_relative_to(inside.resolve()):
            message = f"{line(str(path))} is a link out of its folder; a run's files lie in the run's folder"
            raise InvalidRequestError(message)
        # Opening a pipe that nobody writes to would block.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(handle, "rb") as file:
            _check_file(path, os.fstat(handle))
            return file.read(FILE_LIMIT)
    except (OSError, ValueError, RuntimeError) as error:
        raise _unreadable(path, error) from error


def read_json_bytes(path: Path, inside: Path | None = None) -> bytes:
    """Return the JSON that a file holds, if its numbers can be those of a measurement; see `read_regular`."""
    return _figures_only(path, read_regular(path, inside))


def unpack(path: Path, inside: Path) -> bytes:
    """Return the JSON that a compressed file holds, as `read_json_bytes` does; unpacked, it must not be too large."""
    stream = _decompressor(path)
    try:
        content = stream.decompress(read_regular(path, inside), FILE_LIMIT + 1)
    except (zlib.error, lzma.LZMAError) as error:
        kind = path.suffix.removeprefix(".")
        raise InvalidRequestError(
            f"{line(str(path))} does not read: it is no {kind} file, or damaged ({error})"
        ) from error
    if len(content) > FILE_LIMIT:
        raise InvalidRequestError(f"{line(str(path))} unpacks to more than {FILE_LIMIT // MEBIBYTE} MiB")
    if not stream.eof or stream.unused_data:
        raise InvalidRequestError(f"{line(str(path))} does not read: it is cut off, or holds more than one file")
    return _figures_only(path, content)


def _decompressor(path: Path) -> "zlib._Decompress | lzma.LZMADecompressor":
    if path.suffix == XZ:
        return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=XZ_MEMORY)
    return zlib.decompressobj(zlib.MAX_WBITS | 16)


def record_contents(folder: Path, inside: Path) -> Iterator[tuple[Path, bytes]]:
    """Yield the path and JSON of each record file in a folder, sorted by name; for `inside`, see `read_regular`.

    Raises:
        InvalidRequestError: there are too many, they are too large together or unpacked, or one cannot be read.
    """
    unpacked = 0
    for path in record_files(folder):
        content = unpack(path, inside) if path.suffix in {GZIP, XZ} else read_json_bytes(path, inside)
        unpacked += len(content)
        _check_together(folder, unpacked)
        yield path, content


def _figures_only(path: Path, content: bytes) -> bytes:
    if not _may_be_no_figure(content):
        return content
    numbers = (found["number"] for found in NO_FIGURE.finditer(content))
    if number := next(filter(None, numbers), None):
        what = shown(number.decode(errors="replace"))
        raise InvalidRequestError(f"{line(str(path))} holds {what}, which is no figure of a measurement")
    return content


def _may_be_no_figure(content: bytes) -> bool:
    """Return whether NO_FIGURE may find anything; that search takes fifty times as long, and mostly finds nothing."""
    alike = content.translate(ZEROS)
    return any(mark in alike for mark in (b"0" * 19, b"E000", b"E+000", b"NAN", b"INFINITY"))


def record_files(folder: Path) -> list[Path]:
    """Return the record files in a folder, sorted by name; none if there is no folder.

    Raises:
        InvalidRequestError: there are too many, they are too large together, or the folder cannot be read.
    """
    found: list[Path] = []
    size = 0
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if not entry.name.endswith((".json", f".json{GZIP}", f".json{XZ}")) or entry.name.startswith("."):
                    continue
                found.append(folder / entry.name)
                size += entry.stat(follow_symlinks=False).st_size
                _check_together(folder, size, len(found))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise _unreadable(folder, error) from error
    return sorted(found)


def check_names(path: Path, names: Iterable[str]) -> None:
    """Refuse names that could be paths.

    Raises:
        InvalidRequestError: one could be a path; the first such name is in the message.
    """
    for name in names:
        if NO_NAME.search(name):
            raise InvalidRequestError(f"{line(str(path))} names `{shown(name)}`, which is no name but a path")


def check_cells(path: Path, cells: Iterable[str]) -> None:
    """Refuse more cells than a run has.

    Raises:
        InvalidRequestError: there are too many.
    """
    count = len(set(cells))
    if count > CELLS_LIMIT:
        raise InvalidRequestError(f"{line(str(path))} has {count:,} cells; a run has up to {CELLS_LIMIT:,}")


def check_once(path: Path, what: str, names: Iterable[str]) -> None:
    """Refuse a name that occurs more than once.

    Raises:
        InvalidRequestError: one does; the first such name is in the message.
    """
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise InvalidRequestError(f"{line(str(path))} has the {what} `{shown(twice)}` more than once")


@contextmanager
def fitting_together(folder: Path) -> Iterator[None]:
    """Turn an error in computing from a run's files into a message for the user.

    Raises:
        InvalidRequestError: the files can be read, but do not fit together.
    """
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        kind = type(error).__name__
        message = (
            f"the files of {line(str(folder))} do not fit together ({kind}: {shown(error)}); "
            "were they changed, or written by another program?"
        )
        raise InvalidRequestError(message) from error


def _check_file(path: Path, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise InvalidRequestError(f"{line(str(path))} is no regular file")
    if status.st_size > FILE_LIMIT:
        size = f"{status.st_size / MEBIBYTE:,.0f} MiB"
        raise InvalidRequestError(
            f"{line(str(path))} has {size}; respmark reads files of up to {FILE_LIMIT // MEBIBYTE} MiB"
        )


def _check_together(folder: Path, size: int, files: int = 0) -> None:
    if files > FILES_LIMIT:
        raise InvalidRequestError(f"{line(str(folder))} has more than {FILES_LIMIT:,} files; no run has so many")
    if size > FOLDER_LIMIT:
        limit = FOLDER_LIMIT // MEBIBYTE
        raise InvalidRequestError(
            f"the files in {line(str(folder))} have more than {limit} MiB together; no run has so much"
        )


def _unreadable(path: Path, error: Exception) -> InvalidRequestError:
    said = (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
    return InvalidRequestError(f"{line(str(path))} cannot be read: {said}")
