"""A sweep through all keys on a real server, beside a client."""

import re
import time

import pytest

from respmark.run.counters import evidence_between, take
from respmark.servers.control import Control
from respmark.servers.info import info_text
from respmark.servers.spawn import Server
from respmark.servers.sweeper import Sweeper
from respmark.workload.spec import Sweep
from tests.fake_server import resp

KEYS = 2_500


@pytest.mark.parametrize(("command", "calls"), [("KEYS", 1), ("SCAN", 3)])
def test_every_key_is_looked_at_and_what_was_sent_is_what_the_server_counts(
    server: Server, command: Sweep, calls: int
) -> None:
    """By KEYS at once, by SCAN in steps of a thousand; beside it stand the client's own commands."""
    with Control(server.endpoint) as client:
        client.command("MSET", *(word for number in range(KEYS) for word in (f"k:{number:012}", "v")))
        sweeper = Sweeper(server.endpoint, command, 100.0)
        before, looks = take(client), 0
        sweeper.begin(time.monotonic_ns())
        while called(client, command) < calls:
            looks += 1
        done = sweeper.end()
        seen = evidence_between(before, take(client))
        sweeper.close()
    left = seen.without(done.calls, done.input_bytes)
    assert list(done.calls) == [command.lower()]
    assert done.calls[command.lower()] >= calls
    assert {name for name, one in left.calls.items() if one.calls} <= {"info"}
    assert left.input_bytes == (looks + 1) * len(resp(b"INFO", b"commandstats")) + len(resp(b"INFO", b"all"))


def called(client: Control, command: str) -> int:
    """Return how often the server says it was called."""
    found = re.search(rf"cmdstat_{command.lower()}:calls=(\d+)", info_text(client, "commandstats"))
    return int(found[1]) if found else 0
