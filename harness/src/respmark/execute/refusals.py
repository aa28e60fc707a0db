"""What the harness says where a server does not serve: one fault, one sentence, in every language."""

from typing import Final, NamedTuple


class Refusal(NamedTuple):
    """What a fault of the target means, and what to do about it."""

    meaning: str
    advice: str


REFUSALS: Final = {
    "authentication": Refusal("refused the user or the password", "check the target's username and password"),
    "permission": Refusal(
        "refused a command of the workload", "let the user run the workload's commands on its keys (ACL SETUSER)"
    ),
    "loading": Refusal("is still loading its data set", "wait until it has loaded and try again"),
    "replica": Refusal("is a read-only replica", "name the primary as target"),
    "persistence": Refusal(
        "refuses writes because it cannot save its data set to disk",
        "repair its persistence or set stop-writes-on-bgsave-error to no",
    ),
    "clients": Refusal("accepts no more clients", "raise its maxclients or close other clients"),
    "memory": Refusal("has no memory left", "raise its maxmemory or choose a smaller workload"),
    "protected-mode": Refusal("is in protected mode", "set a password or turn protected mode off"),
    "cluster": Refusal(
        "is part of a cluster that does not serve the workload's keys here", "name a server that holds all keys"
    ),
    "unavailable": Refusal("cannot serve now", "see its log"),
    "database": Refusal("refused the database", "check the target's database"),
    "nobody-listens": Refusal("refuses connections", "start the server, or correct host and port"),
    "no-socket": Refusal("does not exist", "start the server, or correct the path of the socket"),
    "forbidden-socket": Refusal("may not be opened by this user", "check the socket's permissions"),
    "unknown-host": Refusal("is not a known host", "correct the host"),
    "certificate": Refusal("has a certificate that is not trusted", "give the right ca_file, or verify = false"),
    "tls": Refusal(
        "did not complete the TLS handshake", "check that it speaks TLS on this port, and the certificate files"
    ),
    "silence": Refusal(
        "does not answer in time",
        "check that it is up, that no firewall is between, and whether it speaks TLS on this port",
    ),
    "closed": Refusal("closed the connection", "check that it is up, and whether it expects TLS on this port"),
    "unreachable": Refusal("cannot be reached", "check host, port and network"),
}
REFUSED: Final = "{address} {meaning} ({heard}): {advice}"
LOST: Final = "{address} was lost: no unit of a slice succeeded ({heard}): see whether it still runs, then run again"
"""`heard` is what the library said, shortened."""
