"""Findings from snapshots: what no server can be made to do in a second, and how rules work together."""

import pytest

from respmark.specs.triage import Severity
from respmark.triage.gains import Gain, Gains
from respmark.triage.report import report_of
from respmark.triage.snapshot import (
    FailedNode,
    HotKey,
    LatencyEvent,
    MonitoredClient,
    MonitorSample,
    NodeSnapshot,
    Refusal,
    RoundTrips,
    SlowCall,
    Who,
)
from tests.triage.builders import RULES, found, make_group, make_judge, make_node, make_snapshot
from tools.triage_loads.loads import LOADS

SOMEBODY = Who(address="10.0.0.7:4711")
UNMADE = {
    "dropped-clients": make_node(
        {"client_output_buffer_limit_disconnections": "1"}, {"client_output_buffer_limit_disconnections": "3"}
    ),
    "expiry-behind": make_node(last={"expired_stale_perc": "31.50", "db0": "keys=50000,expires=40000,avg_ttl=1"}),
    "fragmentation": make_node(last={"mem_fragmentation_ratio": "2.1", "mem_fragmentation_bytes": "900000000"}),
    "latency-events": make_node(events=(LatencyEvent(event="fork", age_s=60, latest_ms=90, longest_ms=300),)),
    "link-down": make_node(
        last={"role": "slave", "master_link_status": "down", "master_link_down_since_seconds": "40"}
    ),
    "replica-behind": make_node(
        last={"master_repl_offset": "5000000", "slave0": "ip=10.0.0.9,port=6379,state=online,offset=1000,lag=31"}
    ),
    "snapshot-failed": make_node(last={"rdb_last_bgsave_status": "err"}),
    "aof-failed": make_node(last={"aof_last_write_status": "err"}),
    "clients-paused": make_node(last={"paused_actions": "all"}),
    "memory-near-limit": make_node(last={"maxmemory": "1050000"}),
    "swapped-out": make_node(last={"mem_fragmentation_ratio": "0.61", "used_memory": "3000000000"}),
    "stood-still": make_node(round_trips=RoundTrips(count=100, median_ms=0.2, longest_ms=6000)),
    "long-call": make_node(slow=(SlowCall(command="debug|sleep", age_s=60, us=2_000_000, who=SOMEBODY),)),
    "large-replies": make_node(
        {"total_net_output_bytes": "0"}, {"cmdstat_get": "calls=50,usec=5000", "total_net_output_bytes": "250000000"}
    ),
    "long-transactions": make_node(last={"cmdstat_exec": "calls=50,usec=250000"}),
    "monitor-left-on": make_node(clients=(make_group(monitoring=1),)),
    "connection-leak": make_node(clients=(make_group(connections=30, opened=10, grown=10, growths=9, idle_new=9),)),
    "idle-connections": make_node(clients=(make_group(connections=500, idle_minute=480),)),
    "asked-about-itself": make_node(last={"cmdstat_client|list": "calls=1000,usec=90000"}),
    "cluster-down": make_node(failed_slots=5461),
    "node-failed": make_node(failed_nodes=(FailedNode(address="10.0.0.8:6379", slots=5461),)),
    "slow-del": make_node(last={"cmdstat_del": "calls=50,usec=2500000"}),
    "hot-key": make_node(
        monitor=MonitorSample(
            seconds=1, commands=5_000, clients=(), hot=(HotKey(hash="ab", commands=4_000, names=("get",)),)
        )
    ),
    "watch-conflicts": make_node(
        last={
            "cmdstat_watch": "calls=900,usec=900",
            "cmdstat_get": "calls=900,usec=900",
            "cmdstat_multi": "calls=900,usec=900",
            "cmdstat_exec": "calls=900,usec=9000",
            "cmdstat_set": "calls=300,usec=900",
        }
    ),
    "refused-connections": make_node({"rejected_connections": "3"}, {"rejected_connections": "379"}),
    "no-maxmemory": make_node(last={"used_memory": "9000000000"}),
    "slow-fork": make_node(last={"latest_fork_usec": "250000"}),
    "slow-fsync": make_node({"aof_delayed_fsync": "4"}, {"aof_delayed_fsync": "9"}),
    "no-limit": make_node(clients=(make_group("ioredis", "6.0.0"),)),
    "slow-version": make_node(
        {"cmdstat_get": "calls=0,usec=0"},
        {"cmdstat_get": "calls=500000,usec=500000", "total_reads_processed": "20000"},
        clients=(make_group("node-redis", "6.3.1", calls=500_000),),
    ),
}
"""What each of these findings follows from."""


@pytest.mark.parametrize(("rule", "node"), UNMADE.items(), ids=list(UNMADE))
def test_what_no_load_makes_is_found_in_a_snapshot(rule: str, node: NodeSnapshot) -> None:
    """Exactly that."""
    assert found(node) == [rule]


def test_every_rule_is_found_somewhere() -> None:
    """By a load or by a snapshot: a rule that nothing triggers may be wrong for ever."""
    assert {rule.id for rule in RULES} == {name for load in LOADS for name in load.finds} | set(UNMADE)


def test_a_quiet_server_has_no_findings() -> None:
    """Nothing happens on it."""
    assert found(make_node()) == []


@pytest.mark.parametrize(("value_bytes", "ids"), [(100, ["one-at-a-time"]), (10_000, [])])
def test_large_commands_of_a_pipeline_are_not_taken_for_a_loop(value_bytes: int, ids: list[str]) -> None:
    """Of SETs of 10 KB, a read of the server holds one or two, whether or not the client waits for each reply."""
    counted = {
        "cmdstat_set": "calls=20000,usec=100000",
        "total_reads_processed": "19001",
        "total_net_input_bytes": str(20_000 * (value_bytes + 40)),
    }
    node = make_node({"total_net_input_bytes": "0"}, counted, clients=(make_group(calls=20_000, busiest_calls=20_000),))
    assert found(node) == ids


def test_a_version_outside_the_range_is_not_slow() -> None:
    """The rule names node-redis from 6.0.0 on."""
    node = UNMADE["slow-version"]
    older = node.model_copy(update={"clients": (make_group("node-redis", "5.8.0", calls=500_000),)})
    assert "slow-version" not in found(older)


@pytest.mark.parametrize(
    ("library", "version", "said"),
    [
        ("ioredis", "6.0.0", "ioredis 6.0.0 waits for a reply without a limit; its option: commandTimeout"),
        ("redis-py", "7.1.0", "redis-py 7.1.0 waits for a reply without a limit; its option: socket_timeout"),
        ("redis-py(upstream)", "8.1.0", ""),
        (
            "node-redis",
            "5.8.0",
            "node-redis 5.8.0 waits for a reply without a limit; its option: commandOptions.timeout",
        ),
        ("node-redis", "6.3.1", ""),
        ("valkey-py", "6.2.0", ""),
        ("redis-rs", "1.8.1", ""),
        ("jedis", "8.0.2", ""),
        ("somebody-elses", "1.0", ""),
        ("", "", ""),
    ],
)
def test_a_library_that_waits_without_a_limit_is_named_with_its_option(library: str, version: str, said: str) -> None:
    """One that has a limit with some of its options is not: a server does not see which ones are set."""
    findings = make_judge().findings(make_node(clients=(make_group(library, version),)))
    assert [one.seen[0].evidence.partition("; ")[2] for one in findings if one.id == "no-limit"] == (
        [said] if said else []
    )
    assert all(one.severity is Severity.NOTE for one in findings if one.id == "no-limit")


def test_respmarks_own_commands_do_not_count() -> None:
    """What it sent during the watch is subtracted."""
    counted = {"cmdstat_info": "calls=900,usec=90000", "cmdstat_keys": "calls=1,usec=10"}
    node = make_node(last=counted, own={"info": 900, "keys": 1})
    assert found(node) == []


def test_a_refused_command_costs_the_findings_that_need_it_and_is_named() -> None:
    """One note, which says which rules cannot be judged."""
    (finding,) = make_judge().findings(make_node(refused=(Refusal(command="SLOWLOG GET", said="no permission"),)))
    assert finding.severity is Severity.NOTE
    assert finding.costs == "cannot be found without it: long-call, slow-commands"


def test_worse_findings_come_first() -> None:
    """The order of severities."""
    node = make_node(
        {"aof_delayed_fsync": "4"},
        {
            "aof_delayed_fsync": "9",
            "latest_fork_usec": "250000",
            "mem_fragmentation_ratio": "3",
            "mem_fragmentation_bytes": "900000000",
        },
    )
    assert found(node) == ["slow-fsync", "slow-fork", "fragmentation"]


def test_what_the_change_brings_is_of_the_client_that_was_seen() -> None:
    """Its own ratio if there is one, else that of another client."""
    node = make_node(
        {"used_cpu_user": "0"},
        {"used_cpu_user": "5", "total_connections_received": "10010", "cmdstat_get": "calls=10000,usec=10000"},
        clients=(make_group("lettuce", "7.7.0", opened=9_000),),
    )
    gains = [_gain("redis-py", 25.0), _gain("lettuce", 30.0)]
    judge = make_judge(Gains(format=1, gains=tuple(gains)))
    (finding,) = judge.findings(node)
    assert finding.gain == gains[1]
    assert [one.client for one in finding.code] == ["lettuce"]
    (finding,) = make_judge(Gains(format=1, gains=(gains[0],))).findings(node)
    assert finding.gain == gains[0]


def _gain(client: str, ratio: float) -> Gain:
    return Gain(
        rule="connection-churn",
        client=client,
        client_version="1",
        ratio=ratio,
        low=ratio - 1,
        high=ratio + 1,
        rounds=5,
        run="guidance",
        server="redis 7.0.15",
        place="on one machine",
        says="the commands per second",
    )


def test_what_a_foreign_server_writes_is_left_out() -> None:
    """Counters that are no numbers are none; the others are judged."""
    node = make_node(
        {"aof_delayed_fsync": "4"},
        {"cmdstat_odd": "calls=many", "used_memory": "nan", "db0": "keys=x", "aof_delayed_fsync": "9"},
    )
    assert found(node) == ["slow-fsync"]


def test_what_was_not_looked_at_is_said() -> None:
    """With the reason; a report without findings is not one of a healthy server."""
    refusal = Refusal(command="CLIENT LIST", said="no permission")
    report = report_of(
        make_snapshot(make_node(refused=(refusal,), last={"cmdstat_watch": "calls=1,usec=1"})), make_judge()
    )
    assert report.unseen == (
        "CLIENT LIST cannot be used (no permission)",
        "whether slow clients were dropped (counted from Redis 7.2 on)",
        "the sizes of keys (--keys)",
        "the order of commands on each connection (--monitor)",
        "conflicts of WATCH, which servers do not count, and other writes can hide (--monitor)",
    )


def test_a_node_with_most_of_the_work_is_found() -> None:
    """Of a cluster's primaries; replicas and two that are alike are none."""
    busy, idle = (make_node(last={"cmdstat_get": f"calls={calls},usec=9"}) for calls in (90_000, 9_000))
    for nodes, ids in (((busy, idle, idle), ["hot-node"]), ((busy, busy, idle), []), ((busy,), [])):
        placed = [one.model_copy(update={"address": f"10.0.0.{place}:6379"}) for place, one in enumerate(nodes)]
        assert [one.id for one in report_of(make_snapshot(*placed), make_judge()).findings] == ids


def test_conflicts_that_monitor_did_not_see_are_none() -> None:
    """And those that it saw are counted, however much others write."""
    watched = {name: f"calls={calls},usec=9" for name, calls in (("cmdstat_watch", 900), ("cmdstat_exec", 900))}
    for writes, seen, ids in ((0, 0, []), (9_000, 30, ["watch-conflicts"])):
        client = MonitoredClient(who=SOMEBODY, commands=400, watched=90, conflicts=seen)
        monitor = MonitorSample(seconds=1, commands=400, clients=(client,))
        node = make_node(last={**watched, "cmdstat_set": f"calls={writes},usec=9"}, monitor=monitor)
        assert found(node) == ids


CHANGES = "rdb_changes_since_last_save"
WEB = {
    "cmdstat_get": "calls=40000,usec=80000",
    "cmdstat_hget": "calls=30000,usec=60000",
    "total_reads_processed": "90000",
}
SIDE_BY_SIDE = {
    "30 new connections a second beside 700 commands": (
        ["connection-churn"],
        make_node(
            last={"cmdstat_get": "calls=8800,usec=9000", "total_connections_received": "310"},
            clients=(
                make_group(calls=7000, busiest_calls=1000, kept_calls=7000),
                make_group(calls=9, opened=9, kept_calls=0),
            ),
        ),
    ),
    "a loop of SETs beside a web app": (
        ["one-at-a-time"],
        make_node(
            last=WEB | {"cmdstat_set": "calls=15000,usec=30000"},
            clients=(
                make_group(
                    calls=15_000, busiest_calls=15_000, busiest_command="set", busiest_looks=30, busiest_same=30
                ),
                make_group(calls=70_000, busiest_calls=7_000, busiest_command="get", busiest_looks=30, busiest_same=18),
            ),
        ),
    ),
    "5 slow HGETALLs among 500": (
        ["whole-key-reads"],
        make_node(last={"cmdstat_hgetall": "calls=500,usec=70000"}, latency={"hgetall": {16: 495, 12_000: 5}}),
    ),
    "users' requests on one connection": (
        [],
        make_node(
            last={"cmdstat_get": "calls=3000,usec=6000", "total_reads_processed": "4000"},
            clients=(make_group("node-redis", calls=3_000, busiest_calls=3_000),),
        ),
    ),
    "50 connections where CLIENT LIST is refused": (
        [],
        make_node(
            last={"cmdstat_get": "calls=100000,usec=9", "total_reads_processed": "101000", "connected_clients": "51"}
        ),
    ),
    "a replica that follows its primary": (
        [],
        make_node(last={"role": "slave", "cmdstat_set": "calls=300000,usec=9", "total_reads_processed": "301000"}),
    ),
    "HSET and EXPIRE beside SET EX": (
        [],
        make_node(
            last={
                "cmdstat_set": "calls=9000,usec=9",
                "cmdstat_hset": "calls=8000,usec=9",
                "cmdstat_expire": "calls=8000,usec=9",
                "total_reads_processed": "26000",
            },
        ),
    ),
    "SET EX and EXPIRE of others, as MONITOR shows": (
        [],
        make_node(
            last={"cmdstat_set": "calls=9000,usec=9", "cmdstat_expire": "calls=8000,usec=9"},
            monitor=MonitorSample(seconds=1, commands=1700, clients=()),
        ),
    ),
    "a list that is drained": (
        [],
        make_node({CHANGES: "0"}, {CHANGES: "3000", "cmdstat_lpop": "calls=3000,usec=9"}),
    ),
    "a pool that is opened once": (
        [],
        make_node(
            last={"total_connections_received": "210", "connected_clients": "203", "cmdstat_get": "calls=400,usec=9"}
        ),
    ),
    "one LRANGE of 1.15 ms": (
        [],
        make_node(last={"cmdstat_lrange": "calls=1,usec=1150"}, latency={"lrange": {2007: 1}}),
    ),
    "a KEYS of 31 µs": ([], make_node(last={"cmdstat_keys": "calls=1,usec=31"})),
}
"""What is wrong beside what is well, and what only looks wrong."""


@pytest.mark.parametrize(("ids", "node"), SIDE_BY_SIDE.values(), ids=list(SIDE_BY_SIDE))
def test_what_is_wrong_is_found_beside_what_is_well(ids: list[str], node: NodeSnapshot) -> None:
    """And what is well is not blamed."""
    assert found(node) == ids


def test_an_error_names_its_command_and_a_script_its_client() -> None:
    """As far as the server counts them."""
    node = make_node(
        last={
            "errorstat_WRONGTYPE": "count=900",
            "cmdstat_lpush": "calls=900,usec=900,failed_calls=900",
            "cmdstat_keys": "calls=90,usec=900000",
            "cmdstat_eval": "calls=90,usec=1000",
        },
        clients=(make_group(commands={"eval": 1}),),
    )
    keys, errors = make_judge().findings(node)
    assert errors.seen[0].evidence == "WRONGTYPE: 900 error replies, 90 per second in LPUSH"
    assert [one.library for one in keys.clients] == ["redis-py"]


@pytest.mark.parametrize(("held_bytes", "finding"), [(5_000_000, "large-replies"), (50_000_000, "slow-readers")])
def test_one_large_reply_on_its_way_is_no_backlog(held_bytes: int, finding: str) -> None:
    reader = make_group(calls=100, sent_bytes=500_000_000, output_bytes=held_bytes)
    assert found(
        make_node(
            {"total_net_output_bytes": "0"},
            {"cmdstat_get": "calls=100,usec=10000", "total_net_output_bytes": "500000000"},
            clients=(reader,),
        )
    ) == [finding]
