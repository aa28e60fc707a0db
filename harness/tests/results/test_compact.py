"""A record's file: it holds the whole record in few bytes, and what was changed in it is refused."""

import gzip
import json
import lzma
from pathlib import Path
from typing import Any

import pytest
from hdrh.histogram import HdrHistogram

from respmark.contract.base import RESULTS_VERSION
from respmark.contract.events import LocalCache
from respmark.contract.trial import Scenario, Shape
from respmark.errors import InvalidRequestError
from respmark.histogram import bucket
from respmark.paths import RESULTS
from respmark.results import untrusted
from respmark.results.compact import PackedFile, pack_together
from respmark.results.records import Calls, Status, TrialRecord
from respmark.results.store import COMPACT_VERSION, RunFolder, read_run, write_file
from tests.builders.plan import make_trial
from tests.builders.records import (
    make_evidence,
    make_latency,
    make_manifest,
    make_record,
    make_result,
    make_slice,
    make_slice_record,
    unmeasured,
)
from tests.record_files import change, text_of, write_text
from tools import compact
from tools.compact import compact_run


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
    "compilers at work": {"lap": 3, "compiling_ns": 7},
    "a cache of its own": {
        "answers": [make_slice(number=2, local_cache=LocalCache(hits=None, misses=3, invalidations=0))],
        "evidence": make_evidence(tracking_clients=1),
    },
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


def files_of(folder: Path) -> list[str]:
    """Return the names of a run's files of records."""
    return sorted(path.name for path in (folder / "trials").iterdir())


def write_run(folder: Path, *records: TrialRecord, version: int = RESULTS_VERSION) -> None:
    """Write a run, each trial in its file; before version 3 these were plain."""
    made = RunFolder.create(folder)
    made.write_manifest(make_manifest(schema_version=version))
    for record in records:
        if version >= COMPACT_VERSION:
            made.record(record)
        else:
            old = record.model_copy(update={"schema_version": version})
            (folder / "trials" / f"{record.trial_id}.json").write_text(old.model_dump_json())


def varied() -> list[TrialRecord]:
    """Return two cells: one of rounds that are not alike, one without figures."""
    rounds = [
        make_record(make_trial(number=number), order=number, slices=slices, results=[make_result(latency=latency)])
        for number, (slices, latency) in enumerate(
            [
                ([make_slice_record(number=1), make_slice_record(number=2, mismatch="lost")], make_latency([(1, 3)])),
                ([], make_latency([])),
                ([make_slice_record(number=lap) for lap in (1, 2, 3)], make_latency([(2047, 1), (bucket(10**13), 5)])),
                ([make_slice_record(number=1, **UNEVEN["errors"])], make_latency([(1_000_001, 2), (999, 1)])),
            ],
            start=1,
        )
    ]
    other = make_trial(Scenario.BATCHING, Shape(depth=10))
    return [*rounds, unmeasured(Status.MISSING, "not installed", other).model_copy(update={"order": 9})]


@pytest.mark.parametrize("version", [2, RESULTS_VERSION])
def test_a_compact_run_has_one_file_and_holds_the_same(tmp_path: Path, version: int) -> None:
    """Whatever its records were written as, and as often as it is done."""
    folder, records = tmp_path / "run", varied()
    write_run(folder, *records, version=version)
    order = sorted(records, key=lambda one: (one.round, one.order))
    for _ in range(2):
        assert compact_run(folder) == len(records)
        assert files_of(folder) == ["packed-1.json.xz"]
        run = read_run(folder)
        assert run.manifest.schema_version == RESULTS_VERSION
        assert [one.model_dump() for one in run.records] == [one.model_dump() for one in order]


def test_trials_that_were_measured_later_are_packed_by_themselves(tmp_path: Path) -> None:
    """A run may go on when it has been compacted, and be compacted again; what is packed stays as it is."""
    first, second, third = (make_record(make_trial(number=number)) for number in (1, 2, 3))
    write_run(tmp_path / "run", first, second)
    compact_run(tmp_path / "run")
    RunFolder.reopen(tmp_path / "run").record(third)
    assert files_of(tmp_path / "run") == ["lib--sync--round=3.json.gz", "packed-1.json.xz"]
    assert len(read_run(tmp_path / "run").records) == 3
    packed = (tmp_path / "run" / "trials" / "packed-1.json.xz").read_bytes()
    compact_run(tmp_path / "run")
    assert files_of(tmp_path / "run") == ["packed-1.json.xz", "packed-2.json.xz"]
    assert (tmp_path / "run" / "trials" / "packed-1.json.xz").read_bytes() == packed
    assert [one.round for one in read_run(tmp_path / "run").records] == [1, 2, 3]


def test_many_trials_are_packed_in_several_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is read by itself, so that memory holds the text of one."""
    monkeypatch.setattr(compact, "PACKED", 2)
    write_run(tmp_path / "run", *(make_record(make_trial(number=number)) for number in (1, 2, 3)))
    assert compact_run(tmp_path / "run") == 3
    assert files_of(tmp_path / "run") == ["packed-1.json.xz", "packed-2.json.xz"]
    assert [one.round for one in read_run(tmp_path / "run").records] == [1, 2, 3]


def test_compacting_that_was_cut_short_may_be_done_again(tmp_path: Path) -> None:
    """The machine stopped between the packed file and the end of a trial's own."""
    records = [make_record(make_trial(number=number)) for number in (1, 2)]
    write_run(tmp_path / "run", *records)
    compact_run(tmp_path / "run")
    RunFolder.reopen(tmp_path / "run").record(records[0])
    with pytest.raises(InvalidRequestError, match="has the trial `lib--sync--round=1` more than once"):
        read_run(tmp_path / "run")
    assert compact_run(tmp_path / "run") == 2
    assert files_of(tmp_path / "run") == ["packed-1.json.xz"]


def test_a_run_that_cannot_be_read_whole_is_left_as_it_is(tmp_path: Path) -> None:
    """Nothing is packed, and no file is removed."""
    write_run(tmp_path / "run", *(make_record(make_trial(number=number)) for number in (1, 2, 3)))
    path = tmp_path / "run" / "trials" / "lib--sync--round=3.json.gz"
    path.write_bytes(path.read_bytes()[:-9])
    before = files_of(tmp_path / "run")
    with pytest.raises(InvalidRequestError, match=r"round=3\.json\.gz does not read: it is cut off"):
        compact_run(tmp_path / "run")
    assert files_of(tmp_path / "run") == before


def pack_two(folder: Path) -> Path:
    """Write a run of two rounds, packed, and return the packed file."""
    write_run(folder, *(make_record(make_trial(number=number)) for number in (1, 2)))
    compact_run(folder)
    return folder / "trials" / "packed-1.json.xz"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"counts": [1]}, "its trials have 1 slices, and its columns 2"),
        ({"counts": [1, 1, 1]}, "it has slices of more trials than there are"),
        ({"counts": [1, 0]}, "`slices.0.counts.1`: Input should be greater than or equal to 1"),
        ({"columns": None}, "`slices`: .* the column `lap` is not a list"),
        ({"differences": [[["turn"], [["surprise"]]]]}, "`slices`: .* a difference is from no column"),
        ({"differences": [[["turn"], [["answers", 0, "event"]]]]}, "`slices`: .* is not of whole numbers"),
    ],
)
def test_packed_slices_that_do_not_fit_together_are_refused(
    tmp_path: Path, changes: dict[str, Any], words: str
) -> None:
    """The message names the file."""
    path = pack_two(tmp_path / "run")
    (slices,) = json.loads(text_of(path))["slices"]
    change(path, slices=[slices | changes])
    with pytest.raises(InvalidRequestError, match=rf"packed-1.json.xz .*{words}"):
        read_run(tmp_path / "run")


def test_a_packed_file_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    """With advice."""
    change(pack_two(tmp_path / "run"), schema_version=RESULTS_VERSION + 1)
    with pytest.raises(InvalidRequestError, match=r"packed-1.json.xz was written by a newer respmark"):
        read_run(tmp_path / "run")


@pytest.mark.parametrize("text", ["=", "==B", "=B+", "=+1", "=-,", "=B C", "=é", f"=-{2**40},B", "=-0,B", "=E"])
def test_packed_latencies_that_are_no_counts_are_refused(tmp_path: Path, text: str) -> None:
    """The message names the file, and the field or what is wrong with it; none at all are no mistake."""
    path = pack_two(tmp_path / "run")
    trials = json.loads(text_of(path))["trials"]
    trials[0]["results"][0]["latency"]["histogram"] = text
    change(path, trials=trials)
    if text == "=":
        assert read_run(tmp_path / "run").records[0].results[0].latency.histogram == []
        return
    with pytest.raises(InvalidRequestError, match=r"does not read: .*(latency\.histogram|more buckets)"):
        read_run(tmp_path / "run")


@pytest.mark.parametrize("broken", [b"", b"{}", b"\xfd7zXZ\x00", b"half"])
def test_a_packed_file_that_is_damaged_is_refused(tmp_path: Path, broken: bytes) -> None:
    """Half a file is none."""
    path = pack_two(tmp_path / "run")
    path.write_bytes(path.read_bytes()[:-40] if broken == b"half" else broken)
    with pytest.raises(InvalidRequestError, match=r"packed-1.json.xz does not read: it is "):
        read_run(tmp_path / "run")


def test_a_packed_file_that_unpacks_to_too_much_is_refused(tmp_path: Path) -> None:
    """A few KB can hold many MB; they are not unpacked, and neither is what needs much memory for it."""
    path = pack_two(tmp_path / "run")
    path.write_bytes(lzma.compress(b" " * (65 * 2**20), preset=0))
    with pytest.raises(InvalidRequestError, match="unpacks to more than 64 MiB"):
        read_run(tmp_path / "run")
    path.write_bytes(lzma.compress(b"{}", filters=[{"id": lzma.FILTER_LZMA2, "dict_size": 2**30}]))
    with pytest.raises(InvalidRequestError, match="no xz file, or damaged"):
        read_run(tmp_path / "run")


def test_packed_trials_are_names_and_no_paths(tmp_path: Path) -> None:
    """Files are removed by these names: none of them leads elsewhere."""
    path = pack_two(tmp_path / "run")
    trials = json.loads(text_of(path))["trials"]
    change(path, trials=[trials[0] | {"trial_id": "../x"}, trials[1]])
    for read in (read_run, compact_run):
        with pytest.raises(InvalidRequestError, match="no name but a path"):
            read(tmp_path / "run")


@pytest.mark.parametrize("name", ["quick", "guidance", "post"])
def test_published_runs_are_packed_without_loss(tmp_path: Path, name: str) -> None:
    """Some trials of each client and scenario, as they are and as they come back from another packing."""
    records = read_run(RESULTS / "published" / name).records[::40]
    trials = [record for record in records if isinstance(record, TrialRecord)]
    write_file(tmp_path / "packed-1.json.xz", pack_together(trials))
    packed = PackedFile.model_validate_json(text_of(tmp_path / "packed-1.json.xz"))
    found = packed.with_slices([one.read() for one in packed.slices])
    expected = {one.trial_id: one.model_dump(exclude={"schema_version"}) for one in trials}
    assert {one.trial_id: one.model_dump(exclude={"schema_version"}) for one in found} == expected


def test_the_published_run_takes_little_space() -> None:
    """It is kept in git."""
    files = list((RESULTS / "published" / "quick" / "trials").iterdir())
    assert sum(path.stat().st_size for path in files) < 500_000
