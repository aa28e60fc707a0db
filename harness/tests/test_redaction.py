"""Passwords are taken out of other people's text, in whatever form they are written there."""

import base64
import json
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from respmark.redaction import conceal, forget, redacted

SECRET = 'p/w "1"\u00e9+%'


@pytest.mark.parametrize(
    "form",
    [
        SECRET,
        quote(SECRET, safe=""),
        quote_plus(SECRET),
        json.dumps(SECRET),
        repr(SECRET),
        repr(SECRET.encode()),
        base64.b64encode(SECRET.encode()).decode(),
        base64.urlsafe_b64encode(f":{SECRET}".encode()).decode(),
    ],
)
def test_every_form_is_found(form: str) -> None:
    """As it is, percent-encoded, in JSON, in Python, in base64."""
    conceal(SECRET)
    told = redacted(f"a {form} b")
    assert "***" in told
    assert len(told) < len("a ***== b") + 4


@given(st.text(min_size=1, max_size=12), st.text(max_size=20), st.text(max_size=20))
def test_no_password_is_left(secret: str, before: str, after: str) -> None:
    """Whatever stands around it; the stars in its place may be a part of another one. An empty one is none."""
    forget()
    conceal(None)
    conceal("")
    assert redacted("as it was") == "as it was"
    conceal(secret)
    assert secret not in redacted(before + secret + after) or "*" in secret


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("no suite `redis://u:p@h`", "no suite `redis://u:***@h`"),
        ("redis://:a/b?c#d@h:1/2", "redis://:***@h:1/2"),
        ("redis://h?password=p&db=1", "redis://h?password=***&db=1"),
        ("rediss://h:6379/1", "rediss://h:6379/1"),
        ("mail me@host", "mail me@host"),
    ],
)
def test_urls_are_shown_without_their_passwords(text: str, told: str) -> None:
    """Even where nobody knows yet that there is a password."""
    assert redacted(text) == told
