"""Runners on other hosts, with agents in this process that are called as another process would: by pickled data."""

import errno
import json
import os
import pickle
import socket
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from respmark.contract.lines import Work
from respmark.contract.trial import Endpoint
from respmark.errors import NothingRanError, RunnerFailedError
from respmark.machine.lock import lock_path, only_run
from respmark.machine.sockets import Sockets, SocketSettings
from respmark.redaction import forget
from respmark.runners.agent import Agent, AgentReply, why_not_now
from respmark.runners.hosts import Host, HostsExecutor, check_alike
from tests.builders.plan import HIDDEN, SHIPPED, client_spec, make_client, make_request
from tests.runners.scripted import LOADED, SURELY_S, ScriptedRunners

WORKED = """
sys.stdin.readline()
now = [time.monotonic_ns(), 0, 0]
say(worked={"started": now, "measured_from": now, "ended": now, "lead_in": [0], "measured": [1], "errors": {},
            "first_error": None})
sys.stdin.readline()
"""
CONNECTED = """
import socket
port = json.loads(sys.stdin.readline())["server"]["port"]
say(loaded={"contract": 4, "versions": {}, "settings": {}})
sys.stdin.readline()
opened = [socket.create_connection(("127.0.0.1", port)) for _ in range(2)]
say(connected={})
sys.stdin.readline()
"""
CLIENTS = {("python", "lib"): client_spec()}
AHEAD_NS = 3_600 * 10**9
"""An hour: what the other host's clock is ahead."""


class Wire:
    """Carries calls to an agent in this process, whose clock is another; it can be cut."""

    def __init__(self, agent: Agent, ahead_ns: int = AHEAD_NS) -> None:
        self.agent, self.ahead_ns, self.is_cut = agent, ahead_ns, False
        self.called: list[str] = []

    def __call__(self, method: str, *arguments: Any, limit_s: float) -> AgentReply:  # noqa: ANN401 - the agent's own types
        assert limit_s > 0
        if self.is_cut:
            raise RunnerFailedError("it is lost")
        self.called.append(method)
        sent = pickle.loads(pickle.dumps(arguments))  # noqa: S301 - our own
        if method == "write" and sent[2] is not None:
            sent = (*sent[:2], sent[2] - self.ahead_ns)
        answer: AgentReply = pickle.loads(pickle.dumps(getattr(self.agent, method)(*sent)))  # noqa: S301 - our own
        value = answer.value
        if method == "read" and b"worked" in (value.line or b""):
            said = json.loads(value.line)
            for name in ("started", "measured_from", "ended"):
                said["worked"][name][0] += self.ahead_ns
            value = replace(value, line=json.dumps(said).encode())
        return AgentReply(value, answer.failure, answer.at_ns + self.ahead_ns)


@pytest.fixture
def wire() -> Iterator[Wire]:
    agent = Agent(takes_lock=False)
    yield Wire(agent)
    agent.close()


def host_of(wire: Wire, name: str = "other") -> Host:
    facts = wire.agent.facts().value
    return Host(name, "inproc://1", facts, wire)


def test_the_clock_of_a_host_is_known_before_anything_runs_on_it(wire: Wire) -> None:
    """Within the round trip of a call."""
    host = host_of(wire)
    now_ns = time.monotonic_ns()
    assert abs(host.clock.theirs(now_ns) - now_ns - AHEAD_NS) <= host.clock.error_ns(now_ns)


def test_a_file_is_sent_once(wire: Wire, tmp_path: Path) -> None:
    """Whoever asks for it, and under whatever name: it is known by its content."""
    host = host_of(wire)
    for name in ("one.columns", "one.columns"):
        (tmp_path / name).write_bytes(b"content")
        there = host.file(tmp_path / name)
    assert (wire.agent._folder / there).read_bytes() == b"content"
    assert host_of(wire).file(tmp_path / "one.columns") == there
    assert wire.called.count("put") == 1


def test_what_fails_on_a_host_is_told_with_its_name(wire: Wire) -> None:
    """A client that is not there, and a host that is lost, of which nothing more is asked."""
    host = host_of(wire)
    executor = HostsExecutor([host], SHIPPED.every_client)
    assert "on host other: " in (
        executor.missing(make_client("redis-py@0.0.1", library="redis-py", version="0.0.1")) or ""
    )
    wire.is_cut = True
    with pytest.raises(RunnerFailedError, match="host other: it is lost"):
        host.call("clock")
    wire.is_cut = False
    with pytest.raises(RunnerFailedError, match="host other: it is lost"):
        host.call("clock")


@pytest.mark.parametrize(("per_host", "order"), [(1, "abcab"), (2, "aabbc")])
def test_hosts_get_processes_in_turn(per_host: int, order: str) -> None:
    """One at a time, or as many as were asked for."""
    started: list[str] = []
    hosts: Any = [SimpleNamespace(call=partial(note, started, name), file=str) for name in "abc"]
    executor = HostsExecutor(hosts, CLIENTS, per_host)
    for part in range(len(order)):
        executor.start(make_request(part=part))
    assert "".join(started) == order


def note(started: list[str], name: str, method: str, *_: object, **__: object) -> AgentReply:
    started += [name] if method == "start" else []
    return AgentReply()


def test_a_slice_begins_at_the_asked_moment_and_is_told_by_this_machines_clock(
    wire: Wire, scripted: ScriptedRunners, tmp_path: Path
) -> None:
    """The order waits on the host; what the runner says of its clock is translated, and counters come along."""
    scripted.write(LOADED + WORKED)
    wire.agent._executor = scripted.executor
    (tmp_path / "tiny.columns").write_text('{"commands": 4}\n')
    runner = HostsExecutor([host_of(wire)], CLIENTS).start(make_request(workload=tmp_path / "tiny.columns"))
    assert runner.load(SURELY_S).versions["lib"] == "2"
    at_ns = time.monotonic_ns() + 20_000_000
    runner.work(Work(first=0, ns=1, keep=False), at_ns)
    worked = runner.worked(SURELY_S)
    assert runner.host is not None
    error_ns = 2 * runner.host.clock_error_ns
    assert at_ns - error_ns <= worked.started.at_ns <= time.monotonic_ns() + error_ns
    assert (runner.cpu_ns() or 0) > 0
    assert wire.called[-2:] == ["write", "read"]
    load = runner.host.load
    assert 0 < load.lasted_ns < SURELY_S * 1e9
    assert load.own_ns >= 0
    runner.kill()


def test_an_agent_passes_on_no_password(wire: Wire, scripted: ScriptedRunners) -> None:
    """It is a process of its own, which knows only those that come with its trials; its runners know them, too."""
    forget()
    scripted.write('print("WRONGPASS", json.loads(sys.stdin.readline())["password"], file=sys.stderr)')
    wire.agent._executor = scripted.executor
    wire.agent.start(1, make_request())
    wire.agent.write(1, json.dumps({"password": HIDDEN}), None)
    assert wire.agent.call(1, "ended").value == (0, ("WRONGPASS ***",))


def test_the_agent_reads_the_sockets_of_its_runners(wire: Wire, scripted: ScriptedRunners, tmp_path: Path) -> None:
    """They come as the same data as on this machine."""
    scripted.write(CONNECTED)
    wire.agent._executor = scripted.executor
    (tmp_path / "tiny.columns").write_text('{"commands": 4}\n')
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = Endpoint(host="127.0.0.1", port=listening.getsockname()[1])
        request = make_request(workload=tmp_path / "tiny.columns", server=server)
        runner = HostsExecutor([host_of(wire)], CLIENTS).start(request)
        runner.load(SURELY_S)
        assert runner.sockets() == []
        runner.connect(SURELY_S)
        assert runner.sockets() == [Sockets(connections=2, settings=SocketSettings(no_delay=False))]
        runner.kill()


def test_hosts_with_another_version_are_refused(wire: Wire) -> None:
    """They would measure by other rules."""
    with pytest.raises(NothingRanError, match=r"host other has respmark .*, this machine 99"):
        check_alike([host_of(wire)], "99")


def test_a_full_disk_is_told_with_the_hosts_name(wire: Wire, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What does not fit fails the trial that needs it."""
    (tmp_path / "one.columns").write_bytes(b"content")
    host = host_of(wire)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(RunnerFailedError, match=r"host other: .*No space left on device"):
        host.file(tmp_path / "one.columns")


def test_a_second_run_on_a_host_is_refused() -> None:
    """Whoever starts it: two at once would distort each other's figures."""
    first = Agent(takes_lock=True)
    with pytest.raises(NothingRanError, match="another run is measuring on this machine"):
        Agent(takes_lock=True)
    first.close()
    Agent(takes_lock=True).close()


def test_a_host_says_why_no_run_can_begin_there() -> None:
    """Before anything is set up for one."""
    assert why_not_now() is None
    with only_run(lock_path()):
        assert "another run is measuring on this machine" in (why_not_now() or "")
