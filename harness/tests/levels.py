"""Which tests start nothing, which is enforced; and how long every module takes, by which the next run is ordered."""

import csv
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from respmark.paths import build

TESTS: Final = Path(__file__).parent
STARTS: Final = frozenset({"subprocess.Popen", "os.posix_spawn", "os.fork", "os.exec", "socket.connect", "socket.bind"})
"""Audit events of Python's: a process is started, or somebody is spoken to."""
UNITS: Final = (
    "bisect",
    "contract",
    "figures",
    "guidance",
    "plan",
    "releases",
    "report",
    "results",
    "specs",
    "workload",
)
"""Folders whose tests start nothing."""
PARTS: Final = ("report/html/test_browser.py",)
"""Modules in them that do."""

_may_start = True


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    if not _may_start and event in STARTS:
        raise AssertionError(f"a unit test starts nothing, but: {event} {arguments[:2]}")


sys.addaudithook(_refuse)


def is_unit(path: Path) -> bool:
    """Return whether the tests of a module start nothing."""
    name = path.relative_to(TESTS).as_posix()
    return name.startswith(tuple(f"{folder}/" for folder in UNITS)) and name not in PARTS


@contextmanager
def nothing_starts() -> Iterator[None]:
    """Fail whoever starts something within."""
    global _may_start  # noqa: PLW0603 - audit hooks cannot be taken away again
    _may_start = False
    try:
        yield
    finally:
        _may_start = True


def level_of(module: str) -> str:
    """Return what the tests of a module are: units, or those of a folder that start something."""
    path = TESTS / Path(module).relative_to("tests")
    return "unit" if is_unit(path) else path.relative_to(TESTS).parts[0].removesuffix(".py")


def file() -> Path:
    """Return where durations stand: a line a module, its seconds of all tests and fixtures."""
    return build() / "log" / "durations.csv"


def recorded() -> dict[str, float]:
    """Return how long each module took the last time."""
    if not file().is_file():
        return {}
    with file().open(encoding="utf-8", newline="") as lines:
        return {module: float(seconds) for module, seconds in csv.reader(lines)}


def record(reports: list[pytest.TestReport]) -> list[str]:
    """Keep how long modules took, and return a line a level, the longest first."""
    took, levels = defaultdict[str, float](float), defaultdict[str, float](float)
    for report in reports:
        took[report.nodeid.partition("::")[0].removeprefix("harness/")] += report.duration
    known = recorded() | took
    file().parent.mkdir(parents=True, exist_ok=True)
    with file().open("w", encoding="utf-8", newline="") as lines:
        csv.writer(lines).writerows((module, f"{known[module]:.2f}") for module in sorted(known))
    for module, seconds in took.items():
        levels[level_of(module)] += seconds
    return [f"{levels[level]:8.1f} s  {level}" for level in sorted(levels, key=lambda one: -levels[one])]
