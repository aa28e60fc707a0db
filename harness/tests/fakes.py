"""What works on a `FakeNode`: a server, a testbed, and honest runners with the executor that starts them."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from respmark.contract.lines import Loaded, Moment, Started, Work, Worked
from respmark.errors import UnsupportedError
from respmark.kinds.loops.expectation import Segment
from respmark.machine.placement import UNPINNED
from respmark.network.relay import LOOPBACK
from respmark.plan.plan import Settings
from respmark.results.containers import Containers
from respmark.results.manifest import HostDescription
from respmark.run.testbed import ServerInUse, Testbed, WorkloadFile
from respmark.runners.protocol import HERE, NO_LOAD, Executor, Latencies, MakeRunner, TrialRequest
from respmark.runners.runner import Runner
from respmark.servers.info import run_ids_of
from respmark.servers.node import Node, StandBefore
from respmark.servers.preload import PreloadedKeys
from respmark.servers.server import Server
from respmark.servers.state import DatabaseState
from respmark.specs.client import Client
from respmark.specs.runner import RunnerSpec
from respmark.specs.scenario import commands_per_unit
from respmark.specs.server import ServerSpec
from respmark.workload.workload import Workload, first_commands, generate, preload_sizes
from tests.builders.plan import SHIPPED, make_settings, tiny_workload
from tests.fake_node import FakeControl, FakeNode

RUNNERS = SHIPPED.runners


class FakeServer(Server):
    """A server that is a FakeNode: one that the run started, or one that was there."""

    def __init__(self, control: FakeControl | None = None, *, spawned: bool = True, allow_flush: bool = False) -> None:
        self.control: FakeControl = control or FakeControl()
        self.node = Node(self.control.endpoint, "a-server" if spawned else None)
        self.run_ids = run_ids_of(self.control) if self.control.node.up else None
        self._allow_flush = allow_flush
        self._is_open = True

    def check_address(self) -> None:
        """It leads where it led."""


def make_testbed(
    executor: Executor,
    server: FakeServer | None = None,
    plan: Settings | None = None,
    files: Path = Path("nowhere"),
    runners: Mapping[str, RunnerSpec] = RUNNERS,
    **settings: Any,  # noqa: ANN401 - settings' fields
) -> Testbed:
    """Return a testbed for the tiny workload, and for others that the settings name."""
    plan, found = plan or make_settings(**settings), server or FakeServer()
    made = {name: generate(spec, 1) for name, spec in plan.workloads.items()}
    keys = [PreloadedKeys(made[name], preload_sizes(plan.workloads[name], 1)) for name in made]
    return Testbed(
        settings=plan,
        executor=executor,
        servers={plan.first_server: ServerInUse(found, DatabaseState(keys))},
        workloads={name: workload_file(one, f"{name}.columns") for name, one in made.items()},
        runners=runners,
        files=files,
        clock=lambda: found.control.node.now_ns,
    )


def workload_file(workload: Workload, path: Path | str) -> WorkloadFile:
    """Return a workload whose file is there."""
    return WorkloadFile(workload, Path(path))


Before = Callable[["FakeRunner", str], None]
"""Is called before each step of a runner, with the step's name; may do something to the server, or raise an error."""


class FakeExecutor:
    """Starts runners that do honest work on a FakeNode, and notes what they go through."""

    placement = UNPINNED
    listen_address = LOOPBACK
    hosts: list[HostDescription] = []  # noqa: RUF012 - never changed

    def __init__(
        self,
        node: FakeNode | None = None,
        before: Before = lambda _runner, _step: None,
        missing: Mapping[str, str] | None = None,
        **workloads: Workload,
    ) -> None:
        """`missing` is why clients are, by library or runner; `workloads` are others than the tiny one."""
        self.node = node or FakeNode()
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

    def open_server(self, _spec: ServerSpec, *, allow_flush: bool, before: StandBefore | None = None) -> Server:  # noqa: ARG002 - as others take it
        return FakeServer(spawned=False, allow_flush=allow_flush)

    def containers(self, _clients: Iterable[Client]) -> Containers | None:
        """There are none."""

    def missing(self, client: Client) -> str | None:
        return self._missing.get(client.runner) or self._missing.get(client.library)

    def start(self, request: TrialRequest, _kind: MakeRunner | None = None) -> "FakeRunner":
        runner = FakeRunner(self, request)
        runner.step("start")
        self.runners.append(runner)
        return runner

    def cold_start(self, request: TrialRequest, _limit_s: float) -> Started:
        raise UnsupportedError(f"{request.client.name} has no second program")

    @property
    def alive(self) -> list["FakeRunner"]:
        return [runner for runner in self.runners if not runner.has_ended]


class FakeRunner(Runner):
    """One process of a good runner; half of its time it uses CPU."""

    def __init__(self, executor: FakeExecutor, request: TrialRequest) -> None:
        self._place, self._load = HERE, NO_LOAD
        self.executor, self.request = executor, request
        self.workload = executor.workloads.get(request.workload.stem) or tiny_workload()
        self.versions = {request.client.library: "1.2.3", "runtime": "4"}
        self.ordered: list[Work] = []
        self.compiled_ns: list[int] = []
        """What its compilers have used at one reading after the other; empty: it has none."""
        self.has_ended = False
        self._used_ns = 0
        self._kept_ns: list[Latencies] = []

    def give(self, trial: TrialRequest) -> None:
        self.step("give")
        self.request, self._kept_ns = trial, []
        self.workload = self.executor.workloads.get(trial.workload.stem) or tiny_workload()

    def step(self, name: str, _limit_s: float = 0.0) -> None:
        self.executor.before(self, name)
        self.executor.log.append(f"{name} {self.request.client.name} {self.request.part}")

    def load(self, limit_s: float) -> Loaded:
        self.step("load", limit_s)
        return Loaded(contract=4, versions=self.versions, settings={"heap": 1})

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
        work, node, units = self.ordered[-1], self.executor.node, self.executor.units
        if work.arrivals is not None:
            return self._worked_open(work)
        firsts, led_in = self._firsts(work.first), units // 4 if work.lead_in_ns else 0
        for first in firsts:
            node.perform(self.workload, Segment(first, units * self._per_unit))
        if not self.request.part:
            node.begun_ns = node.now_ns + 1000
        moments = [
            self._moment(node.begun_ns, after_ns) for after_ns in (0, work.lead_in_ns, work.lead_in_ns + work.ns)
        ]
        self._used_ns = moments[-1].cpu_ns
        node.now_ns = moments[-1].at_ns + 1000
        measured = [units - led_in] * len(firsts)
        if work.keep:
            self._kept_ns.append(np.full(sum(measured), work.ns / max(1, units - led_in)))
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
        due = np.fromfile(work.arrivals.own[0].file, "<i8")
        measured = due[due >= work.lead_in_ns]
        self.executor.node.perform(self.workload, Segment(work.first, len(due)))
        moments = [
            self._moment(work.arrivals.at, after_ns) for after_ns in (0, work.lead_in_ns, work.lead_in_ns + work.ns)
        ]
        self._used_ns = moments[-1].cpu_ns
        self.executor.node.now_ns = moments[-1].at_ns + 1000
        if work.keep:
            latency_ns = self.executor.latency_ns(len(measured) / work.ns * 1e9)
            self._kept_ns.append(
                np.column_stack([np.full(len(measured), latency_ns), measured, np.zeros(len(measured))])
            )
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
        return self._kept_ns

    def end(self, limit_s: float) -> None:
        self.step("end", limit_s)
        self.has_ended = True

    def cpu_ns(self) -> None:
        """Nobody counts."""

    def compiling_ns(self) -> int | None:
        return self.compiled_ns.pop(0) if self.compiled_ns else None

    def threads_ns(self) -> None:
        """Nobody counts."""

    def sockets(self) -> None:
        """It has none."""

    def keep_off(self, _thread: int, _server: int) -> bool:
        return False

    def peak_memory_bytes(self) -> int:
        return 2**20

    def kill(self) -> None:
        self.has_ended = True

    @property
    def _per_unit(self) -> int:
        return commands_per_unit(self.request.scenario, self.request.shape)

    def _firsts(self, first: int = 0) -> list[int]:
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
