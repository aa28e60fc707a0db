"""Which published figures do not stand, and why: results/published/withdrawn.toml, on the first line of the pages."""

import tomllib
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Final

from respmark.contract.base import Message
from respmark.paths import CHECKOUT
from respmark.results.store import read_manifest
from tools.published import is_run

PATH: Final = CHECKOUT / "results" / "published" / "withdrawn.toml"
MARK: Final = "> **Withdrawn.** "


class Withdrawal(Message):
    """Figures that do not stand."""

    runs: tuple[str, ...]
    """Folders of the runs that they come from."""
    pages: tuple[str, ...]
    """Where they are shown; relative to docs/."""
    what: str
    """Which figures; Markdown."""
    why: str


class _File(Message):
    before: datetime
    """What was started later has been measured again."""
    withdrawn: tuple[Withdrawal, ...] = ()


def withdrawals(path: Path = PATH) -> list[Withdrawal]:
    """Return what is withdrawn: the entries of a file, but for those whose runs have all been measured again."""
    content = _File.model_validate(tomllib.loads(path.read_text(encoding="utf-8")), strict=False)
    old = {folder.name for folder in path.parent.iterdir() if _is_older(folder, content.before)}
    return [one for one in content.withdrawn if old.intersection(one.runs)]


def _is_older(folder: Path, before: datetime) -> bool:
    return is_run(folder) and read_manifest(folder).started_at < before


def of_page(page: str, withdrawn: Iterable[Withdrawal]) -> list[Withdrawal]:
    """Return what is withdrawn on a page, which is named relative to docs/."""
    return [one for one in withdrawn if page in one.pages]


def marked(text: str, withdrawn: Iterable[Withdrawal]) -> str:
    """Return a page with what is withdrawn below its title, instead of what stood there before."""
    title, *rest = text.split("\n")
    return "\n".join([title, *_notices(withdrawn), *_without_notices(rest)])


def _notices(withdrawn: Iterable[Withdrawal]) -> Iterator[str]:
    for one in withdrawn:
        yield from ("", f"{MARK}{one.what} {one.why}")


def _without_notices(lines: list[str]) -> list[str]:
    while len(lines) > 1 and lines[1].startswith(MARK):
        lines = lines[2:]
    return lines
