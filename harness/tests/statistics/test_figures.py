"""The figures of one trial, against numbers worked out by hand."""

import pytest

from respmark.contract.events import Half, Result
from respmark.records import Calls, Evidence
from respmark.statistics.figures import Figures, figures
from tests.builders import MILLISECOND_NS, SECOND_NS, make_evidence, make_record, make_result


def figures_of(*results: Result, evidence: Evidence | None = None) -> Figures:
    """Return the figures of a trial with these results."""
    given = evidence or make_evidence()
    return figures(make_record(results=list(results or [make_result()]), evidence=given), given)


def test_one_process() -> None:
    """1,000 operations in 1 s with 500 ms of client CPU and 200 ms of server CPU, each by hand."""
    found = figures_of()
    assert found.operations == 1000
    assert found.rps == pytest.approx(1000)
    assert found.client_cpu_percent == pytest.approx(50)
    assert found.client_cpu_us_per_command == pytest.approx(500)
    assert found.server_cpu_percent == pytest.approx(20)
    assert found.server_cpu_us_per_command == pytest.approx(200)
    assert found.other_cpu_percent == pytest.approx(1)
    assert found.hit_ratio == pytest.approx(0.8)
    assert found.commands_per_read == pytest.approx(1)
    assert found.peak_memory_bytes == 2**20


def test_rates_are_of_the_time_that_was_measured() -> None:
    """The client's figures are of its own window, the server's of the time between its readings."""
    found = figures_of(make_result(elapsed_ns=2 * SECOND_NS), evidence=make_evidence(elapsed_ns=4 * SECOND_NS))
    assert found.rps == pytest.approx(500)
    assert found.client_cpu_percent == pytest.approx(25)
    assert found.server_cpu_percent == pytest.approx(5)
    assert found.other_cpu_percent == pytest.approx(0.25)


def test_processes_add_up_and_the_longest_window_counts() -> None:
    """300 and 700 operations in 1 s and 2 s are 500 a second; CPU and memory are sums."""
    found = figures_of(make_result(300), make_result(700, elapsed_ns=2 * SECOND_NS))
    assert found.operations == 1000
    assert found.rps == pytest.approx(500)
    assert found.client_cpu_percent == pytest.approx(50)
    assert found.client_cpu_us_per_command == pytest.approx(1000)
    assert found.peak_memory_bytes == 2 * 2**20


def test_commands_per_read_counts_handshakes_too() -> None:
    """1,000 commands and 24 of set-up in 64 reads are 16 a read."""
    evidence = make_evidence(setup_calls={"hello": 12, "client|setinfo": 12}, reads_processed=64)
    assert figures_of(evidence=evidence).commands_per_read == pytest.approx(16)


@pytest.mark.parametrize("reads", [None, 0])
def test_commands_per_read_of_a_server_that_does_not_tell(reads: int | None) -> None:
    """No counter, no figure."""
    assert figures_of(evidence=make_evidence(reads_processed=reads)).commands_per_read is None


def test_transactions_count_their_frame_as_commands_of_a_read() -> None:
    """MULTI and EXEC are commands to the server."""
    calls = {name: Calls(calls=count) for name, count in {"get": 80, "set": 20, "multi": 10, "exec": 10}.items()}
    assert figures_of(evidence=make_evidence(workload_calls=calls, reads_processed=12)).commands_per_read == 10


def test_without_any_get_there_is_no_hit_ratio() -> None:
    """A ratio of nothing is not 0."""
    assert figures_of(evidence=make_evidence(keyspace_hits=0, keyspace_misses=0)).hit_ratio is None


def test_what_the_kernel_does_not_tell_is_not_zero() -> None:
    """Other CPU stays unknown."""
    assert figures_of(evidence=make_evidence(other_cpu_ns=None)).other_cpu_percent is None


def half(operations: int, milliseconds: int) -> Half:
    """Return a first half."""
    return Half(operations=operations, elapsed_ns=milliseconds * MILLISECOND_NS)


def test_drift_is_the_second_half_against_the_first() -> None:
    """400 operations in the first half second and 600 in the second is 50 % more."""
    assert figures_of(make_result(first_half=half(400, 500))).drift_percent == pytest.approx(50)


def test_drift_minds_that_halves_are_not_equal() -> None:
    """600 in 600 ms and 400 in 400 ms is the same pace."""
    assert figures_of(make_result(first_half=half(600, 600))).drift_percent == pytest.approx(0)


def test_drift_of_several_processes_is_that_of_their_sum() -> None:
    """1,000 + 2,000 a second, then 1,000 + 1,000 a second: a third less."""
    found = figures_of(make_result(1000, first_half=half(500, 500)), make_result(1500, first_half=half(1000, 500)))
    assert found.drift_percent == pytest.approx(-100 / 3)


@pytest.mark.parametrize("first", [None, half(0, 500), half(1000, 1000)])
def test_drift_that_cannot_be_told_is_not(first: Half | None) -> None:
    """Without a half, or with nothing in it or after it, there is no drift."""
    assert figures_of(make_result(first_half=first)).drift_percent is None


def test_drift_is_of_all_processes_or_of_none() -> None:
    """One process without a half makes the sum meaningless."""
    assert figures_of(make_result(500), make_result(500, first_half=None)).drift_percent is None
