"""Says in one sentence what a target's refusal means and what to do; needs no library."""

import re
from typing import Final

from respmark_python.errors import TargetError

REFUSALS: Final = (
    (r"WRONGPASS|NOAUTH|ERR AUTH|AuthenticationError|invalid (username|password)", "refused the user or the password",
     "check the target's username and password"),
    (r"NOPERM|NoPermissionError", "refused a command of the workload",
     "let the user run the workload's commands on its keys (ACL SETUSER)"),
    (r"LOADING|BusyLoadingError", "is still loading its data set", "wait until it has loaded and try again"),
    (r"READONLY|ReadOnlyError", "is a read-only replica", "name the primary as target"),
    (r"MISCONF", "refuses writes because it cannot save its data set to disk",
     "repair its persistence or set stop-writes-on-bgsave-error to no"),
    (r"max number of clients", "accepts no more clients", "raise its maxclients or close other clients"),
    (r"\bOOM\b|OutOfMemoryError", "has no memory left", "raise its maxmemory or choose a smaller workload"),
    (r"\bDENIED\b", "is in protected mode", "set a password or turn protected mode off"),
    (r"MOVED|\bASK\b|CLUSTERDOWN|TRYAGAIN|CROSSSLOT|(Moved|Ask|ClusterDown|TryAgain|ClusterCrossSlot)Error",
     "is part of a cluster that does not serve the workload's keys here", "name a server that holds all keys"),
    (r"MASTERDOWN|NOREPLICAS|\bBUSY\b|MasterDownError", "cannot serve now", "see its log"),
    (r"DB index", "refused the database", "check the target's database"),
    (r"CERTIFICATE_VERIFY_FAILED|certificate verify failed", "has a certificate that is not trusted",
     "give the right ca_file, or verify = false"),
    (r"(?i)\bSSL\b|WRONG_VERSION_NUMBER|\bTLS\b", "did not complete the TLS handshake",
     "check that it speaks TLS on this port, and the certificate files"),
)  # fmt: skip
"""What errors say, what they mean, and what to do: the contract's sentences."""
UNREACHABLE: Final = (
    (r"refused|Error 111 ", "refuses connections", "start the server, or correct host and port"),
    (r"No such file", "does not exist", "start the server, or correct the path of the socket"),
    (r"Permission denied", "may not be opened by this user", "check the socket's permissions"),
    (r"Name or service not known|getaddrinfo|name resolution|nodename", "is not a known host", "correct the host"),
    (r"(?i)timed? ?out", "does not answer in time",
     "check that it is up, that no firewall is between, and whether it speaks TLS on this port"),
    (r"(?i)closed|reset|broken pipe", "closed the connection",
     "check that it is up, and whether it expects TLS on this port"),
    (r"unreachable|No route to host", "cannot be reached", "check host, port and network"),
)  # fmt: skip
OTHER: Final = "failed", "see its log"


def refusal(error: Exception, address: str) -> TargetError | None:
    """Return what the server's error means if it refuses the runner as a whole; None otherwise."""
    return _match(REFUSALS, error, address)


def unreachable(error: Exception, address: str) -> TargetError:
    """Return what a failed connection means."""
    return _match(UNREACHABLE, error, address) or _sentence(address, error, *OTHER)


def lost(complaint: str, error: Exception, address: str) -> TargetError:
    """Return the sentence for a target with which nothing succeeds any more; `error` is the last failure."""
    return TargetError(f"{address} was lost: {complaint} ({_words(error)}): see whether it still runs, then run again")


def _match(table: tuple[tuple[str, str, str], ...], error: Exception, address: str) -> TargetError | None:
    words = _words(error)
    for pattern, meaning, advice in table:
        if re.search(pattern, words):
            return _sentence(address, error, meaning, advice)
    return None


def _sentence(address: str, error: Exception, meaning: str, advice: str) -> TargetError:
    return TargetError(f"{address} {meaning} ({_words(error)}): {advice}")


def _words(error: Exception) -> str:
    message = " ".join(str(error).split())
    return f"{type(error).__name__}: {message[:200]}"
