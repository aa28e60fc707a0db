"""A server that exists only as counters, and what works on it: its control connection, a context, an honest runner."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from respmark.contract.description import Description
from respmark.contract.events import Result, Segment, Slice, SliceOrder, Work
from respmark.contract.trial import Endpoint, TrialRequest
from respmark.errors import RunnerMissingError, TargetError, TargetLostError
from respmark.evidence.expectation import Expectations
from respmark.execute.protocol import Executor, RunnerOrder
from respmark.run.context import MadeWorkload, RunContext
from respmark.specs.client import Client
from respmark.target.control import Control
from respmark.target.info import run_id_of
from respmark.target.preload import PreloadedKeys
from respmark.target.state import DatabaseState
from respmark.target.target import Reached, Target
from respmark.workload.file import Workload
from respmark.workload.generate import generate, preload_sizes
from tests.builders.plan import make_settings, tiny_workload
from tests.builders.records import make_latency, make_loaded, make_moment, make_ready, make_result, make_slice
from tests.fake_executor import FakeExecutor, Script, Step


@dataclass
class FakeServer:
    """Counts as a server does and keeps keys; what reaches it is told to it."""

    data: dict[bytes, bytes] = field(default_factory=dict)
    calls: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    rejected: Counter[str] = field(default_factory=Counter)
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
        """Count the commands of a walk one by one, the slow and sure way."""
        for step in range(segment.operations):
            row = (segment.first_command + step) % workload.header.commands
            name = workload.header.mix[int(workload.kinds[row])].name.lower()
            self.calls[name] += 1
            self.counters["total_reads_processed"] += 1
            self.counters["total_net_input_bytes"] += len(resp(*words_of(workload, row)))
            if name == "get":
                found = workload.keys[row] < workload.header.preload_keys
                self.counters["keyspace_hits" if found else "keyspace_misses"] += 1

    def restart(self) -> None:
        """Begin anew: persistence is off."""
        self.starts += 1
        for counters in (self.calls, self.failed, self.rejected, self.counters):
            counters.clear()
        self.data.clear()

    def info(self) -> str:
        """Return INFO as text."""
        stats = [
            f"cmdstat_{name}:calls={count},usec=1,usec_per_call=1.00,"
            f"rejected_calls={self.rejected[name]},failed_calls={self.failed[name]}"
            for name, count in {**dict.fromkeys(self.rejected, 0), **self.calls}.items()
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
        self.in_flight_max = 0
        self._replies = bytearray()

    def open(self) -> "FakeControl":
        """Be let in."""
        return self

    def close(self) -> None:
        """Close nothing."""

    def command(self, *words: str | bytes | int) -> Any:  # noqa: ANN401, PLR0911 - as its base class; a reply a command
        """Answer as a server would."""
        self.commands.append(words)
        if not self.server.up:
            message = "the target at 127.0.0.1:6379 cannot be reached"
            raise TargetLostError(message)
        if words[0] == "PING":
            return b"PONG"
        if words[0] == "DBSIZE":
            return len(self.server.data)
        if words[0] == "FLUSHDB":
            self.server.data.clear()
            return b"OK"
        if words[0] == "INFO":
            text = self.server.info().encode()
            self.server.calls["info"] += 1
            self.server.counters["total_reads_processed"] += 1
            self.server.counters["total_net_output_bytes"] += len(text)
            return text
        if words == ("CLIENT", "LIST"):
            self.server.calls["client|list"] += 1
            return "\n".join(self.server.clients).encode()
        if words[0] == "GET":
            self.server.calls["get"] += 1
            return self.server.data.get(_as_bytes(words[1]))
        if words[0] == "SET":
            return self._set(_as_bytes(words[1]), words[2:])
        if words[0] in {"UNLINK", "DEL"}:
            return int(self.server.data.pop(_as_bytes(words[1]), None) is not None)
        message = f"FakeControl does not know {words}"
        raise NotImplementedError(message)

    def send_raw(self, data: bytes | memoryview) -> None:
        """Take SETs, and deletions."""
        self.sent.append(bytes(data))
        for name, key, *rest in resp_commands(bytes(data)):
            if name in {b"UNLINK", b"DEL"}:
                self._replies += b":%d\r\n" % (self.server.data.pop(key, None) is not None)
                continue
            assert name == b"SET"
            exists = rest[1:] == [b"NX"] and key in self.server.data
            if self.server.refusal is None and not exists:
                self.server.data[key] = rest[0]
            self._replies += self.server.refusal or (b"$-1\r\n" if exists else b"+OK\r\n")
        self.in_flight_max = max(self.in_flight_max, self._replies.count(b"\r\n"))

    def _set(self, key: bytes, rest: tuple[str | bytes | int, ...]) -> bytes | None:
        if self.server.refusal is not None:
            raise TargetError(self.server.refusal.decode())
        if "NX" in rest and key in self.server.data:
            return None
        self.server.data[key] = _as_bytes(rest[0])
        return b"OK"

    def receive_raw(self, size: int) -> bytes:
        """Give at most `size` bytes of the replies, as a socket does."""
        assert self._replies, "nothing more would ever come: a real connection would hang here"
        part = bytes(self._replies[:size])
        del self._replies[:size]
        return part

    @property
    def flushes(self) -> int:
        """Return how often the database was emptied."""
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
    """Read RESP arrays of bulk strings, strictly."""
    position = 0

    def line(kind: bytes) -> int:
        nonlocal position
        end = data.index(b"\r\n", position)
        assert data[position : position + 1] == kind
        number = int(data[position + 1 : end])
        position = end + 2
        return number

    while position < len(data):
        words = []
        for _ in range(line(b"*")):
            length = line(b"$")
            words.append(data[position : position + length])
            assert data[position + length : position + length + 2] == b"\r\n"
            position += length + 2
        yield words


class FakeTarget(Target):
    """A target that is a FakeServer: one that the run started, or one that was there."""

    def __init__(self, control: FakeControl | None = None, *, spawned: bool = True, allow_flush: bool = False) -> None:
        self.control: FakeControl = control or FakeControl()
        self.reached = Reached(self.control.endpoint, FakeTarget.stopped if spawned else None)
        self.run_id = run_id_of(self.control) if self.control.server.up else None
        self._allow_flush = allow_flush
        self._is_open = True

    def check_address(self) -> None:
        """It leads where it led."""

    @staticmethod
    def stopped() -> None:
        """There is nothing to stop."""


def make_context(executor: Executor, target: FakeTarget | None = None, **settings: Any) -> RunContext:  # noqa: ANN401 - settings' fields
    """Return a context for the tiny workload, and for others that the settings name."""
    plan, found = make_settings(**settings), target or FakeTarget()
    made = {name: generate(spec, 1) for name, spec in plan.workloads.items()}
    return RunContext(
        settings=plan,
        executor=executor,
        target=found,
        state=DatabaseState([PreloadedKeys(made[name], preload_sizes(plan.workloads[name], 1)) for name in made]),
        workloads={name: made_workload(one, f"{name}.workload") for name, one in made.items()},
        clock=lambda: found.control.server.now_ns,
    )


def made_workload(workload: Workload, path: Path | str) -> MadeWorkload:
    """Return a workload whose file is there."""
    return MadeWorkload(workload, str(path), Expectations(workload))


def honest_slice(
    server: FakeServer,
    request: TrialRequest,
    order: SliceOrder,
    operations: int = 100,
    workload: Workload | None = None,
) -> Slice:
    """Do what a good runner does in a slice, on the tiny workload or this one, and say so: half of its CPU is idle."""
    workload = workload or tiny_workload()
    commands, part = workload.header.commands, request.workload
    first = (order.first_command + part.part * commands // part.parts) % commands
    segment = Segment(first_command=first, operations=operations)
    server.perform(workload, segment)
    if not part.part:  # all processes of a trial begin at once
        server.begun_ns = server.now_ns + 1000
    begun = make_moment(server.begun_ns, make_slice(number=order.slice).started.cpu_ns)
    ended = make_moment(
        begun.at_ns + order.lead_in_ns + order.duration_ns,
        begun.cpu_user_ns + begun.cpu_system_ns + (order.lead_in_ns + order.duration_ns) // 2,
    )
    middle = make_moment(
        begun.at_ns + order.lead_in_ns, begun.cpu_user_ns + begun.cpu_system_ns + order.lead_in_ns // 2
    )
    server.now_ns = ended.at_ns + 1000
    led_in = operations // 4 if order.lead_in_ns else 0
    return make_slice(
        number=order.slice,
        trial_id=request.trial_id,
        started=begun,
        measured_from=middle,
        ended=ended,
        lead_in=Work(operations=led_in, units=led_in),
        measured=Work(operations=operations - led_in, units=operations - led_in),
        segments=[segment],
    )


def honest(server: FakeServer, **workloads: Workload) -> Script:
    """Return the script of a good runner for FakeExecutor; `workloads` are others than the tiny one, by name."""

    def script(request: TrialRequest, orders: list[RunnerOrder]) -> Iterator[Step]:
        yield make_loaded(request.trial_id)
        yield make_ready(request.trial_id)
        kept: list[Slice] = []
        while isinstance(order := orders[-1], SliceOrder):
            answer = honest_slice(server, request, order, workload=workloads.get(Path(request.workload.path).stem))
            kept += [answer] if order.keep_samples else []
            yield answer
        yield honest_result(request, *kept)

    return script


def honest_result(request: TrialRequest, *kept: Slice) -> Result:
    """Return the result of slices whose samples were kept: every unit took as long as any other."""
    units = sum(answer.measured.units for answer in kept)
    lasted_ns = sum(answer.ended.at_ns - answer.measured_from.at_ns for answer in kept)
    latency = make_latency([(lasted_ns // units, units)] if units else [])
    versions = {request.client.library: "1.2.3", "runtime": "4"}
    return make_result(units, trial_id=request.trial_id, latency=latency, versions=versions)


class Lacking(FakeExecutor):
    """A runner that is there and lacks one library."""

    def describe(self, client: Client) -> Description:
        """Describe it."""
        if client.library == "redis-py":
            raise RunnerMissingError("No module named 'redis'; run `make setup`")
        return super().describe(client)
