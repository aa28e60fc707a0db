"""What is waited for before a slice, and before the first one."""

from collections.abc import Sequence

import pytest

from respmark.run.connecting import await_first_commands
from respmark.run.quiet import BEFORE_SLICE_S, LOOK_S, wait_until_quiet
from respmark.servers.evidence import NewConnections
from tests.fake_node import FakeControl, FakeNode

MILLISECOND_NS = 1_000_000


class Compiling:
    """A client that waits, and uses all of a processor until a moment; it is its own clock."""

    def __init__(self, until_ns: int) -> None:
        self.now_ns = 0
        self.until_ns = until_ns

    def clock(self) -> int:
        return self.now_ns

    def sleep(self, seconds: float) -> None:
        self.now_ns += round(seconds * 1e9)

    def cpu_ns(self) -> int | None:
        return min(self.now_ns, self.until_ns)


class Uncounted:
    """A client of whose CPU nobody keeps an account."""

    def cpu_ns(self) -> None:
        """Return nothing."""


@pytest.mark.parametrize(
    ("until_ns", "is_quiet", "waited_s"),
    [
        (12 * MILLISECOND_NS, True, 4 * LOOK_S),
        (10**12, False, BEFORE_SLICE_S),  # nobody holds up the others for ever
        (MILLISECOND_NS // 4, True, LOOK_S),  # a heartbeat is quiet
    ],
)
def test_waits_for_as_long_as_somebody_works(until_ns: int, *, is_quiet: bool, waited_s: float) -> None:
    """And looks once more, so that it was quiet for a while."""
    client = Compiling(until_ns)
    assert wait_until_quiet([Uncounted(), client], BEFORE_SLICE_S, client.clock, client.sleep) is is_quiet
    assert client.now_ns == waited_s * 1e9


OLD = "id=2 cmd=NULL"
READY = "id=7 cmd=get"
SILENT = "id=8 cmd=NULL"


@pytest.mark.parametrize(
    ("later", "pauses"),
    [
        ([(OLD, READY)], 0),
        ([(READY, SILENT), (READY, "id=8 cmd=auth")], 1),
        ([(READY, SILENT)], 3),
        ([(READY, SILENT), (READY,)], 1),
    ],
)
def test_a_connection_that_is_still_silent_is_waited_for(later: Sequence[tuple[str, ...]], pauses: int) -> None:
    """Until it has sent its first command, and not for ever; those that were there before are not."""
    server = FakeNode(clients=(OLD,))
    opened, slept = NewConnections(FakeControl(server)), list[float]()
    server.clients = later[0]

    def sleep(duration_s: float) -> None:
        slept.append(duration_s)
        server.clients = later[min(len(slept), len(later) - 1)]

    await_first_commands(opened, lambda: 0.2 * len(slept), sleep)
    assert len(slept) == pauses
