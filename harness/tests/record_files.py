"""The files of a run's records, as text that a test can look at and change."""

import gzip
import json
import lzma
from pathlib import Path
from typing import Any, Final

from respmark.results.store import read_run

COMPRESSED: Final[dict[str, Any]] = {".gz": gzip, ".xz": lzma}


def bytes_of(path: Path) -> bytes:
    """Return what a file holds, uncompressed."""
    form = COMPRESSED.get(path.suffix)
    return form.decompress(path.read_bytes()) if form else path.read_bytes()


def text_of(path: Path) -> str:
    """Return what a record's file, or a manifest, holds."""
    return bytes_of(path).decode()


def write_text(path: Path, text: str) -> None:
    """Give a record's file, or a manifest, another content."""
    form = COMPRESSED.get(path.suffix)
    path.write_bytes(form.compress(text.encode()) if form else text.encode())


def change(path: Path, **fields: Any) -> None:  # noqa: ANN401 - anything that JSON can hold
    """Give a file's fields other values."""
    write_text(path, json.dumps({**json.loads(text_of(path)), **fields}))


def records_of(folder: Path) -> list[dict[str, Any]]:
    """Return the records of a run as JSON, every slice written out."""
    return [record.model_dump(mode="json") for record in read_run(folder).records]
