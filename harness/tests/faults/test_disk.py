"""A full disk at every step: what was measured is kept and shown, and the exit code says which."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from respmark.errors import ExitCode
from respmark.micro.store import write_micro
from tests.faults.conftest import Begin
from tests.faults.disk import SmallDisk
from tests.faults.fault import Fault, proves
from tests.integration.conftest import Finished
from tests.micro.builders import make_micro_record, make_micro_run

Disk = Callable[[int], SmallDisk]
LOST = ExitCode.NOT_WRITTEN
LATE_DISK = Path(__file__).with_name("late_disk.py")
fault = partial(proves, exit_code=LOST)


@fault("free some space, or name another folder with TMPDIR", exit_code=ExitCode.NOTHING_RAN)
def test_no_room_for_the_workload(  # noqa: PLR0917 - fixtures
    command: Begin, disk: Disk, temporary: Callable[[Path], None], specs: Path, tmp_path: Path, fault: Fault
) -> None:
    """Nothing was measured, and the message names what was to be written."""
    workload = specs / "workloads" / "tiny.toml"
    workload.write_text(re.sub(r"commands = \S+", "commands = 60_000", workload.read_text()))
    small = disk(256)
    temporary(small.folder)
    finished = command("run", "tiny", "--out", tmp_path / "out", prefix=small.prefix)
    fault.check(finished)
    assert "tiny.workload" in finished.errors
    assert not (tmp_path / "out").exists()


@fault("No space left on device; free some space, or name another folder with --out", exit_code=ExitCode.NOTHING_RAN)
def test_no_room_for_the_manifest(command: Begin, disk: Disk, fault: Fault) -> None:
    """Nothing was measured yet."""
    small = disk(4)
    (small.folder / "full").write_bytes(bytes(4096))
    fault.check(command("run", "tiny", "--out", small.folder / "run", prefix=small.prefix))


@fault("No space left on device; free some space, or name another folder with --out; what was written before is kept")
def test_no_room_for_a_trial(command: Begin, disk: Disk, fault: Fault) -> None:
    """The tables of what was written are printed, and the files read."""
    small = disk(96)
    words = ("--rounds", "60", "--slice-s", "0.02", "--out", small.folder / "run")
    finished = command("run", "tiny", *words, prefix=small.prefix)
    fault.check(finished)
    assert "THIS RUN IS INCOMPLETE" in finished.output
    reported = command("report", small.folder / "run")
    assert reported.code == 0, reported.errors
    assert "THIS RUN IS INCOMPLETE" in reported.output


@fault("manifest.json: No space left on device")
def test_no_room_for_the_end_of_the_manifest(command: Begin, tmp_path: Path, fault: Fault) -> None:
    """A run whose manifest goes on saying `running` has not ended well, though every trial is there."""
    out = tmp_path / "run"
    finished = command("run", "tiny", "--out", out, prefix=(sys.executable, LATE_DISK))
    fault.check(finished)
    assert json.loads((out / "manifest.json").read_text())["status"] == "running"


@fault("the trace cannot be written to", exit_code=ExitCode.SOME_FAILED)
def test_no_room_for_a_trace(command: Begin, disk: Disk, fault: Fault) -> None:
    """The trace was seen, the file was not written."""
    small = disk(4)
    (small.folder / "full").write_bytes(bytes(4096))
    fault.check(command("trace", "double", "sync", "--out", small.folder / "t.json", prefix=small.prefix))


@fault("standard output cannot be written: No space left on device")
def test_no_room_for_a_report(command: Begin, tmp_path: Path, fault: Fault) -> None:
    """Half a table must not pass for a whole one."""
    (tmp_path / "run").mkdir()
    write_micro(tmp_path / "run", make_micro_run(make_micro_record()))
    for form in ("csv", "json", "markdown", "terminal"):
        fault.check(to_a_full_file(command, "report", tmp_path / "run", "--format", form))


@fault("standard output cannot be written: No space left on device")
def test_no_room_for_the_tables_of_a_run(command: Begin, tmp_path: Path, fault: Fault) -> None:
    """The results themselves are whole."""
    fault.check(to_a_full_file(command, "run", "tiny", "--out", tmp_path / "run"))
    assert json.loads((tmp_path / "run" / "manifest.json").read_text())["status"] == "complete"


def to_a_full_file(command: Begin, *words: str | Path) -> Finished:
    """Run the command with standard output on a device that is full."""
    with Path("/dev/full").open("wb") as full:
        return command(*words, stdout=full, stderr=subprocess.PIPE)
