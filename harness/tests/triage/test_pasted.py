"""What people paste: from Redis 2.8 to Valkey 9, with what a terminal, a ticket or a crash report puts around it."""

import io
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from respmark.errors import ExitCode
from respmark.servers.control import Control
from respmark.triage.pasted import snapshot_of
from respmark.triage.snapshot import ServerSnapshot
from tests.triage.builders import make_judge
from tests.triage.conftest import Start, Triage, url_of

OLD = """# Server
redis_version:2.8.24
redis_mode:standalone
os:Linux 3.13.0-48-generic x86_64
process_id:1
run_id:05c3d2c1a8f0b0a8f1c6d7
tcp_port:6379
uptime_in_seconds:1000
hz:10

# Clients
connected_clients:12
blocked_clients:0

# Memory
used_memory:1000000
mem_fragmentation_ratio:1.10

# Persistence
loading:0
rdb_changes_since_last_save:0
rdb_last_bgsave_status:ok

# Stats
total_connections_received:200
total_commands_processed:20100
rejected_connections:0

# Replication
role:master
connected_slaves:0

# CPU
used_cpu_sys:1.00
used_cpu_user:1.00

# Commandstats
cmdstat_get:calls=20000,usec=40000,usec_per_call=2.00
cmdstat_keys:calls=100,usec=9000000,usec_per_call=90000.00
"""
CLIENTS = """id=3 addr=10.0.0.7:52555 fd=5 name=worker age=855 idle=0 flags=N db=0 sub=0 psub=0 multi=-1 qbuf=0 \
qbuf-free=32768 obl=0 oll=0 omem=0 events=r cmd=keys
""".replace("\\\n", "")
SLOW = """1) 1) (integer) 14
   2) (integer) 1700000000
   3) (integer) 860000
   4) 1) "KEYS"
      2) "user:*"
   5) "10.0.0.7:52555"
   6) "worker"
2) 1) (integer) 13
   2) (integer) 1699999990
   3) (integer) 2000000
   4) 1) "DEBUG"
      2) "SLEEP"
      3) "2"
   5) "10.0.0.8:1"
   6) ""
"""
LATENCY = """1) 1) "fork"
   2) (integer) 1700000000
   3) (integer) 90
   4) (integer) 300
"""


def read(text: str) -> ServerSnapshot:
    found = snapshot_of(text)
    assert found is not None
    return found


def ids(text: str) -> list[str]:
    return [one.id for one in make_judge().findings(read(text).nodes[0])]


def test_one_info_gives_averages_and_says_so() -> None:
    """Since the server started."""
    (node,) = read(OLD).nodes
    assert (node.seconds, node.basis) == (1000, "one INFO: averages since the server started or was reset")
    assert ids(OLD) == ["keys-command"]
    assert node.absent == ("CLIENT LIST", "SLOWLOG GET", "LATENCY LATEST")


def test_two_infos_give_rates() -> None:
    """By the time between them; of another process, the first says nothing."""
    later = OLD.replace("uptime_in_seconds:1000", "uptime_in_seconds:1010").replace("calls=100,", "calls=400,")
    later = later.replace("usec=9000000", "usec=9900000")
    (node,) = read(OLD + later).nodes
    assert (node.seconds, node.basis) == (10, "")
    keys = make_judge().findings(node)[0].seen[0]
    assert keys.evidence == "KEYS 30 times per second, 3,000 µs each"
    (node,) = read(OLD.replace("run_id:05", "run_id:06") + later).nodes
    assert node.basis.startswith("one INFO")


def test_replies_that_redis_cli_numbers_are_read() -> None:
    """Whose they are, how old, and no argument."""
    (node,) = read(OLD + CLIENTS + SLOW + LATENCY).nodes
    assert [(one.command, one.us, one.age_s, one.who.address) for one in node.slow] == [
        ("keys", 860_000, 0, "10.0.0.7:52555"),
        ("debug", 2_000_000, 10, "10.0.0.8:1"),
    ]
    assert [(one.event, one.longest_ms) for one in node.events] == [("fork", 300)]
    assert [(one.who.name, one.commands) for one in node.clients] == [("worker", {"keys": 1})]
    assert node.absent == ()
    assert "user:" not in node.model_dump_json()


RAW = """14
1700000000
860000
KEYS
user:*
10.0.0.7:52555
worker
13
1699999990
2000000
EXPIREAT
1700000000
12
1699999999
10.0.0.8:1

fork
1700000000
90
300
"""


def test_replies_without_numbers_are_read() -> None:
    """As redis-cli prints them into a file: also an entry whose arguments are numbers, and one without a name."""
    (node,) = read(OLD + RAW).nodes
    assert [(one.command, one.us, one.age_s, one.who.address, one.who.name) for one in node.slow] == [
        ("keys", 860_000, 0, "10.0.0.7:52555", "worker"),
        ("expireat", 2_000_000, 10, "10.0.0.8:1", ""),
    ]
    assert [(one.event, one.longest_ms) for one in node.events] == [("fork", 300)]
    assert "user:" not in node.model_dump_json()


def test_replies_of_old_servers_without_numbers_are_read() -> None:
    """Before 4.0, there is no client in them."""
    (node,) = read("2\n1700000000\n11000\nKEYS\n*\n1\n1699999999\n12000\nSORT\nlist\n\n" + OLD).nodes
    assert [(one.command, one.us) for one in node.slow] == [("keys", 11_000), ("sort", 12_000)]


AROUND = {
    "carriage returns": lambda text: text.replace("\n", "\r\n"),
    "a quotation": lambda text: "".join(f"> {line}\n" for line in text.splitlines()),
    "a container's log": lambda text: "".join(f"redis_1  | {line}\n" for line in text.splitlines()),
    "a crash report": lambda text: (
        "1:M 12 Feb 2024 10:00:00.123 # Redis 2.8.24 crashed by signal: 11\n------ INFO OUTPUT ------\n"
        f"{text}\n------ CLIENT LIST OUTPUT ------\n------ REGISTERS ------\n1:M 12 Feb 2024 10:00:00.124 # RAX:01\n"
    ),
    "a ticket": lambda text: (
        f"Hello, this is what we see:\n\n```\n127.0.0.1:6379> INFO everything\n{text}```\nNote: help!\n"
    ),
    "one escaped line": lambda text: '"' + text.replace("\n", "\\r\\n") + '"',
    "a cut line at the end": lambda text: f"{text}cmdstat_hge",
    "cut in the middle of a field": lambda text: f"{text}cmdstat_hgetall:calls=12,us",
}


@pytest.mark.parametrize("around", AROUND.values(), ids=list(AROUND))
def test_what_stands_around_it_is_passed_over(around: "type[str]") -> None:
    """The findings are the same."""
    assert ids(around(OLD)) == ["keys-command"]


@pytest.mark.parametrize("text", ["", "nothing: here", "redis_version:7.0.0\n", "1) (integer) 1\n"])
def test_a_text_without_info_is_refused(triage: Triage, tmp_path: Path, text: str) -> None:
    """With what to paste."""
    path = tmp_path / "text"
    path.write_text(text)
    finished = triage("--from", path)
    assert finished.code == ExitCode.INVALID_REQUEST
    assert "redis-cli INFO everything" in finished.errors


def test_an_info_that_was_cut_before_its_time_has_no_rates() -> None:
    """It says so, and raises no alarm."""
    cut = re.sub("uptime_in_seconds.*", "", OLD)
    (node,) = read(cut).nodes
    assert "there are no rates" in node.basis
    assert ids(cut) == []


def test_it_comes_from_standard_input(triage: Triage, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in `cat info.txt | respmark triage --from -`; the closing line names what the text does not show."""
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(OLD.encode())))
    finished = triage("--from", "-", "--format", "markdown")
    assert finished.code == ExitCode.OK, finished.errors
    assert "keys-command" in finished.output
    assert "CLIENT LIST, SLOWLOG GET, LATENCY LATEST (not in the text)" in finished.output


@pytest.mark.parametrize("shown_as", ["--no-raw", "--raw"])
def test_what_redis_cli_prints_of_a_server_here_is_read(
    start: Start, tmp_path: Path, triage: Triage, shown_as: str
) -> None:
    """All four, of a server that has something to tell, on a terminal and into a file."""
    server = start("--slowlog-log-slower-than", "0", "--latency-monitor-threshold", "1")
    with Control(server.endpoint) as control:
        for _ in range(50):
            control.command("EVAL", "for i = 1, 3000000 do end", 0)
        port = str(server.endpoint.port)
        asked = (["INFO", "everything"], ["CLIENT", "LIST"], ["SLOWLOG", "GET"], ["LATENCY", "LATEST"])
        shown = [
            subprocess.run(
                ["redis-cli", shown_as, "-p", port, *words], capture_output=True, text=True, check=True
            ).stdout
            for words in asked
        ]
    path = tmp_path / "pasted.txt"
    path.write_text("\n".join(shown))
    finished = triage("--from", path, "--format", "markdown")
    assert "slow-scripts" in finished.output
    assert "not in the text" not in finished.output
    assert url_of(server)
