"""Says in one sentence why a library and a server do not get on.

A library's own last words often say it. Where they do not, the harness asks the server itself.
"""

import re
from typing import Final

from respmark.contract.trial import Endpoint
from respmark.errors import TargetError
from respmark.execute.refusals import LOST, REFUSALS, REFUSED
from respmark.target.control import Control
from respmark.target.url import address

HEARD: Final = 300
"""The most characters of a library's words in a sentence."""
PATTERNS: Final = {
    "authentication": r"WRONGPASS|NOAUTH|ERR AUTH|AuthenticationError|invalid (username|password)",
    "permission": r"NOPERM|NoPermission",
    "loading": r"LOADING|BusyLoading",
    "replica": r"READONLY|ReadOnly",
    "persistence": r"MISCONF",
    "clients": r"max number of clients",
    "memory": r"\bOOM\b|OutOfMemoryError: command",
    "protected-mode": r"\bDENIED\b",
    "cluster": r"\bMOVED\b|\bASK\b|CLUSTERDOWN|TRYAGAIN|CROSSSLOT|(Moved|Ask|ClusterDown|TryAgain)Error",
    "unavailable": r"MASTERDOWN|NOREPLICAS|\bBUSY\b|MasterDown",
    "database": r"DB index",
}
"""What servers say that refuse a client, whichever library passes it on."""
NETWORK: Final = {
    "certificate": r"CERTIFICATE_VERIFY_FAILED|certificate verify failed",
    "tls": r"\bSSL\b|WRONG_VERSION_NUMBER|\bTLS\b",
    "nobody-listens": r"(?i)refused|Error 111 ",
    "no-socket": r"No such file",
    "forbidden-socket": r"Permission denied",
    "unknown-host": r"Name or service not known|getaddrinfo|name resolution|nodename",
    "silence": r"(?i)timed? ?out",
    "closed": r"(?i)closed|reset|broken pipe",
    "unreachable": r"unreachable|No route to host",
}
"""What the harness's own connection says where there is none to answer on."""


def refusal(target: Endpoint, words: str) -> str | None:
    """Return what the server's refusal means if a library's words pass one on; None otherwise."""
    return _sentence(target, words, words, PATTERNS)


def explain(target: Endpoint, words: str) -> str | None:
    """Return why a library could not do its work; None if its own words do not say so, and the server is well."""
    if known := refusal(target, words):
        return known
    try:
        with Control(target):
            return None
    except TargetError as error:
        cause = error.__cause__ or error
        asked = f"{type(cause).__name__}: {cause}"
        return _sentence(target, asked, words or asked, {**PATTERNS, **NETWORK}) or str(error)


def lost(target: Endpoint, words: str) -> str:
    """Return the sentence for a server with which no unit of a slice succeeded; `words` are the first error's."""
    return refusal(target, words) or LOST.format(address=address(target), heard=words[:HEARD])


def _sentence(target: Endpoint, said: str, heard: str, patterns: dict[str, str]) -> str | None:
    fault = next((fault for fault, pattern in patterns.items() if re.search(pattern, said)), None)
    if fault is None:
        return None
    shown = " ".join(heard.split())[:HEARD]
    return REFUSED.format(address=address(target), heard=shown, **REFUSALS[fault]._asdict())
