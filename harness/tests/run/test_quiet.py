"""A slice begins when those who wait are quiet, or when they had their time."""

from respmark.run.quiet import BEFORE_SLICE_S, LOOK_S, wait_until_quiet
from tests.builders.records import MILLISECOND_NS


class Compiling:
    """A client that waits, and uses all of a processor until a moment; it is its own clock."""

    def __init__(self, until_ns: int) -> None:
        self.now_ns = 0
        self.until_ns = until_ns

    def clock(self) -> int:
        """Return the time."""
        return self.now_ns

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        self.now_ns += round(seconds * 1e9)

    def cpu_ns(self) -> int | None:
        """Return what was used by now."""
        return min(self.now_ns, self.until_ns)


class Uncounted:
    """A client of whose CPU nobody keeps an account."""

    def cpu_ns(self) -> None:
        """Return nothing."""


def test_waits_for_as_long_as_somebody_works() -> None:
    """And looks once more, so that it was quiet for a while."""
    client = Compiling(until_ns=12 * MILLISECOND_NS)
    assert wait_until_quiet([Uncounted(), client], BEFORE_SLICE_S, client.clock, client.sleep)
    assert client.now_ns == 4 * LOOK_S * 1e9


def test_waits_no_longer_than_it_may() -> None:
    """Whoever is never quiet holds up nobody for ever."""
    client = Compiling(until_ns=10**12)
    assert not wait_until_quiet([client], BEFORE_SLICE_S, client.clock, client.sleep)
    assert client.now_ns == BEFORE_SLICE_S * 1e9


def test_a_heartbeat_is_quiet() -> None:
    """A little CPU is what clients that wait use."""
    client = Compiling(until_ns=MILLISECOND_NS // 4)
    assert wait_until_quiet([client], BEFORE_SLICE_S, client.clock, client.sleep)
    assert client.now_ns == LOOK_S * 1e9
