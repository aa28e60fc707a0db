"""What is waited for between a client's `ready` and its first slice."""

from respmark.evidence.protocols import ProtocolWatch
from respmark.run.connecting import await_first_commands
from tests.fakes import FakeControl, FakeServer

OLD = "id=2 cmd=NULL"
READY = "id=7 cmd=get"
SILENT = "id=8 cmd=NULL"


def pauses(*later: tuple[str, ...]) -> int:
    """Return how often it is waited, 0.2 s each, while these connections are open, one set after another."""
    server = FakeServer(clients=(OLD,))
    watch, slept = ProtocolWatch(FakeControl(server), frozenset({"get"})), list[float]()
    server.clients = later[0]

    def sleep(duration_s: float) -> None:
        slept.append(duration_s)
        server.clients = later[min(len(slept), len(later) - 1)]

    await_first_commands(watch, lambda: 0.2 * len(slept), sleep)
    return len(slept)


def test_a_connection_that_is_still_silent_is_waited_for() -> None:
    """Until it has sent its first command, and not for ever; those that were there before are not."""
    assert pauses((OLD, READY)) == 0
    assert pauses((READY, SILENT), (READY, "id=8 cmd=auth")) == 1
    assert pauses((READY, SILENT)) == 3
    assert pauses((READY, SILENT), (READY,)) == 1
