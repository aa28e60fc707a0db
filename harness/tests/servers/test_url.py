"""Server URLs, and that no password gets out of them."""

from urllib.parse import quote

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from respmark.contract.trial import Endpoint, Tls
from respmark.errors import InvalidRequestError
from respmark.redaction import redacted
from respmark.servers import password as module
from respmark.servers.password import PASSWORD_VARIABLE, take_from_environment
from respmark.servers.url import address, is_loopback, parse_url
from tests.builders.plan import HIDDEN

MARK = "Zq7"
"""Nothing else in a URL of these tests has it."""
FILES = Tls(ca_file="/ca.pem", certificate_file="/c.pem", key_file="/k.pem", verify=True)


def hidden_in(endpoint: Endpoint) -> str | None:
    return endpoint.password.get_secret_value() if endpoint.password else None


@pytest.mark.parametrize(
    ("url", "endpoint"),
    [
        ("redis://h", Endpoint(host="h", port=6379)),
        ("redis://10.0.0.5:7000/3", Endpoint(host="10.0.0.5", port=7000, database=3)),
        ("redis://[::1]:7000", Endpoint(host="::1", port=7000)),
        ("valkey://h", Endpoint(host="h", port=6379)),
        ("rediss://h?ssl_cert_reqs=none", Endpoint(host="h", port=6379, tls=Tls(verify=False))),
        (
            "rediss://h?ssl_ca_certs=/ca.pem&ssl_certfile=/c.pem&ssl_keyfile=/k.pem&ssl_cert_reqs=required",
            Endpoint(host="h", port=6379, tls=FILES),
        ),
        ("unix:///run/redis.sock", Endpoint(unix_socket="/run/redis.sock")),
        ("unix:///run/my%20redis.sock?db=2", Endpoint(unix_socket="/run/my redis.sock", database=2)),
        ("redis://bench@h", Endpoint(host="h", port=6379, username="bench")),
    ],
)
def test_a_url_names_an_endpoint(url: str, endpoint: Endpoint) -> None:
    """Schemes, addresses, databases, users and TLS parameters arrive where they belong."""
    assert parse_url(url) == endpoint


def test_the_password_in_the_url_goes_before_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """It need not be on the command line, where others see it; a password needs no user."""
    monkeypatch.setattr(module, "_given", [])
    monkeypatch.setenv(PASSWORD_VARIABLE, "another")
    take_from_environment()
    assert hidden_in(parse_url("redis://bench@h")) == "another"
    endpoint = parse_url(f"redis://:{HIDDEN}@h")
    assert (endpoint.username, hidden_in(endpoint)) == (None, HIDDEN)


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://h", "must begin with redis://, rediss:// or unix://"),
        ("redis://", "names no host; write redis://host:port"),
        ("unix://", "names no socket"),
        ("redis://h:port", "cannot be parsed"),
        ("redis://h:70000", "cannot be parsed"),
        ("redis://h/one", "names database `one`, which is not a number"),
        (
            "redis://h?database=1",
            "the server URL has parameters that respmark does not know; it knows db, ssl",
        ),
        ("redis://h?ssl_cert_reqs=none", "has ssl_cert_reqs but no TLS; write rediss://"),
        ("rediss://h?ssl_cert_reqs=maybe", "has ssl_cert_reqs=maybe; it is `required` or `none`"),
    ],
)
def test_what_is_no_server_url_says_why(url: str, words: str) -> None:
    """Each message says what is wrong and how it is written."""
    with pytest.raises(InvalidRequestError) as caught:
        parse_url(url)
    assert words in str(caught.value)


TEXTS = st.text(min_size=1, max_size=20) | st.text("/?#@:[]%&=;0", min_size=1, max_size=6)
"""Anything, and what means something in a URL."""
PASSWORDS = TEXTS.map(lambda text: MARK + text + MARK)


@given(PASSWORDS, st.sampled_from(["redis", "rediss", "unix", "valkey"]), st.text(max_size=8))
def test_escaped_passwords_are_read_and_never_redacted_to(hidden: str, scheme: str, user: str) -> None:
    """Whatever a password is made of, it arrives whole, and nothing of it is in the redacted URL."""
    assume(MARK not in user)
    url = f"{scheme}://{quote(user, safe='')}:{quote(hidden, safe='')}@{'' if scheme == 'unix' else 'host'}/0"
    endpoint = parse_url(url)
    assert hidden_in(endpoint) == hidden
    assert (endpoint.username or "") == user
    assert MARK not in redacted(url)


@given(PASSWORDS)
@example(f"{MARK}@/{MARK}")
@example(f"{MARK}@?{MARK}")
@example(f"{MARK}#{MARK}")
@example(f"{MARK}?{MARK}")
@example(f"{MARK}℀{MARK}")
@example(f"{MARK}]{MARK}")
@example(f"12/{MARK}")
@example(f"12?{MARK}=1")
@example(f"12#{MARK}")
def test_passwords_that_were_not_escaped_are_not_shown_either(hidden: str) -> None:
    """A password copied into a URL as it is may make it unreadable; no message and no manifest shows a part of it."""
    shown = []
    for url in (f"redis://bench:{hidden}@host:6379/0", f"unix://bench:{hidden}@/run/redis.sock"):
        try:
            shown.append(repr(parse_url(url)))
        except InvalidRequestError as error:
            shown.append(str(error))
    assert not [text for text in shown if MARK in text]


@pytest.mark.parametrize(
    ("endpoint", "words", "local"),
    [
        (Endpoint(host="127.8.9.1", port=1), "127.8.9.1:1", True),
        (Endpoint(host="::1", port=1), "[::1]:1", True),
        (Endpoint(unix_socket="/s"), "unix socket /s", True),
        (Endpoint(host="10.0.0.5", port=1), "10.0.0.5:1", False),
        (Endpoint(host="127.example.org", port=1), "127.example.org:1", False),
    ],
)
def test_an_address_is_written_as_people_write_it_and_shows_whether_it_is_here(
    endpoint: Endpoint, words: str, *, local: bool
) -> None:
    """The server's CPU is subtracted from the machine's only where it runs here."""
    assert address(endpoint) == words
    assert is_loopback(endpoint) is local
