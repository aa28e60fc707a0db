"""The figures of one trial, against numbers worked out by hand."""

from typing import Any

import pytest

from respmark.contract.trial import Scenario, Shape
from respmark.kinds.loops.metrics import Bottleneck, LoopFigures
from respmark.kinds.loops.record import LoopRecord, SliceRecord
from tests.builders.plan import make_trial
from tests.builders.records import MILLISECOND_NS, SECOND_NS, make_latency, make_record, make_run, make_slice_record


def figures(record: LoopRecord) -> LoopFigures:
    (cell,) = make_run(record).cells
    assert isinstance(cell.measured, LoopFigures)
    return cell.measured


def figures_of(*slices: SliceRecord) -> LoopFigures:
    return figures(make_record(slices=list(slices)))


def one_slice(**changes: Any) -> LoopFigures:  # noqa: ANN401 - a slice's fields
    return figures_of(make_slice_record(**changes))


def test_one_slice() -> None:
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
    assert (found.slices, found.slices_repeated) == (1, 0)


def test_no_percentile_of_the_lag_is_above_that_of_the_response() -> None:
    """Rounds that differ are one set of samples for both: the median of rounds' percentiles would be above."""
    each = make_slice_record(20_000, due=20_000, rate_due=20_000.0)

    def a_round(number: int, stalls: int) -> LoopRecord:
        trial = make_trial(Scenario.SYNC, Shape(rate="20000"), number)
        response, lag = (
            [(usual_ns, 20_000 - stalls), (long_ns, stalls)]
            for usual_ns, long_ns in ((100_000, 2_000_000), (1_000, 1_900_000))
        )
        return make_record(trial, slices=[each], latency=make_latency(response), lag=make_latency(lag))

    (cell,) = make_run(a_round(1, 0), a_round(2, 300)).cells
    assert cell.measured.p99_ms == pytest.approx(0.1, rel=1e-3)
    assert cell.measured.lag_p99_ms == pytest.approx(0.001, rel=1e-3)


def test_few_samples_have_neither_response_nor_lag_at_the_99th_percentile() -> None:
    """A hundred samples have to be beyond it."""
    trial = make_trial(Scenario.SYNC, Shape(rate="1000"))
    kept = make_latency([(1_000, 9_000)])
    found = figures(make_record(trial, slices=[make_slice_record(due=1_000, rate_due=1_000.0)], latency=kept, lag=kept))
    assert (found.p99_ms, found.lag_p99_ms) == (None, None)
    assert found.lag_p50_ms == pytest.approx(0.001)


def test_local_hits_are_gets_that_were_not_sent() -> None:
    """Of 800 GETs 200 were sent; 20 entries were dropped in a slice of a second and 2 ms."""
    found = one_slice(local_reads=800, local_misses=200, local_invalidations=20)
    assert found.local_hit_ratio == pytest.approx(0.75)
    assert found.local_invalidations_per_second == pytest.approx(20 / 1.002)


def test_reads_that_a_replica_answered_too_early_have_their_time() -> None:
    """Three reads after each of 50 writes missed; a command took 1 ms on average."""
    found = one_slice(stale_reads=150, writes=50)
    assert found.stale_reads_per_write == pytest.approx(3)
    assert found.stale_ms == pytest.approx(3)
    assert (one_slice().stale_reads_per_write, one_slice().stale_ms) == (None, None)


def test_what_clients_of_a_cluster_were_told_and_asked() -> None:
    """Of 1,000 commands 40 were sent on, for 20 slots that moved; three questions in two seconds."""
    slots = {"redirects": 20, "asks": 4, "askings": 4, "moved_slots": 10}
    asked = {"topology_calls": {"cluster|slots": 2, "info": 1}, "node_reads": {"primary 1": 300, "primary 2": 150}}
    found = figures_of(make_slice_record(500, 1, **slots), make_slice_record(500, 2, **slots, **asked))
    assert found.redirected_percent == pytest.approx(4)
    assert found.redirects_per_move == pytest.approx(2)
    assert (found.redirects, found.asks, found.askings, found.moved_slots) == (40, 8, 8, 20)
    assert found.topology_calls_per_s == pytest.approx(1.5)
    assert found.topology_calls == {"cluster|slots": 2, "info": 1}
    assert (found.node_reads, found.node_spread) == ({"primary 1": 300, "primary 2": 150}, 0.5)


def test_a_batch_is_read_in_so_many_pieces() -> None:
    """Ten batches of 100 commands, each in three reads; where the server is no cluster, nothing is split."""
    batches = {"units": 10, "reads": 30}
    assert one_slice(**batches, redirects=0).reads_per_unit == pytest.approx(3)
    assert one_slice(**batches).reads_per_unit is None
    assert one_slice(**batches | {"reads": None}, redirects=0).reads_per_unit is None


def test_the_lead_in_is_in_the_costs_and_not_in_the_rate() -> None:
    """Costs are of everything that the server saw; the rate is of the measured part."""
    found = one_slice(commands=2000, slice_cpu_ns=SECOND_NS)
    assert found.rps_median == pytest.approx(1000)
    assert found.client_cpu_us_per_command == pytest.approx(500)
    assert found.server_cpu_us_per_command == pytest.approx(100)


def test_rates_and_costs_are_of_all_slices() -> None:
    """One slow slice of three is a third of the time."""
    found = figures_of(*(make_slice_record(count, lap) for lap, count in enumerate((1000, 1000, 100), start=1)))
    assert (found.operations, found.slices) == (2100, 3)
    assert found.rps_median == pytest.approx(700)
    assert found.server_cpu_us_per_command == pytest.approx(3 * 200_000 / 2100)


def test_cpu_between_slices_is_the_clients_own() -> None:
    """A quarter of a second in a second of waiting is a cost, and no share of the measured part."""
    second = make_slice_record(number=2, waited_ns=SECOND_NS, waiting_cpu_ns=250 * MILLISECOND_NS)
    found = figures_of(make_slice_record(), second)
    assert found.waiting_cpu_percent == pytest.approx(25)
    assert found.client_cpu_percent == pytest.approx(50)
    assert found.client_cpu_us_per_command == pytest.approx(1250 / 2)


@pytest.mark.parametrize(("changes", "repeated"), [({"reason": "KEYS 1"}, 0), ({"is_repeated": True}, 1)])
def test_slices_that_do_not_count_are_in_no_figure(changes: dict[str, Any], repeated: int) -> None:
    """Neither their operations nor their CPU; without any that counts, there are no figures."""
    bad = make_slice_record(5000, 2, **changes)
    found = figures_of(make_slice_record(), bad, make_slice_record(number=3))
    assert (found.operations, found.slices, found.slices_repeated) == (2000, 2, repeated)
    assert found.client_cpu_us_per_command == pytest.approx(500)
    (cell,) = make_run(make_record(slices=[bad])).cells
    assert cell.measured is None


@pytest.mark.parametrize(
    ("changes", "unknown"),
    [
        ({"reads": None}, "commands_per_read"),
        ({"hits": 0, "misses": 0}, "hit_ratio"),
        ({"other_cpu_ns": None}, "other_cpu_percent"),
        ({"kernel_cpu_ns": None}, "cpu_accounts_percent"),
        ({"client_thread_ns": None}, "client_thread_percent"),
        ({}, "local_invalidations_per_second"),
        ({}, "waiting_cpu_percent"),
        ({}, "outside_percent"),
        ({}, "apart_percent"),
        ({}, "drift_percent"),
    ],
)
def test_what_is_not_known_is_not_zero(changes: dict[str, Any], unknown: str) -> None:
    assert getattr(one_slice(**changes), unknown) is None


def test_time_outside_and_time_apart_are_shares() -> None:
    """A quarter second of 1.25 s was outside; of the second that was measured, both processes worked in 0.7 s."""
    times = {"lasted_ns": SECOND_NS * 5 // 4, "outside_ns": SECOND_NS // 4, "together_ns": SECOND_NS * 7 // 10}
    found = one_slice(**times)
    assert (found.outside_percent, found.apart_percent) == pytest.approx((20, 30))


@pytest.mark.parametrize(("rates", "drift"), [((800, 800, 5000, 1200, 1200), 50), ((1000, 500), -50)])
def test_drift_is_the_later_half_against_the_earlier(rates: tuple[int, ...], drift: float) -> None:
    """The slice in the middle of an odd number is in neither half."""
    found = figures_of(*(make_slice_record(rate, lap) for lap, rate in enumerate(rates, start=1)))
    assert found.drift_percent == pytest.approx(drift)


@pytest.mark.parametrize(
    ("client", "client_thread", "server", "server_thread", "expected"),
    [
        (99, 99, 10, 10, Bottleneck.CLIENT_CPU),
        (10, 10, 99, 98, Bottleneck.SERVER_CPU),
        (95, 95, 99, 99, Bottleneck.SERVER_CPU),
        (148, 60, 50, 50, None),  # several threads, none of them full
        (100, 12, 20, 20, None),  # ten threads that take turns holding a lock
        (99, None, 20, None, None),  # nobody counted by thread
        (89, None, 89, None, Bottleneck.ROUND_TRIP),
    ],
)
def test_the_bottleneck_is_named_where_a_thread_shows_it(
    client: int, client_thread: int | None, server: int, server_thread: int | None, expected: Bottleneck | None
) -> None:
    """From 90 % of a processor on, a thread has no more to give; many that are half full prove nothing."""
    names = ("client_cpu_ns", "client_thread_ns", "server_cpu_ns", "server_thread_ns")
    used = zip(names, (client, client_thread, server, server_thread), strict=True)
    cpu = {name: percent and percent * SECOND_NS // 100 for name, percent in used}
    assert one_slice(**cpu, lasted_ns=SECOND_NS).bottleneck is expected


@pytest.mark.parametrize(
    ("percent", "expected"),
    [
        ((245, 80, 80, 20, 20), Bottleneck.MACHINE_CPU),  # 365 % of four processors
        ((245, 80, 80, 20, 10), None),  # 355 %
        ((80, 80, 80, 200, 20), Bottleneck.MACHINE_CPU),  # other programs take what the client's waiting would leave
        ((245, 80, None, 20, 20), None),  # the server is on a machine of its own
        ((245, 80, 95, 20, 20), Bottleneck.SERVER_CPU),  # its thread could not do more on any machine
    ],
)
def test_a_machine_without_a_free_processor_is_the_bottleneck(
    percent: tuple[int | None, ...], expected: Bottleneck | None
) -> None:
    """Client, server, other programs and what the hypervisor took, together at least 90 % of all processors."""
    names = ("client_cpu_ns", "server_cpu_ns", "server_thread_ns", "other_cpu_ns", "stolen_cpu_ns")
    cpu = {name: used and used * SECOND_NS // 100 for name, used in zip(names, percent, strict=True)}
    assert one_slice(**cpu, client_thread_ns=0, lasted_ns=SECOND_NS, evidence_ns=SECOND_NS).bottleneck is expected


def test_two_processes_at_half_load_do_not_make_the_client_the_bottleneck() -> None:
    """Each of them could do more: what their CPU adds up to says nothing of either."""
    busy = [make_slice_record(client_cpu_ns=SECOND_NS, slice_cpu_ns=SECOND_NS)]
    trial = make_trial(Scenario.SYNC, Shape(processes=2))
    assert figures(make_record(trial, slices=busy)).bottleneck is Bottleneck.ROUND_TRIP
    assert figures(make_record(slices=busy)).bottleneck is None
