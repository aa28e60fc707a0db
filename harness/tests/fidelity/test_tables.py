"""The tables of a fidelity run."""

import csv
import io
import json
from typing import Any

import pytest
from rich.console import Console

from respmark.contract.base import SCHEMA_VERSION
from respmark.contract.trial import Scenario, Shape, Window
from respmark.fidelity.rows import FidelityRun, Row
from respmark.fidelity.tables import COLUMNS, to_csv, to_markdown, to_terminal
from respmark.placement import Placement
from tests.fidelity.test_rows import laps


def make_row(client: str = "redis-py[parser=hiredis]", **changes: Any) -> Row:  # noqa: ANN401 - a row's fields
    """Return a row that met its targets."""
    fields: dict[str, Any] = {
        "client": client,
        "scenario": Scenario.BATCHING,
        "shape": Shape(depth=100),
        "versions": {"redis-py": "8.0.1", "CPython": "3.11"},
        "laps": laps(4),
        "reason": None,
    }
    return Row(**fields | changes)


def make_fidelity_run(*rows: Row, against: str = "bare") -> FidelityRun:
    """Return a run of these rows."""
    return FidelityRun(
        schema_version=SCHEMA_VERSION,
        against=against,
        rounds=4,
        laps=5,
        slice_s=0.1,
        lead_in_s=0.05,
        machine="2 x A CPU",
        placement=Placement(target="0", clients=None, awake=True),
        target="redis 7.0.15",
        workload="quick",
        seed=1,
        rows=list(rows),
    )


FAILED = make_row("lib|b", scenario=Scenario.SYNC, shape=Shape(), versions={}, laps=[], reason="it does not start")
BROKEN = make_row("c", shape=Shape(depth=7), laps=laps(2, rps=0.5), reason="round 3: it broke")


def rows_of(text: str) -> list[dict[str, str]]:
    """Return the rows of a CSV."""
    return list(csv.DictReader(io.StringIO(text)))


def test_the_csv_has_a_row_for_each_with_both_ratios_and_their_intervals() -> None:
    """Numbers with four decimals; the version is that of the library that was loaded."""
    (row,) = rows_of(to_csv(make_fidelity_run(make_row())))
    assert tuple(row) == COLUMNS
    assert (row["client"], row["scenario"], row["depth"]) == ("redis-py[parser=hiredis]", "batching", "100")
    assert (row["status"], row["reason"], row["verdict"]) == ("ok", "", "met")
    assert (row["rounds"], row["laps"], row["library_version"]) == ("4", "20", "8.0.1")
    for name in ("rps_ratio", "client_cpu_ratio"):
        low, value, high = (float(row[name + end]) for end in ("_low", "", "_high"))
        assert 0.97 < low < value < high < 1.03
        assert len(row[name].partition(".")[2]) == 4
    assert row["window"] == row["threads"] == row["form"] == ""


def test_what_could_not_be_measured_keeps_its_row_with_the_reason() -> None:
    """Failed, without ratios; what broke later keeps what it had, and its reason."""
    failed, broken = rows_of(to_csv(make_fidelity_run(FAILED, BROKEN)))
    assert (failed["client"], failed["status"], failed["reason"]) == ("lib|b", "failed", "it does not start")
    assert failed["rps_ratio"] == failed["client_cpu_ratio_high"] == failed["verdict"] == ""
    assert (failed["rounds"], failed["laps"], failed["depth"]) == ("0", "0", "")
    assert (broken["status"], broken["reason"], broken["verdict"]) == ("ok", "round 3: it broke", "falls short")


def test_a_shape_is_in_the_csv_whole() -> None:
    """Two windows of one depth are two rows that a reader can tell apart."""
    shapes = [Shape(depth=100, window=window) for window in Window]
    rows = [make_row(scenario=Scenario.PIPELINING, shape=shape) for shape in shapes]
    assert [row["window"] for row in rows_of(to_csv(make_fidelity_run(*rows)))] == ["burst", "sliding"]


def test_the_markdown_says_what_was_measured_where() -> None:
    """A sentence with targets, machine, CPUs, server and versions above a table with a line a row."""
    heading, _, names, rule, good, bad = to_markdown(make_fidelity_run(make_row(), FAILED)).splitlines()
    assert heading == (
        "suite / bare loop, with 95 % intervals over 4 rounds of 5 laps; targets: RPS at least 0.97, "
        "CPU per command at most 1.03; 2 x A CPU; CPUs: target on CPU 0; idle CPUs kept awake; redis 7.0.15; "
        "workload quick. Loaded: redis-py[parser=hiredis]: redis-py 8.0.1, CPython 3.11."
    )
    assert names == "| client | scenario | RPS | CPU per command | verdict |"
    assert rule == "| --- | --- | --- | --- | --- |"
    assert good.startswith("| redis-py[parser=hiredis] | batching depth 100 | 1.0")
    assert good.endswith("| met |")
    assert bad == "| lib\\|b | sync |  |  | it does not start |"


def test_a_file_from_before_says_nothing_of_cpus_and_workload() -> None:
    """They were not written down."""
    written = make_fidelity_run(make_row()).model_dump(mode="json", exclude={"placement", "workload"})
    text = to_markdown(FidelityRun.model_validate_json(json.dumps(written)))
    assert "; 2 x A CPU; redis 7.0.15. Loaded:" in text


def test_rows_with_other_numbers_of_rounds_are_told() -> None:
    """Some failed later, or got more; what was not measured does not count."""
    text = to_markdown(make_fidelity_run(make_row(), make_row("b", laps=laps(2)), FAILED))
    assert "over 2 to 4 rounds of 5 laps" in text


def test_the_terminal_has_ratios_with_their_intervals() -> None:
    """A ratio of one round stands alone: it has none."""
    output = io.StringIO()
    run = make_fidelity_run(make_row(), make_row("one", laps=laps(1)), FAILED)
    to_terminal(Console(file=output, width=160, highlight=False), run)
    lines = {line.split()[0]: line for line in output.getvalue().splitlines()[3:]}
    assert "1.000 (0.999 to 1.001)" in lines["redis-py[parser=hiredis]"]
    assert lines["redis-py[parser=hiredis]"].rstrip().endswith("met")
    assert "(" not in lines["one"]
    assert lines["one"].rstrip().endswith("not shown: more --rounds")
    assert "it does not start" in lines["lib|b"]


def test_a_narrow_terminal_cuts_no_name() -> None:
    """Two variants must not look the same."""
    output = io.StringIO()
    to_terminal(Console(file=output, width=60, highlight=False), make_fidelity_run(make_row()))
    assert "…" not in output.getvalue()


def test_containers_have_another_question() -> None:
    """Whether they are the same as processes; the targets of bare loops are not theirs."""
    text = to_markdown(make_fidelity_run(make_row(), against="docker"))
    assert text.startswith(
        "container / process on this machine, with 95 % intervals over 4 rounds of 5 laps; 2 x A CPU"
    )
    assert text.rstrip().endswith("| the same within 10% |")
    (row,) = rows_of(to_csv(make_fidelity_run(make_row(), against="docker")))
    assert row["verdict"] == "the same within 10%"


@pytest.mark.parametrize("rows", [(), (make_row(),)])
def test_a_run_is_written_and_read_as_it_is(rows: tuple[Row, ...]) -> None:
    """Every table can be made again from the file."""
    run = make_fidelity_run(*rows)
    assert FidelityRun.model_validate_json(run.model_dump_json()) == run
