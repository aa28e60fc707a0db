"""Which RESP version connections speak, by CLIENT LIST, and what follows from it."""

import pytest

from respmark.errors import TargetError
from respmark.evidence.protocols import ProtocolWatch, protocol_mismatch
from respmark.results.records import Handshake
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
    """Return what is found, at two looks, when these connections come after the beginning."""
    server = FakeServer(clients=before)
    watch = ProtocolWatch(FakeControl(server), COMMANDS)
    server.clients = (*before, *later)
    watch.look()
    watch.look()
    return watch.found()


def test_new_connections_with_commands_of_the_workload_are_counted_by_version() -> None:
    """Once; not those that were there before, nor one that is still in its handshake, nor a stranger's."""
    found = watched("id=7 cmd=get resp=3", "id=8 cmd=set resp=3", "id=9 cmd=hello resp=2", "id=10 cmd=info resp=2")
    assert found == {3: 2}
    assert watched("id=2 cmd=get resp=3", before=(OURS, "id=2 cmd=get resp=2")) == {}


def test_a_server_that_does_not_say_is_not_held_against_anyone() -> None:
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
    ("label", "hellos", "spoken", "said"),
    [
        (2, 0, {2: 1}, None),
        (2, 1, {2: 1}, None),
        (3, 1, {3: 1}, None),
        (3, 1, None, None),
        (2, 1, {3: 2}, "RESP2 was asked for, 2 connections of the trial spoke RESP3"),
        (3, 1, {3: 1, 2: 1}, "RESP3 was asked for, 1 connection of the trial spoke RESP2"),
        (3, 0, None, "RESP3 was asked for, and the trial's connections sent no HELLO"),
    ],
)
def test_a_label_is_held_against_what_was_spoken(
    label: int, hellos: int, spoken: dict[int, int] | None, said: str | None
) -> None:
    """What was asked for and what was found; what nobody knows is not wrong."""
    fields = {"connections_received": 1, "calls": {"hello": hellos}, "protocol": label, "protocols": spoken}
    assert protocol_mismatch(Handshake.model_validate(fields)) == said
