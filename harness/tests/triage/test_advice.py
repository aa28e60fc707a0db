"""What the rules advise: every line of code and every CONFIG does what it is said to do, on the versions it is for."""

import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from respmark.errors import ServerError
from respmark.servers.control import Control
from respmark.servers.info import Calls, Info, info_text
from respmark.servers.node import Node
from respmark.specs.triage import ANY_CLIENT, RuleSpec
from respmark.triage.findings import _code, _filled_code
from respmark.triage.signals import Signals
from tests.triage.advised import ADVISED, SENT, set_up
from tests.triage.advised import start as start_advised
from tests.triage.advised.client import Advised
from tests.triage.builders import RULES, make_node
from tests.triage.conftest import Start

LIMIT_S = 60
QUICK = ("set-then-expire/redis-py", "set-then-expire/node-redis", "polling/redis-py")
"""Those of `make test`."""


def cases() -> Iterator[Any]:
    for rule in RULES:
        for row in [one.rows[0] for one in rule.code_for if one.rows] or [""]:
            for client in ADVISED:
                lines = list(_code(rule.code_of(row, {}), [(client.name, client.version)]))
                if lines and lines[0].client != ANY_CLIENT:
                    name = "/".join(filter(None, [rule.id, row]))
                    what = f"{name}/{client.installation}"
                    marks = [] if what in QUICK else [pytest.mark.full]
                    yield pytest.param(name, client, lines[0].text, id=what, marks=marks)


@pytest.mark.parametrize(("name", "client", "text"), list(cases()))
def test_code_does_what_the_rule_promises(name: str, client: Advised, text: str, start: Start, tmp_path: Path) -> None:
    """The problem is gone, nothing is lost, and the client still works."""
    set_up(client)
    server = start()
    with Control(server.endpoint) as control:
        prepare(control)
        rule, _, row = name.partition("/")
        if row or rule == "slow-del":
            keyed(control, row or "smembers")
        control.command("CONFIG", "RESETSTAT")
        with start_advised(client, rule, text, server.endpoint.port or 0, tmp_path) as process:
            if rule == "polling":
                push_to_a_second_pop(control, process, blocks=client.language != "dotnet")
            output, errors = process.communicate(timeout=LIMIT_S)
        assert process.returncode == 0, errors
        if name in SENT:
            assert {one for one in calls(control) if not one.startswith(SETUP)} == SENT[name]
        CHECKS[rule](Ran(control, output))


SETUP = ("client", "config", "info", "hello", "ping", "command")


def calls(control: Control) -> dict[str, Calls]:
    return Info.read(info_text(control, "commandstats")).calls


def count(control: Control, name: str) -> int:
    found = Info.read(info_text(control, "all")).count(name)
    assert found is not None
    return found


def prepare(control: Control) -> None:
    names = [f"prefix:{number}" for number in range(2_500)]
    control.command("MSET", *(word for name in names for word in (name, "value")))


def keyed(control: Control, kind: str) -> None:
    """Write a large key of a type."""
    members = [f"m{number}" for number in range(5_000)]
    words = {
        "smembers": ("SADD", "key", *members),
        "hgetall": ("HSET", "key", "f1", "v1", "f2", "v2", *(word for one in members for word in (one, "v"))),
        "lrange": ("RPUSH", "key", *members),
        "zrange": ("ZADD", "key", *(word for place, one in enumerate(members) for word in (str(place), one))),
    }
    control.command(*words[kind])


def push_to_a_second_pop(control: Control, process: "subprocess.Popen[str]", *, blocks: bool) -> None:
    """Let the first wait end without an element; push one once the client waits again, or publish that there is one."""
    assert process.stdout is not None
    process.stdout.readline()  # the program says that the first wait has ended
    while blocks and process.poll() is None and count(control, "blocked_clients") == 0:
        pass
    control.command("RPUSH", "queue", "element")
    control.command("PUBLISH", "queue", "pushed")


@dataclass(frozen=True)
class Ran:
    """A program that has ended, and a connection to its server."""

    control: Control
    output: str


def expires(ran: Ran) -> None:
    assert ran.control.command("GET", "key") == b"value"
    assert 0 < ran.control.command("TTL", "key") <= 60
    assert "expire" not in calls(ran.control)


def waits(ran: Ran) -> None:
    """As many commands as waits; or one, where a message says that there is an element."""
    assert ran.output.split() == ["element"]
    sent = {name: one.calls for name, one in calls(ran.control).items() if name.endswith("lpop")}
    assert sent in ({"blpop": 2}, {"lpop": 1})


def all_keys(ran: Ran) -> None:
    """Node's console leaves out what is beyond the hundredth element of an array."""
    assert "prefix:" in ran.output
    assert ran.output.count("prefix:") >= 2_500 or "more items" in ran.output


def batched(ran: Ran) -> None:
    assert calls(ran.control)["set"].calls == 100
    assert count(ran.control, "total_reads_processed") < 50


def one_connection(ran: Ran) -> None:
    assert calls(ran.control)["set"].calls == 50
    assert count(ran.control, "total_connections_received") <= 3


def no_auth(ran: Ran) -> None:
    one_connection(ran)
    assert "auth" not in calls(ran.control)


def two_databases(ran: Ran) -> None:
    assert calls(ran.control)["set"].calls == 100
    assert calls(ran.control).get("select", Calls(0)).calls <= 2
    info = Info.read(info_text(ran.control, "keyspace"))
    assert all("keys=" in info.fields[name] for name in ("db0", "db1"))


def gone(ran: Ran) -> None:
    assert ran.control.command("EXISTS", "key") == 0


def answered(ran: Ran) -> None:
    """What was sent is checked for all."""
    assert ran.output.strip()


CHECKS: dict[str, Callable[[Ran], None]] = {
    "set-then-expire": expires,
    "polling": waits,
    "keys-command": all_keys,
    "one-at-a-time": batched,
    "connection-churn": one_connection,
    "slow-version": one_connection,
    "slow-del": gone,
    "auth-churn": no_auth,
    "select-churn": two_databases,
    "whole-key-reads": answered,
}


def settings_of(rule_id: str, server: Node) -> list[list[str]]:
    """Return the CONFIGs that a rule advises for a server, as words."""
    rule = next(one for one in RULES if one.id == rule_id)
    with Control(server.endpoint) as control:
        info = Info.read(info_text(control, "all")).fields
        _, limit = control.command("CONFIG", "GET", "maxclients")
    signals = Signals(make_node(last=dict(info), settings={"maxclients": limit.decode()})).server
    texts = [_filled_code(lines, signals) for lines in _code(rule.code_of(signals.name, signals.signals), [])]
    return [line.split()[:4] for text in texts for line in text.splitlines() if line.startswith("CONFIG")]


def test_full_memory_has_room_afterwards(start_each: Start) -> None:
    """Nothing is evicted, and writes are stored again."""
    server = start_each("--maxmemory", "3mb")
    with Control(server.endpoint) as control:
        written = 0
        while not isinstance(control.send_all([("SET", f"key:{written}", bytes(1_000))])[0], ServerError):
            written += 1
        (words,) = settings_of("out-of-memory", server)
        control.command(*words)
        control.command("SET", "more", bytes(1_000))
        assert control.command("DBSIZE") == written + 1
        assert control.command("CONFIG", "GET", "maxmemory-policy")[1] == b"noeviction"


def test_a_limit_is_above_what_is_used_or_is_not_advised() -> None:
    """One below it would have writes refused, or keys evicted, at once."""
    rule = next(one for one in RULES if one.id == "no-maxmemory")
    found = {}
    for percent in (51, 65, 74, 90):
        used, machine = percent * 10_000_000, 1_000_000_000
        server = Signals(make_node(last={"used_memory": str(used), "total_system_memory": str(machine)})).server
        (lines,) = _code(rule.code_of("", {}), [])
        found[percent] = _filled_code(lines, server)
    assert found == {51: "CONFIG SET maxmemory 715mb", 65: "CONFIG SET maxmemory 715mb", 74: "", 90: ""}


def test_the_limit_of_a_server_without_one_loses_nothing(start_each: Start) -> None:
    """Whatever its policy is."""
    server = start_each("--maxmemory-policy", "allkeys-lru")
    with Control(server.endpoint) as control:
        prepare(control)
        before = control.command("DBSIZE")
        (words,) = settings_of("no-maxmemory", server)
        control.command(*words)
        control.command("SET", "more", "value")
        assert control.command("DBSIZE") == before + 1
        assert count(control, "maxmemory") > 0


def test_more_clients_are_let_in(start_each: Start) -> None:
    """And those that are connected stay, however long they are idle."""
    server = start_each("--maxclients", "20")
    with Control(server.endpoint) as idle:
        (words,) = settings_of("clients-near-limit", server)
        with Control(server.endpoint) as control:
            control.command(*words)
        with ExitStack() as opened:
            for _ in range(25):
                opened.enter_context(Control(server.endpoint))
        assert idle.command("PING") in {b"PONG", "PONG"}
        assert idle.command("CONFIG", "GET", "timeout")[1] == b"0"


@pytest.mark.parametrize("rule", ["expiry-behind", "fragmentation"])
def test_other_settings_are_accepted_or_change_nothing(rule: str, start_each: Start) -> None:
    """A build without active defragmentation is advised none, or refuses it, as the rule says."""
    server = start_each()
    with Control(server.endpoint) as control:
        for _, _, name, value in settings_of(rule, server):
            try:
                control.command("CONFIG", "SET", name, value)
            except ServerError:
                assert rule == "fragmentation"
                assert control.command("CONFIG", "GET", name)[1] == b"no"
            else:
                assert control.command("CONFIG", "GET", name)[1] == value.encode()


def test_commands_that_are_advised_are_understood(start_each: Start) -> None:
    """Every server knows them as they are written; some have nothing to do here, and say that."""
    server = start_each()
    with Control(server.endpoint) as control:
        control.send_all([("RPUSH", "queue", "element"), ("XADD", "events", "*", "field", "value")])
    for line in (line for rule in RULES for text in codes(rule) for line in text.splitlines()):
        words = re.split(" {2,}", line)[0].replace(" ...", "").replace("(ID", "(0-1").split()
        with Control(server.endpoint) as control:
            (reply,) = control.send_all([tuple(words)]) if words[0] != "CONFIG" else ("its values are signals",)
        assert not NOT_UNDERSTOOD.search(str(reply)), line


NOT_UNDERSTOOD = re.compile("(?i)unknown|syntax|wrong number|not an? (?:integer|float)|invalid (?:argument|stream)")


def codes(rule: RuleSpec) -> list[str]:
    """Return what a rule advises to send with any client."""
    return [code[ANY_CLIENT] for code in (rule.code, *(one.code for one in rule.code_for)) if ANY_CLIENT in code]


def test_every_setting_that_is_advised_is_tried() -> None:
    """A new rule's CONFIG is not forgotten; and none evicts or closes connections."""
    advised = {rule.id: text for rule in RULES for text in texts(rule) if "CONFIG SET" in text}
    tried = {"out-of-memory", "no-maxmemory", "clients-near-limit", "expiry-behind", "fragmentation"}
    assert set(advised) == {*tried, "memory-near-limit", "refused-connections"}  # the same lines
    assert not any(word in text for text in advised.values() for word in ("policy", "timeout", "-limit"))


def texts(rule: RuleSpec) -> list[str]:
    return [text for code in (rule.code, *(one.code for one in rule.code_for)) for text in code.values()]


def test_every_rule_with_code_is_run() -> None:
    """A new rule's code is not forgotten."""
    assert {rule.id for rule in RULES if rule.libraries} == set(CHECKS)
