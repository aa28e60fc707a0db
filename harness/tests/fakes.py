"""A server that exists only as counters, and what works on it: its control connection, a context, an honest runner."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import hiredis
import numpy as np

from respmark.contract.lines import Loaded, Moment, Work, Worked
from respmark.contract.trial import Endpoint
from respmark.errors import TargetError, TargetLostError
from respmark.run.context import MadeWorkload, RunContext, Served
from respmark.run.expectation import Expectations, Segment
from respmark.run.resting import Resting
from respmark.runners.protocol import Executor, Latencies, TrialRequest
from respmark.servers.control import Control
from respmark.servers.info import run_id_of
from respmark.servers.preload import PreloadedKeys
from respmark.servers.spawn import Server
from respmark.servers.state import DatabaseState
from respmark.servers.target import Target
from respmark.specs.client import Client
from respmark.specs.scenario import commands_per_unit
from respmark.workload.workload import Workload, first_commands, generate, preload_sizes
from tests.builders.plan import SHIPPED, make_settings, tiny_workload

RUNNERS = {name: spec.model_copy(update={"fresh": False}) for name, spec in SHIPPED.runners.items()}
"""Runners whose processes live for a round."""


@dataclass
class FakeServer:
    """Counts as a server does and keeps keys; what reaches it is told to it."""

    data: dict[bytes, bytes] = field(default_factory=dict)
    calls: Counter[str] = field(default_factory=Counter)
    counters: Counter[str] = field(default_factory=Counter)
    up: bool = True
    starts: int = 1
    """How often it was started; INFO's run_id follows from it."""
    connected: int = 1
    """Connections that are open, the harness's own among them."""
    now_ns: int = 10**9
    """The clock of the machine on which it all happens."""
    begun_ns: int = 10**9
    """When the last slice began."""
    clients: tuple[str, ...] = ("id=1 cmd=client|list resp=2",)
    """CLIENT LIST: the harness's own connection first."""
    refusal: bytes | None = None
    """Error line in place of OK for every SET."""

    def perform(self, workload: Workload, segment: Segment) -> None:
        for step in range(segment.commands):
            row = (segment.first + step) % workload.header.commands
            name = workload.header.mix[int(workload.kinds[row])].name.lower()
            self.calls[name] += 1
            self.counters["total_reads_processed"] += 1
            self.counters["total_net_input_bytes"] += len(resp(*words_of(workload, row)))
            if name == "get":
                found = workload.keys[row] < workload.header.preload_keys
                self.counters["keyspace_hits" if found else "keyspace_misses"] += 1

    def restart(self) -> None:
        self.starts += 1
        for one in (self.calls, self.counters, self.data):
            one.clear()

    def info(self) -> str:
        stats = [
            f"cmdstat_{name}:calls={count},usec=1,usec_per_call=1.00,rejected_calls=0,failed_calls=0"
            for name, count in self.calls.items()
        ]
        names = (
            *("total_connections_received", "total_reads_processed", "keyspace_hits", "keyspace_misses"),
            *("evicted_keys", "expired_keys", "total_net_input_bytes", "total_net_output_bytes"),
        )
        counted = [f"{name}:{self.counters[name]}" for name in names]
        fixed = [f"connected_clients:{self.connected}", "used_cpu_user:1.000000", "used_cpu_sys:0.500000"]
        fixed += ["redis_version:7.0.15", f"run_id:{self.starts:040d}"]
        return "\r\n".join(["# Everything", *fixed, *counted, "# Commandstats", *stats]) + "\r\n"


class FakeControl(Control):
    """A control connection to a FakeServer; knows as much RESP as preloading speaks."""

    def __init__(self, server: FakeServer | None = None, endpoint: Endpoint | None = None) -> None:
        self.server = server or FakeServer()
        self.endpoint = endpoint or Endpoint(host="127.0.0.1", port=6379)
        self.sent: list[bytes] = []
        self.commands: list[tuple[str | bytes | int, ...]] = []
        self._replies = bytearray()

    def open(self, *_greeting: str) -> "FakeControl":
        return self

    def close(self) -> None:
        """Close nothing."""

    def command(self, *words: str | bytes | int) -> Any:  # noqa: ANN401 - as its base class
        """Answer as a server would."""
        self.commands.append(words)
        if not self.server.up:
            message = "the target at 127.0.0.1:6379 cannot be reached"
            raise TargetLostError(message)
        name, *rest = words
        return getattr(self, f"_{str(name).lower()}")(*map(_as_bytes, rest))

    def _ping(self) -> bytes:
        return b"PONG"

    def _dbsize(self) -> int:
        return len(self.server.data)

    def _flushdb(self) -> bytes:
        self.server.data.clear()
        return b"OK"

    def _info(self, *_sections: bytes) -> bytes:
        text = self.server.info().encode()
        self.server.calls["info"] += 1
        self.server.counters["total_reads_processed"] += 1
        self.server.counters["total_net_output_bytes"] += len(text)
        return text

    def _client(self, subcommand: bytes) -> bytes:
        assert subcommand == b"LIST"
        self.server.calls["client|list"] += 1
        return "\n".join(self.server.clients).encode()

    def _get(self, key: bytes) -> bytes | None:
        self.server.calls["get"] += 1
        return self.server.data.get(key)

    def _set(self, key: bytes, value: bytes, *options: bytes) -> bytes | None:
        if self.server.refusal is not None:
            raise TargetError(self.server.refusal.decode())
        if b"NX" in options and key in self.server.data:
            return None
        self.server.data[key] = value
        return b"OK"

    def _unlink(self, *keys: bytes) -> int:
        return sum(self.server.data.pop(key, None) is not None for key in keys)

    def send_raw(self, data: bytes | memoryview) -> None:
        self.sent.append(bytes(data))
        for name, key, *rest in resp_commands(bytes(data)):
            assert name == b"SET"
            if self.server.refusal is not None:
                self._replies += self.server.refusal
            else:
                self._replies += b"$-1\r\n" if self._set(key, *rest) is None else b"+OK\r\n"

    def receive_raw(self, size: int) -> bytes:
        assert self._replies, "nothing more would ever come: a real connection would hang here"
        part = bytes(self._replies[:size])
        del self._replies[:size]
        return part

    @property
    def flushes(self) -> int:
        return self.commands.count(("FLUSHDB",))


def _as_bytes(word: str | bytes | int) -> bytes:
    return word if isinstance(word, bytes) else str(word).encode()


def words_of(workload: Workload, row: int) -> list[bytes]:
    """Return one command of the tiny workload."""
    key, size = int(workload.keys[row]), int(workload.sizes[row])
    name = workload.header.mix[int(workload.kinds[row])].name.encode()
    return [name, workload.key(key), *([workload.value(key, size)] if size else [])]


def resp(*words: bytes) -> bytes:
    """Return a command as a client sends it."""
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words)


def resp_commands(data: bytes) -> Iterator[list[bytes]]:
    """Read commands as a server does."""
    reader = hiredis.Reader()
    reader.feed(data)
    while (words := reader.gets()) is not False:
        yield words


class FakeTarget(Target):
    """A target that is a FakeServer: one that the run started, or one that was there."""

    def __init__(self, control: FakeControl | None = None, *, spawned: bool = True, allow_flush: bool = False) -> None:
        self.control: FakeControl = control or FakeControl()
        self.server = Server(self.control.endpoint, "a-server" if spawned else None)
        self.run_id = run_id_of(self.control) if self.control.server.up else None
        self._allow_flush = allow_flush
        self._is_open = True

    def check_address(self) -> None:
        """It leads where it led."""


def make_context(executor: Executor, target: FakeTarget | None = None, **settings: Any) -> RunContext:  # noqa: ANN401 - settings' fields
    """Return a context for the tiny workload, and for others that the settings name."""
    plan, found = make_settings(**settings), target or FakeTarget()
    made = {name: generate(spec, 1) for name, spec in plan.workloads.items()}
    keys = [PreloadedKeys(made[name], preload_sizes(plan.workloads[name], 1)) for name in made]
    return RunContext(
        settings=plan,
        executor=executor,
        servers={plan.first_server: Served(found, DatabaseState(keys))},
        workloads={name: made_workload(one, f"{name}.columns") for name, one in made.items()},
        resting=Resting(RUNNERS, Path("resting.columns")),
        clock=lambda: found.control.server.now_ns,
    )


def made_workload(workload: Workload, path: Path | str) -> MadeWorkload:
    """Return a workload whose file is there."""
    return MadeWorkload(workload, Path(path), Expectations(workload))


Before = Callable[["FakeRunner", str], None]
"""Is called before each step of a runner, with the step's name; may do something to the server, or raise an error."""


class FakeExecutor:
    """Starts runners that do honest work on a FakeServer, and notes what they go through."""

    def __init__(
        self,
        server: FakeServer | None = None,
        before: Before = lambda _runner, _step: None,
        missing: Mapping[str, str] | None = None,
        **workloads: Workload,
    ) -> None:
        """`missing` is why clients are, by library or runner; `workloads` are others than the tiny one."""
        self.server = server or FakeServer()
        self.before = before
        self.workloads = workloads
        self.changes: dict[str, Any] = {}
        """Fields of every answer that are not what an honest runner says."""
        self.replies: list[Any] | None = None
        """To the verification; None: the right ones."""
        self.units = 100
        """That each walker completes in a slice."""
        self.latency_ns: Callable[[float], float] = lambda _rate: 1e5
        """Of a unit of an open loop, at a rate in units per second."""
        self.runners: list[FakeRunner] = []
        self.log: list[str] = []
        """Every step with the client's name and the process's number."""
        self._missing = missing or {}

    def missing(self, client: Client) -> str | None:
        return self._missing.get(client.runner) or self._missing.get(client.library)

    def start(self, request: TrialRequest) -> "FakeRunner":
        runner = FakeRunner(self, request)
        runner.step("start")
        self.runners.append(runner)
        return runner

    @property
    def alive(self) -> list["FakeRunner"]:
        return [runner for runner in self.runners if not runner.has_ended]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing was started."""


class FakeRunner:
    """One process of a good runner; half of its time it uses CPU."""

    host = None

    def __init__(self, executor: FakeExecutor, request: TrialRequest) -> None:
        self.executor, self.request = executor, request
        self.workload = executor.workloads.get(request.workload.stem) or tiny_workload()
        self.versions = {request.client.library: "1.2.3", "runtime": "4"}
        self.ordered: list[Work] = []
        self.compiled_ns: list[int] = []
        """What its compilers have used at one reading after the other; empty: it has none."""
        self.has_ended = False
        self._used_ns = 0
        self._kept: list[Latencies] = []

    def give(self, trial: TrialRequest) -> None:
        self.step("give")
        self.request, self._kept = trial, []
        self.workload = self.executor.workloads.get(trial.workload.stem) or tiny_workload()

    def step(self, name: str, _limit_s: float = 0.0) -> None:
        self.executor.before(self, name)
        self.executor.log.append(f"{name} {self.request.client.name} {self.request.part}")

    def load(self, limit_s: float) -> Loaded:
        self.step("load", limit_s)
        return Loaded(contract=3, versions=self.versions, settings={"heap": 1})

    def connect(self, limit_s: float) -> None:
        self.step("connect", limit_s)

    def echo(self, commands: int, limit_s: float) -> list[Any]:
        self.step("echo", limit_s)
        if self.executor.replies is not None:
            return self.executor.replies
        units = -(-commands // self._per_unit) * self._per_unit
        rows = ((self._firsts(0)[0] + step) % self.workload.header.commands for step in range(units))
        return [reply_of(self.workload, row) for row in rows]

    def work(self, work: Work, _at_ns: int | None = None) -> None:
        self.step("work")
        self.ordered.append(work)

    def worked(self, limit_s: float) -> Worked:
        self.step("worked", limit_s)
        work, server, units = self.ordered[-1], self.executor.server, self.executor.units
        if work.arrivals is not None:
            return self._worked_open(work)
        firsts, led_in = self._firsts(work.first), units // 4 if work.lead_in_ns else 0
        for first in firsts:
            server.perform(self.workload, Segment(first, units * self._per_unit))
        if not self.request.part:
            server.begun_ns = server.now_ns + 1000
        moments = [
            self._moment(server.begun_ns, after_ns) for after_ns in (0, work.lead_in_ns, work.lead_in_ns + work.ns)
        ]
        self._used_ns = moments[-1].cpu_ns
        server.now_ns = moments[-1].at_ns + 1000
        measured = [units - led_in] * len(firsts)
        if work.keep:
            self._kept.append(np.full(sum(measured), work.ns / max(1, units - led_in)))
        fields: dict[str, Any] = {
            **dict(zip(("started", "measured_from", "ended"), moments, strict=True)),
            "lead_in": [led_in] * len(firsts),
            "measured": measured,
            "errors": {},
            "first_error": None,
        }
        return Worked(**fields | self.executor.changes)

    def _worked_open(self, work: Work) -> Worked:
        """Do every unit when it is due, with the executor's latency at that rate."""
        assert work.arrivals is not None
        due = np.fromfile(work.arrivals.file)
        measured = due[due >= work.lead_in_ns]
        self.executor.server.perform(self.workload, Segment(work.first, len(due)))
        moments = [
            self._moment(work.arrivals.at, after_ns) for after_ns in (0, work.lead_in_ns, work.lead_in_ns + work.ns)
        ]
        self._used_ns = moments[-1].cpu_ns
        self.executor.server.now_ns = moments[-1].at_ns + 1000
        if work.keep:
            latency_ns = self.executor.latency_ns(len(measured) / work.ns * 1e9)
            self._kept.append(np.column_stack([np.full(len(measured), latency_ns), measured, np.zeros(len(measured))]))
        started, measured_from, ended = moments
        led_in = len(due) - len(measured)
        return Worked(
            started=started,
            measured_from=measured_from,
            ended=ended,
            lead_in=[led_in],
            measured=[len(measured)],
            errors={},
            first_error=None,
        )

    def collect(self, limit_s: float) -> None:
        self.step("collect", limit_s)

    def samples(self, limit_s: float) -> list[Latencies]:
        self.step("samples", limit_s)
        return self._kept

    def end(self, limit_s: float) -> None:
        self.step("end", limit_s)
        self.has_ended = True

    def cpu_ns(self) -> None:
        """Nobody counts."""

    def compiling_ns(self) -> int | None:
        return self.compiled_ns.pop(0) if self.compiled_ns else None

    def threads_ns(self) -> None:
        """Nobody counts."""

    def keep_off(self, _thread: int, _server: int) -> bool:
        return False

    def peak_memory_bytes(self) -> int:
        return 2**20

    def kill(self) -> None:
        self.has_ended = True

    @property
    def _per_unit(self) -> int:
        return commands_per_unit(self.request.scenario, self.request.shape)

    def _firsts(self, first: int) -> list[int]:
        request = self.request
        return first_commands(self.workload.header.commands, request.shape, request.scenario, request.part, first)

    def _moment(self, begun_ns: int, after_ns: int) -> Moment:
        used_ns = self._used_ns + after_ns // 2
        return Moment(begun_ns + after_ns, used_ns - used_ns // 5, used_ns // 5)


def reply_of(workload: Workload, row: int) -> Any:  # noqa: ANN401 - as JSON has it
    """Return the right reply to one command of the tiny workload."""
    if workload.header.mix[workload.kinds[row]].name == "SET":
        return True
    key = int(workload.keys[row])
    is_there = key < workload.header.preload_keys
    return workload.value(key, workload.header.sizes.min_bytes).decode() if is_there else None
