"""Reads a run cell by cell: however long it is, only a few of its files are in memory at the same time."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from pydantic import BaseModel, ValidationError

from respmark.errors import InvalidRequestError
from respmark.results.store import TRIALS, in_order
from respmark.results.untrusted import XZ, record_files, shown, unpack
from respmark.results.version1 import Record


class _Trial(BaseModel):
    cell_id: str


class _PackedTrials(BaseModel):
    """What is needed of a packed file to know whose trials it has."""

    trials: list[_Trial]


def by_cell(folder: Path, batches: Iterable[list[Record]]) -> Iterator[list[Record]]:
    """Yield the records of each cell in the order of the run, as soon as the last of them is read.

    Args:
        folder: The folder of the run.
        batches: Its records, as `read_batches` yields them.

    Raises:
        InvalidRequestError: a file cannot be read, or is not named after its trial.
    """
    left = _trials_of_cells(folder)
    read: defaultdict[str, list[Record]] = defaultdict(list)

    def complete(batch: list[Record]) -> list[list[Record]]:
        """Return the cells whose last records are in this batch."""
        for record in batch:
            read[record.cell_id].append(record)
            left[record.cell_id] -= 1
        cells = dict.fromkeys(record.cell_id for record in batch)
        return [sorted(read.pop(cell_id), key=in_order) for cell_id in cells if not left[cell_id]]

    # Variables of a loop would keep a batch in memory while the next one is read.
    yield from chain.from_iterable(map(complete, batches))
    for records in read.values():
        name = shown(records[0].trial_id)
        message = f"the file of trial {name} in {folder / TRIALS} is not named after it; was it renamed?"
        raise InvalidRequestError(message)


def _trials_of_cells(folder: Path) -> Counter[str]:
    """Return how many trials each cell has: a trial's own file is named after it, packed files are looked into."""
    found: Counter[str] = Counter()
    for path in record_files(folder / TRIALS):
        if path.suffix == XZ:
            found.update(one.cell_id for one in _packed_trials(path, folder))
        else:
            found[path.name.rpartition("--round=")[0]] += 1
    return found


def _packed_trials(path: Path, folder: Path) -> list[_Trial]:
    try:
        return _PackedTrials.model_validate_json(unpack(path, folder)).trials
    except ValidationError:
        return []  # Reading it whole tells what is wrong with it.
