"""The table of a fault, and its rows as data."""

import csv
import io
from typing import Any

from respmark.contract.trial import Fault
from respmark.kinds.faults.kind import FAULTS
from respmark.kinds.faults.record import Connections, Elsewhere, FaultRecord, Wait, Writes
from respmark.kinds.loops.kind import LOOPS
from respmark.machine.sockets import KeepAlive, Sockets, SocketSettings
from respmark.report.data import to_csv
from respmark.report.report import Report
from respmark.report.table import Chapter
from respmark.results.records import Status
from respmark.specs.limits import LimitsSpec
from respmark.specs.statements import BOUND_METRICS
from tests.builders.plan import SHIPPED
from tests.kinds.faults.builders import fault_record, fault_run, make_figures

HANGS = make_figures(longest_wait=Wait(s=27.5, is_over=False), recovered=Wait(s=20.0, is_over=False))


def chapter_of(*records: FaultRecord) -> Chapter:
    assert FAULTS.tables is not None
    (chapter,) = FAULTS.tables(Report.of(fault_run(*records), SHIPPED))
    return chapter


def rows(*records: FaultRecord) -> list[list[str]]:
    return [[cell.text for cell in row] for table in chapter_of(*records).tables for row in table.rows]


def row_of(*records: FaultRecord) -> dict[str, str]:
    (row,) = csv.DictReader(io.StringIO(to_csv(fault_run(*records).cells)))
    return row


def test_a_row_has_the_median_round_and_the_worst_one() -> None:
    """Where the rounds do not agree, it says so."""
    one, three = make_figures(1.0), make_figures(3.0)
    (row,) = rows(fault_record(figures=one), fault_record(figures=one, number=2), fault_record(figures=three, number=3))
    assert row[:6] == ["lib", "1", "", "2 of 3", "1.00 (3.00) ~", "2.00 (4.00)"]
    assert row[6:9] == ["0.01", "0.02", "0.30"]
    assert row[9:] == ["23", "0", "2", "0", "0", "12", "1", "0.00"]


def test_who_still_waits_has_waited_longer() -> None:
    (row,) = rows(fault_record(figures=HANGS))
    assert row[1:5] == ["1", "", "no", "> 27.5"]
    assert row[8] == "> 20.0"


def test_what_the_kernel_was_asked_for_stands_beside_the_limit() -> None:
    """It decides whether a dead connection is ever noticed."""
    alive = KeepAlive(idle_s=30, interval_s=5, probes=3)
    asked = [
        SocketSettings(no_delay=True, keep_alive=alive),
        SocketSettings(no_delay=True, user_timeout_ms=1500),
        SocketSettings(no_delay=False),
    ]
    sockets = [Sockets(connections=1, settings=one) for one in asked]
    (row,) = rows(fault_record(sockets=sockets), fault_record(number=2, sockets=sockets))
    assert row[2] == "30 + 3 x 5; user 1.5; none"


def test_a_limit_that_there_is_not_holds_nothing() -> None:
    without = LimitsSpec(connect=1.0, command="none", pool="missing", retries=0)
    found = rows(fault_record("one", limits=without), fault_record("two", limits=None))
    assert [(row[1], row[3]) for row in found] == [("none", ""), ("", "")]


def test_where_connecting_fails_its_limit_counts_as_well() -> None:
    """One wait has both."""
    within, beyond = make_figures(3.3), make_figures(3.4)
    found = rows(
        fault_record("one", figures=within, fault=Fault.LINK_DOWN), fault_record("two", beyond, fault=Fault.LINK_DOWN)
    )
    assert [(row[1], row[3]) for row in found] == [("3", "yes"), ("3", "no")]


def test_every_fault_has_a_table_and_what_was_not_measured_a_reason() -> None:
    records = [
        fault_record(made_as=Fault.SWALLOWED, fault=Fault.HALF_OPEN),
        fault_record("lost", status=Status.UNSUPPORTED, reason="it cannot", figures=None),
    ]
    records[1] = records[1].model_copy(update={"figures": None})
    chapter = chapter_of(*records)
    half_open, silence = chapter.tables
    assert half_open.title.startswith("half-open: packets of the connections that exist are lost for good")
    assert half_open.title.endswith("watched for 75 s")
    assert half_open.notes == (
        "lib: made as swallowed, because this user may not drop packets",
        "lib: TimeoutError (23 and 1 before the fault): no reply",
    )
    assert [cell.text for cell in silence.rows[0]][:2] == ["lost", "unsupported"]
    assert chapter.notes[-1] == "lost, silence: unsupported: it cannot"


def test_a_cell_is_a_row_of_data() -> None:
    row = row_of(fault_record(), fault_record(figures=HANGS, number=2))
    assert (row["client"], row["fault"], row["fault_s"], row["rounds"], row["status"]) == (
        "lib",
        "silence",
        "8",
        "2",
        "ok",
    )
    assert (row["limit_s"], row["longest_wait_s"], row["recovered_s"]) == ("1", "> 27.5", "> 20")
    assert (row["errors"], row["lost"], row["doubled"], row["connections_left"]) == ("23", "0", "2", "1")


def test_a_cell_without_a_round_has_its_status() -> None:
    row = row_of(fault_record(status=Status.FAILED, reason="it broke"))
    assert (row["status"], row["reason"], row["fault"]) == ("failed", "it broke", "silence")
    assert (row["longest_wait_s"], row["errors"]) == ("", "")


def test_every_figure_that_claims_bound_is_one_of_a_round() -> None:
    record = fault_record(
        connections=Connections(before=1, opened=3, during=2, busiest=1, left=1), client_cpu_percent=5.0
    )
    assert FAULTS.bounded.keys() | LOOPS.bounded_metrics.keys() == BOUND_METRICS
    found = {name: of(record) for name, of in FAULTS.bounded.items()}
    assert (found["longest_wait"], found["errors"], found["doubled"], found["reconnects"]) == (0.5, 23, 2, 0.25)
    assert found["failed_afresh"] is None
    assert all(of(fault_record(made_as=Fault.SWALLOWED)) is None for of in FAULTS.bounded.values())


def failover_record(**changes: Any) -> FaultRecord:  # noqa: ANN401 - a record's fields
    figures = make_figures(
        outage=Wait(s=3.1),
        elsewhere=Elsewhere(longest_wait=Wait(s=0.26), errors=4),
        writes=Writes(sent=100, acknowledged=80, lost=3, lost_by_server=2),
    )
    return fault_record(**{"fault": Fault.FAILOVER_KILL, "figures": figures, "lasts_s": 2.9, "affected": 5, **changes})


def test_the_servers_own_share_of_a_failover_stands_beside_the_clients() -> None:
    """So does what callers of other keys saw; a row has as many columns as one of other faults has, and its own."""
    chapter = chapter_of(failover_record(), failover_record(number=2, lasts_s=3.3))
    (failover,) = chapter.tables
    assert failover.title == "failover-kill: a primary is killed, and its replica takes its place"
    (row,) = ([cell.text for cell in row] for row in failover.rows)
    found = dict(zip((column.head.replace("\n", " ") for column in failover.columns), row, strict=True))
    assert (found["promoted"], found["outage"], found["first success"]) == ("3.30", "3.10", "0.01")
    assert (found["others: wait"], found["others: errors"]) == ("0.26", "4")
    assert (found["lost"], found["by the server"], found["busiest"]) == ("3", "2", "10")
    assert any(note.startswith("others:") for note in chapter.notes)
    lost = failover_record(status=Status.FAILED, reason="it broke").model_copy(update={"figures": None})
    (failed,) = chapter_of(lost).tables
    shown = [cell.text for column, cell in zip(failed.columns, failed.rows[0], strict=True) if not column.is_extra]
    assert shown[:2] == ["lib", "failed"], "a terminal shows it, too"
    (usual,) = chapter_of(fault_record()).tables
    assert not {column.head for column in usual.columns} & {"promoted", "outage", "busiest"}
    assert not any(note.startswith("others:") for note in chapter_of(fault_record()).notes)


def test_a_failover_is_a_row_of_data_with_its_own_columns() -> None:
    row = row_of(failover_record(), failover_record(number=2, lasts_s=3.3))
    assert (row["promoted_s"], row["fault_s"], row["outage_s"]) == ("3.1", "3.1", "3.1")
    assert (row["elsewhere_longest_wait_s"], row["elsewhere_errors"], row["lost_by_server"]) == ("0.26", "4", "2")
    usual = row_of(fault_record())
    assert {usual[name] for name in ("promoted_s", "outage_s", "elsewhere_errors", "lost_by_server")} == {""}
