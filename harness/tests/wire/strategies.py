"""Messages in both directions, and every way to cut them."""

from itertools import pairwise

from hypothesis import strategies as st

WORDS = st.lists(st.binary(max_size=40), min_size=1, max_size=6)
"""A command's words."""


def encoded(words: list[bytes]) -> bytes:
    """Return a command as clients send it."""
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%b\r\n" % (len(word), word) for word in words)


LINE = st.text(alphabet="abc 123.,:", max_size=12).map(str.encode)
SIMPLE = st.one_of(
    st.builds(lambda kind, line: kind + line + b"\r\n", st.sampled_from([b"+", b"-", b":", b",", b"#", b"("]), LINE),
    st.sampled_from([b"_\r\n", b"$-1\r\n", b"*-1\r\n", b"*0\r\n", b"%0\r\n", b"~0\r\n"]),
)
BULK = st.builds(
    lambda kind, data: kind + b"%d\r\n%b\r\n" % (len(data), data),
    st.sampled_from([b"$", b"!", b"="]),
    st.binary(max_size=30),
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
"""One reply, RESP2 or RESP3, nested."""


@st.composite
def cuts(draw: st.DrawFn, data: bytes) -> list[bytes]:
    """Return the bytes cut anywhere."""
    places = sorted(draw(st.sets(st.integers(0, len(data)), max_size=12)) | {0, len(data)})
    return [data[begin:end] for begin, end in pairwise(places)]
