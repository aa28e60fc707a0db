"""Commands are found in any cut of the bytes, and nothing but RESP passes for RESP."""

import contextlib
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from respmark.errors import WireError
from respmark.wire.requests import HEAD_KEPT, SIZES_KEPT, RequestParser, digest_of
from tests.properties import UNTIMED
from tests.wire.strategies import WORDS, cuts, encoded


@UNTIMED
@given(st.data())
def test_every_cut_gives_the_same_commands(data: st.DataObject) -> None:
    """However TCP cuts a stream, names, sizes, keys and checksums are those of the words."""
    commands = data.draw(st.lists(WORDS, max_size=5))
    parser = RequestParser()
    found = [r for part in data.draw(cuts(b"".join(map(encoded, commands)))) for r in parser.feed(part)]
    assert [request.arguments for request in found] == [len(words) - 1 for words in commands]
    assert [request.sizes for request in found] == [tuple(map(len, words[1:])) for words in commands]
    assert [request.digest for request in found] == [digest_of(*words[1:]) for words in commands]
    assert [request.head for request in found] == [words[1] if words[1:] else b"" for words in commands]
    assert parser.is_between_commands


def test_every_single_cut_of_a_command() -> None:
    """Not one place of a message is special."""
    message = encoded([b"set", b"key:0000001", b"a value\r\nof two lines"])
    for place in range(len(message) + 1):
        parser = RequestParser()
        found = parser.feed(message[:place]) + parser.feed(message[place:])
        assert [(request.name, request.sizes) for request in found] == [("SET", (11, 21))]


@UNTIMED
@given(st.data())
def test_half_a_message_gives_nothing_and_is_remembered(data: st.DataObject) -> None:
    """A command counts when its last byte is there, not before."""
    message = encoded(data.draw(WORDS))
    parser = RequestParser()
    assert parser.feed(message[:-1]) == []
    assert not parser.is_between_commands
    assert len(parser.feed(message[-1:])) == 1


@UNTIMED
@given(st.binary(max_size=200))
def test_garbage_ends_in_an_error_of_ours_or_in_commands(garbage: bytes) -> None:
    """No bytes make the parser crash or loop."""
    with contextlib.suppress(WireError):
        RequestParser().feed(garbage)


@pytest.mark.parametrize(
    ("garbage", "said"),
    [
        (b"*1\r\n+OK\r\n", "where `$` and a number were due came `+OK`"),
        (b"*x\r\n", "where `*` and a number were due came `*x`"),
        (b"*1\n$4\r\n", "where `*` and a number were due"),
        (b"*1\r\n$4\r\nPINGxx", "does not end where its length says"),
        (b"*99999999999\r\n", "out of bounds"),
        (b"*1\r\n$-1\r\n", "out of bounds"),
        (b"A" * 70_000, "a line of more than"),
    ],
)
def test_what_is_not_resp_is_refused(garbage: bytes, said: str) -> None:
    """The message says what came where what was due."""
    with pytest.raises(WireError, match=said.replace("*", r"\*").replace("$", r"\$").replace("+", r"\+")):
        RequestParser().feed(garbage)


def test_inline_commands_are_commands() -> None:
    """A person with telnet is a client, too."""
    found = RequestParser().feed(b"PING\r\nset key:1 value\n\r\n  \r\n")
    assert [(request.name, request.head, request.sizes) for request in found] == [
        ("PING", b"", ()),
        ("SET", b"key:1", (5, 5)),
    ]


def test_empty_arrays_are_no_commands() -> None:
    """Redis passes over them in silence."""
    assert RequestParser().feed(b"*0\r\n*-1\r\n") == []


def test_memory_does_not_grow_with_what_is_sent() -> None:
    """A value of 64 MB, cut into pieces, is counted and not kept."""
    parser, piece = RequestParser(), bytes(1024 * 1024)
    tracemalloc.start()
    parser.feed(b"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$%d\r\n" % (64 * len(piece)))
    for _ in range(64):
        parser.feed(piece)
    (request,) = parser.feed(b"\r\n")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert request.sizes == (1, 64 * len(piece))
    assert peak < 4 * len(piece)


def test_many_arguments_are_counted_and_the_first_kept() -> None:
    """An MSET of thousands has its number of arguments; the sizes of the first are enough."""
    words = [b"MSET", b"k" * 100, *[b"value"] * 2000]
    (request,) = RequestParser().feed(encoded(words))
    assert request.arguments == 2001
    assert len(request.sizes) == SIZES_KEPT
    assert request.head == b"k" * HEAD_KEPT


def test_a_digest_tells_words_apart_that_run_together_alike() -> None:
    """`ab` `c` is not `a` `bc`."""
    assert digest_of(b"ab", b"c") != digest_of(b"a", b"bc")
