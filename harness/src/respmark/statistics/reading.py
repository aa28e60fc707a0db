"""Makes the figures of a run from its files."""

from pathlib import Path

from respmark.evidence.recheck import Recheck
from respmark.results.by_cell import by_cell
from respmark.results.store import read_batches, read_manifest
from respmark.results.untrusted import fitting_together
from respmark.results.version1 import Record
from respmark.statistics.cells import CountedRun, counted_run


def read_counted(folder: Path, *, is_new: bool = False, rounds: int | None = None) -> CountedRun:
    """Return the figures of a run; its records are read cell by cell, and not kept.

    Args:
        folder: The run's folder.
        is_new: Whether this process has just written the records, and checked them as it did; others are checked again.
        rounds: How many rounds there can be so far, if the run is under way: later ones are not missing yet.

    Raises:
        InvalidRequestError: a file cannot be read, or a record does not hold (see `recheck`).
    """
    manifest = read_manifest(folder)
    if rounds is not None:
        manifest = manifest.model_copy(update={"rounds": rounds})
    again = Recheck(folder, manifest)

    def checked(batch: list[Record]) -> list[Record]:
        if not is_new:
            again.check(batch)
        return batch

    with fitting_together(folder):
        return counted_run(manifest, by_cell(folder, map(checked, read_batches(folder, manifest))))
