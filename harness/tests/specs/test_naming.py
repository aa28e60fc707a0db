"""The names of clients, in both directions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from respmark.contract.trial import Scenario
from respmark.errors import InvalidRequestError
from respmark.specs.catalogue import Catalogue
from respmark.specs.client import ClientSpec
from respmark.specs.naming import DEFAULT, find_clients, make_client, one_client
from tests.builders.plan import SHIPPED, client_spec

SPECS = {"lib": client_spec()}
WORDS = st.from_regex(r"[a-z][a-z0-9.-]{0,8}", fullmatch=True)
VALUES = st.lists(st.one_of(WORDS, st.integers(0, 99), st.booleans()), min_size=1, max_size=3, unique_by=str)


@st.composite
def specs_with_a_choice(draw: st.DrawFn) -> tuple[ClientSpec, dict[str, str | int | bool]]:
    """Draw a spec and a value for each of its options."""
    options = draw(st.dictionaries(WORDS, VALUES, max_size=4))
    spec = client_spec(
        library=draw(st.from_regex(r"[A-Za-z0-9._-]{1,12}", fullmatch=True)),
        options={name: {"values": values, "help": ""} for name, values in options.items()},
        variants=[{}],
        versions={},
    )
    return spec, {name: draw(st.sampled_from(values)) for name, values in options.items()}


@given(specs_with_a_choice())
def test_a_name_finds_the_client_that_it_was_made_for(drawn: tuple[ClientSpec, dict[str, str | int | bool]]) -> None:
    """A name copied from a table means the client that it stands for."""
    spec, chosen = drawn
    client = make_client(spec, None, chosen)
    assert find_clients(client.name, {spec.library: spec}) == [client]


@pytest.mark.parametrize(
    ("name", "clients"),
    [
        ("lib", ["lib"]),
        ("lib[*]", ["lib", "lib[parser=slow]"]),
        ("lib[parser=slow, protocol=2]", ["lib[parser=slow,protocol=2]"]),
        ("lib@1.4[timeout=true,parser=fast]", ["lib@1.4[timeout=true]"]),
        ("lib@file:../fork[timeout=false,parser=slow]", ["lib@file:../fork[parser=slow]"]),
        ("lib@*", ["lib@1.0.0"]),
        ("*", ["lib"]),
        ("*[*]", ["lib", "lib[parser=slow]"]),
    ],
)
def test_a_name_means_one_client_unless_it_says_all(name: str, clients: list[str]) -> None:
    """The library alone is the library as installed; a star is all of them; defaults may be written out."""
    assert [client.name for client in find_clients(name, SPECS)] == clients


def test_where_one_client_is_needed_several_are_refused() -> None:
    assert one_client("lib", SPECS).name == "lib"
    with pytest.raises(
        InvalidRequestError, match=r"is 2 clients, but a single client is needed: lib, lib\[parser=slow\]"
    ):
        one_client("lib[*]", SPECS)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("libb", ["there is no client library `libb`", "there are: lib"]),
        ("lib@new", ["`new` is not a version of `lib`", "write a number (pinned: 1.0.0), or file:PATH"]),
        ("lib[parsre=slow]", ["`lib` has no option `parsre`", "it has: parser, "]),
        ("lib[parser=quick]", ["`quick` is not a value of lib's option `parser`", "allowed: fast, slow"]),
        ("lib[timeout=True]", ["`True` is not a value", "allowed: true, false"]),
        ("lib@1.0.0[protocol=3]", ["`3` is not a value", "allowed: 2"]),
        ("lib[parser=slow", ["is not a client's name", "library@version"]),
        ("", ["is not a client's name"]),
    ],
)
def test_an_unknown_name_is_answered_with_what_there_is(name: str, words: list[str]) -> None:
    """Each part of a name that does not exist is named, with what exists, the nearest first."""
    with pytest.raises(InvalidRequestError) as caught:
        find_clients(name, SPECS)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("name", "protocol", "lacks"),
    [
        ("redis-py", 3, None),
        ("redis-py@8.0.0", 3, None),
        ("redis-py@7.4.0", 2, None),
        ("redis-py@7.4.0[protocol=3]", 3, None),
        ("redis-py@4.6.0", 2, None),
        ("redis-py@4.6.0[protocol=3]", 3, "RESP3 came with redis-py 5"),
        ("redis-py@4.1.4[api=asyncio]", 2, "redis.asyncio came with redis-py 4.2"),
        ("redis-py@file:/home/me/redis-py", 3, None),
    ],
)
def test_a_version_has_the_options_of_its_spans(name: str, protocol: int, lacks: str | None) -> None:
    """As installed is what that version does; an option that it lacks is unsupported, with the reason."""
    spec = Catalogue().clients["redis-py"]
    (client,) = find_clients(name, {"redis-py": spec})
    assert client.options["protocol"] == protocol
    assert client.name == name
    assert spec.why_not(client, Scenario.SYNC) == lacks


@pytest.mark.parametrize("spec", Catalogue().clients.values(), ids=lambda spec: spec.library)
def test_no_version_lacks_what_it_has_as_installed(spec: ClientSpec) -> None:
    """At the borders of every span, the defaults are values that the version has, and some scenario is supported."""
    borders = {border for span in (*spec.spans, *spec.cannot) for border in (span.since, span.until)} - {""}
    for version in (None, *spec.pinned, *borders, *filter(None, [spec.since])):
        client = make_client(spec, version, {})
        assert spec.why_not(client, Scenario.SYNC) is None


def test_a_language_names_all_its_libraries() -> None:
    """As installed, the default ones first, or in all variants; an unknown one is answered with those that are."""
    node = [client.name for client in find_clients("node/*", SHIPPED.clients)]
    assert node == ["node-redis", *sorted(set(node) - {"node-redis"})]
    assert {client.library for client in find_clients("php/*[*]", SHIPPED.clients)} == {"phpredis", "predis"}
    with pytest.raises(InvalidRequestError, match="there is no language or tag `nod`; there are: node"):
        find_clients("nod/*", SHIPPED.clients)
    with pytest.raises(InvalidRequestError, match="write `jedis` alone"):
        find_clients("java/jedis", SHIPPED.clients)


def test_a_tag_names_all_libraries_that_have_it() -> None:
    """Of every language; each with the same options."""
    tagged = {spec.library for spec in SHIPPED.clients.values() if DEFAULT in spec.tags}
    assert {client.name for client in find_clients("default/*", SHIPPED.clients)} == tagged
    assert {client.name for client in find_clients("default/*[tls=off]", SHIPPED.clients)} == {
        f"{library}[tls=off]" for library in tagged
    }
