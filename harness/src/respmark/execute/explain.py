"""Says in one sentence why a library and a server do not get on.

A library's own last words often say it. Where they do not, the harness asks the server itself.
"""

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from respmark.contract.trial import Endpoint
from respmark.errors import TargetError
from respmark.target.control import Control
from respmark.target.url import address

HEARD: Final = 300
"""The most characters of a library's words in a sentence."""
LOST: Final = "{address} was lost: no unit of a slice succeeded ({heard}): see whether it still runs, then run again"


class Fault(NamedTuple):
    """What a fault of the server looks like, what it means, and what to do about it."""

    pattern: str
    meaning: str
    advice: str


REFUSALS: Final = (
    Fault(
        r"WRONGPASS|NOAUTH|ERR AUTH|AuthenticationError|invalid (username|password)",
        "refused the user or the password",
        "check the target's username and password",
    ),
    Fault(
        r"NOPERM|NoPermission",
        "refused a command of the workload",
        "let the user run the workload's commands on its keys (ACL SETUSER)",
    ),
    Fault(r"LOADING|BusyLoading", "is still loading its data set", "wait until it has loaded and try again"),
    Fault(r"READONLY|ReadOnly", "is a read-only replica", "name the primary as target"),
    Fault(
        r"MISCONF",
        "refuses writes because it cannot save its data set to disk",
        "repair its persistence or set stop-writes-on-bgsave-error to no",
    ),
    Fault(r"max number of clients", "accepts no more clients", "raise its maxclients or close other clients"),
    Fault(
        r"\bOOM\b|OutOfMemoryError: command", "has no memory left", "raise its maxmemory or choose a smaller workload"
    ),
    Fault(r"\bDENIED\b", "is in protected mode", "set a password or turn protected mode off"),
    Fault(
        r"\bMOVED\b|\bASK\b|CLUSTERDOWN|TRYAGAIN|CROSSSLOT|(Moved|Ask|ClusterDown|TryAgain)Error",
        "is part of a cluster that does not serve the workload's keys here",
        "name a server that holds all keys",
    ),
    Fault(r"MASTERDOWN|NOREPLICAS|\bBUSY\b|MasterDown", "cannot serve now", "see its log"),
    Fault(r"DB index", "refused the database", "check the target's database"),
)
"""What servers say that refuse a client, whichever library passes it on."""
NETWORK: Final = (
    Fault(
        r"CERTIFICATE_VERIFY_FAILED|certificate verify failed",
        "has a certificate that is not trusted",
        "give the right ca_file, or verify = false",
    ),
    Fault(
        r"\bSSL\b|WRONG_VERSION_NUMBER|\bTLS\b",
        "did not complete the TLS handshake",
        "check that it speaks TLS on this port, and the certificate files",
    ),
    Fault(r"(?i)refused|Error 111 ", "refuses connections", "start the server, or correct host and port"),
    Fault(r"No such file", "does not exist", "start the server, or correct the path of the socket"),
    Fault(r"Permission denied", "may not be opened by this user", "check the socket's permissions"),
    Fault(r"Name or service not known|getaddrinfo|name resolution|nodename", "is not a known host", "correct the host"),
    Fault(
        r"(?i)timed? ?out",
        "does not answer in time",
        "check that it is up, that no firewall is between, and whether it speaks TLS on this port",
    ),
    Fault(
        r"(?i)closed|reset|broken pipe",
        "closed the connection",
        "check that it is up, and whether it expects TLS on this port",
    ),
    Fault(r"unreachable|No route to host", "cannot be reached", "check host, port and network"),
)
"""What the harness's own connection says where there is none to answer on."""


def explain(target: Endpoint, words: str) -> str | None:
    """Return why a library could not do its work; None if its own words do not say so, and the server is well."""
    if known := _sentence(target, words, words, REFUSALS):
        return known
    try:
        with Control(target):
            return None
    except TargetError as error:
        cause = error.__cause__ or error
        asked = f"{type(cause).__name__}: {cause}"
        return _sentence(target, asked, words or asked, [*REFUSALS, *NETWORK]) or str(error)


def lost(target: Endpoint, words: str) -> str:
    """Return the sentence for a server with which no unit of a slice succeeded; `words` are the first error's."""
    refusal = _sentence(target, words, words, REFUSALS)
    return refusal or LOST.format(address=address(target), heard=words[:HEARD])


def _sentence(target: Endpoint, said: str, heard: str, faults: Iterable[Fault]) -> str | None:
    fault = next((one for one in faults if re.search(one.pattern, said)), None)
    if fault is None:
        return None
    return f"{address(target)} {fault.meaning} ({' '.join(heard.split())[:HEARD]}): {fault.advice}"
