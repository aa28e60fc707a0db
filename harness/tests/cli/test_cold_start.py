"""`respmark cold-start`, and cold starts in other commands."""

from pathlib import Path

import pytest

from respmark.contract.trial import Scenario
from respmark.errors import ExitCode
from respmark.kinds.cold_start.record import ColdStart, StartsRecord
from respmark.results.store import RunFolder
from tests.builders.plan import make_client, make_trial
from tests.builders.records import make_manifest, make_record, planned_cell
from tests.cli.conftest import Command


@pytest.mark.usefixtures("starts_nothing")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("cold-start", "--starts", "0"), "--starts must be at least 1 (is 0)"),
        (("trace", "redis-py", "cold-start"), "a cold start is not shown on the wire"),
        (("conform", "redis-py", "--scenario", "cold-start"), "a cold start is not shown on the wire"),
        (("run", "cold-start", "--until", "2%"), "--until is about comparisons, which cold starts do not have"),
        (("bisect", "redis-py@4.6.0", "redis-py@8.1.0", "--scenario", "cold-start"), "which cold starts do not have"),
    ],
)
def test_what_cannot_be_had_is_refused(respmark: Command, words: tuple[str, ...], said: str) -> None:
    """Before anything starts, with the reason."""
    finished = respmark(*words)
    assert finished.code is ExitCode.INVALID_REQUEST
    assert said in " ".join(finished.errors.split())


def test_a_report_has_their_table_and_no_other(respmark: Command, tmp_path: Path) -> None:
    """Formats that have only loops are refused."""
    trial = make_trial(Scenario.COLD_START, client=make_client("quick"))
    start = ColdStart(runtime_ns=10_000_000, create_ns=2_000_000, first_ns=1_000_000)
    fields = make_record(trial).model_dump(include=set(StartsRecord.model_fields) - {"slices", "latency", "warm_up"})
    record = StartsRecord(**fields, starts=[start])
    folder = RunFolder.create(tmp_path / "run")
    folder.write_manifest(make_manifest(cells=[planned_cell(record)], clients=["quick"]))
    folder.append(record)
    finished = respmark("report", str(folder.folder))
    assert finished.code is ExitCode.OK
    (row,) = (line.split() for line in finished.output.splitlines() if line.split()[:1] == ["quick"])
    assert row == ["quick", "13.0", "10.0", "2.00", "1.00"]
    assert "commands/s" not in finished.output
    finished = respmark("report", str(folder.folder), "--format", "csv")
    assert finished.code is ExitCode.INVALID_REQUEST
    assert "--format csv has no cold starts" in finished.errors
