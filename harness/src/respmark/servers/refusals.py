"""What it means that a server refuses us, or cannot be reached, and what to do about it."""

import re
from typing import Final

import redis
import redis.exceptions

from respmark.contract.trial import Endpoint
from respmark.redaction import redacted
from respmark.servers.password import WAYS
from respmark.servers.url import address

REFUSED = (redis.exceptions.ResponseError, redis.exceptions.BusyLoadingError, redis.exceptions.AuthenticationError)
"""The server has given its reason; redis-py counts some of these as lost connections."""
REFUSALS: Final = (
    (
        "NOAUTH",
        f"asks for a password: {{said}}; give it with {WAYS}, and a user as redis://user@host:port",
    ),
    (
        "WRONGPASS",
        f"refused the password: {{said}}; check user and password: it is what the URL has, else {WAYS}",
    ),
    (
        "NOPERM",
        "does not let this user do what is needed: {said}; give the user the commands in docs/measuring.md",
    ),
    ("LOADING", "is still loading its data: {said}; wait until it is done"),
    ("MISCONF", "rejects writes: {said}; see its log, or turn persistence off for the measurement"),
    ("READONLY", "is a read-only replica: {said}; name the primary"),
    ("OOM", "is out of memory: {said}; raise its `maxmemory`, or use a smaller workload"),
    ("DENIED", "is in protected mode: {said}; set a password or turn protected mode off"),
    (
        "MOVED|ASK|CLUSTERDOWN|TRYAGAIN|CROSSSLOT",
        "does not serve the run's keys in its cluster: {said}; run again when its slots do not move",
    ),
    ("MASTERDOWN|NOREPLICAS|BUSY", "cannot serve now: {said}; see its log"),
    ("called without any password configured", "has no password, but one was given: {said}; leave it out"),
    ("max number of clients", "has no connection free: {said}; raise `maxclients` or close others"),
    (
        "not allowed in cluster mode",
        "runs in cluster mode and has no database but 0: {said}; leave the database's number out of the URL",
    ),
    ("DB index is out of range", "has no database {database}: {said}"),
)
"""Codes of servers that refuse a client, and what they mean; where the code is ERR, servers' own sentences.

The first found counts. How a library may put a code is not listed: where it leaves the code out, the server is asked.
"""
NETWORK: Final = (
    (
        "(?i)ssl|certificate",
        "and respmark disagree on TLS: {said}; rediss:// is for servers that speak TLS, redis:// for others",
    ),
    ("(?i)refused", "cannot be reached: {said}; is a server running there?"),
)
"""The same of the harness's own connection, where there is no server to say anything."""
CLOSED: Final = re.compile("closed by server|reset by peer")


def explain(error: Exception, endpoint: Endpoint, *, has_answered: bool = False) -> str:
    """Return what the error means, and what to do about it; `has_answered`: it came on a connection that worked."""
    # A server may repeat what it was sent.
    said = redacted(" ".join(_line_of(error).split()))
    if known := refusal(said, said, endpoint):
        return known
    if meaning := _meaning(said, endpoint, has_answered=has_answered):
        return _sentence(endpoint, meaning, said)
    if isinstance(error, redis.exceptions.ResponseError):
        return _sentence(endpoint, "answered with an error: {said}", said)
    unknown = f"{type(error).__name__}: {said or 'no answer'}"
    return _sentence(endpoint, "cannot be reached: {said}; check host, port and network", unknown)


def refusal(text: str, said: str, endpoint: Endpoint) -> str | None:
    """Return what a server's refusal in a text means, and what to do, quoting `said`; None if there is none."""
    meaning = next((meaning for code, meaning in REFUSALS if re.search(rf"\b(?:{code})\b", text)), None)
    return meaning and _sentence(endpoint, meaning, said)


def _line_of(error: Exception) -> str:
    """Return a server's error as the server sent it, with the code that redis-py takes away; ERR says nothing."""
    code = error.status_code if isinstance(error, redis.exceptions.RedisError) else None
    return str(error) if code in {None, "ERR"} else f"{code} {error}"


def _sentence(endpoint: Endpoint, meaning: str, said: str) -> str:
    return f"the server at {address(endpoint)} {meaning.format(said=said, database=endpoint.database)}"


def _meaning(said: str, endpoint: Endpoint, *, has_answered: bool) -> str | None:
    low = said.lower()
    if CLOSED.search(low) and has_answered:
        return "closed the connection: {said}; was it stopped, or is its `timeout` not 0, so that it closes idle ones?"
    if CLOSED.search(low) and endpoint.tls is None:
        return "closed the connection: {said}; if it speaks TLS, write rediss://"
    if "timeout" in low and endpoint.tls is not None:
        return "did not answer the TLS handshake: {said}; if it does not speak TLS, write redis://"
    return next((meaning for pattern, meaning in NETWORK if re.search(pattern, said)), None)
