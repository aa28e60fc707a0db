"""Slices of many trials in the same arrays: each comes back as it was, and one that is none is found among them."""

import json
from pathlib import Path
from typing import Any

import pytest

from respmark.contract.events import Segment
from respmark.errors import InvalidRequestError
from respmark.evidence.recheck import recheck
from respmark.results.columns import to_columns
from respmark.results.records import SliceRecord, TrialRecord
from respmark.results.slice_arrays import in_arrays
from respmark.results.slice_table import NAMED, ColumnsError, FileColumns, SliceTable, join
from respmark.results.store import RunFolder, read_run
from respmark.statistics.counted import counted_slices
from respmark.statistics.rounds import round_of
from tests.builders.plan import make_trial
from tests.builders.records import make_evidence, make_manifest, make_record, make_slice, make_slice_record
from tests.record_files import change, text_of

TRIALS = (
    [make_slice_record(1000, 1, cpu_by_kernel_ns=5), make_slice_record(900, 2, cpu_by_kernel_ns=None)],
    [make_slice_record(800, 1, mismatch="not so"), make_slice_record(700, 2), make_slice_record(600, 3)],
    [make_slice_record(500, 1, evidence=make_evidence(500, reads_processed=None))],
)
"""Of each trial, the slices; all have the same fields."""


def table_of(slices: list[SliceRecord]) -> SliceTable:
    """Return slices as they are when their file was read."""
    return SliceTable.read(json.loads(json.dumps(to_columns([[one.model_dump(mode="json") for one in slices]]))))


def joined() -> list[SliceTable]:
    """Return the trials' tables in the same arrays."""
    tables = [table_of(slices) for slices in TRIALS]
    join([table.columns for table in tables if table.columns is not None])
    return tables


def test_trials_that_share_arrays_come_back_as_they_were() -> None:
    """Times and CPU begin anew with each of them."""
    tables = joined()
    assert len({id(table.place[0]) for table in tables}) == 1
    assert [list(table) for table in tables] == list(TRIALS)
    assert [table[-1] for table in tables] == [slices[-1] for slices in TRIALS]
    assert [table[:2] for table in tables] == [slices[:2] for slices in TRIALS]


def test_figures_are_the_same_whatever_the_trial_shares_its_arrays_with() -> None:
    """With others, as a table of its own, and as records that were never written."""
    forms = zip(joined(), map(table_of, TRIALS), TRIALS, strict=True)
    for together, alone, written in forms:
        record = make_record(slices=written)
        records = [record, *(record.model_copy(update={"slices": table}) for table in (together, alone))]
        first, *others = [found.totals for record in records if (found := round_of(record))]
        assert others == [first, first]
        laps = [counted.laps.tolist() for record in records if (counted := counted_slices(record))]
        assert laps == [[one.lap for one in written if one.mismatch is None]] * 3


def text_fields(schema: dict[str, Any], definitions: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the fields of text of a schema and of those that it is made of, by name."""
    found: dict[str, dict[str, Any]] = {}
    for name, field in schema.get("properties", {}).items():
        forms = [field, field.get("items", {}), *field.get("anyOf", [])]
        for form in forms:
            if form.get("type") == "string":
                found[name] = form
            if "$ref" in form:
                found |= text_fields(definitions[form["$ref"].rpartition("/")[2]], definitions)
    return found


def test_only_named_fields_of_text_have_a_certain_word() -> None:
    """Of others, one value is looked at for all."""
    schema = SliceRecord.model_json_schema()
    found = text_fields(schema, schema["$defs"])
    free = {"description", "title", "type", "default"}
    assert {name for name, form in found.items() if form.keys() - free} == NAMED
    assert found.keys() - NAMED


def write(folder: Path, rounds: int) -> list[Path]:
    """Write a run of so many rounds, and return the files of its records."""
    made = RunFolder.create(folder)
    made.write_manifest(make_manifest())
    for number in range(1, rounds + 1):
        made.record(make_record(make_trial(number=number), slices=TRIALS[number % len(TRIALS)]))
    return sorted((folder / "trials").iterdir())


@pytest.mark.parametrize(
    ("column", "words"),
    [
        ({"turn": 0}, "greater than or equal to 1"),
        ({"turn": True}, "Input should be a valid integer"),
        ({"cpu_by_kernel_ns": "5"}, "Input should be a valid integer"),
        ({"ordered_ns": None}, "a column of times is missing"),
    ],
)
def test_the_one_file_that_does_not_read_is_named(tmp_path: Path, column: dict[str, Any], words: str) -> None:
    """Its neighbours, which are read into the same arrays, are not."""
    paths = write(tmp_path / "run", 7)
    change(paths[4], slices=json.loads(text_of(paths[4]))["slices"] | column)
    with pytest.raises(InvalidRequestError, match=rf"{paths[4].name} does not read: `slices`.*{words}"):
        read_run(tmp_path / "run")


def test_numbers_have_64_bits() -> None:
    """A file whose numbers have more is refused before; nobody else need care."""
    columns = FileColumns({"lap": [1], "turn": 2**63})
    with pytest.raises(ColumnsError, match="a number has more than 64 bits"):
        join([columns])


def test_calls_of_a_command_are_there_together_or_not_at_all(tmp_path: Path) -> None:
    """A count of failures beside no count of calls is no slice's."""
    (path,) = write(tmp_path / "run", 1)
    slices = json.loads(text_of(path))["slices"]
    slices["evidence"]["workload_calls"]["lpop"] = {"calls": [1, None, 2], "failed": [None, 3, 0], "rejected": 0}
    change(path, slices=slices)
    with pytest.raises(InvalidRequestError, match=rf"{path.name} does not read: `slices`"):
        read_run(tmp_path / "run")


def test_the_one_record_that_was_changed_is_named(tmp_path: Path) -> None:
    """Among others that are judged together with it, by its lap."""
    made = RunFolder.create(tmp_path / "run")
    made.write_manifest(make_manifest())
    for number in range(1, 6):
        slices = [make_slice_record(1000, lap) for lap in (1, 2)]
        if number == 3:
            walked = [Segment(first_command=0, operations=999)]
            slices[1] = make_slice_record(1000, 2, answers=[make_slice(1000, 2, segments=walked)])
        made.record(make_record(make_trial(number=number), slices=slices, reason="cut short"))
    with pytest.raises(InvalidRequestError, match=r"round=3.json.gz is no result: lap 2: .* lists 999"):
        recheck(read_run(tmp_path / "run"))


def test_defaults_of_fields_that_a_file_leaves_out(tmp_path: Path) -> None:
    """Files of before do not have them all."""
    (path,) = write(tmp_path / "run", 1)
    slices = json.loads(text_of(path))["slices"]
    del slices["evidence"]["library_calls"], slices["evidence"]["replicas"], slices["server_thread_ns"]
    change(path, slices=slices)
    (record,) = read_run(tmp_path / "run").records
    assert isinstance(record, TrialRecord)
    assert list(record.slices) == TRIALS[1]
    assert in_arrays(record.slices).place[0].whole("evidence", "replicas").tolist() == [0, 0, 0]
