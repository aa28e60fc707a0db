"""MONITOR: what is counted, and that nothing of an argument stays."""

import pytest

from respmark.triage.monitor import Counts, Reader, Sent
from respmark.triage.snapshot import Who

LINES = (
    b'+1700000000.000001 [0 127.0.0.1:5000] "SET" "user:1" "secret \\" \\" value"\r\n'
    b'+1700000000.000002 [0 127.0.0.1:5000] "EXPIRE" "user:1" "60"\r\n'
    b'+1700000000.000003 [0 lua] "GET" "user:1"\r\n'
    b'+1700000000.000004 [0 127.0.0.1:5001] "CLIENT" "SETINFO" "LIB-NAME" "x"\r\n'
    b'+1700000000.000005 [0 127.0.0.1:5001] "PING"\r\n'
)


@pytest.mark.parametrize("size", [1, 7, len(LINES)])
def test_commands_are_read_from_bytes_in_any_pieces(size: int) -> None:
    """Names only; what scripts send is left out."""
    reader = Reader()
    sent = [one for start in range(0, len(LINES), size) for one in reader.read(LINES[start : start + size])]
    assert [one.command for one in sent] == ["set", "expire", "client|setinfo", "ping"]
    assert sent[0].key == sent[1].key != sent[2].key
    assert b"user" not in repr(sent).encode()


def test_hashes_of_two_watches_have_nothing_in_common() -> None:
    """They are salted: nobody can look a key's name up."""
    one, other = (next(iter(Reader().read(LINES))) for _ in range(2))
    assert one.key != other.key


def test_what_follows_what_is_counted_by_connection() -> None:
    """Pairs on two connections are none."""
    counts = Counts()
    for client, command, key in [
        ("a", "set", b"1"),
        ("b", "set", b"2"),
        ("a", "expire", b"1"),
        ("b", "expire", b"1"),
        ("a", "lpop", b"q"),
        ("a", "lpop", b"q"),
        ("b", "select", b"1"),
        ("b", "get", b"1"),
        ("b", "get", b"2"),
        ("b", "get", b"3"),
    ]:
        counts.see(Sent(client, command, key))
    seen = {one.who.address: one for one in counts.clients(_who)}
    assert (seen["a"].set_then_expire, seen["b"].set_then_expire) == (1, 0)
    assert (seen["a"].repeated_pops, seen["b"].selects, seen["b"].longest_run) == (1, 1, 3)


def test_a_transaction_that_executed_nothing_is_a_conflict() -> None:
    """Only after a WATCH; an empty one without is none."""
    counts = Counts()
    sent = "watch get multi set exec  watch get multi exec  multi exec  watch unwatch multi exec  watch multi exec"
    for command in sent.split():
        counts.see(Sent("a", command, b""))
    (seen,) = counts.clients(_who)
    assert (seen.watched, seen.conflicts) == (3, 2)


def test_the_hottest_key_is_counted_with_its_clients() -> None:
    """By a hash that says nothing of its name."""
    counts, sent = Counts(), Reader()
    for place in range(6):
        name = b"hot" if place % 3 else b"cold:%d" % place
        for one in sent.read(b'+1700000000.0 [0 10.0.0.%d:1] "GET" "%s"\r\n' % (place % 2, name)):
            counts.see(one)
    hottest = counts.hot(_who)[0]
    assert (hottest.commands, hottest.names) == (4, ("get",))
    assert {one.address for one in hottest.who} == {"10.0.0.0:1", "10.0.0.1:1"}
    assert "hot" not in hottest.hash


def _who(address: str) -> Who:
    return Who(address=address)
