"""The folder of a run: written, read, and refused."""

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest

from respmark.contract.trial import Scenario, Shape
from respmark.errors import ExitCode, InvalidRequestError, RunFolderError
from respmark.results.store import RunFolder, read_run
from tests.builders.plan import make_trial
from tests.builders.records import make_manifest, make_record
from tests.record_files import change, text_of


def written(folder: Path, *numbers: int) -> RunFolder:
    """Write a run with these rounds."""
    made = RunFolder.create(folder)
    made.write_manifest(make_manifest())
    for number in numbers:
        made.record(make_record(make_trial(number=number)))
    return made


def failing(number: int) -> Any:  # noqa: ANN401 - stands in for os.fsync
    """Return a function that fails as the system does."""

    def fail(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    return fail


def test_a_run_comes_back_as_it_was(tmp_path: Path) -> None:
    """Manifest and records survive the files, every field of them."""
    made = written(tmp_path / "run", 1)
    trial = make_trial(Scenario.BATCHING, Shape(depth=10), 2)
    made.record(make_record(trial, order=2))
    run = read_run(tmp_path / "run")
    assert run.folder == tmp_path / "run"
    assert run.manifest == make_manifest()
    records = (make_record(make_trial(number=1)), make_record(trial, order=2))
    assert [one.model_dump() for one in run.records] == [one.model_dump() for one in records]


def test_records_are_ordered_by_round_and_place_not_by_file_name(tmp_path: Path) -> None:
    """Round 10 comes after round 9."""
    written(tmp_path / "run", 10, 9, 1)
    assert [record.round for record in read_run(tmp_path / "run").records] == [1, 9, 10]


def test_each_trial_has_a_file_of_its_own_name(tmp_path: Path) -> None:
    """Whoever looks for a trial finds it by its name, as gzipped JSON."""
    written(tmp_path / "run", 1)
    path = tmp_path / "run" / "trials" / "lib--sync--round=1.json.gz"
    assert json.loads(text_of(path))["trial_id"] == "lib--sync--round=1"


def test_a_manifest_is_written_again_when_the_run_ends(tmp_path: Path) -> None:
    """The later one counts."""
    made = written(tmp_path / "run")
    made.write_manifest(make_manifest(seed=7))
    assert read_run(tmp_path / "run").manifest.seed == 7


def test_a_run_of_that_name_is_not_overwritten(tmp_path: Path) -> None:
    """What was measured before stays, and the message says how to go on."""
    written(tmp_path / "run", 1)
    with pytest.raises(RunFolderError, match="a run of this name is there already; name another folder with --out"):
        RunFolder.create(tmp_path / "run")
    assert len(read_run(tmp_path / "run").records) == 1


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    """The path, the system's word and the option are in the message; nothing could run."""
    (tmp_path / "file").write_text("")
    with pytest.raises(RunFolderError, match=r"cannot write .*file/run: Not a directory; .* --out") as caught:
        RunFolder.create(tmp_path / "file" / "run")
    assert caught.value.exit_code is ExitCode.NOTHING_RAN


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ENOSPC, "No space left on device; free some space"),
        (errno.EDQUOT, "Disk quota exceeded; free some of your quota"),
        (errno.EROFS, "Read-only file system; name a folder that you may write to"),
    ],
)
def test_a_full_disk_is_told_and_leaves_nothing_partial(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, words: str
) -> None:
    """The trial's file is not there at all, those before it are whole."""
    made = written(tmp_path / "run", 1)
    monkeypatch.setattr(os, "fsync", failing(number))
    with pytest.raises(RunFolderError, match=words) as caught:
        made.record(make_record(make_trial(number=2)))
    assert "lib--sync--round=2.json.gz" in str(caught.value)
    assert [path.name for path in (tmp_path / "run" / "trials").iterdir()] == ["lib--sync--round=1.json.gz"]
    assert len(read_run(tmp_path / "run").records) == 1


def test_what_a_killed_run_left_half_written_is_passed_over(tmp_path: Path) -> None:
    """A temporary file is not a trial."""
    written(tmp_path / "run", 1)
    (tmp_path / "run" / "trials" / ".lib--sync--round=2.json.x1y2").write_text("{")
    (tmp_path / "run" / "trials" / ".hidden.json").write_text("{")
    assert len(read_run(tmp_path / "run").records) == 1


@pytest.mark.parametrize("name", ["empty", "nowhere"])
def test_what_is_not_a_run_is_told(tmp_path: Path, name: str) -> None:
    """A folder without a manifest, or none at all, is a request that is not valid."""
    (tmp_path / "empty").mkdir()
    with pytest.raises(InvalidRequestError, match=rf"{name} is not the folder of a run: it has no manifest\.json"):
        read_run(tmp_path / name)


@pytest.mark.parametrize("file", ["manifest.json", "trials/lib--sync--round=1.json.gz"])
def test_a_newer_file_is_refused_with_advice(tmp_path: Path, file: str) -> None:
    """The message has both versions and says what to do, even if the newer file has fields that we do not know."""
    written(tmp_path / "run", 1)
    change(tmp_path / "run" / file, schema_version=5, brand_new_field=1)
    with pytest.raises(InvalidRequestError) as caught:
        read_run(tmp_path / "run")
    assert f"{file} was written by a newer respmark (schema_version 5, this one reads up to 4)" in str(caught.value)
    assert str(caught.value).endswith("update respmark")


@pytest.mark.parametrize("file", ["manifest.json", "trials/lib--sync--round=1.json.gz"])
def test_unknown_fields_are_refused_by_name(tmp_path: Path, file: str) -> None:
    """A field of our own version that we do not know is a fault, not a feature."""
    written(tmp_path / "run", 1)
    change(tmp_path / "run" / file, surprise=1)
    with pytest.raises(InvalidRequestError, match=rf"{file} does not read: `surprise`"):
        read_run(tmp_path / "run")


def test_a_file_without_a_version_is_not_called_newer(tmp_path: Path) -> None:
    """Some other JSON is not answered with advice to update, nor printed whole."""
    written(tmp_path / "run")
    (tmp_path / "run" / "manifest.json").write_text('{"hello": "world"}')
    with pytest.raises(InvalidRequestError) as caught:
        read_run(tmp_path / "run")
    assert "newer" not in str(caught.value)
    assert "world" not in str(caught.value)


@pytest.mark.parametrize("content", ["", "{", "[]", "null"])
def test_a_broken_file_is_named(tmp_path: Path, content: str) -> None:
    """The message says which of the files does not read."""
    written(tmp_path / "run", 1)
    (tmp_path / "run" / "trials" / "lib--sync--round=1.json").write_text(content)
    with pytest.raises(InvalidRequestError, match=r"lib--sync--round=1\.json does not read"):
        read_run(tmp_path / "run")


def test_a_file_that_is_a_folder_is_told(tmp_path: Path) -> None:
    """The system's word is passed on."""
    written(tmp_path / "run")
    (tmp_path / "run" / "trials" / "a.json").mkdir()
    with pytest.raises(InvalidRequestError, match=r"a\.json cannot be read: Is a directory"):
        read_run(tmp_path / "run")
