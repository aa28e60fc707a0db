"""Published runs, each read once: several pages are made from the same one."""

from functools import cache
from pathlib import Path

from respmark.figures.cells import RunFigures, read_figures
from respmark.kinds.loops.kind import LOOPS


def is_run(folder: Path) -> bool:
    """Return whether a run is there."""
    return (folder / "manifest.json").is_file()


@cache
def run_in(folder: Path) -> RunFigures:
    """Return the run of a folder with its figures; raises what `read_figures` does."""
    return read_figures(folder, LOOPS)
