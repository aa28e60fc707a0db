"""What runners say when they end a trial: one fault, one sentence, in every language.

Runners have these sentences in a table of their own, which also recognises the fault in their libraries' words; their
tests hold it against `golden/refusals.json`.
"""

from typing import Final, NamedTuple


class Refusal(NamedTuple):
    """A fault of the target, what a runner says of it, and what servers answer."""

    fault: str
    meaning: str
    advice: str
    replies: tuple[str, ...] = ()
    """Errors with which a server refuses a client altogether; none: there is no connection to answer on."""


REFUSALS: Final = (
    Refusal(
        "authentication",
        "refused the user or the password",
        "check the target's username and password",
        (
            "WRONGPASS invalid username-password pair or user is disabled.",
            "NOAUTH Authentication required.",
            (
                "ERR AUTH <password> called without any password configured for the default user. "
                "Are you sure your configuration is correct?"
            ),
            "ERR invalid password",
        ),
    ),
    Refusal(
        "permission",
        "refused a command of the workload",
        "let the user run the workload's commands on its keys (ACL SETUSER)",
        ("NOPERM this user has no permissions to run the 'get' command",),
    ),
    Refusal(
        "loading",
        "is still loading its data set",
        "wait until it has loaded and try again",
        ("LOADING Redis is loading the dataset in memory",),
    ),
    Refusal(
        "replica",
        "is a read-only replica",
        "name the primary as target",
        ("READONLY You can't write against a read only replica.",),
    ),
    Refusal(
        "persistence",
        "refuses writes because it cannot save its data set to disk",
        "repair its persistence or set stop-writes-on-bgsave-error to no",
        ("MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.",),
    ),
    Refusal(
        "clients",
        "accepts no more clients",
        "raise its maxclients or close other clients",
        ("ERR max number of clients reached",),
    ),
    Refusal(
        "memory",
        "has no memory left",
        "raise its maxmemory or choose a smaller workload",
        ("OOM command not allowed when used memory > 'maxmemory'.",),
    ),
    Refusal(
        "protected-mode",
        "is in protected mode",
        "set a password or turn protected mode off",
        ("DENIED Redis is running in protected mode because protected mode is enabled.",),
    ),
    Refusal(
        "cluster",
        "is part of a cluster that does not serve the workload's keys here",
        "name a server that holds all keys",
        (
            "MOVED 3999 127.0.0.1:6381",
            "ASK 3999 127.0.0.1:6381",
            "CLUSTERDOWN The cluster is down",
            "TRYAGAIN Multiple keys request during rehashing of slot",
            "CROSSSLOT Keys in request don't hash to the same slot",
        ),
    ),
    Refusal(
        "unavailable",
        "cannot serve now",
        "see its log",
        (
            "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
            "NOREPLICAS Not enough good replicas to write.",
            "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.",
        ),
    ),
    Refusal("database", "refused the database", "check the target's database", ("ERR DB index is out of range",)),
    Refusal("nobody-listens", "refuses connections", "start the server, or correct host and port"),
    Refusal("no-socket", "does not exist", "start the server, or correct the path of the socket"),
    Refusal("forbidden-socket", "may not be opened by this user", "check the socket's permissions"),
    Refusal("unknown-host", "is not a known host", "correct the host"),
    Refusal(
        "certificate",
        "has a certificate that is not trusted",
        "give the right ca_file, or verify = false",
    ),
    Refusal(
        "tls",
        "did not complete the TLS handshake",
        "check that it speaks TLS on this port, and the certificate files",
    ),
    Refusal(
        "silence",
        "does not answer in time",
        "check that it is up, that no firewall is between, and whether it speaks TLS on this port",
    ),
    Refusal("closed", "closed the connection", "check that it is up, and whether it expects TLS on this port"),
    Refusal(
        "protocol",
        "does not speak the protocol of Redis",
        "check whether it expects TLS on this port, or is another kind of server",
    ),
    Refusal("unreachable", "cannot be reached", "check host, port and network"),
    Refusal("other", "failed", "see its log"),
)

SENTENCES: Final = {
    "refused": "{address} {meaning} ({heard}): {advice}",
    "lost": "{address} was lost: {complaint} ({heard}): see whether it still runs, then run again",
    "failures_in_a_row": "{count} units in a row failed",
    "silence": "no unit succeeded for {seconds} s",
    "no_trial": "standard input is empty: it must start with one trial as JSON on one line",
    "order_not_due": "the order {order} is not due; due: {due}",
    "order_not_valid": "{problem}; due: {due}",
    "input_ended": "standard input ended before the result; due: {due}",
    "replies_lost": "{sent} commands were sent, {came} replies came: the client lost count",
    "wrong_reply": "the reply to command {index} of the workload, {command} must be {expected}, not {reply}",
    "rejected": "command {index} of the workload, {command}, or one in its unit, failed in verification ({heard}): "
    "the target must know every command of the workload",
    "library": "trial.client.library must be one of {known}, not {library}",
    "option": "trial.client.options.{option} is unknown; known are {known}",
    "version": "this environment has {library} {version}, not {asked}: "
    "run the trial in the environment {library}-{asked}, which `make setup` makes",
}
"""`heard` is what the library said, shortened; where a lost target let nothing be heard, its parentheses are left out.

`due` is `connect`, `slice or finish`, or `the end of standard input`.
"""

EXAMPLES: Final = {"sentences": SENTENCES, "refusals": [refusal._asdict() for refusal in REFUSALS]}
