"""Running a tool: what it leaves is kept, and what it fails to leave is said."""

from pathlib import Path

import pytest

from respmark.errors import ExitCode, RespmarkError
from respmark.machine.guardian import Guardian
from respmark.micro.launch import MicroRequest, micro_spec, run_micro
from respmark.micro.model import MICRO, MicroRun
from respmark.results.records import Status
from respmark.results.store import read_model
from respmark.specs.catalogue import Catalogue


def run(specs: Path, guardian: Guardian, out: Path, mode: str | None = None, forks: int | None = None) -> MicroRun:
    catalogue = Catalogue(specs)
    request = MicroRequest(micro_spec("toy", catalogue), out, ["respmark"], "short", forks, mode)
    return run_micro(request, catalogue, guardian, lambda _: None)


def test_what_was_measured_is_kept(specs: Path, guardian: Guardian, tmp_path: Path) -> None:
    """The one form, the tool's own file and its output lie in the results folder; the server is told."""
    measured = run(specs, guardian, tmp_path / "out", forks=3)
    assert read_model(tmp_path / "out" / MICRO, MicroRun) == measured
    (record,) = measured.records
    assert record.measured is not None
    assert (record.measured.time_ns, record.measured.forks, record.library_version) == (40_000, 3, "8.0.2")
    assert measured.server.spawned
    assert {path.name for path in (tmp_path / "out" / "raw").iterdir()} == {"jmh.json", "tool.log"}
    log = (tmp_path / "out" / "raw" / "tool.log").read_text()
    assert "+PONG" in log
    assert "for 0o600" in log


@pytest.mark.parametrize(
    ("mode", "statuses"),
    [("some-fail", [Status.OK, Status.FAILED]), ("all-fail", [Status.FAILED]), ("fails-late", [Status.OK])],
)
def test_what_failed_is_listed_beside_what_went_well(
    specs: Path, guardian: Guardian, tmp_path: Path, mode: str, statuses: list[Status]
) -> None:
    """All may fail; what was measured before a tool failed is kept."""
    records = run(specs, guardian, tmp_path / "out", mode).records
    assert [record.status for record in records] == statuses
    assert {record.reason for record in records} <= {None, "GET of key 7: a wrong value"}


@pytest.mark.parametrize(
    ("mode", "code", "said"),
    [
        ("fails", ExitCode.NOTHING_RAN, "something broke here"),
        ("refuses", ExitCode.INVALID_REQUEST, "something broke here"),
        ("no-server", ExitCode.SERVER_UNREACHABLE, "something broke here"),
        ("no-jar", ExitCode.NOTHING_RAN, r"Error: Unable to access jarfile /bench\.jar; bring your toys"),
    ],
)
def test_a_tool_without_results_says_why(
    specs: Path, guardian: Guardian, tmp_path: Path, *, mode: str, code: ExitCode, said: str
) -> None:
    """In one sentence: its last words, and where all of them stand; its exit code means the same as ours."""
    with pytest.raises(RespmarkError, match=rf"wrote no results: {said}; its output: .*tool\.log") as caught:
        run(specs, guardian, tmp_path / "out", mode)
    assert caught.value.exit_code is code
    assert not (tmp_path / "out" / "micro.json").exists()
