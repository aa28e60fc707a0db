"""The file of micro-benchmarks in a results folder."""

import json
from pathlib import Path

import pytest

from respmark.errors import InvalidRequestError, RunFolderError
from respmark.micro.model import MicroRun
from respmark.micro.store import MICRO, create, read_folder, write_micro
from respmark.results.store import Run, RunFolder, read_run
from tests.builders.records import make_manifest
from tests.micro.builders import make_micro_record, make_micro_run


def test_what_is_written_is_read(tmp_path: Path) -> None:
    """Nothing is lost on the way."""
    run = make_micro_run(make_micro_record(), make_micro_record(commands=None))
    create(tmp_path / "run")
    write_micro(tmp_path / "run", run)
    assert read_folder(tmp_path / "run", read_run) == [run]


def test_a_folder_may_hold_both(tmp_path: Path) -> None:
    """Trials come first."""
    RunFolder.create(tmp_path / "run").write_manifest(make_manifest())
    write_micro(tmp_path / "run", make_micro_run())
    assert [type(found) for found in read_folder(tmp_path / "run", read_run)] == [Run, MicroRun]


def test_a_folder_with_neither_is_refused(tmp_path: Path) -> None:
    """Both names are told."""
    with pytest.raises(InvalidRequestError, match=r"no manifest\.json and no micro\.json"):
        read_folder(tmp_path, read_run)


def test_a_newer_file_is_refused(tmp_path: Path) -> None:
    """As every other file of a run."""
    write_micro(tmp_path, make_micro_run())
    content = json.loads((tmp_path / MICRO).read_text())
    (tmp_path / MICRO).write_text(json.dumps(content | {"schema_version": 99}))
    with pytest.raises(InvalidRequestError, match="schema_version"):
        read_folder(tmp_path, read_run)


def test_an_unknown_field_is_refused(tmp_path: Path) -> None:
    """As everywhere."""
    write_micro(tmp_path, make_micro_run())
    content = json.loads((tmp_path / MICRO).read_text())
    (tmp_path / MICRO).write_text(json.dumps(content | {"mood": "good"}))
    with pytest.raises(InvalidRequestError, match="mood"):
        read_folder(tmp_path, read_run)


def test_a_run_is_not_written_over(tmp_path: Path) -> None:
    """What was measured once stays."""
    create(tmp_path / "run")
    with pytest.raises(RunFolderError, match="there already"):
        create(tmp_path / "run")
