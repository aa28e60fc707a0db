"""Take away what set-up, tests and linters made; never results."""

import os
from collections.abc import Iterator
from pathlib import Path

from bootstrap import steps
from bootstrap.languages import LANGUAGES
from bootstrap.layout import Layout

CACHES = frozenset(
    {
        "__pycache__",
        ".hypothesis",
        ".import_linter_cache",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
    }
)
NOT_OURS = frozenset({".git", "results"})


def clean(layout: Layout) -> tuple[str, ...]:
    """Remove it all and give what was removed."""
    return tuple(layout.shown(_removed(path)) for path in _made(layout))


def _removed(path: Path) -> Path:
    steps.remove(path)
    return path


def _made(layout: Layout) -> Iterator[Path]:
    leaves = (layout.root / leaf for language in LANGUAGES for leaf in language.leaves)
    yield from (path for path in (layout.build, *leaves) if path.exists())
    for folder, names, _ in os.walk(layout.root):
        found = {name for name in names if name in CACHES or name.endswith(".egg-info")}
        names[:] = sorted(set(names) - found - NOT_OURS)
        yield from (Path(folder, name) for name in sorted(found))
