"""What a reader must know beside the figures."""

from dataclasses import replace
from typing import Any

import pytest

from respmark.contract.trial import Form, Scenario, Shape, Window
from respmark.figures.cells import Cell
from respmark.figures.ranking import cells_of
from respmark.kinds.loops.notes import table_notes
from respmark.report.notes import cell_note, missing_notes
from respmark.results.records import Status
from tests.builders.plan import make_trial
from tests.builders.records import (
    make_record,
    make_run,
    unmeasured,
)

BURST = Shape(depth=100, window=Window.BURST)
SLIDING = Shape(depth=100, window=Window.SLIDING)
BLOCK = Shape(depth=10, form=Form.BATCHED)


def cell(record: Any = None, **figures: object) -> Cell:  # noqa: ANN401 - a trial record
    (found,) = cells_of(make_run(record or make_record()))
    assert found.measured is not None
    return replace(found, measured=found.measured.model_copy(update=figures))


@pytest.mark.parametrize(
    ("shape", "label"),
    [
        (Shape(), ""),
        (BURST, "depth 100, burst"),
        (Shape(threads=10, max_total=10, max_idle=0), "10 threads, max_total 10, max_idle 0"),
        (Shape(threads=4, connections=2, processes=3), "4 threads, 2 clients, 3 processes"),
    ],
)
def test_a_shape_is_written_in_words(shape: Shape, label: str) -> None:
    """What does not apply is left out; one is not written as many."""
    assert shape.label == label


def test_a_cell_without_figures_has_its_reason() -> None:
    """What a library cannot express at all is the same for every shape; missing clients are told once, below all."""
    trial = make_trial(Scenario.BATCHING, Shape(depth=10))
    (failed,), (unsupported,), (missing,) = (
        cells_of(make_run(unmeasured(status, "because", trial)))
        for status in (Status.FAILED, Status.UNSUPPORTED, Status.MISSING)
    )
    assert cell_note(failed) == "lib (depth 10): failed: because"
    assert cell_note(unsupported) == "lib: unsupported: because"
    assert cell_note(missing) is None
    assert missing_notes([missing, missing]) == ("lib is missing: because",)


def test_a_cell_that_failed_in_part_has_a_note() -> None:
    """With how many rounds, and why; the star in the table is explained once."""
    records = [make_record(make_trial(number=1)), unmeasured(Status.FAILED, "hung", make_trial(number=2))]
    cells = cells_of(make_run(*records))
    assert list(map(cell_note, cells)) == ["lib: 1 of 2 rounds failed: hung"]
    assert list(table_notes(cells, None)) == ["* from fewer rounds or slices than planned"]


@pytest.mark.parametrize(
    ("figures", "note"),
    [
        ({"drift_percent": 10.5}, "throughput changed by +10 % from the first half of a round to the second"),
        ({"drift_percent": 9.9}, None),
        ({"cpu_accounts_percent": -5.2}, "the kernel's count of client CPU differs by -5 % from the runner's own"),
        ({"waiting_cpu_percent": 10.0}, "used 10 % of one processor while it waited"),
        ({"outside_percent": 12.0}, "12 % of the time from the request for a slice to its answer was outside"),
        ({"apart_percent": 25.0}, "its processes overlapped little: for 25 % of the measured time, not all of them"),
        ({"stolen_percent": 3.0}, "the hypervisor took 3 % of one processor for other machines"),
        ({"other_cpu_percent": 40.0}, "other programs used 40 % of one processor during its slices"),
        ({"rounds_not_steady": 2}, "was not steady at the end of its warm-up in 2 of its rounds"),
        (
            {"own_commands": {"ping": 3, "info": 1}},
            "sent by libraries of their own accord during its slices: PING 3, I",
        ),
    ],
)
def test_what_makes_figures_doubtful_is_reported(figures: dict[str, object], note: str | None) -> None:
    found = cell_note(cell(**figures))
    assert (found is None) is (note is None)
    assert (found or "").startswith(f"lib: {note}" if note else "")


@pytest.mark.parametrize(
    ("shape", "figures", "note"),
    [
        (
            Shape(),
            {"redirects": 41, "moved_slots": 20},
            "goes on to ask the node that had a slot: 41 MOVED for 20 slots",
        ),
        (Shape(), {"redirects": 45, "asks": 5, "askings": 5, "moved_slots": 20}, None),
        (Shape(processes=3), {"redirects": 120, "moved_slots": 20}, None),
        (Shape(), {"redirects": 10, "moved_slots": 20, "topology_calls": {"cluster|slots": 8, "info": 9}}, None),
        (
            Shape(),
            {"redirects": 12, "asks": 2, "askings": 2, "moved_slots": 20, "topology_calls": {"cluster|shards": 9}},
            "asks for all nodes again with every MOVED: 9 times for 10 MOVED",
        ),
        (
            Shape(),
            {"redirects": 9, "asks": 4, "askings": 3, "moved_slots": 20},
            "asks the same node again after ASK, or leaves ASKING out: 3 for 4 ASK",
        ),
        (Shape(), {"node_reads": {"primary 1": 5, "primary 2": 15}}, None),
        (
            Shape(),
            {"node_reads": {"primary 1": 5, "replica 1": 15}},
            "reads by node: primary 1 25.0 %, replica 1 75.0 %",
        ),
    ],
)
def test_how_a_client_follows_slots_is_reported(shape: Shape, figures: dict[str, object], note: str | None) -> None:
    """Each of several clients learns for itself; a question about nodes is another than one about a server's state."""
    found = cell_note(cell(make_record(make_trial(shape=shape)), **figures)) or ""
    sent_on = "were sent to a node that did not have their slot (MOVED, ASK)"
    left = [part for part in found.split(": ", 1)[-1].split("; ") if part and not part.endswith(sent_on)]
    assert left == ([] if note is None else left[:1])
    assert note is None or note in found


@pytest.mark.parametrize(
    ("scenario", "shape", "figures", "note"),
    [
        (Scenario.PIPELINING, BURST, {"connections_open": 100}, "each command in flight has its own connection"),
        (Scenario.PIPELINING, BURST, {"commands_per_read": 50}, "combines commands issued together into a few writes"),
        (Scenario.PIPELINING, BURST, {"commands_per_read": 1.01}, "each command is sent on its own"),
        (Scenario.PIPELINING, SLIDING, {"commands_per_read": 50}, "replies arrive in groups"),
        (Scenario.TRANSACTION, BLOCK, {"commands_per_read": 6}, "2.0 reads per transaction at depth 10"),
        (Scenario.THREADS, Shape(threads=16, connections=1), {}, "1 connections for 16 threads"),
        (Scenario.PIPELINING, Shape(depth=1, window=Window.BURST), {}, None),
        (Scenario.PIPELINING, BURST, {"commands_per_read": None, "connections_open": 100}, None),
        (Scenario.TRANSACTION, Shape(depth=10, form=Form.QUEUED), {}, None),
        # A long transaction comes in several reads, however it was sent.
        (Scenario.TRANSACTION, BLOCK, {"commands_per_read": 2, "input_bytes_per_read": 12_000}, None),
        (Scenario.THREADS, Shape(threads=16, connections=1), {"connections_open": 16}, None),
    ],
)
def test_a_wire_that_differs_from_the_name_is_reported(
    scenario: Scenario, shape: Shape, figures: dict[str, object], note: str | None
) -> None:
    """With the numbers that the server counted; one of which the counters cannot tell needs no words."""
    found = cell_note(cell(make_record(make_trial(scenario, shape)), **figures))
    assert (found is None) is (note is None)
    assert note is None or (": the server saw " in (found or "") and note in (found or ""))
