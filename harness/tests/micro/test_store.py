"""The file of micro-benchmarks in a results folder."""

from pathlib import Path

import pytest

from respmark.errors import InvalidRequestError
from respmark.micro.model import MICRO, MicroRun, read_folder
from respmark.results.store import Run, RunFolder, read_run, write_model
from tests.builders.records import make_manifest
from tests.micro.builders import make_micro_record, make_micro_run


def test_what_is_written_is_read(tmp_path: Path) -> None:
    """Nothing is lost on the way."""
    run = make_micro_run(make_micro_record(), make_micro_record(commands=None))
    write_model(tmp_path / MICRO, run)
    assert read_folder(tmp_path, read_run) == [run]


def test_a_folder_may_hold_both(tmp_path: Path) -> None:
    """Trials come first; one with neither is refused with both names."""
    RunFolder.create(tmp_path / "run").write_manifest(make_manifest())
    write_model(tmp_path / "run" / MICRO, make_micro_run())
    assert [type(found) for found in read_folder(tmp_path / "run", read_run)] == [Run, MicroRun]
    with pytest.raises(InvalidRequestError, match=r"no manifest\.json and no micro\.json"):
        read_folder(tmp_path, read_run)
