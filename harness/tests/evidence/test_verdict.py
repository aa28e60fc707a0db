"""A claim against the server's counters: one test for each way to lie."""

import pytest

from respmark.contract.events import Segment, Slice, SliceOrder, Work
from respmark.evidence.verdict import Asked, slice_mismatches, trial_mismatches
from respmark.results.records import Calls, Evidence, Expectation, SliceRecord
from respmark.results.slice_arrays import SliceArrays, column_of, spread
from tests.builders.records import (
    MILLISECOND_NS,
    SECOND_NS,
    make_evidence,
    make_latency,
    make_moment,
    make_record,
    make_result,
    make_slice,
    make_slice_record,
)

ORDER = SliceOrder(slice=1, duration_ns=SECOND_NS, first_command=0, keep_samples=True)
ASKED = Asked(commands=60, commands_per_unit=1, walks=((0,), (0,)), in_flight=1)
BATCHES = Asked(commands=60, commands_per_unit=10, walks=((0,),), in_flight=1)


def claim(*answers: Slice, evidence: Evidence | None = None, order: SliceOrder = ORDER) -> SliceRecord:
    """Return a slice with these answers; without any, a consistent one of 1,000 operations."""
    return make_slice_record(answers=list(answers or [make_slice()]), evidence=evidence or make_evidence(), order=order)


def mismatch(
    *answers: Slice, evidence: Evidence | None = None, order: SliceOrder = ORDER, asked: Asked = ASKED
) -> str | None:
    """Return why these answers are refuted."""
    slices = SliceArrays.of([claim(*answers, evidence=evidence, order=order)])
    return slice_mismatches(slices, [asked], cpus=2).get(0)


def reason_for(
    answer: Slice | None = None, evidence: Evidence | None = None, order: SliceOrder = ORDER, asked: Asked = ASKED
) -> str:
    """Return why this claim of 1,000 operations is refuted."""
    reason = mismatch(answer or make_slice(), evidence=evidence, order=order, asked=asked)
    assert reason is not None
    return reason


def test_a_claim_that_is_exactly_true_is_not_refuted() -> None:
    """The figures of an honest runner are published."""
    assert mismatch() is None


def test_processes_are_held_against_the_server_together() -> None:
    """Two processes of 500 operations are the server's 1,000."""
    assert mismatch(make_slice(500), make_slice(500)) is None


@pytest.mark.parametrize("seen", [799, 801, 0])
def test_operations_that_the_server_did_not_see(seen: int) -> None:
    """One call more or less is enough; both numbers are told, in all and for the command."""
    evidence = make_evidence(workload_calls={"get": Calls(calls=seen), "set": Calls(calls=200)})
    expected = f"claimed 1,000 calls, the server saw {seen + 200:,} (GET 800 claimed, {seen:,} seen)"
    assert expected in reason_for(evidence=evidence)


def test_a_command_that_the_server_never_saw() -> None:
    """A command without a counter was never called."""
    reason = reason_for(evidence=make_evidence(workload_calls={"get": Calls(calls=800)}))
    assert "(SET 200 claimed, 0 seen)" in reason


def test_kinds_that_the_server_did_not_see() -> None:
    """The right number of calls of the wrong commands is a lie too: GETs are cheaper than SETs."""
    evidence = make_evidence(workload_calls={"get": Calls(calls=900), "set": Calls(calls=100)})
    reason = reason_for(evidence=evidence)
    assert "claimed 1,000 calls, the server saw 1,000" in reason
    assert "GET 800 claimed, 900 seen; SET 200 claimed, 100 seen" in reason


def test_transactions_that_were_none() -> None:
    """Commands without their MULTI and EXEC are no transaction."""
    expected = Expectation(calls={"get": 800, "set": 200, "multi": 10, "exec": 10}, hits=640, misses=160)
    reason = reason_for(evidence=make_evidence(expected=expected))
    assert "MULTI 10 claimed, 0 seen" in reason
    assert "EXEC 10 claimed, 0 seen" in reason


def test_operations_that_are_in_no_segment() -> None:
    """A total that its own parts do not add up to is refused."""
    answer = make_slice(segments=[Segment(first_command=0, operations=900)])
    assert "claims 1,000 operations but lists 900 in its segments" in reason_for(answer)


def test_units_without_a_latency_sample() -> None:
    """Samples that were dropped, the slow ones perhaps, are noticed."""
    record = make_record()
    few = [make_result(latency=make_latency([(MILLISECOND_NS, 990)]))]
    slices = SliceArrays.of(record.slices)
    assert list(trial_mismatches(slices, [ASKED], [few], cpus=2)) == [
        (0, "the runner claims 1,000 units but has 990 latency samples")
    ]
    assert list(trial_mismatches(slices, [ASKED], [record.results], cpus=2)) == []


def test_cpu_of_a_slice_that_is_not_counted_is_not_held_against_the_others() -> None:
    """What was found in one slice is out of the figures with it; in a slice that counts, it is in the trial's sum."""
    honest = make_slice_record(cpu_by_kernel_ns=500 * MILLISECOND_NS)
    for mismatch, numbers in (("100 ms more", []), (None, [0])):
        off = make_slice_record(number=2, cpu_by_kernel_ns=600 * MILLISECOND_NS, mismatch=mismatch)
        found = trial_mismatches(SliceArrays.of([honest, off]), [ASKED], [[]], cpus=2)
        assert [number for number, _ in found] == numbers


@pytest.mark.parametrize(("longest_ns", "fits"), [(999_936, True), (1_000_447, True), (1_000_448, False), (1, False)])
def test_the_longest_latency_is_one_of_the_histogram(longest_ns: int, *, fits: bool) -> None:
    """In its last bucket; if nothing was sampled, there is none."""
    slices = SliceArrays.of(make_record().slices)
    results = [make_result(latency=make_latency([(999_936, 1000)], longest_ns))]
    words = f"its longest latency is {longest_ns:,} ns, but its histogram ends at 999,936 ns"
    assert list(trial_mismatches(slices, [ASKED], [results], cpus=2)) == ([] if fits else [(0, words)])


def test_cpu_does_not_fall() -> None:
    """From one moment of a slice to the next, the sum of both kinds counts."""
    answer = make_slice()
    fallen = answer.measured_from.model_copy(update={"cpu_user_ns": 10**12})
    reason = reason_for(answer.model_copy(update={"measured_from": fallen}))
    assert "the CPU that the runner claims falls within the slice (0, 1000000000000, 500000000 ns)" in reason


def test_errors_in_the_slice() -> None:
    """Failed units are told by kind and number, with the first one's words."""
    answer = make_slice(errors={"TimeoutError": 2, "ConnectionError": 1}, first_error="TimeoutError: no reply in 5 s")
    reason = reason_for(answer)
    assert "2 x TimeoutError in the slice, first: TimeoutError: no reply in 5 s" in reason
    assert "1 x ConnectionError in the slice" in reason


def test_errors_without_words() -> None:
    """A runner that has no message for its error is understood all the same."""
    assert reason_for(make_slice(errors={"Error": 1})).endswith("1 x Error in the slice")


def test_errors_that_only_the_server_knows_of() -> None:
    """A client that swallows error replies does not get through."""
    evidence = make_evidence(workload_calls={"get": Calls(calls=800, failed=3), "set": Calls(calls=200, rejected=4)})
    reason = reason_for(evidence=evidence)
    assert "the server answered 3 GET with an error" in reason
    assert "the server answered 4 SET with an error" in reason


def test_unexpected_commands() -> None:
    """Commands that are not in the workload are named with their number."""
    reason = reason_for(evidence=make_evidence(other_calls={"keys": 1, "flushall": 1200}))
    assert "KEYS 1 (at most 0), FLUSHALL 1,200 (at most 0); is anyone else using this server?" in reason


def test_setup_commands_are_expected() -> None:
    """Handshakes of connections that open in the slice are as they should be."""
    evidence = make_evidence(setup_calls={"hello": 5, "client|setinfo": 10}, connections_received=5)
    assert mismatch(evidence=evidence) is None


@pytest.mark.parametrize("calls", [{"hello": 1}, {"client|list": 1}, {"auth": 3}])
def test_handshakes_without_a_connection_are_somebody_elses(calls: dict[str, int]) -> None:
    """A stranger's HELLO is a stranger's command."""
    reason = reason_for(evidence=make_evidence(setup_calls=calls))
    assert "commands that are not in the workload" in reason


def test_a_library_may_ask_now_and_then() -> None:
    """Once a connection, and once a second, whatever the command: what is beyond that is not its own."""
    evidence = make_evidence(library_calls={"ping": 4}, connections_all=2)
    assert mismatch(evidence=evidence) is None
    assert "PING 5" in reason_for(evidence=make_evidence(library_calls={"ping": 5}, connections_all=2))
    expected = make_evidence().expected
    block = expected.model_copy(update={"calls": {**expected.calls, "exec": 10}})
    seen = {name: Calls(calls=count) for name, count in block.calls.items()}
    before_each = make_evidence(library_calls={"select": 14}, connections_all=2, expected=block, workload_calls=seen)
    assert mismatch(evidence=before_each) is None
    assert mismatch(evidence=make_evidence(other_calls={"info": 4}, connections_all=2)) is None
    assert "INFO 5" in reason_for(evidence=make_evidence(other_calls={"info": 5}, connections_all=2))


def test_replicas_are_no_strangers() -> None:
    """A primary can be measured; without a replica nobody acknowledges anything."""
    assert mismatch(evidence=make_evidence(other_calls={"replconf": 4}, replicas=1)) is None
    assert "REPLCONF 5" in reason_for(evidence=make_evidence(other_calls={"replconf": 5}, replicas=1))
    assert "REPLCONF 1" in reason_for(evidence=make_evidence(other_calls={"replconf": 1}))


@pytest.mark.parametrize("seen", [99_999, 102_000])
def test_bytes_must_be_those_of_the_claimed_commands(seen: int) -> None:
    """Other values, or other commands beside them."""
    expected = make_evidence().expected.model_copy(update={"input_bytes": 100_000})
    evidence = make_evidence(expected=expected, network_input_bytes=seen)
    assert f"the claimed commands have 100,000 bytes, the server read {seen:,}" in reason_for(evidence=evidence)
    fitting = make_evidence(expected=expected, network_input_bytes=100_300)
    assert mismatch(evidence=fitting) is None


def test_hits_that_cannot_be() -> None:
    """A database in another state than the workload's is noticed by its hits."""
    reason = reason_for(evidence=make_evidence(keyspace_hits=600, keyspace_misses=200))
    assert "the workload has 640 hits and 160 misses, the server saw 600 and 200" in reason


def test_hits_are_not_judged_where_they_are_not_known() -> None:
    """A mix with other reading commands is judged by its calls alone."""
    expected = Expectation(calls={"get": 800, "set": 200}, hits=None, misses=None)
    assert mismatch(evidence=make_evidence(expected=expected, keyspace_hits=0)) is None


def test_keys_that_the_server_dropped() -> None:
    """A server short of memory changes what is measured."""
    assert "the server dropped 12 keys in the slice" in reason_for(evidence=make_evidence(evicted_keys=12))


def test_keys_that_expired() -> None:
    """Ours never do: somebody else's were there, and took the server's time."""
    assert "12 keys expired in the slice, ours do not" in reason_for(evidence=make_evidence(expired_keys=12))


def test_no_operation_at_all() -> None:
    """Nothing done is no measurement, even when the server agrees."""
    assert "no operation was completed in the slice" in reason_for(make_slice(0), make_evidence(0))


def test_one_of_several_processes_that_did_nothing() -> None:
    """A process that only sat there does not hide behind the others."""
    reason = mismatch(make_slice(1000), make_slice(0))
    assert reason is not None
    assert "no operation was completed in the slice" in reason


@pytest.mark.parametrize("lasted_ns", [0, SECOND_NS - 1])
def test_a_slice_that_was_shorter_than_asked_for(lasted_ns: int) -> None:
    """Who claims to have done the work in less time claims a rate that nobody saw."""
    ended = make_moment(make_slice().started.at_ns + lasted_ns, SECOND_NS)
    assert "not the 1000 ms asked for" in reason_for(make_slice(ended=ended))


def test_a_lead_in_that_was_shorter_than_asked_for() -> None:
    """The measured part began too early, on cold caches."""
    order = ORDER.model_copy(update={"lead_in_ns": 50 * MILLISECOND_NS})
    reason = reason_for(order=order)
    assert "the lead-in was shorter than the 50 ms asked for" in reason


def test_a_walk_that_began_elsewhere() -> None:
    """All clients of a lap do the same commands."""
    order = ORDER.model_copy(update={"first_command": 50})
    reason = reason_for(order=order, asked=Asked(60, 1, ((0, 30),), in_flight=2))
    assert "the slice was to begin at [50, 20], the runner says [0]" in reason


def test_all_reasons_are_told() -> None:
    """One lie does not hide another."""
    reason = reason_for(
        make_slice(segments=[], errors={"Error": 1}), make_evidence(other_calls={"keys": 1}, evicted_keys=1)
    )
    assert reason.count("; ") >= 3


def test_units_of_another_size() -> None:
    """Who claims 1,000 operations as 1,000 units where batches of ten were asked for claims another latency."""
    assert "1,000 units of 10 but 1,000 operations" in reason_for(asked=BATCHES)
    answer = make_slice(lead_in=Work(operations=10, units=10), segments=[Segment(first_command=0, operations=1010)])
    assert "10 units of 10 but 10 operations" in reason_for(answer, asked=BATCHES)


def test_slices_are_judged_together_as_each_alone() -> None:
    """Of two trials and four slices, whatever is wrong with one is told of that one, with its numbers."""
    claims = [
        claim(),
        claim(make_slice(segments=[])),
        claim(make_slice(errors={"Timeout": 3}, first_error="late"), evidence=make_evidence(setup_calls={"hello": 1})),
        claim(evidence=make_evidence(workload_calls={"get": Calls(calls=799), "lpop": Calls(calls=1, rejected=2)})),
    ]
    claims = [one.model_copy(update={"lap": lap}) for lap, one in enumerate(claims, start=1)]
    rows = dict(spread([one.model_dump() for one in claims]))
    slices = SliceArrays({path: column_of(values) for path, values in rows.items()}, [1, 3])
    together = slice_mismatches(slices, [ASKED, ASKED], cpus=2)
    alone = [slice_mismatches(SliceArrays.of([one]), [ASKED], cpus=2).get(0) for one in claims]
    assert [together.get(place) for place in range(4)] == alone
    assert alone[0] is None
    assert None not in alone[1:]


CHOSEN = "lap 1 was worked again although no compiler had been at work in it"


@pytest.mark.parametrize(
    ("compiling_ns", "found"),
    [(None, {1: CHOSEN}), (SECOND_NS // 10, {1: CHOSEN}), (SECOND_NS // 10 + 1, {})],
)
def test_a_lap_is_measured_twice_only_if_compilers_were_at_work(
    compiling_ns: int | None, found: dict[int, str]
) -> None:
    """Who measures again until the figure pleases chooses results."""
    claims = [claim().model_copy(update={"compiling_ns": compiling_ns}), claim()]
    assert slice_mismatches(SliceArrays.of(claims), [ASKED], cpus=2) == found
