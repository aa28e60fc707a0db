"""A run that is read cell by cell."""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from weakref import ref

import pytest

from respmark.contract.trial import Scenario, Shape
from respmark.errors import InvalidRequestError
from respmark.results import store
from respmark.results.by_cell import by_cell
from respmark.results.records import Status, TrialRecord
from respmark.results.store import RunFolder, read_batches, read_manifest, read_run
from respmark.results.version1 import Record
from tests.builders.plan import make_trial
from tests.builders.records import make_manifest, make_record, unmeasured
from tools import compact
from tools.compact import compact_run

DEPTHS = (1, 10, 100)
ROUNDS = (1, 2, 10)


@pytest.fixture(autouse=True)
def _few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a packed file have four trials, and a batch the trials of one file."""
    monkeypatch.setattr(compact, "PACKED", 4)
    monkeypatch.setattr(store, "JOINED", 0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the folder of a run of four cells, one of which was not measured; the rounds took turns."""
    made = RunFolder.create(tmp_path / "run")
    made.write_manifest(make_manifest())
    for number in ROUNDS:
        for depth in DEPTHS:
            made.record(make_record(make_trial(Scenario.BATCHING, Shape(depth=depth), number)))
    made.record(unmeasured(Status.MISSING, "not installed", make_trial()))
    return made.folder


def cells_in(folder: Path) -> Iterator[list[Record]]:
    """Yield the cells of a run."""
    return by_cell(folder, read_batches(folder, read_manifest(folder)))


def names(cells: Iterator[list[Record]]) -> dict[str, list[str]]:
    """Return the trials by cell."""
    return {records[0].cell_id: [record.trial_id for record in records] for records in cells}


@pytest.mark.parametrize("packed", ["none", "all", "some", "twice"])
def test_every_cell_comes_once_and_whole(folder: Path, packed: str) -> None:
    """However its trials are spread over files; rounds are in their order, ten after two."""
    late = make_record(make_trial(Scenario.BATCHING, Shape(depth=DEPTHS[0]), 11))
    if packed != "none":
        compact_run(folder)
    if packed in {"some", "twice"}:
        RunFolder.reopen(folder).record(late)
    if packed == "twice":
        compact_run(folder)
    expected = names(iter(read_run(folder).by_cell()))
    cells = list(cells_in(folder))
    assert len(cells) == len(DEPTHS) + 1
    assert names(iter(cells)) == expected
    whole = {record.trial_id: record.model_dump() for record in read_run(folder).records}
    assert {record.trial_id: record.model_dump() for record in chain.from_iterable(cells)} == whole


@pytest.mark.parametrize("packed", [False, True])
def test_records_are_not_kept(folder: Path, *, packed: bool) -> None:
    """Neither those of cells that were used already, nor their batches."""
    if packed:
        compact_run(folder)
    seen: list[ref[TrialRecord]] = []
    most = 0
    for records in cells_in(folder):
        seen += [ref(record) for record in records if isinstance(record, TrialRecord)]
        most = max(most, sum(one() is not None for one in seen))
    assert len(seen) == len(DEPTHS) * len(ROUNDS) + 1
    assert most <= len(ROUNDS) + 4, "more than one cell and one file"


def test_a_renamed_file_is_refused(folder: Path) -> None:
    """Names say which cells are whole."""
    path = folder / "trials" / "lib--batching--depth=10--round=2.json.gz"
    path.rename(path.with_name("lib--other--round=2.json.gz"))
    with pytest.raises(InvalidRequestError, match=r"the file of trial lib--batching--depth=10--round=\d+ .* renamed"):
        list(cells_in(folder))


def test_a_broken_packed_file_is_named(folder: Path) -> None:
    """As when the whole run is read."""
    compact_run(folder)
    path = folder / "trials" / "packed-2.json.xz"
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(InvalidRequestError, match=r"packed-2\.json\.xz does not read: it is cut off"):
        list(cells_in(folder))
