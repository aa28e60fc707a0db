"""What a server's refusal means, in whichever library's words it comes."""

import pytest

from respmark.contract.trial import Endpoint
from respmark.execute.explain import NETWORK, PATTERNS, refusal
from respmark.execute.refusals import REFUSALS

TARGET = Endpoint(host="h", port=1)


@pytest.mark.parametrize(
    ("fault", "reply"),
    [
        ("authentication", "WRONGPASS invalid username-password pair or user is disabled."),
        ("authentication", "NOAUTH Authentication required."),
        (
            "authentication",
            "ERR AUTH <password> called without any password configured for the default user.",
        ),
        ("authentication", "ERR invalid password"),
        ("permission", "NOPERM this user has no permissions to run the 'get' command"),
        ("loading", "LOADING Redis is loading the dataset in memory"),
        ("replica", "READONLY You can't write against a read only replica."),
        (
            "persistence",
            "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist.",
        ),
        ("clients", "ERR max number of clients reached"),
        ("memory", "OOM command not allowed when used memory > 'maxmemory'."),
        ("protected-mode", "DENIED Redis is running in protected mode because protected mode is enabled."),
        ("cluster", "MOVED 3999 127.0.0.1:6381"),
        ("cluster", "ASK 3999 127.0.0.1:6381"),
        ("cluster", "CLUSTERDOWN The cluster is down"),
        ("cluster", "TRYAGAIN Multiple keys request during rehashing of slot"),
        ("cluster", "CROSSSLOT Keys in request don't hash to the same slot"),
        ("unavailable", "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'."),
        ("unavailable", "NOREPLICAS Not enough good replicas to write."),
        ("unavailable", "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE."),
        ("database", "ERR DB index is out of range"),
    ],
)
def test_what_servers_answer_is_recognised(fault: str, reply: str) -> None:
    """The sentence says what it means, what was heard, and what to do."""
    meant = REFUSALS[fault]
    assert refusal(TARGET, f"ResponseError: {reply}") == (
        f"h:1 {meant.meaning} (ResponseError: {reply}): {meant.advice}"
    )


def test_other_words_are_not_taken_for_a_refusal() -> None:
    """Then the harness asks the server itself."""
    assert refusal(TARGET, "ConnectionError: no luck") is None


def test_every_fault_that_is_recognised_has_a_meaning() -> None:
    """And there is no meaning that nothing leads to."""
    assert {*PATTERNS, *NETWORK} == set(REFUSALS)
