"""Commands are found in any cut of the bytes, and nothing but RESP passes for RESP."""

import contextlib

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


@pytest.mark.parametrize("garbage", [b"+OK\r\n", b"*x\r\n", b"*1\r\n+OK\r\n", b"*0\r\n", b"PING\r\n", b"*1\r\n$-1\r\n"])
def test_what_is_no_command_is_refused(garbage: bytes) -> None:
    """Clients send arrays of bulk strings, and nothing else."""
    with pytest.raises(WireError, match="where a command was due came"):
        RequestParser().feed(garbage)


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
