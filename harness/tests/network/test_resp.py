"""Commands and replies are found in any cut of the bytes, and nothing but RESP passes for RESP."""

import contextlib
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from respmark.errors import WireError
from respmark.network.resp import RespStream
from tests.fake_node import resp

WORDS = st.lists(st.binary(max_size=40), min_size=1, max_size=6)
LINE = st.text(alphabet="abc 123.,:", max_size=12).map(str.encode)
SIMPLE = st.one_of(
    st.builds(lambda kind, line: kind + line + b"\r\n", st.sampled_from([b"+", b"-"]), LINE),
    st.builds(lambda data: b"$%d\r\n%b\r\n" % (len(data), data), st.binary(max_size=30)),
    st.sampled_from(
        [b"_\r\n", b"#f\r\n", b":7\r\n", b",1.5\r\n", b"(7\r\n", b"$-1\r\n", b"*-1\r\n", b"*0\r\n", b"%0\r\n"]
    ),
)


def _aggregates(inner: st.SearchStrategy[bytes]) -> st.SearchStrategy[bytes]:
    lists = st.builds(
        lambda kind, items: kind + b"%d\r\n" % len(items) + b"".join(items),
        st.sampled_from([b"*", b"~", b">"]),
        st.lists(inner, max_size=4),
    )
    maps = st.lists(inner, max_size=3).map(
        lambda values: b"%%%d\r\n" % len(values) + b"".join(b"+key\r\n" + one for one in values)
    )
    return st.one_of(lists, maps)


REPLY = st.recursive(SIMPLE, _aggregates, max_leaves=12)


@st.composite
def cuts(draw: st.DrawFn, data: bytes) -> list[bytes]:
    places = sorted(draw(st.sets(st.integers(0, len(data)), max_size=12)) | {0, len(data)})
    return [data[begin:end] for begin, end in pairwise(places)]


@given(st.data())
def test_every_cut_gives_the_same_messages(data: st.DataObject) -> None:
    """A reply ends where it ends, nested or not; a command has its words; nothing is lost."""
    commands, replies = data.draw(st.lists(WORDS, max_size=3)), data.draw(st.lists(REPLY, max_size=5))
    sent = [resp(*words) for words in commands]
    stream = RespStream()
    found = [message for part in data.draw(cuts(b"".join(sent + replies))) for message in stream.feed(part)]
    assert [came for came, _ in found] == sent + replies
    assert [words for _, words in found][: len(commands)] == commands
    assert not stream.rest


@given(st.binary(max_size=200))
def test_garbage_ends_in_a_wire_error_or_is_kept(garbage: bytes) -> None:
    """No bytes make the parser crash or loop, or are lost."""
    stream, found = RespStream(), bytearray()
    with contextlib.suppress(WireError):
        for came, _ in stream.feed(garbage):
            found += came
    assert found + stream.rest == garbage
