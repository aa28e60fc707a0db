"""The table of a fault, and its rows as data."""

from respmark.contract.trial import Fault
from respmark.kinds.faults.metrics import cells_of, row_of
from respmark.kinds.faults.record import FaultRecord, Wait
from respmark.kinds.faults.tables import fault_chapters
from respmark.results.records import Status
from respmark.specs.limits import LimitsSpec
from tests.builders.records import make_manifest, planned_cell
from tests.kinds.faults.builders import fault_record, make_figures

HANGS = make_figures(longest_wait=Wait(s=27.5, is_over=False), recovered=Wait(s=20.0, is_over=False))


def rows(*records: FaultRecord) -> list[list[str]]:
    cells = list({one.cell_id: planned_cell(one) for one in records}.values())
    _, chapter = fault_chapters(make_manifest(cells=cells), records)
    return [[cell.text for cell in row] for table in chapter.tables for row in table.rows]


def test_a_row_has_the_median_round_and_the_worst_one() -> None:
    """Where the rounds do not agree, it says so."""
    one, three = make_figures(1.0), make_figures(3.0)
    (row,) = rows(fault_record(figures=one), fault_record(figures=one, number=2), fault_record(figures=three, number=3))
    assert row[:5] == ["lib", "1", "2 of 3", "1.00 (3.00) ~", "2.00 (4.00)"]
    assert row[5:8] == ["0.01", "0.02", "0.30"]
    assert row[8:] == ["23", "0", "2", "0", "0", "12", "1", "0.00"]


def test_who_still_waits_has_waited_longer() -> None:
    (row,) = rows(fault_record(figures=HANGS))
    assert row[1:4] == ["1", "no", "> 27.5"]
    assert row[7] == "> 20.0"


def test_a_limit_that_there_is_not_holds_nothing() -> None:
    without = LimitsSpec(connect=1.0, command="none", pool="missing", retries=0)
    found = rows(fault_record("one", limits=without), fault_record("two", limits=None))
    assert [row[1:3] for row in found] == [["none", ""], ["", ""]]


def test_where_connecting_fails_its_limit_counts_as_well() -> None:
    """One wait has both."""
    within, beyond = make_figures(3.3), make_figures(3.4)
    found = rows(
        fault_record("one", figures=within, fault=Fault.LINK_DOWN), fault_record("two", beyond, fault=Fault.LINK_DOWN)
    )
    assert [row[1:3] for row in found] == [["3", "yes"], ["3", "no"]]


def test_every_fault_has_a_table_and_what_was_not_measured_a_reason() -> None:
    records = [
        fault_record(made_as=Fault.SWALLOWED, fault=Fault.HALF_OPEN),
        fault_record("lost", status=Status.UNSUPPORTED, reason="it cannot", figures=None),
    ]
    records[1] = records[1].model_copy(update={"figures": None})
    cells = [planned_cell(one) for one in records]
    header, chapter = fault_chapters(make_manifest(cells=cells, seed=7), records)
    assert header.lines[0] == "3 rounds; seed 7"
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
    records = [fault_record(), fault_record(figures=HANGS, number=2)]
    (cell,) = cells_of(make_manifest(cells=[planned_cell(records[0])]), records)
    row = row_of(cell)
    assert (row["client"], row["fault"], row["fault_s"], row["rounds"], row["status"]) == (
        "lib",
        "silence",
        8.0,
        2,
        "ok",
    )
    assert (row["limit_s"], row["longest_wait_s"], row["recovered_s"]) == (1.0, "> 27.5", "> 20")
    assert (row["errors"], row["lost"], row["doubled"], row["connections_left"]) == (23, 0, 2, 1)


def test_a_cell_without_a_round_has_its_status() -> None:
    record = fault_record(status=Status.FAILED, reason="it broke")
    (cell,) = cells_of(make_manifest(cells=[planned_cell(record)]), [record])
    row = row_of(cell)
    assert (row["status"], row["reason"], row["longest_wait_s"], row["errors"]) == ("failed", "it broke", None, None)
