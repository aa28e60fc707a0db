"""Which RESP version connections speak, by CLIENT LIST, and what follows from it."""

import pytest

from respmark.contract.trial import Scenario
from respmark.errors import TargetError
from respmark.evidence.protocols import ProtocolWatch, protocol_mismatch
from respmark.results.records import Handshake
from respmark.results.slice_arrays import SliceArrays
from tests.builders.records import make_evidence, make_slice_record
from tests.fakes import FakeControl, FakeServer

OURS = "id=1 addr=127.0.0.1:1 cmd=client|list resp=2"
COMMANDS = frozenset({"get", "set"})


class Forbidding(FakeControl):
    """A server whose user may not ask for CLIENT LIST."""

    def command(self, *words: str | bytes | int) -> object:
        """Refuse."""
        message = f"NOPERM {words[0]!r}"
        raise TargetError(message)


def watched(*later: str, before: tuple[str, ...] = (OURS,)) -> dict[int, int] | None:
    """Return what is found when these connections come after the beginning."""
    server = FakeServer(clients=before)
    watch = ProtocolWatch(FakeControl(server), COMMANDS)
    server.clients = (*before, *later)
    watch.look()
    return watch.found()


def test_new_connections_with_commands_of_the_workload_are_counted_by_version() -> None:
    """Not those that were there before, nor one that is still in its handshake, nor a stranger's."""
    found = watched("id=7 cmd=get resp=3", "id=8 cmd=set resp=3", "id=9 cmd=hello resp=2", "id=10 cmd=info resp=2")
    assert found == {3: 2}
    assert watched("id=2 cmd=get resp=3", before=(OURS, "id=2 cmd=get resp=2")) == {}


def test_a_connection_that_is_seen_twice_counts_once() -> None:
    """It is looked for again and again."""
    server = FakeServer(clients=(OURS,))
    watch = ProtocolWatch(FakeControl(server), COMMANDS)
    server.clients = (OURS, "id=7 cmd=get resp=2")
    watch.look()
    watch.look()
    assert watch.found() == {2: 1}


def test_a_server_that_does_not_tell_is_not_held_against_anyone() -> None:
    """Before Redis 7, and where the user may not ask."""
    assert watched("id=7 cmd=get", before=("id=1 cmd=client",)) is None
    assert ProtocolWatch(Forbidding(), COMMANDS).found() is None


def test_connections_that_are_open_for_a_moment_are_caught_in_it() -> None:
    """They are looked for until they were seen."""
    server = FakeServer(clients=(OURS,))
    watch = ProtocolWatch(FakeControl(server), COMMANDS)
    with watch.looking():
        server.clients = (OURS, "id=7 cmd=get resp=3")
        while not watch.found():
            pass
        server.clients = (OURS,)
    assert watch.found() == {3: 1}


@pytest.mark.parametrize(
    ("handshake", "words"),
    [
        (None, None),
        (Handshake(connections_received=1, calls={}), None),
        (Handshake(connections_received=1, calls={}, protocol=2, protocols={2: 1}), None),
        (Handshake(connections_received=1, calls={"hello": 1}, protocol=2, protocols={2: 1}), None),
        (Handshake(connections_received=1, calls={"hello": 1}, protocol=3, protocols={3: 1}), None),
        (Handshake(connections_received=1, calls={"hello": 1}, protocol=3, protocols=None), None),
        (
            Handshake(connections_received=1, calls={"hello": 1}, protocol=2, protocols={3: 2}),
            "RESP2 was asked for, 2 connections of the trial spoke RESP3",
        ),
        (
            Handshake(connections_received=2, calls={"hello": 1}, protocol=3, protocols={3: 1, 2: 1}),
            "RESP3 was asked for, 1 connection of the trial spoke RESP2",
        ),
        (
            Handshake(connections_received=1, calls={}, protocol=3, protocols=None),
            "RESP3 was asked for, and the trial's connections sent no HELLO",
        ),
    ],
)
def test_a_label_is_held_against_what_was_spoken(handshake: Handshake | None, words: str | None) -> None:
    """What was asked for and what was found; what nobody knows is no lie."""
    assert protocol_mismatch(handshake, Scenario.SYNC, SliceArrays.of([])) == words


def test_a_slice_of_new_connections_has_a_hello_for_each_where_the_label_is_3() -> None:
    """The server counts them, also where it was too quick for CLIENT LIST."""
    handshake = Handshake(connections_received=1, calls={"hello": 1}, protocol=3, protocols={})
    without = make_slice_record(evidence=make_evidence(setup_calls={"hello": 3}))
    units = without.answers[0].lead_in.units + without.answers[0].measured.units
    whole = make_slice_record(evidence=make_evidence(setup_calls={"hello": units}))
    assert protocol_mismatch(handshake, Scenario.NEW_CONNECTION, SliceArrays.of([whole])) is None
    assert protocol_mismatch(handshake, Scenario.NEW_CONNECTION, SliceArrays.of([whole, without])) == (
        f"RESP3 was asked for, {units:,} new connections sent 3 HELLO"
    )
    assert protocol_mismatch(handshake, Scenario.SYNC, SliceArrays.of([without])) is None
