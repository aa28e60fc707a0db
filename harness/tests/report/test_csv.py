"""The CSV, a public interface."""

import csv
import io

from syrupy.assertion import SnapshotAssertion

from respmark.report.csv import columns, to_csv
from respmark.report.tables import Report

PUBLIC = [
    *("scenario", "client", "library", "library_version", "language"),
    *("depth", "window", "form", "threads", "connections", "max_total", "max_idle", "processes"),
    *("rounds", "status", "reason", "operations", "rps_median", "rps_min", "rps_max"),
    *("client_cpu_percent", "client_cpu_us_per_command", "server_cpu_percent", "server_cpu_us_per_command"),
    *("other_cpu_percent", "commands_per_read", "connections_received", "hit_ratio", "sample_covers"),
    *("p50_ms", "p99_ms", "p999_ms", "max_ms", "bottleneck"),
]
"""The columns as DESIGN.md promises them."""


def rows_of(report: Report) -> list[dict[str, str]]:
    """Return the rows as a reader of CSV sees them."""
    return list(csv.DictReader(io.StringIO(to_csv(list(report.cells)))))


def row_of(report: Report, scenario: str, client: str) -> dict[str, str]:
    """Return the first row of a scenario and client."""
    return next(row for row in rows_of(report) if (row["scenario"], row["client"]) == (scenario, client))


def test_the_header_begins_with_the_public_columns_in_their_order(report: Report) -> None:
    """Readers by name and readers by place both go on working; what was added since comes after."""
    header = to_csv(list(report.cells)).splitlines()[0].split(",")
    assert header[: len(PUBLIC)] == PUBLIC
    assert len(set(header)) == len(header) == len(columns())


def test_every_cell_has_a_row(report: Report) -> None:
    """Failed, unsupported and missing cells among them, in the suite's order."""
    assert [(row["scenario"], row["client"]) for row in rows_of(report)] == [
        (cell.scenario, cell.client) for cell in report.cells
    ]
    assert {row["status"] for row in rows_of(report)} == {"ok", "failed", "unsupported", "missing", "not measured"}


def test_figures_are_numbers(report: Report) -> None:
    """No thousands are set apart and no unit is written: a program reads them."""
    row = row_of(report, "sync", "lib")
    assert (row["rounds"], row["operations"]) == ("3", "63345")
    assert [float(row[f"rps_{name}"]) for name in ("median", "min", "max")] == [21345, 20000, 22000]
    assert float(row["hit_ratio"]) == 0.8
    assert row["bottleneck"] == "round trip"


def test_what_does_not_apply_is_empty(report: Report) -> None:
    """`sync` has no depth; a cell without figures has no figure; 0 is written."""
    row = row_of(report, "sync", "lib")
    assert [row[name] for name in ("depth", "window", "form", "threads", "max_total", "max_idle", "reason")] == [""] * 7
    assert row["connections_received"] == "0"
    missing = row_of(report, "sync", "gone")
    figures = PUBLIC[PUBLIC.index("operations") :]
    assert {missing[name] for name in figures} == {""}
    assert (missing["status"], missing["reason"]) == ("missing", "npm: not found; install Node.js")


def test_what_an_old_server_does_not_tell_is_empty(report: Report) -> None:
    """Unknown is not 0."""
    row = next(row for row in rows_of(report) if (row["scenario"], row["depth"]) == ("batching", "2"))
    assert [row[name] for name in ("commands_per_read", "other_cpu_percent", "hit_ratio")] == ["", "", ""]


def test_what_was_lost_is_told(report: Report) -> None:
    """Rounds that count beside those that were planned; nothing is claimed where one round is all that is left."""
    row = row_of(report, "sync", "lib[parser=slow]")
    assert [row[name] for name in ("rounds", "rounds_failed", "rounds_planned", "slices_lost")] == ["1", "1", "2", "0"]
    assert (row["fastest"], row["fastest_of_language"]) == ("", "")


def test_no_cells_are_a_header() -> None:
    """An empty run is still a table."""
    assert to_csv([]) == ",".join(columns()) + "\n"


def test_the_whole_table(report: Report, snapshot: SnapshotAssertion) -> None:
    """The CSV of the run by hand is as it was."""
    assert to_csv(list(report.cells)) == snapshot
