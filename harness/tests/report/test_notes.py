"""What a reader must know beside the figures."""

from typing import Any

import pytest

from respmark.contract.trial import Form, Scenario, Shape, Window
from respmark.report.notes import cell_note, missing_notes, shape_label, table_notes
from respmark.results.records import Status, WarmUp
from respmark.statistics.cells import cells_of
from tests.builders.plan import make_client, make_trial
from tests.builders.records import (
    MILLISECOND_NS,
    SECOND_NS,
    make_evidence,
    make_moment,
    make_record,
    make_run,
    make_slice,
    make_slice_record,
    unmeasured,
)

BURST = Shape(depth=100, window=Window.BURST)


def notes(*records: Any) -> list[str]:  # noqa: ANN401 - trial records
    """Return the notes of these records' cells."""
    return list(filter(None, map(cell_note, cells_of(make_run(*records)))))


@pytest.mark.parametrize(
    ("shape", "label"),
    [
        (Shape(), ""),
        (Shape(depth=100, window=Window.BURST), "depth 100, burst"),
        (Shape(depth=10, form=Form.QUEUED), "depth 10, queued"),
        (Shape(threads=10, max_total=10, max_idle=0), "10 threads, max_total 10, max_idle 0"),
        (Shape(threads=1, connections=1), "1 thread, 1 client"),
        (Shape(threads=4, connections=2, processes=3), "4 threads, 2 clients, 3 processes"),
    ],
)
def test_a_shape_is_written_in_words(shape: Shape, label: str) -> None:
    """What does not apply is left out; one is not written as many."""
    assert shape_label(shape) == label


def test_a_good_cell_needs_no_note() -> None:
    """Where all is as it should be, there is nothing to say."""
    assert notes(make_record()) == []


def test_a_cell_without_figures_has_its_reason() -> None:
    """Client, state and reason are in one note; what a library cannot express at all is the same for every shape."""
    trial = make_trial(Scenario.BATCHING, Shape(depth=10))
    assert notes(unmeasured(Status.FAILED, "because", trial)) == ["lib (depth 10): failed: because"]
    assert notes(unmeasured(Status.UNSUPPORTED, "because", trial)) == ["lib: unsupported: because"]


def test_a_cell_that_failed_in_part_has_a_note() -> None:
    """With how many rounds, and why; the star in the table is explained once."""
    records = [make_record(make_trial(number=1)), unmeasured(Status.FAILED, "hung", make_trial(number=2))]
    assert notes(*records) == ["lib: 1 of 2 rounds failed: hung"]
    (note,) = table_notes(cells_of(make_run(*records)))
    assert note.startswith("* from fewer rounds or slices than planned")


def test_missing_clients_are_not_told_in_every_table() -> None:
    """Their reason stands once, below all tables, client by client."""
    records = [unmeasured(Status.MISSING, "no npm", make_trial(client=make_client(name))) for name in ("a", "b")]
    assert notes(*records) == []
    records.append(unmeasured(Status.MISSING, "no npm", make_trial(Scenario.POOL, client=make_client("a"))))
    assert missing_notes(cells_of(make_run(*records))) == ["a is missing: no npm", "b is missing: no npm"]


def test_a_baseline_without_figures_is_told() -> None:
    """Where the client that was asked for was not measured there are no ratios, and the table says why."""
    records = [make_record(make_trial(client=make_client(name))) for name in ("a", "b")]
    deep = make_record(make_trial(Scenario.BATCHING, Shape(depth=10), client=make_client("a")))
    cells = cells_of(make_run(*records, deep), "b")
    assert "no ratios (depth 10): b has no figures there" in list(table_notes(cells, "b"))
    assert not [note for note in table_notes(cells[:2], "b") if "no ratios" in note]


def test_caches_that_share_their_keys_are_told() -> None:
    """Alone, a client's cache would lose less; of one client there is nothing to tell."""
    records = [
        make_record(make_trial(Scenario.CACHING, Shape(cache_entries=9), client=make_client(name)))
        for name in ("a", "b")
    ]
    assert [note for note in table_notes(cells_of(make_run(*records))) if "each cache also loses entries" in note]
    assert not list(table_notes(cells_of(make_run(records[0]))))


def pipelined(shape: Shape = BURST, scenario: Scenario = Scenario.PIPELINING, **evidence: Any) -> list[str]:  # noqa: ANN401 - evidence's fields
    """Return the notes of a cell with this evidence."""
    seen = make_slice_record(evidence=make_evidence(**evidence))
    return notes(make_record(make_trial(scenario, shape), slices=[seen]))


def test_pipelining_over_many_connections_is_told() -> None:
    """A library that opens a connection for each command in flight does not pipeline, and the table says so."""
    (note,) = pipelined(connections_open=100, reads_processed=1000)
    assert note.startswith("lib (depth 100, burst): the server saw")
    assert "the server saw 100 connections and 1.0 commands per read at depth 100" in note
    assert "each command in flight has its own connection" in note


def test_the_note_is_for_pipelining_deeper_than_one() -> None:
    """Depth 1 cannot share a read, a server that does not tell is not judged, and other scenarios are others."""
    alone: Any = {"connections_open": 100, "reads_processed": 1000}
    assert pipelined(Shape(depth=1, window=Window.BURST), **alone) == []
    assert pipelined(connections_open=100, reads_processed=None) == []
    assert pipelined(Shape(threads=100, connections=1), Scenario.THREADS, **alone) == []


@pytest.mark.parametrize(("first", "told"), [(400, "+50 %"), (600, "-33 %"), (490, None), (520, None)])
def test_drift_is_told_when_halves_differ(first: int, told: str | None) -> None:
    """Of 1,000 operations, so many in the earlier slice: only a difference of more than 10 % is worth a line."""
    slices = [make_slice_record(count, number) for number, count in enumerate((first, 1000 - first), start=1)]
    found = notes(make_record(slices=slices))
    assert bool(found) is bool(told)
    assert all(str(told) in note for note in found)


def test_a_warm_up_that_was_too_short_is_told() -> None:
    """With how long it was, in how many rounds."""
    (note,) = notes(make_record(warm_up=WarmUp(slices=15, work_s=1.5, is_steady=False)))
    assert "was still not steady after 1.5 s of warm-up in 1 of 1 rounds" in note


def test_a_client_that_works_while_it_waits_is_told() -> None:
    """A tenth of a processor in the second between two slices disturbs whoever has the turn."""
    first = make_slice()
    begun = make_moment(first.ended.at_ns + SECOND_NS, 600 * MILLISECOND_NS)
    second = make_slice(
        started=begun, measured_from=begun, ended=make_moment(begun.at_ns + SECOND_NS, 1100 * MILLISECOND_NS)
    )
    slices = [make_slice_record(answers=[first]), make_slice_record(lap=2, answers=[second])]
    (note,) = notes(make_record(slices=slices))
    assert "used 10 % of one processor while it waited" in note


def test_a_cell_of_which_slices_were_lost_says_so() -> None:
    """Its rounds are all there; the reason stands below the table."""
    (note,) = notes(make_record(reason="1 of 10 slices are not counted: KEYS 1"))
    assert note == "lib: 1 of 10 slices are not counted: KEYS 1"


@pytest.mark.parametrize(
    ("counted_ms", "flagged"), [(500, False), (524, False), (474, True), (530, True), (None, False)]
)
def test_two_counts_of_client_cpu_that_differ_are_told(counted_ms: int | None, *, flagged: bool) -> None:
    """The runner says 500 ms; five percent off is as good as it gets, and no count is no difference."""
    counted_ns = None if counted_ms is None else counted_ms * SECOND_NS // 1000
    record = make_record(slices=[make_slice_record(cpu_by_kernel_ns=counted_ns)])
    found = notes(record)
    assert bool(found) is flagged
    if flagged:
        assert "the kernel's count of client CPU differs" in found[0]
        assert f"{(counted_ms or 0) / 5 - 100:+.0f} %" in found[0]


@pytest.mark.parametrize(
    ("changes", "note"),
    [
        ({"stolen_cpu_ns": 30 * MILLISECOND_NS}, "lib: the hypervisor took 3 % of one processor for other machines"),
        ({"other_cpu_ns": 400 * MILLISECOND_NS}, "lib: other programs used 40 % of one processor during its slices"),
        (
            {"library_calls": {"ping": 3, "info": 1}},
            "lib: sent by libraries of their own accord during its slices: PING 3, INFO 1",
        ),
    ],
)
def test_what_others_did_in_the_slices_is_told(changes: dict[str, Any], note: str) -> None:
    """Other machines, other programs, and the libraries themselves."""
    assert note in notes(make_record(slices=[make_slice_record(evidence=make_evidence(**changes))]))
