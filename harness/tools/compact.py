"""Packs the files of a run's trials, many into one, as published runs are kept in git.

cd harness && ../.build/harness/bin/python -m tools.compact ../results/my-run
"""

import sys
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Final

from respmark.contract.base import RESULTS_VERSION
from respmark.errors import InvalidRequestError
from respmark.results.by_cell import by_cell
from respmark.results.compact import PackedRecord, pack_together
from respmark.results.records import TrialRecord
from respmark.results.store import (
    MANIFEST,
    TRIALS,
    packed_file,
    read_batches,
    read_manifest,
    write_file,
    write_model,
)
from respmark.results.untrusted import XZ, record_files, unpack

PACKED: Final = 500
"""How many trials one packed file has at most."""


def compact_run(folder: Path) -> int:
    """Pack the files of trials, many into one, and return how many trials the run has.

    A packed file is written before its trials' own files are removed; existing packed files stay as they are. If this
    is interrupted, it can be done again: own files of trials that are packed already are removed.

    Raises:
        InvalidRequestError: the run cannot be read, or is of version 1; it is left as it is.
        RunFolderError: a file cannot be written; what was not packed is still there as it was.
    """
    manifest = read_manifest(folder)
    if manifest.schema_version == 1:
        raise InvalidRequestError(f"{folder} is of version 1, whose records are read as they are and not rewritten")
    for path in record_files(folder / TRIALS):
        if path.suffix == XZ:
            _drop_files(folder, packed_file(path, unpack(path, folder)).trials)
    trials = sum(map(len, by_cell(folder, read_batches(folder, manifest))))
    write_model(folder / MANIFEST, manifest.model_copy(update={"schema_version": RESULTS_VERSION}))
    unpacked: list[TrialRecord] = []
    for records in by_cell(folder, read_batches(folder, manifest)):
        unpacked += [one for one in records if isinstance(one, TrialRecord) and not isinstance(one, PackedRecord)]
        while len(unpacked) >= PACKED:
            _pack(folder, unpacked[:PACKED])
            del unpacked[:PACKED]
    if unpacked:
        _pack(folder, unpacked)
    return trials


def _pack(folder: Path, records: Sequence[TrialRecord]) -> None:
    paths = (folder / TRIALS / f"packed-{number}.json{XZ}" for number in count(1))
    write_file(next(path for path in paths if not path.exists()), pack_together(records))
    _drop_files(folder, records)


def _drop_files(folder: Path, records: Sequence[TrialRecord]) -> None:
    """Remove the trials' own files."""
    for record in records:
        for suffix in (".json", ".json.gz"):
            (folder / TRIALS / f"{record.trial_id}{suffix}").unlink(missing_ok=True)


def main() -> None:
    """Pack the runs whose folders are the arguments."""
    for folder in map(Path, sys.argv[1:]):
        print(f"{folder}: {compact_run(folder):,} records are compact")  # noqa: T201 - what it has to say


if __name__ == "__main__":
    main()
