"""Ends of replies are found in any cut of the bytes, and the pieces are the bytes."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from respmark.errors import WireError
from respmark.wire.replies import ReplySplitter
from tests.properties import UNTIMED
from tests.wire.strategies import REPLY, cuts


@UNTIMED
@given(st.data())
def test_every_cut_gives_the_same_replies(data: st.DataObject) -> None:
    """Sizes and kinds do not depend on how TCP cuts; put together, the pieces are the stream."""
    replies = data.draw(st.lists(REPLY, max_size=5))
    stream = b"".join(replies)
    splitter = ReplySplitter()
    pieces = [piece for part in data.draw(cuts(stream)) for piece in splitter.feed(part)]
    assert b"".join(piece.data for piece in pieces) == stream
    found = [piece.reply for piece in pieces if piece.reply is not None]
    assert [reply.size for reply in found] == [len(reply) for reply in replies]
    assert [reply.kind for reply in found] == [chr(reply[0]) for reply in replies]


def test_every_single_cut_of_a_nested_reply() -> None:
    """Not one place of a message is special."""
    message = b"*3\r\n$5\r\na\r\nb\r\r\n%1\r\n+k\r\n*2\r\n:1\r\n_\r\n|1\r\n+ttl\r\n:3\r\n$-1\r\n"
    for place in range(len(message) + 1):
        splitter = ReplySplitter()
        pieces = splitter.feed(message[:place]) + splitter.feed(message[place:])
        assert [piece.reply.size for piece in pieces if piece.reply] == [len(message)]


@UNTIMED
@given(st.binary(max_size=200))
def test_garbage_ends_in_an_error_of_ours_or_in_pieces(garbage: bytes) -> None:
    """No bytes make the splitter crash, loop, or lose one of them."""
    with contextlib.suppress(WireError):
        assert b"".join(piece.data for piece in ReplySplitter().feed(garbage)) == garbage


def test_errors_and_pushes_are_told_apart() -> None:
    """An error has its words; a push answers no command."""
    pieces = ReplySplitter().feed(b"-ERR no\r\n>2\r\n+invalidate\r\n*0\r\n!3\r\nbad\r\n+OK\r\n")
    replies = [piece.reply for piece in pieces if piece.reply is not None]
    assert [reply.is_error for reply in replies] == [True, False, True, False]
    assert [reply.is_push for reply in replies] == [False, True, False, False]
    assert replies[0].text == "ERR no"


@pytest.mark.parametrize("garbage", [b"hello\r\n", b"$x\r\n", b"\n", b"*1\r\n" * 200, b"+" + b"x" * 70_000])
def test_what_is_not_resp_is_refused(garbage: bytes) -> None:
    """Other protocols, broken lengths, bottomless nesting and endless lines."""
    with pytest.raises(WireError):
        ReplySplitter().feed(garbage)
