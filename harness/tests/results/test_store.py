"""The folder of a run: written, read, and refused."""

import errno
import json
import lzma
import os
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from respmark.contract.trial import Scenario, Shape
from respmark.errors import InvalidRequestError, ResultsLostError, RunFolderError
from respmark.figures.cells import read_figures
from respmark.kinds import record_type
from respmark.kinds.loops.kind import LOOPS
from respmark.kinds.loops.record import LoopRecord
from respmark.results.manifest import Manifest
from respmark.results.records import Handshake, Status
from respmark.results.store import COMPRESSED, MANIFEST, TRIALS, RunFolder, line_of, read_model, read_records
from tests.builders.plan import make_trial
from tests.builders.records import make_manifest, make_record, make_slice_record, unmeasured


def written(folder: Path, *records: LoopRecord) -> RunFolder:
    made = RunFolder.create(folder)
    made.write_manifest(make_manifest())
    for record in records:
        made.append(record)
    return made


def rounds(*numbers: int) -> list[LoopRecord]:
    return [make_record(make_trial(number=number)) for number in numbers]


def test_records_come_back_as_they_were(tmp_path: Path) -> None:
    """Every field of them, also those that only some slices have, and those that were left out as usual."""
    slices = [
        make_slice_record(number=1, kernel_cpu_ns=5, own_commands={"ping": 2}),
        make_slice_record(number=2, reason="lost", reads=None, p50_ns=1.5),
        make_slice_record(number=3, is_repeated=True, local_reads=0, compiling_ns=7),
    ]
    handshake = Handshake(connections_received=1, calls={"hello": 1}, protocol=3, protocols={3: 1})
    batching = make_trial(Scenario.BATCHING, Shape(depth=10), 2)
    records = [
        make_record(slices=slices, handshake=handshake, settings={"heap": "256 MiB", "jit": True}),
        make_record(batching, order=2, latency=None),
        unmeasured(Status.MISSING, "not installed"),
    ]
    folder = written(tmp_path / "run", records[0], records[1]).folder
    written(tmp_path / "other", records[2])
    assert list(read_records(folder, record_type)) == records[:2]
    assert list(read_records(tmp_path / "other", record_type)) == records[2:]
    assert read_model(folder / MANIFEST, Manifest) == make_manifest()


def test_a_trial_that_was_measured_again_takes_the_place_of_the_first(tmp_path: Path) -> None:
    """In each of what a run is read as."""
    first, other, again = make_record(operations=1000), *rounds(2), make_record(operations=5000)
    run = read_figures(written(tmp_path / "run", first, other, again).folder, LOOPS)
    assert [trial.trial_id for trial in run.trials] == ["lib--sync--round=1", "lib--sync--round=2"]
    assert sorted(run.slices["operations"]) == [1000, 5000]
    assert run.latency["lib--sync"].samples == 6000


WHOLE = b"".join(map(line_of, rounds(1, 2)))


@given(st.integers(0, len(WHOLE)))
@example(WHOLE.index(b"\n"))
@example(WHOLE.index(b"\n") + 1)
@example(WHOLE.index(b"\n") + 2)
@example(len(WHOLE) - 1)
def test_a_file_that_is_cut_at_any_byte_has_the_trials_before_it_and_goes_on(size: int) -> None:
    """By a power cut: a line that lost even its end alone is passed over, and its place is taken."""
    left = rounds(1, 2)[: WHOLE[:size].count(b"\n")]
    with tempfile.TemporaryDirectory() as folder:
        path = written(Path(folder, "run")).folder / TRIALS
        path.write_bytes(WHOLE[:size])
        assert list(read_records(path.parent, record_type)) == left
        RunFolder.reopen(path.parent).append(*rounds(3))
        assert list(read_records(path.parent, record_type)) == [*left, *rounds(3)]


def test_published_runs_are_compressed(tmp_path: Path) -> None:
    """And read like any other; one that is cut off is named."""
    folder = written(tmp_path / "run", *rounds(1, 2)).folder
    packed = lzma.compress((folder / TRIALS).read_bytes())
    (folder / COMPRESSED).write_bytes(packed)
    (folder / TRIALS).unlink()
    assert list(read_records(folder, record_type)) == rounds(1, 2)
    (folder / COMPRESSED).write_bytes(packed[:-20])
    with pytest.raises(InvalidRequestError, match=r"trials\.jsonl\.xz cannot be read: "):
        list(read_records(folder, record_type))
    (folder / COMPRESSED).write_bytes(b"{}\n")
    with pytest.raises(InvalidRequestError, match=r"trials\.jsonl\.xz cannot be read: "):
        list(read_records(folder, record_type))


def test_a_python_without_lzma_says_how_published_runs_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / COMPRESSED).write_bytes(lzma.compress(b"{}\n"))
    monkeypatch.setitem(sys.modules, "lzma", None)
    with pytest.raises(InvalidRequestError, match="this Python has no lzma; unpack it with unxz"):
        list(read_records(tmp_path, record_type))


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (errno.ENOSPC, "No space left on device; free some space"),
        (errno.EROFS, "Read-only file system; name a writable folder"),
    ],
)
def test_a_full_disk_leaves_nothing_partial(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, message: str
) -> None:
    """The trial's line is not there at all, those before it are whole."""
    made = written(tmp_path / "run", *rounds(1))
    before = (made.folder / TRIALS).read_bytes()

    def fail(_: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(ResultsLostError, match=message) as caught:
        made.append(*rounds(2))
    assert str(caught.value).endswith("what was written before is kept")
    assert (made.folder / TRIALS).read_bytes() == before


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"surprise": 1}, "surprise"),
        ({"slices": [{"lap": 1}]}, r"slices\.0\.turn"),
        ({"status": "fine"}, "status"),
    ],
)
def test_a_wrong_line_is_refused_with_its_number_and_field(
    tmp_path: Path, change: dict[str, object], field: str
) -> None:
    """Which is what one needs to find it."""
    path = written(tmp_path / "run", *rounds(1, 2)).folder / TRIALS
    first, second = path.read_text().splitlines()
    path.write_text(f"{first}\n{json.dumps(json.loads(second) | change)}\n")
    with pytest.raises(InvalidRequestError, match=rf"trials\.jsonl, line 2, does not read: `{field}`: "):
        list(read_records(path.parent, record_type))


@pytest.mark.parametrize("content", ["", "{", "[]", '{"format": 2, "run_id": 7}'])
def test_a_wrong_manifest_is_refused_by_name(tmp_path: Path, content: str) -> None:
    """In a sentence."""
    (tmp_path / MANIFEST).write_text(content)
    with pytest.raises(InvalidRequestError, match=r"manifest\.json does not read: `"):
        read_figures(tmp_path, LOOPS)


@pytest.mark.parametrize("name", [MANIFEST, TRIALS])
@pytest.mark.parametrize(
    ("number", "said"),
    [
        (3, r"was written by a newer respmark \(format 3, this one reads 2\): update respmark"),
        (None, r"was written by an older respmark \(format 1, this one reads 2\)"),
    ],
)
def test_a_run_in_another_format_is_refused_with_advice(
    tmp_path: Path, name: str, number: int | None, said: str
) -> None:
    folder = RunFolder.create(tmp_path / "run")
    folder.write_manifest(make_manifest())
    folder.append(make_record())
    content = json.loads((folder.folder / name).read_text())
    del content["format"]
    more = {} if number is None else {"format": number, "what": "this respmark does not know"}
    (folder.folder / name).write_text(json.dumps(content | more) + "\n")
    with pytest.raises(InvalidRequestError, match=said):
        read_figures(folder.folder, LOOPS)


@pytest.mark.parametrize("content", ['{"name": "my-app", "version": "1"}', '{"runs": []}'])
def test_a_file_of_another_program_is_not_taken_for_an_older_run(tmp_path: Path, content: str) -> None:
    (tmp_path / MANIFEST).write_text(content)
    with pytest.raises(InvalidRequestError, match=r"manifest\.json is no file of a run of respmark"):
        read_figures(tmp_path, LOOPS)


def test_a_run_that_is_refused_leaves_no_folder(tmp_path: Path) -> None:
    """Its name can be used again; what has a trial stays."""
    refusal = InvalidRequestError("no")
    with pytest.raises(InvalidRequestError), written(tmp_path / "run").discarded_if_refused():
        raise refusal
    assert list(tmp_path.iterdir()) == []
    folder = written(tmp_path / "run", *rounds(1))
    with pytest.raises(InvalidRequestError), folder.discarded_if_refused():
        raise refusal
    assert (tmp_path / "run" / MANIFEST).exists()


def test_an_empty_folder_may_be_there_already(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    written(tmp_path / "run", *rounds(1))
    with pytest.raises(RunFolderError, match="already exists"):
        RunFolder.create(tmp_path / "run")
