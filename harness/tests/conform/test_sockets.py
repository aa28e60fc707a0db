"""What `conform` notes of a client that asks the kernel for other things than the version that was measured last."""

from respmark.conform.cases import Case
from respmark.conform.sockets import sockets_note
from respmark.conform.verdicts import CaseVerdict, Conformity
from respmark.contract.trial import Scenario, Shape
from respmark.machine.sockets import KeepAlive, Sockets, SocketSettings
from respmark.specs.sockets import LibrarySockets
from tests.builders.plan import make_cell, make_client

PLAIN = Sockets(connections=1, settings=SocketSettings(no_delay=False))
ALIVE = Sockets(
    connections=1, settings=SocketSettings(no_delay=True, keep_alive=KeepAlive(idle_s=30, interval_s=5, probes=3))
)
MEASURED = LibrarySockets(version="8.1.0", sockets=(ALIVE,))


def verdict(*sockets: Sockets, name: str = "lib@3.5.3", scenario: Scenario = Scenario.SYNC) -> CaseVerdict:
    cell = make_cell(make_client(name, library="lib"), scenario, Shape())
    return CaseVerdict(Case(cell), Conformity.CONFORMS, sockets=sockets)


def test_a_version_that_asks_for_other_things_is_noted() -> None:
    """With what the newest measured version asks for."""
    assert sockets_note([verdict(), verdict(PLAIN)], MEASURED) == (
        "asks the kernel for TCP_NODELAY off, no keep-alive, no user time-out (8.1.0, the newest version measured: "
        "TCP_NODELAY on, keep-alive after 30 s (3 probes every 5 s), no user time-out)"
    )


def test_nothing_is_noted_where_nothing_can_be_compared() -> None:
    """More connections of the same kind, other options, other scenarios, and what is not known say nothing."""
    several = Sockets(connections=8, settings=ALIVE.settings)
    assert sockets_note([verdict(several)], MEASURED) is None
    assert sockets_note([verdict(PLAIN, name="lib[protocol=2]")], MEASURED) is None
    assert sockets_note([verdict(PLAIN, scenario=Scenario.POOL)], MEASURED) is None
    assert sockets_note([verdict()], MEASURED) is None
    assert sockets_note([verdict(PLAIN)], None) is None
