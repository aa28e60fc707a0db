"""What short trials need: a server, runners that reach it through a recording proxy, and a workload."""

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from respmark import kinds
from respmark.conform.cases import TURNS, Case
from respmark.conform.claims import Words, expected_words
from respmark.conform.hold import NOTHING_HELD, hold_for
from respmark.conform.observation import Observation, Slice
from respmark.conform.proxy import Proxy
from respmark.conform.tampering import LOSSES
from respmark.conform.trace import Subject
from respmark.console import error_console
from respmark.contract.lines import Loaded, Work, Worked
from respmark.contract.trial import Scenario, Window
from respmark.errors import InvalidRequestError, RunnerFailedError
from respmark.machine.guardian import Guardian, guarded_folder
from respmark.network.relay import LOOPBACK, ListenAddress
from respmark.plan.plan import Block, Settings, Trial
from respmark.run.block import measure_block
from respmark.run.state import RunState
from respmark.run.testbed import Testbed, make_testbed
from respmark.runners.local import open_local
from respmark.runners.protocol import Executor, Latencies, MakeRunner, OpenExecutor, Place, TrialRequest
from respmark.runners.runner import Runner
from respmark.servers.certificates import make_certificates
from respmark.servers.server import Server
from respmark.specs.catalogue import Catalogue
from respmark.specs.client import Client, ClientSpec
from respmark.specs.naming import RESP2

if TYPE_CHECKING:
    from respmark.runners.protocol import Process

DEPTH_S: Final = 0.0003
"""Added to the slice for each command in flight, because one deep unit must not use up the whole slice."""
SLIDING_S, SLIDING_DEPTH_S = 0.2, 0.002
"""Added for a sliding window, once and for each command in flight: only a full window shows that it slides."""
TAMPERED_S: Final = 0.3
"""Added if a reply is tampered with: on a busy machine, even a slow scenario must reach it and go on after it."""
AGAIN_S: Final = 2.0
"""Added for the second try, in which the proxy also waits longer for the commands of other walkers."""
AGAIN_TIMES: Final = 1.6
"""So many times as long: less than libraries wait for a reply (redis-rs 0.5 s)."""
LEAD_IN_S: Final = 0.05
LIMIT_S: Final = 20.0
"""The longest that a runner may be silent in a short trial, whatever goes wrong."""
HANG_LIMIT_S: Final = 5.0
"""The same in a slice in which its library is known to hang."""
TLS_LIMIT_S: Final = 60.0
"""The same over TLS: a runner that opens a thousand connections is silent during as many handshakes.

redis-py rereads the system's certificate authorities for each connection, which alone takes 26 s of CPU for a thousand.
"""
PAUSE_S: Final = 0.002
Value = TypeVar("Value")


@dataclass
class KeptProcesses:
    """Processes of one client that have let go of their last trial, and wait for their next."""

    client: Client | None = None
    by_part: dict[int, "_ObservedRunner"] = field(default_factory=dict)

    def take(self, client: Client, part: int) -> "_ObservedRunner | None":
        """Return one that waits; those of another client are ended, as nothing more comes for them."""
        if client != self.client:
            for runner in self.by_part.values():
                runner.kill()
            self.client, self.by_part = client, {}
        return self.by_part.pop(part, None)


@dataclass(frozen=True)
class ConformContext:
    """One server, and everything that is needed to run one trial after another against it."""

    run: Testbed
    catalogue: Catalogue
    expected: Mapping[str, Sequence[Words]]
    """The commands of each workload."""
    folder: Path
    """For the proxies' sockets."""
    listen_address: ListenAddress = LOOPBACK
    """Where runners reach our proxies."""
    kept: KeptProcesses = field(default_factory=KeptProcesses)
    """Of the client whose cases are tried now."""

    def spec_of(self, case: Case) -> ClientSpec:
        """Return what is known of the case's library."""
        return self.catalogue.clients[case.cell.client.library]

    def may_hang(self, case: Case) -> bool:
        """Return whether the case ends a connection, after which its library never answers."""
        return case.tampering is not None and case.tampering.kind in LOSSES and bool(self.spec_of(case).hangs_when_lost)

    def observe(self, case: Case, *, held: bool = True, again: bool = False, another: bool = False) -> Observation:
        """Run a case's trial through a proxy; `held`: replies are held back, unless slices follow each other.

        `again` gives it more time. `another` case of its client follows, in the same processes.

        Raises ServerError if the server refused us or went away.
        """
        cell = case.cell
        workload, trial = self.run.settings.workloads[cell.workload], Trial(cell, 1)
        public = tuple(dict.fromkeys(command.name for command in workload.mix))
        if cell.scenario is Scenario.TRANSACTION:
            public = (*public, "MULTI", "EXEC")
        hold = NOTHING_HELD
        if held and not case.turns:
            hold = hold_for(cell.scenario, cell.shape, frozenset(public), AGAIN_TIMES if again else 1.0)
        subject = Subject(cell.client.name, cell.scenario, cell.shape, workload.name, public)
        address = self.listen_address
        if cell.client.avoids_tls:
            address = replace(address, context=None, tls=None)
        upstream = self.run.servers[cell.server].server.endpoint
        with Proxy(upstream, subject, self.folder, address, hold=hold, tampering=case.tampering) as proxy:
            hang_limit_s = HANG_LIMIT_S if self.may_hang(case) else None
            executor = _ObservedExecutor(
                self.run.executor, proxy, self.kept, another=another, hang_limit_s=hang_limit_s
            )
            context = replace(self.run, executor=cast("Executor", executor), settings=self._settings(case, again=again))
            ((_, outcome),) = measure_block(context, Block(cell.block, 1, (trial,)), RunState(), kinds)
        slices = tuple(one for one in executor.slices if len(one.answers) == cell.shape.processes)
        protocol = outcome.handshake and outcome.handshake.protocol
        errors = tuple(executor.errors)
        return Observation(
            cell,
            outcome.status,
            outcome.reason,
            errors,
            slices,
            proxy.trace,
            tuple(outcome.sockets or ()),
            protocol=protocol or RESP2,
            database=upstream.database,
            clock_error_ns=executor.clock_error_ns,
        )

    def _settings(self, case: Case, *, again: bool) -> Settings:
        settings, shape, depth = self.run.settings, case.cell.shape, case.cell.shape.depth or 1
        more_s = (TAMPERED_S if case.tampering else 0) + (AGAIN_S if again else 0)
        more_s += SLIDING_S + depth * SLIDING_DEPTH_S if shape.window is Window.SLIDING else depth * DEPTH_S
        longer = replace(settings, slice_s=settings.slice_s + more_s)
        return replace(longer, laps=TURNS, lead_in_s=LEAD_IN_S) if case.turns else longer


@contextlib.contextmanager
def conform_context(
    settings: Settings, catalogue: Catalogue, guardian: Guardian, opener: OpenExecutor = open_local
) -> Iterator[ConformContext]:
    """Open a server and what its trials need; close everything at the end, whatever happens.

    Raises ServerError if the server cannot be reached or refused us, NothingRanError if there is no server program,
    InvalidRequestError if the server speaks TLS, but runners are in containers.
    """
    ((name, asked),) = settings.servers.items()
    with guarded_folder(guardian, "conform") as folder:
        share = folder / "share"  # runners read the workload from it
        share.mkdir(exist_ok=True)
        with (
            opener(catalogue, guardian, share, "conform") as opened,
            closing(opened.open_server(catalogue.server(asked), allow_flush=False)) as server,
        ):
            if server.kind:
                raise InvalidRequestError(
                    "conformance is observed between a client and one server: name one that is in no cluster, and "
                    "that no sentinel watches"
                )
            listen_address = _listen_address(opened, server, folder)
            run = make_testbed(
                settings,
                catalogue,
                opened,
                {name: server},
                guardian=guardian,
                share=share,
                note=error_console().print,
            )
            with closing(run.servers[name].state):
                expected = {name: expected_words(made.workload) for name, made in run.workloads.items()}
                yield ConformContext(run, catalogue, expected, folder, listen_address)


def _listen_address(opened: Executor, server: Server, folder: Path) -> ListenAddress:
    """Return where a proxy listens; if runners are to speak TLS, the proxy poses as the server.

    In front of a server that is not ours, it presents a certificate of our own, which runners trust.
    """
    if server.node.secured is None and server.endpoint.tls is None:
        return opened.listen_address
    if opened.listen_address != LOOPBACK:
        raise InvalidRequestError(
            "runners in containers cannot read the proxy's certificate; choose a server without TLS"
        )
    files = make_certificates(folder) if server.node.secured is None else server.node.secured.certificates
    return replace(opened.listen_address, context=files.for_servers(), tls=files.tls)


class _ObservedExecutor:
    """Starts runners as `inner` does; marks in the trace when slices begin and end, and keeps what runners claim."""

    def __init__(
        self, inner: Executor, proxy: Proxy, kept: KeptProcesses, *, another: bool, hang_limit_s: float | None
    ) -> None:
        self.proxy = proxy
        self.kept = kept
        self.another = another
        """Whether processes wait for another trial when this one ends."""
        self.hang_limit_s = hang_limit_s
        """The longest that a runner may be silent in a slice, if that is not the usual time."""
        self.errors: list[RunnerFailedError] = []
        """How runners failed, if they did."""
        self.slices: list[Slice] = []
        self.clock_error_ns = 0
        """The largest of the hosts' on which it has started runners."""
        self.lock = threading.Lock()
        self.missing, self.cold_start = inner.missing, inner.cold_start
        self._inner = inner

    def start(self, request: TrialRequest, _kind: MakeRunner | None = None) -> Runner:
        moved = replace(request, server=self.proxy.endpoint_for(request.part))
        runner: Runner
        if (waiting := self.kept.take(request.client, request.part)) is not None:
            waiting.observed_by(self)
            waiting.give(moved)
            runner = waiting
        else:
            limit_s = LIMIT_S if moved.server.tls is None else TLS_LIMIT_S
            make = partial(_ObservedRunner, executor=self, part=request.part, limit_s=limit_s)
            runner = self._inner.start(moved, make)
        if runner.host is not None:
            self.clock_error_ns = max(self.clock_error_ns, runner.host.clock_error_ns)
        return runner


class _ObservedRunner(Runner):
    """One runner at work, which may be silent for no longer than `limit_s`."""

    def __init__(
        self,
        process: "Process",
        adapter: str,
        place: Place,
        *,
        executor: _ObservedExecutor,
        part: int,
        limit_s: float,
    ) -> None:
        super().__init__(process, adapter, place)
        self._part, self._limit_s = part, limit_s
        self.observed_by(executor)

    def observed_by(self, executor: _ObservedExecutor) -> None:
        """Note its next trial there."""
        self._executor = executor
        self._slices = 0
        """How many it was ordered to do."""

    def load(self, limit_s: float) -> Loaded:
        return self._heard(super().load, limit_s)

    def connect(self, limit_s: float) -> None:
        self._mark("connect")
        self._heard(super().connect, limit_s)

    def echo(self, commands: int, limit_s: float) -> list[Any]:
        replies = self._heard(partial(super().echo, commands), limit_s)
        self._mark("ready")
        return replies

    def work(self, work: Work, at_ns: int | None = None) -> None:
        self._slices += 1
        with self._executor.lock:  # processes on several hosts are ordered at the same time
            if len(self._executor.slices) < self._slices:
                self._executor.slices.append(Slice(work.first))
        self._mark("go")
        super().work(work, at_ns)

    def worked(self, limit_s: float) -> Worked:
        answer = self._heard(super().worked, min(limit_s, self._executor.hang_limit_s or limit_s))
        self._mark("end")
        self._executor.slices[self._slices - 1].answers[self._part] = answer
        return answer

    def samples(self, limit_s: float) -> list[Latencies]:
        return self._heard(super().samples, limit_s)

    def end(self, limit_s: float) -> None:
        self._mark("stop")
        if self._executor.another:
            self._heard(self._let_go, limit_s)
            self._executor.kept.by_part[self._part] = self
        else:
            self._heard(super().end, limit_s)

    def _let_go(self, limit_s: float) -> None:
        """End the trial, but not the process: by the contract, with the next one loaded nothing of it is left."""
        self.give(self._trial)
        super().load(self._limit_s)
        end_s = time.monotonic() + limit_s
        while count := self._executor.proxy.open_connections(self._part):
            if time.monotonic() > end_s:
                raise self.failed(f"{count} connections of the trial are open after the next one was loaded")
            time.sleep(PAUSE_S)

    def _mark(self, name: str) -> None:
        self._executor.proxy.mark(name, self._part)

    def _heard(self, ask: Callable[[float], Value], limit_s: float) -> Value:
        try:
            return ask(min(limit_s, self._limit_s))
        except RunnerFailedError as error:
            self._executor.errors.append(error)
            raise
