"""Reads a file of `--save`, or a text that somebody pasted."""

import sys
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from respmark.errors import InvalidRequestError
from respmark.triage.pasted import snapshot_of
from respmark.triage.snapshot import FORMAT, ServerSnapshot

STDIN: Final = Path("-")


def read_snapshot(path: Path) -> ServerSnapshot:
    """Return what a file shows; `-` is standard input. Raises InvalidRequestError if it shows nothing of a server."""
    name, content = ("standard input" if path == STDIN else str(path)), _content(path)
    if content.lstrip().startswith(b"{"):
        return _saved(name, content)
    if (found := snapshot_of(content.decode(errors="replace"))) is None:
        raise InvalidRequestError(
            f"{name} is no file of --save, and shows no INFO: paste what `redis-cli INFO everything` prints"
        )
    return found


def _content(path: Path) -> bytes:
    try:
        return sys.stdin.buffer.read() if path == STDIN else path.read_bytes()
    except OSError as error:
        raise InvalidRequestError(f"{path} cannot be read: {error.strerror}") from error


def _saved(name: str, content: bytes) -> ServerSnapshot:
    try:
        return ServerSnapshot.model_validate_json(content)
    except ValidationError as error:
        detail = error.errors()[0]
        key = ".".join(map(str, detail["loc"])) or "the whole"
        newer = f" (format {FORMAT} is the newest that this respmark reads)" if key == "format" else ""
        raise InvalidRequestError(f"{name} does not read: `{key}`: {detail['msg']}{newer}") from error
