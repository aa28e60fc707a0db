"""Which RESP version connections speak, by CLIENT LIST, and what follows from it."""

import pytest

from respmark.errors import TargetError
from respmark.evidence.check import protocol_mismatch
from respmark.evidence.info import NewConnections
from respmark.results.records import Handshake
from tests.fakes import FakeControl, FakeServer

OURS = "id=1 addr=127.0.0.1:1 cmd=client|list resp=2"
COMMANDS = frozenset({"get", "set"})


class Forbidding(FakeControl):
    """A server whose user may not ask for CLIENT LIST."""

    def command(self, *words: str | bytes | int) -> object:
        message = f"NOPERM {words[0]!r}"
        raise TargetError(message)


def found(*later: str, before: tuple[str, ...] = (OURS,)) -> dict[int, int] | None:
    server = FakeServer(clients=before)
    opened = NewConnections(FakeControl(server))
    server.clients = (*before, *later)
    return opened.protocols(COMMANDS)


def test_new_connections_with_commands_of_the_workload_are_counted_by_version() -> None:
    """Not those that were there before, nor one that is still in its handshake, nor a stranger's."""
    later = ("id=7 cmd=get resp=3", "id=8 cmd=set resp=3", "id=9 cmd=hello resp=2", "id=10 cmd=info resp=2")
    assert found(*later) == {3: 2}
    assert found("id=2 cmd=get resp=3", before=(OURS, "id=2 cmd=get resp=2")) == {}


def test_a_server_that_does_not_say_is_not_held_against_anyone() -> None:
    """Before Redis 7, and where the user may not ask."""
    assert found("id=7 cmd=get", before=("id=1 cmd=client",)) is None
    assert NewConnections(Forbidding()).protocols(COMMANDS) is None


@pytest.mark.parametrize(
    ("label", "hellos", "spoken", "said"),
    [
        (2, 0, {2: 1}, None),
        (3, 1, {3: 1}, None),
        (3, 1, None, None),
        (2, 1, {3: 2}, "RESP2 was asked for, 2 connections of the trial spoke RESP3"),
        (3, 1, {3: 1, 2: 1}, "RESP3 was asked for, 1 connection of the trial spoke RESP2"),
        (3, 0, {}, "RESP3 was asked for, and the trial's connections sent no HELLO"),
    ],
)
def test_a_label_is_held_against_what_was_spoken(
    label: int, hellos: int, spoken: dict[int, int] | None, said: str | None
) -> None:
    """What was asked for and what was found; what nobody knows is not wrong."""
    fields = {"connections_received": 1, "calls": {"hello": hellos}, "protocol": label, "protocols": spoken}
    assert protocol_mismatch(Handshake.model_validate(fields)) == said
