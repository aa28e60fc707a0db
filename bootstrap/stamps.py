"""A stamp tells what a step was last done for, so that nothing is done twice and nothing is left half done."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from bootstrap.layout import Layout
from bootstrap.model import Step


@dataclass(frozen=True)
class Stamp:
    """What a step depends on."""

    foundation: str
    """Interpreter, tools and the checkout's own place: when they change, the step starts from nothing."""
    inputs: str
    """A digest of the step's commands and of its inputs' contents: when it changes, the step is done again."""


def wanted(step: Step, foundation: str, layout: Layout) -> Stamp:
    """Make the stamp that the step has when it is up to date."""
    digest = hashlib.sha256(repr(step.commands).encode())
    for file in _files(step.inputs, layout.root):
        content = file.read_bytes()
        digest.update(f"\0{file.relative_to(layout.root)}\0{len(content)}\0".encode() + content)
    return Stamp(f"{layout.root} {foundation}", digest.hexdigest())


def _files(globs: tuple[str, ...], root: Path) -> Iterator[Path]:
    found = {path for glob in globs for path in root.glob(glob) if path.is_file()}
    yield from sorted(found)


def read(path: Path) -> Stamp | None:
    """Read a stamp; one that cannot be read is none."""
    try:
        return Stamp(**json.loads(path.read_text()))
    except (OSError, ValueError, TypeError):
        return None


def write(path: Path, stamp: Stamp) -> None:
    """Keep a stamp."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(asdict(stamp)) + "\n")
