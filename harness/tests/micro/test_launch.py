"""Running a tool: what it leaves is kept, and what it fails to leave is said."""

from pathlib import Path

import pytest

from respmark.errors import ExitCode, InvalidRequestError, NothingRanError, RespmarkError
from respmark.micro.launch import MicroRequest, micro_spec, run_micro
from respmark.micro.model import MicroRun, read_folder
from respmark.results.records import Status
from respmark.results.store import read_run
from respmark.run.lock import lock_path, only_run
from respmark.specs.catalogue import Catalogue
from respmark.target.guardian import Guardian
from tests.builders.plan import SHIPPED, write_specs
from tests.micro.conftest import runner


def run(specs: Path, guardian: Guardian, out: Path, mode: str | None = None, forks: int | None = None) -> MicroRun:
    """Run the toy's micro-benchmarks."""
    catalogue = Catalogue(specs)
    request = MicroRequest(micro_spec("toy", catalogue), out, ["respmark"], "short", forks, mode)
    return run_micro(request, catalogue, guardian, lambda _: None)


def test_what_was_measured_is_kept(specs: Path, guardian: Guardian, tmp_path: Path) -> None:
    """The one form, the tool's own file and its output lie in the results folder; the server is told."""
    measured = run(specs, guardian, tmp_path / "out", forks=3)
    assert read_folder(tmp_path / "out", read_run) == [measured]
    (record,) = measured.records
    assert record.measured is not None
    assert (record.measured.time_ns, record.measured.forks, record.library_version) == (40_000, 3, "8.0.2")
    assert measured.target.spawned
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
        ("no-target", ExitCode.TARGET_UNREACHABLE, "something broke here"),
        ("no-jar", ExitCode.NOTHING_RAN, r"Error: Unable to access jarfile /bench\.jar; bring your toys"),
    ],
)
def test_a_tool_without_results_says_why(
    specs: Path, guardian: Guardian, tmp_path: Path, *, mode: str, code: ExitCode, said: str
) -> None:
    """In one sentence: its last words, and where all of them stand; its exit code means the same as ours."""
    with pytest.raises(RespmarkError, match=rf"left no results: {said}; its output: .*tool\.log") as caught:
        run(specs, guardian, tmp_path / "out", mode)
    assert caught.value.exit_code is code
    assert not (tmp_path / "out" / "micro.json").exists()


def test_a_result_file_that_does_not_read_is_told(specs: Path, guardian: Guardian, tmp_path: Path) -> None:
    """With its name."""
    with pytest.raises(InvalidRequestError, match=r"jmh\.json is not a result file of JMH"):
        run(specs, guardian, tmp_path / "out", "garbage")


def test_a_tool_that_is_missing_comes_with_advice(guardian: Guardian, tmp_path: Path) -> None:
    """The user learns what to install."""
    specs = write_specs(tmp_path / "specs", runners__toy=runner("/nowhere/java"))
    with pytest.raises(NothingRanError, match="/nowhere/java: No such file or directory; bring your toys"):
        run(specs, guardian, tmp_path / "out")


def test_two_do_not_measure_at_once(specs: Path, guardian: Guardian, tmp_path: Path) -> None:
    """Micro-benchmarks and runs hold the same lock."""
    with only_run(lock_path()), pytest.raises(NothingRanError, match="another run is measuring"):
        run(specs, guardian, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_setting_that_a_tool_lacks_is_refused(guardian: Guardian, tmp_path: Path) -> None:
    """Before anything is started."""
    text = "\n".join(line for line in runner().splitlines() if not line.startswith("forks"))
    specs = write_specs(tmp_path / "specs", runners__toy=text)
    with pytest.raises(InvalidRequestError, match=r"--forks: these micro-benchmarks \(jmh\) have no such setting"):
        run(specs, guardian, tmp_path / "out", forks=2)


@pytest.mark.parametrize("name", ["python", "cobol"])
def test_a_language_without_micro_benchmarks_is_told(specs: Path, name: str) -> None:
    """With those that have some."""
    with pytest.raises(InvalidRequestError, match=f"`{name}` has no micro-benchmarks; these have: .*toy"):
        micro_spec(name, Catalogue(specs))


def test_shipped_micro_benchmarks_have_what_is_filled_in() -> None:
    """A command without the port would measure another server."""
    for spec in SHIPPED.runners.values():
        if spec.micro is not None:
            command = spec.micro.command_for("h-o-s-t", 12_345, Path("/s/e/c/r/e/t"), "j-o-b", Path("/o/u/t"))
            assert {"h-o-s-t", "12345", "/s/e/c/r/e/t", "j-o-b", "/o/u/t"} <= set(command)
