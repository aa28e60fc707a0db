"""The one reader of INFO and CLIENT LIST: what servers write, and what they do not."""

import pytest

from respmark.servers.info import Calls, Info, clients_of

TEXT = """# Server\r
redis_version:7.2.4\r
run_id:abc\r
\r
# Stats\r
total_commands_processed:12\r
cmdstat_get:calls=3,usec=9,usec_per_call=3.00,rejected_calls=1,failed_calls=2\r
cmdstat_client|list:calls=1,usec=5\r
errorstat_ERR:count=4\r
"""


def test_what_a_server_writes_is_read() -> None:
    """Counts, commands with their subcommands, errors, and who it is."""
    info = Info.read(TEXT)
    assert (info.count("total_commands_processed"), info.run_id, info.version) == (12, "abc", "redis 7.2.4")
    assert info.calls == {"get": Calls(3, 2, 1, 9), "client|list": Calls(1, us=5)}
    assert info.errors == {"ERR": 4}
    assert info.unread == 0


@pytest.mark.parametrize(
    "line",
    ["cmdstat_x:calls=many,usec=1", "cmdstat_x:", "cmdstat_x:42", "errorstat_X:count=", "no colon in this line"],
)
def test_what_cannot_be_read_is_skipped_and_counted(line: str) -> None:
    """The rest stays."""
    info = Info.read(f"{TEXT}{line}\r\n")
    assert (info.calls, info.errors, info.unread) == (Info.read(TEXT).calls, {"ERR": 4}, 1)


def test_what_is_missing_or_no_count_is_none() -> None:
    """Whoever needs it says so."""
    info = Info.read("maxmemory:lots\r\n")
    assert (info.count("maxmemory"), info.count("used_memory"), info.version) == (None, None, "redis unknown")


def test_connections_are_read_and_foreign_lines_are_counted() -> None:
    """A line without a number of its own is no connection."""
    found = clients_of(b"id=7 addr=1.2.3.4:5 name= cmd=get\nsomething else\nid=x addr=1\n\n")
    assert [one["id"] for one in found.clients] == ["7"]
    assert found.clients[0]["name"] == ""
    assert found.skipped == 2
    assert clients_of(None).clients == []
