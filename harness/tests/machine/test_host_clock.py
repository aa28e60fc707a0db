"""The clock of another host."""

from hypothesis import given
from hypothesis import strategies as st

from respmark.machine.host_clock import KEPT, HostClock, Reading

MS_NS = 1_000_000


@given(
    offset_ns=st.integers(0, 10**15),
    ways=st.lists(st.tuples(st.integers(0, 50 * MS_NS), st.integers(0, 50 * MS_NS)), min_size=1, max_size=20),
)
def test_a_translated_moment_is_right_within_its_error(offset_ns: int, ways: list[tuple[int, int]]) -> None:
    """However long each way of a reading took, and in whatever order short and long ones came."""
    clock, now_ns = HostClock(), 10**9
    for there_ns, back_ns in ways:
        answered_ns = now_ns + there_ns + back_ns
        clock.learn(Reading(now_ns, now_ns + there_ns + offset_ns, answered_ns))
        now_ns = answered_ns
    assert abs(clock.theirs(now_ns) - (now_ns + offset_ns)) <= clock.error_ns(now_ns) + 1
    assert clock.ours(clock.theirs(now_ns)) == now_ns


def test_the_shortest_round_trip_counts_until_it_is_old() -> None:
    """Clocks drift apart: a reading of long ago says less than one of now."""
    clock = HostClock()
    clock.learn(Reading(0, 1_000, 2_000))
    clock.learn(Reading(MS_NS, 3 * MS_NS, 5 * MS_NS))
    assert clock.theirs(0) == 0
    later_ns = 60 * 10**9
    clock.learn(Reading(later_ns, later_ns + 2 * MS_NS, later_ns + 2 * MS_NS))
    assert clock.theirs(0) == MS_NS


@given(jump_ns=st.integers(5 * MS_NS, 10**12) | st.integers(-(10**12), -5 * MS_NS))
def test_a_clock_that_jumps_is_known_by_the_next_reading(jump_ns: int) -> None:
    """A suspended host loses time: readings from before are forgotten, however short their round trips were."""
    clock, offset_ns = HostClock(), 10**13
    for asked_ns in range(10**9, 10**9 + KEPT * MS_NS, MS_NS):
        clock.learn(Reading(asked_ns, asked_ns + offset_ns + 1_000, asked_ns + 2_000))
    asked_ns = 2 * 10**9
    clock.learn(Reading(asked_ns, asked_ns + MS_NS + offset_ns + jump_ns, asked_ns + 3 * MS_NS))
    now_ns = asked_ns + 3 * MS_NS
    assert abs(clock.theirs(now_ns) - (now_ns + offset_ns + jump_ns)) <= clock.error_ns(now_ns)
