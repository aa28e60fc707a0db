"""Reading INFO as the servers really write it."""

import pytest

from respmark.evidence.info import Calls, command_calls, server_version
from respmark.target.info import parse_info

REDIS_7 = """# Server\r
redis_version:7.0.15\r
redis_git_sha1:00000000\r
redis_mode:standalone\r
os:Linux 6.1.0-18-amd64 x86_64\r
executable:/usr/bin/redis-server\r
config_file:\r
\r
# Clients\r
connected_clients:3\r
\r
# Stats\r
total_connections_received:12\r
total_reads_processed:4711\r
keyspace_hits:640\r
keyspace_misses:160\r
evicted_keys:0\r
\r
# Commandstats\r
cmdstat_get:calls=800,usec=1023,usec_per_call=1.28,rejected_calls=0,failed_calls=0\r
cmdstat_set:calls=200,usec=489,usec_per_call=2.44,rejected_calls=3,failed_calls=1\r
cmdstat_client|setinfo:calls=2,usec=3,usec_per_call=1.50,rejected_calls=0,failed_calls=0\r
cmdstat_config|get:calls=1,usec=10,usec_per_call=10.00,rejected_calls=0,failed_calls=0\r
\r
# Errorstats\r
errorstat_MISCONF:count=3\r
\r
# Keyspace\r
db0:keys=30000,expires=0,avg_ttl=0\r
"""
VALKEY_8 = """# Server\r
redis_version:7.2.4\r
server_name:valkey\r
valkey_version:8.1.0\r
valkey_release_stage:ga\r
# Commandstats\r
cmdstat_get:calls=5,usec=7,usec_per_call=1.40,rejected_calls=0,failed_calls=0\r
"""
REDIS_5 = """# Server\r
redis_version:5.0.14\r
# Commandstats\r
cmdstat_get:calls=5,usec=7,usec_per_call=1.40\r
"""


def test_counters_of_redis_7() -> None:
    """Calls, failed and rejected ones, by command and subcommand."""
    info = parse_info(REDIS_7)
    assert info["total_reads_processed"] == "4711"
    assert command_calls(info) == {
        "get": Calls(800),
        "set": Calls(200, failed=1, rejected=3),
        "client|setinfo": Calls(2),
        "config|get": Calls(1),
    }


@pytest.mark.parametrize(
    ("text", "version"),
    [(REDIS_7, "redis 7.0.15"), (VALKEY_8, "valkey 8.1.0"), (REDIS_5, "redis 5.0.14"), ("", "redis unknown")],
)
def test_a_server_is_called_by_its_own_name(text: str, version: str) -> None:
    """Valkey is not taken for the Redis version that it is compatible with."""
    assert server_version(parse_info(text)) == version
