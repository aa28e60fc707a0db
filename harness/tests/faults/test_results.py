"""Result folders from elsewhere: a hostile one is refused with a sentence, and nothing outside it is read."""

import json
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from respmark.cli.app import run_command
from respmark.errors import ExitCode
from respmark.results.store import RunFolder
from tests.builders.plan import make_trial
from tests.builders.records import make_manifest, make_record, make_slice, make_slice_record
from tests.faults.fault import Fault, proves
from tests.integration.conftest import Finished
from tests.record_files import change, text_of, write_text

Reported = Callable[[], Finished]
INVALID = ExitCode.INVALID_REQUEST
fault = partial(proves, exit_code=INVALID)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the folder of a good run."""
    made = RunFolder.create(tmp_path / "run")
    made.write_manifest(make_manifest())
    made.record(make_record(make_trial(number=1)))
    return tmp_path / "run"


@pytest.fixture
def reported(folder: Path, capsys: pytest.CaptureFixture[str]) -> Reported:
    """Return what reports the run in every form; all say the same of a bad one."""

    def report() -> Finished:
        codes = [run_command(["report", str(folder), "--format", form]) for form in ("terminal", "csv", "json")]
        captured = capsys.readouterr()
        assert len(set(codes)) == 1, captured.err
        return Finished(codes[0], captured.out, " ".join(captured.err.split()), folder)

    return report


def trial_file(folder: Path) -> Path:
    """Return the file of the run's only trial."""
    (path,) = (folder / "trials").iterdir()
    return path


def test_the_run_itself_is_good(reported: Reported) -> None:
    """What the tests below change is what makes them fail."""
    assert reported().code == 0


@fault("is no regular file")
def test_a_pipe_is_not_waited_for(folder: Path, reported: Reported, fault: Fault) -> None:
    """Nobody writes to it, and nobody waits."""
    os.mkfifo(folder / "trials" / "pipe.json")
    fault.check(reported())


@fault("is a link out of its folder")
def test_a_link_out_of_the_folder(folder: Path, reported: Reported, tmp_path: Path, fault: Fault) -> None:
    """What lies elsewhere is not read, nor shown."""
    (tmp_path / "private.json").write_text('{"schema_version": "private words"}')
    (folder / "trials" / "linked.json").symlink_to(tmp_path / "private.json")
    finished = reported()
    fault.check(finished)
    assert "private words" not in finished.errors + finished.output


@fault("is a link out of its folder")
def test_the_folder_of_trials_is_a_link(folder: Path, reported: Reported, tmp_path: Path, fault: Fault) -> None:
    """A link on the way is a link too."""
    (folder / "trials").rename(tmp_path / "elsewhere")
    (folder / "trials").symlink_to(tmp_path / "elsewhere")
    fault.check(reported())


@fault("cannot be read")
def test_a_link_to_itself(folder: Path, reported: Reported, fault: Fault) -> None:
    """Going round ends."""
    (folder / "trials" / "round.json").symlink_to("round.json")
    fault.check(reported())


@fault("has 65 MiB; respmark reads files of up to 64 MiB")
def test_a_giant_file(folder: Path, reported: Reported, fault: Fault) -> None:
    """It is refused by its size, not read."""
    with (folder / "trials" / "giant.json").open("wb") as file:
        file.truncate(65 * 2**20)
    fault.check(reported())


@fault("have more than 512 MiB together")
def test_files_that_are_giant_together(folder: Path, reported: Reported, fault: Fault) -> None:
    """Small files add up."""
    for number in range(13):
        with (folder / "trials" / f"{number}.json").open("wb") as file:
            file.truncate(40 * 2**20)
    fault.check(reported())


@fault("which is no figure of a measurement")
def test_a_huge_number(folder: Path, reported: Reported, fault: Fault) -> None:
    """Nothing is computed from it."""
    path = trial_file(folder)
    write_text(path, text_of(path).replace('"operations":', f'"operations":{"9" * 1000}', 1))
    fault.check(reported())


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity", "1e999"])
@fault("which is no figure of a measurement")
def test_a_number_that_is_none(folder: Path, reported: Reported, word: str, fault: Fault) -> None:
    """JSON has no such numbers, and tables no place for them."""
    path = trial_file(folder)
    write_text(path, text_of(path).replace('"round":', f'"round":{word},"was":', 1))
    fault.check(reported())


@fault("does not read")
def test_deep_nesting(folder: Path, reported: Reported, fault: Fault) -> None:
    """The stack does not end before the message."""
    path = folder / "manifest.json"
    write_text(path, text_of(path).replace('"suite": ', f'"suite": {"[" * 100_000}{"]" * 100_000}, "was": ', 1))
    fault.check(reported())


@fault("has 6,000 cells; a run has up to 5,000")
def test_too_many_cells(folder: Path, reported: Reported, fault: Fault) -> None:
    """No table is made of them."""
    record = json.loads(text_of(trial_file(folder)))
    cell = {name: record[name] for name in ("client", "language", "scenario", "shape")}
    cells = [{**cell, "cell_id": f"cell-{number}"} for number in range(6000)]
    change(folder / "manifest.json", cells=cells)
    fault.check(reported())


@fault("has the trial `lib--sync--round=1` more than once")
def test_a_trial_twice(folder: Path, reported: Reported, fault: Fault) -> None:
    """A figure must not count double."""
    (folder / "trials" / "again.json.gz").write_bytes(trial_file(folder).read_bytes())
    fault.check(reported())


@fault("names `../../etc`, which is no name but a path")
def test_a_name_that_is_a_path(folder: Path, reported: Reported, fault: Fault) -> None:
    """Names become parts of file names elsewhere."""
    change(folder / "manifest.json", run_id="../../etc")
    fault.check(reported())


@fault("manifest.json does not read: `rounds`: Input should be a valid integer")
def test_a_wrong_type(folder: Path, reported: Reported, fault: Fault) -> None:
    """The message names file and field."""
    change(folder / "manifest.json", rounds=[1])
    fault.check(reported())


@fault("do not fit together (KeyError: 'name')")
def test_fields_that_do_not_fit_together(folder: Path, capsys: pytest.CaptureFixture[str], fault: Fault) -> None:
    """Each file reads, and no table can be made."""
    change(folder / "manifest.json", workload={"commands": 60})
    code = run_command(["report", str(folder)])
    captured = capsys.readouterr()
    fault.check(Finished(code, captured.out, " ".join(captured.err.split()), folder))


@fault("is no result: lap 1: the slice lasted 0 ms, not the 1000 ms asked for")
def test_a_trial_that_took_no_time(folder: Path, reported: Reported, fault: Fault) -> None:
    """A rate without a time is none."""
    answer = make_slice()
    timeless = make_slice_record(answers=[answer.model_copy(update={"ended": answer.measured_from})])
    RunFolder.reopen(folder).record(make_record(make_trial(number=1), slices=[timeless]))
    fault.check(reported())


@fault("manifest.json does not read")
def test_a_file_that_is_no_text(folder: Path, reported: Reported, fault: Fault) -> None:
    """Bytes are shown as what they are: nothing."""
    (folder / "manifest.json").write_bytes(b'{"run_id": "\xff\xfe"}')
    fault.check(reported())


@fault("cannot be read: File name too long")
def test_a_name_that_is_too_long(capsys: pytest.CaptureFixture[str], fault: Fault) -> None:
    """The system's refusal is passed on."""
    code = run_command(["report", "x" * 5000])
    captured = capsys.readouterr()
    fault.check(Finished(code, captured.out, " ".join(captured.err.split()), Path()))
