"""Commands and replies are found in any cut of the bytes, and nothing but RESP passes for RESP."""

import contextlib
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from respmark.errors import WireError
from respmark.wire.resp import CommandParser, ReplySplitter
from tests.properties import UNTIMED
from tests.wire.builders import encoded

WORDS = st.lists(st.binary(max_size=40), min_size=1, max_size=6)
LINE = st.text(alphabet="abc 123.,:", max_size=12).map(str.encode)
SIMPLE = st.one_of(
    st.builds(lambda kind, line: kind + line + b"\r\n", st.sampled_from([b"+", b"-", b"("]), LINE),
    st.sampled_from([b"_\r\n", b"#t\r\n", b":7\r\n", b",1.5\r\n", b"$-1\r\n", b"*-1\r\n", b"*0\r\n", b"%0\r\n"]),
)
BULK = st.builds(
    lambda kind, data: kind + b"%d\r\n%b\r\n" % (len(data), data), st.sampled_from([b"$", b"!"]), st.binary(max_size=30)
)


def _aggregates(inner: st.SearchStrategy[bytes]) -> st.SearchStrategy[bytes]:
    lists = st.builds(
        lambda kind, items: kind + b"%d\r\n" % len(items) + b"".join(items),
        st.sampled_from([b"*", b"~", b">"]),
        st.lists(inner, max_size=4),
    )
    maps = st.lists(st.tuples(inner, inner), max_size=3).map(
        lambda pairs: b"%%%d\r\n" % len(pairs) + b"".join(key + value for key, value in pairs)
    )
    attributed = st.builds(lambda key, value, reply: b"|1\r\n" + key + value + reply, inner, inner, inner)
    return st.one_of(lists, maps, attributed)


REPLY = st.recursive(st.one_of(SIMPLE, BULK), _aggregates, max_leaves=12)


@st.composite
def cuts(draw: st.DrawFn, data: bytes) -> list[bytes]:
    places = sorted(draw(st.sets(st.integers(0, len(data)), max_size=12)) | {0, len(data)})
    return [data[begin:end] for begin, end in pairwise(places)]


@UNTIMED
@given(st.data())
def test_every_cut_gives_the_same_commands(data: st.DataObject) -> None:
    """Word by word."""
    commands = data.draw(st.lists(WORDS, max_size=5))
    parser = CommandParser()
    parts = data.draw(cuts(b"".join(encoded(*words) for words in commands)))
    assert [words for part in parts for words in parser.feed(part)] == commands


@UNTIMED
@given(st.data())
def test_every_cut_gives_the_same_replies(data: st.DataObject) -> None:
    """A reply ends where it ends, nested or not; nothing is lost."""
    replies = data.draw(st.lists(REPLY, max_size=5))
    splitter = ReplySplitter()
    found = [reply for part in data.draw(cuts(b"".join(replies))) for reply in splitter.feed(part)]
    assert found == replies
    assert splitter.drain() == b""


@UNTIMED
@given(st.binary(max_size=200))
def test_garbage_ends_in_a_wire_error_or_is_kept(garbage: bytes) -> None:
    """No bytes make the parsers crash or loop."""
    with contextlib.suppress(WireError):
        list(CommandParser().feed(garbage))
    splitter, found = ReplySplitter(), []
    with contextlib.suppress(WireError):
        found += list(splitter.feed(garbage))
        assert b"".join(found) + splitter.drain() == garbage
