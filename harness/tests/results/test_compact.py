"""A record's file: it holds the whole record in few bytes, and what was changed in it is refused."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hdrh.histogram import HdrHistogram

from respmark.errors import InvalidRequestError
from respmark.histogram import bucket
from respmark.paths import RESULTS
from respmark.records import Calls, TrialRecord
from respmark.results import untrusted
from respmark.results.store import RunFolder, compact_run, read_run
from tests.builders import (
    make_evidence,
    make_latency,
    make_manifest,
    make_record,
    make_result,
    make_slice,
    make_slice_record,
    make_trial,
)
from tests.record_files import change, text_of, write_text


def written(folder: Path, record: TrialRecord) -> Path:
    """Write a run of one record and return the record's file."""
    made = RunFolder.create(folder / "run")
    made.write_manifest(make_manifest())
    made.record(record)
    return folder / "run" / "trials" / f"{record.trial_id}.json.gz"


def read_again(folder: Path, record: TrialRecord) -> TrialRecord:
    """Return what a record is when it was written and read."""
    written(folder, record)
    (found,) = read_run(folder / "run").records
    assert isinstance(found, TrialRecord)
    return found


UNEVEN: dict[str, Any] = {
    "another process": {"answers": [make_slice(number=2), make_slice(number=2)]},
    "errors": {"answers": [make_slice(number=2, errors={"lib.Timeout": 2}, first_error="late")]},
    "a command that others lack": {
        "evidence": make_evidence(workload_calls={"get": Calls(calls=1), "lpop": Calls(calls=0, rejected=2)})
    },
    "a library's own command": {"evidence": make_evidence(library_calls={"ping": 1}, reads_processed=None)},
    "no account of CPU": {"cpu_by_kernel_ns": None, "client_thread_ns": 7, "mismatch": "lost"},
    "no segments": {"answers": [make_slice(number=2, segments=[])]},
}


@pytest.mark.parametrize("changes", UNEVEN.values(), ids=UNEVEN)
def test_slices_that_are_not_alike_come_back_as_they_were(tmp_path: Path, changes: dict[str, Any]) -> None:
    """A column has a place for what only some slices have."""
    slices = [make_slice_record(number=1, cpu_by_kernel_ns=5), make_slice_record(number=2, **changes)]
    record = make_record(slices=[*slices, make_slice_record(number=3)])
    assert read_again(tmp_path, record).model_dump() == record.model_dump()


def test_a_trial_without_slices_comes_back(tmp_path: Path) -> None:
    """What is missing or unsupported has none."""
    record = make_record(slices=[], results=[], reason="not installed")
    assert read_again(tmp_path, record).model_dump() == record.model_dump()


def test_latencies_are_in_the_encoding_of_hdrhistogram(tmp_path: Path) -> None:
    """Its own library reads the text of a file, and finds the same samples."""
    pairs = [(1, 3), (2, 100_000), (2047, 1), (999_936, 70), (bucket(10**13), 5)]
    path = written(tmp_path, make_record(results=[make_result(latency=make_latency(pairs))]))
    text = json.loads(text_of(path))["results"][0]["latency"]["histogram"]
    assert text.startswith("HISTF")
    library = HdrHistogram.decode(text)
    assert [library.get_count_at_value(value_ns) for value_ns, _ in pairs] == [count for _, count in pairs]
    assert library.get_total_count() == sum(count for _, count in pairs)


def test_latencies_that_the_encoding_has_no_place_for_are_kept_as_they_are(tmp_path: Path) -> None:
    """What a runner says is recorded before anyone judges it."""
    results = [make_result(latency=make_latency([(1_000_001, 2), (999, 1)]))]
    found = read_again(tmp_path, make_record(results=results)).results
    assert [one.model_dump() for one in found] == [one.model_dump() for one in results]


def test_the_same_record_gives_the_same_bytes(tmp_path: Path) -> None:
    """No time of writing is in them."""
    first, second = (written(tmp_path / name, make_record()).read_bytes() for name in ("one", "two"))
    assert first == second


def slices_with(path: Path, **columns: Any) -> None:  # noqa: ANN401 - anything that JSON can hold
    """Change columns of a file."""
    change(path, slices=json.loads(text_of(path))["slices"] | columns)


BROKEN: dict[str, tuple[dict[str, Any], str]] = {
    "a column is too short": ({"turn": [1, 2]}, "a column has 2 values, not one for each of 3 slices"),
    "a column is missing": ({"answers": [{}]}, "a column of times is missing"),
    "a column is unknown": ({"surprise": [1, 2, 3]}, "Extra inputs are not permitted"),
    "a number is too small": ({"turn": [1, 0, 2]}, "Input should be greater than or equal to 1"),
    "a number is text": ({"turn": [1, "2", 3]}, "Input should be a valid integer"),
    "a truth is a number": ({"turn": [1, True, 3]}, "Input should be a valid integer"),
    "times are no numbers": ({"ordered_ns": ["now", 2, 3]}, "a column of times"),
    "there are no laps": ({"lap": 3}, "the column `lap` is not a list"),
}


@pytest.mark.parametrize(("columns", "words"), BROKEN.values(), ids=BROKEN)
def test_columns_that_no_slices_have_are_refused(tmp_path: Path, columns: dict[str, Any], words: str) -> None:
    """The message names the file, the field and what is wrong."""
    path = written(tmp_path, make_record(slices=[make_slice_record(number=number) for number in (1, 2, 3)]))
    slices_with(path, **columns)
    with pytest.raises(InvalidRequestError, match=rf"{path.name} does not read: `slices.*{words}"):
        read_run(tmp_path / "run")


@pytest.mark.parametrize("text", ["HISTF", "HISTFAAAAA==", "?", "HISTEwAAAAMAAAAAAAAAAgAAAAAAAAAB"])
def test_latencies_that_are_not_encoded_are_refused(tmp_path: Path, text: str) -> None:
    """The message names the file and the field."""
    path = written(tmp_path, make_record())
    results = json.loads(text_of(path))["results"]
    results[0]["latency"]["histogram"] = text
    change(path, results=results)
    with pytest.raises(InvalidRequestError, match=r"does not read: `results\.0\.latency\.histogram`"):
        read_run(tmp_path / "run")


@pytest.mark.parametrize("cut", [slice(0, 40), slice(0, -1), slice(5, None), slice(0, 0)])
def test_a_file_that_is_cut_off_is_refused(tmp_path: Path, cut: slice) -> None:
    """Half a record is none."""
    path = written(tmp_path, make_record())
    path.write_bytes(path.read_bytes()[cut])
    with pytest.raises(InvalidRequestError, match=rf"{path.name} does not read: it is "):
        read_run(tmp_path / "run")


def test_a_file_that_unpacks_to_too_much_is_refused(tmp_path: Path) -> None:
    """A few KB can hold many MB; they are not unpacked."""
    path = written(tmp_path, make_record())
    path.write_bytes(gzip.compress(b" " * (65 * 2**20), 1))
    with pytest.raises(InvalidRequestError, match="unpacks to more than 64 MiB"):
        read_run(tmp_path / "run")


def test_files_that_unpack_to_too_much_together_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is small as it lies there, and not too large by itself."""
    monkeypatch.setattr(untrusted, "FOLDER_LIMIT", 3 * 2**20)
    first = written(tmp_path, make_record())
    text = text_of(first)
    for number in (1, 2, 3):
        path = first.with_name(first.name.replace("round=1", f"round={number}"))
        write_text(path, text.replace("round=1", f"round={number}") + " " * 2**20)
        assert path.stat().st_size < 2**14
    with pytest.raises(InvalidRequestError, match="have more than 3 MiB together"):
        read_run(tmp_path / "run")


def test_a_run_of_version_2_is_read_and_made_compact(tmp_path: Path) -> None:
    """As it was written before: an object a slice. Both forms hold the same."""
    folder = tmp_path / "run"
    RunFolder.create(folder).write_manifest(make_manifest(schema_version=2))
    record = make_record(make_trial(), schema_version=2)
    old = folder / "trials" / f"{record.trial_id}.json"
    old.write_text(record.model_dump_json())
    assert read_run(folder).records == (record,)
    assert compact_run(folder) == 1
    assert not old.exists()
    run = read_run(folder)
    assert run.manifest.schema_version == 3
    assert [one.model_dump() for one in run.records] == [record.model_copy(update={"schema_version": 3}).model_dump()]


def test_compacting_that_was_cut_short_may_be_done_again(tmp_path: Path) -> None:
    """The machine stopped between the new file and the end of the old one."""
    folder = tmp_path / "run"
    RunFolder.create(folder).write_manifest(make_manifest(schema_version=2))
    records = [make_record(make_trial(number=number), schema_version=2) for number in (1, 2)]
    for record in records:
        (folder / "trials" / f"{record.trial_id}.json").write_text(record.model_dump_json())
    assert compact_run(folder) == 2
    again = folder / "trials" / f"{records[0].trial_id}.json"
    again.write_text(records[0].model_dump_json())
    assert compact_run(folder) == 2
    assert not again.exists()
    assert len(read_run(folder).records) == 2


def test_the_published_run_takes_little_space() -> None:
    """Five KB a trial: 10,000 of them take less than 60 MB."""
    files = list((RESULTS / "published" / "quick" / "trials").iterdir())
    assert sum(path.stat().st_size for path in files) / len(files) < 5_000
