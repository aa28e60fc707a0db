"""The figures of one trial, against numbers worked out by hand."""

from typing import Any

import pytest

from respmark.contract.events import LocalCache, Moment, Slice, Work
from respmark.results.records import Calls, Evidence, Expectation, SliceRecord, TrialRecord, WarmUp
from respmark.statistics.counted import counted_slices
from respmark.statistics.measured import COMPARED, Measured, measured_of
from respmark.statistics.rounds import round_of
from tests.builders.records import (
    MILLISECOND_NS,
    SECOND_NS,
    make_evidence,
    make_moment,
    make_record,
    make_result,
    make_slice,
    make_slice_record,
)


def figures(record: TrialRecord) -> Measured:
    """Return the figures of a cell of this trial alone."""
    found = round_of(record)
    assert found is not None
    return measured_of([found])


def figures_of(*slices: SliceRecord) -> Measured:
    """Return the figures of a trial with these slices."""
    return figures(make_record(slices=list(slices)))


def one_slice(*answers: Slice, evidence: Evidence | None = None) -> Measured:
    """Return the figures of one slice of these processes."""
    return figures_of(make_slice_record(answers=list(answers or [make_slice()]), evidence=evidence or make_evidence()))


def lasting(operations: int, seconds: int) -> Slice:
    """Return an answer that took so long, with half a second of CPU."""
    begun = make_slice().started
    return make_slice(operations, ended=make_moment(begun.at_ns + seconds * SECOND_NS, SECOND_NS // 2))


def test_one_slice_of_one_process() -> None:
    """1,000 operations in 1 s with 500 ms of client CPU and 200 ms of server CPU, each by hand."""
    found = one_slice()
    assert found.operations == 1000
    assert found.rps_median == pytest.approx(1000)
    assert found.client_cpu_percent == pytest.approx(50)
    assert found.client_cpu_us_per_command == pytest.approx(500)
    assert found.server_cpu_percent == pytest.approx(20)
    assert found.server_cpu_us_per_command == pytest.approx(200)
    assert found.other_cpu_percent == pytest.approx(1)
    assert found.hit_ratio == pytest.approx(0.8)
    assert found.commands_per_read == pytest.approx(1)
    assert found.peak_memory_bytes == 2**20
    assert found.slices == 1


def test_local_hits_are_gets_that_were_not_sent() -> None:
    """Of 800 GETs two processes sent 150 and 50; they dropped 20 entries in a slice of a second and 2 ms."""
    answers = [
        make_slice(local_cache=LocalCache(hits=None, misses=150, invalidations=15)),
        make_slice(local_cache=LocalCache(hits=600, misses=50, invalidations=5)),
    ]
    expected = Expectation(calls={"get": 200, "set": 200}, hits=None, misses=None, local_reads=800)
    found = one_slice(*answers, evidence=make_evidence(expected=expected))
    assert found.local_hit_ratio == pytest.approx(0.75)
    assert found.local_invalidations_per_second == pytest.approx(20 / 1.002)


def test_without_a_cache_of_its_own_nothing_is_told_of_it() -> None:
    """A ratio of 0 would say that there was one."""
    found = one_slice()
    assert (found.local_hit_ratio, found.local_invalidations_per_second) == (None, None)


def test_rates_are_of_the_time_that_was_measured() -> None:
    """The client's figures are of its own slice, the server's of the time between its readings."""
    found = one_slice(lasting(1000, 2), evidence=make_evidence(elapsed_ns=4 * SECOND_NS))
    assert found.rps_median == pytest.approx(500)
    assert found.client_cpu_percent == pytest.approx(25)
    assert found.server_cpu_percent == pytest.approx(5)
    assert found.other_cpu_percent == pytest.approx(0.25)


def test_processes_add_up_and_the_longest_counts() -> None:
    """300 and 700 operations in 1 s and 2 s are 500 a second; CPU and memory are sums."""
    slices = [make_slice_record(answers=[lasting(300, 1), lasting(700, 2)])]
    found = figures(make_record(slices=slices, results=[make_result(300), make_result(700)]))
    assert found.operations == 1000
    assert found.rps_median == pytest.approx(500)
    assert found.client_cpu_percent == pytest.approx(50)
    assert found.client_cpu_us_per_command == pytest.approx(1000)
    assert found.peak_memory_bytes == 2 * 2**20


def test_rates_and_costs_are_of_all_slices() -> None:
    """One slow slice of three is a third of the time."""
    slices = [make_slice_record(count, number) for number, count in enumerate((1000, 1000, 100), start=1)]
    found = figures_of(*slices)
    assert (found.operations, found.slices) == (2100, 3)
    assert found.rps_median == pytest.approx(700)
    assert found.server_cpu_us_per_command == pytest.approx(3 * 200_000 / 2100)


def test_slices_that_the_server_does_not_back_do_not_count() -> None:
    """Neither do their operations; without any that does, there are no figures."""
    bad = make_slice_record(5000, 2, mismatch="claimed 5,000, seen 0")
    assert figures_of(make_slice_record(), bad).operations == 1000
    assert round_of(make_record(slices=[bad])) is None


def test_cpu_between_slices_is_the_clients_own() -> None:
    """Half a second of work, then a quarter of a second of CPU in a second of waiting, then work again."""
    first = make_slice()
    begun = make_moment(first.ended.at_ns + SECOND_NS, 750 * MILLISECOND_NS)
    second = make_slice(
        started=begun, measured_from=begun, ended=make_moment(begun.at_ns + SECOND_NS, 1250 * MILLISECOND_NS)
    )
    slices = [make_slice_record(answers=[first]), make_slice_record(lap=2, answers=[second])]
    found = figures_of(*slices)
    assert found.waiting_cpu_percent == pytest.approx(25)
    assert found.client_cpu_percent == pytest.approx(50)
    assert found.client_cpu_us_per_command == pytest.approx(1250 / 2)
    counted = counted_slices(make_record(slices=slices))
    assert counted is not None
    parts = {key: compared.parts(counted.figures).tolist() for key, (_, compared) in COMPARED.items()}
    assert parts["client_cpu"] == [[500 * MILLISECOND_NS, 1000], [750 * MILLISECOND_NS, 1000]]
    assert parts["server_cpu"] == [[200 * MILLISECOND_NS, 1000]] * 2


def slice_of(lap: int, waited_ms: int, worked_ms: int, begun: Moment, **changes: Any) -> SliceRecord:  # noqa: ANN401
    """Return a slice of a second that begins a second after another moment, with so much CPU in and before it."""
    cpu_ns = begun.cpu_ns + waited_ms * MILLISECOND_NS
    started = make_moment(begun.at_ns + SECOND_NS, cpu_ns)
    ended = make_moment(started.at_ns + SECOND_NS, cpu_ns + worked_ms * MILLISECOND_NS)
    return make_slice_record(
        lap=lap, answers=[make_slice(started=started, measured_from=started, ended=ended)], **changes
    )


@pytest.mark.parametrize(
    ("not_counted", "own_us", "repeated"),
    [
        ({"lap": 2, "compiling_ns": SECOND_NS}, 300 + 300, 1),  # and what compilers did after it
        ({"lap": 3, "mismatch": "claimed 1,000, seen 0"}, 300 + 300 + 40, 0),
    ],
)
def test_what_is_not_counted_is_not_charged_as_waiting(not_counted: dict[str, Any], own_us: int, repeated: int) -> None:
    """Of three slices the second one does not count; each is 300 ms of CPU or 900, with 40 ms before it."""
    first = slice_of(1, 0, 300, make_slice().started)
    second = slice_of(begun=first.answers[0].ended, waited_ms=40, worked_ms=900, **not_counted)
    third = slice_of(2, 40, 300, second.answers[0].ended)
    found = figures_of(first, second, third)
    assert (found.slices, found.slices_repeated) == (2, repeated)
    assert found.client_cpu_us_per_command == pytest.approx(own_us / 2)


def test_one_slice_has_no_time_between() -> None:
    """There is nothing to tell from."""
    assert one_slice().waiting_cpu_percent is None


def test_the_lead_in_is_in_the_costs_and_not_in_the_rate() -> None:
    """Costs are of everything that the server saw; the rate is of the measured part."""
    begun = make_slice().started
    answer = make_slice(
        lead_in=Work(operations=1000, units=1000),
        measured_from=make_moment(begun.at_ns + SECOND_NS, 500 * MILLISECOND_NS),
        ended=make_moment(begun.at_ns + 2 * SECOND_NS, SECOND_NS),
    )
    found = one_slice(answer)
    assert found.operations == 1000
    assert found.rps_median == pytest.approx(1000)
    assert found.client_cpu_us_per_command == pytest.approx(500)
    assert found.server_cpu_us_per_command == pytest.approx(100)


def test_commands_per_read_counts_handshakes_too() -> None:
    """1,000 commands and 24 of set-up in 64 reads are 16 a read."""
    evidence = make_evidence(setup_calls={"hello": 12, "client|setinfo": 12}, reads_processed=64)
    assert one_slice(evidence=evidence).commands_per_read == pytest.approx(16)


@pytest.mark.parametrize("reads", [None, 0])
def test_commands_per_read_of_a_server_that_does_not_tell(reads: int | None) -> None:
    """No counter, no figure."""
    assert one_slice(evidence=make_evidence(reads_processed=reads)).commands_per_read is None


def test_transactions_count_their_frame_as_commands_of_a_read() -> None:
    """MULTI and EXEC are commands to the server."""
    calls = {name: Calls(calls=count) for name, count in {"get": 80, "set": 20, "multi": 10, "exec": 10}.items()}
    assert one_slice(evidence=make_evidence(workload_calls=calls, reads_processed=12)).commands_per_read == 10


def test_without_any_get_there_is_no_hit_ratio() -> None:
    """A ratio of nothing is not 0."""
    assert one_slice(evidence=make_evidence(keyspace_hits=0, keyspace_misses=0)).hit_ratio is None


def test_what_the_kernel_does_not_tell_is_not_zero() -> None:
    """Other CPU stays unknown."""
    assert one_slice(evidence=make_evidence(other_cpu_ns=None)).other_cpu_percent is None


def test_what_the_kernel_counted_is_held_against_the_runners_own_count() -> None:
    """550 ms where the runner says 500 are 10 % more."""
    assert figures_of(make_slice_record(cpu_by_kernel_ns=550 * MILLISECOND_NS)).cpu_accounts_percent == pytest.approx(
        10
    )
    assert one_slice().cpu_accounts_percent is None


def test_drift_is_the_later_half_against_the_earlier() -> None:
    """800 a second, then 1,200, is 50 % more; the slice in the middle of an odd number is in neither half."""
    rates = (800, 800, 5000, 1200, 1200)
    slices = [make_slice_record(count, number) for number, count in enumerate(rates, start=1)]
    assert figures_of(*slices).drift_percent == pytest.approx(50)


def test_one_slice_does_not_drift() -> None:
    """There is nothing to compare it with."""
    assert one_slice().drift_percent is None


def test_the_warm_up_is_told() -> None:
    """How long it was, and whether it was long enough."""
    found = figures(make_record(warm_up=WarmUp(slices=15, work_s=1.5, is_steady=False)))
    assert (found.warmup_s, found.rounds_not_steady) == (1.5, 1)
