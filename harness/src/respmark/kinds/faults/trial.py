"""One trial: callers of a client that keep going, a relay and a server of their own, and what is done to these."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from tempfile import mkdtemp
from typing import Final, cast

from respmark.contract.lines import Due, KeepGoing
from respmark.contract.trial import Fault, Scenario, walkers
from respmark.errors import RunnerFailedError, RunnerHungError, ServerError
from respmark.kinds.faults.breaking import Breaking, RelayBreaking
from respmark.kinds.faults.duration import BUSY_PERCENT, HEALTHY_S, WARM_S, goes_on_s, recovery_s
from respmark.kinds.faults.history import Moments, Watched
from respmark.kinds.faults.log import SECOND_NS, ProcessLog
from respmark.kinds.faults.record import Connections, Step, Wait
from respmark.kinds.faults.replacing import Replacing
from respmark.kinds.faults.workload import Stretches, due_ns
from respmark.kinds.faults.writes import Replaced, Sample
from respmark.machine.kernel import machine_cpu
from respmark.network.counts import Counts
from respmark.network.relay import LOOPBACK, Relay
from respmark.network.treatments import Treatment, can_drop
from respmark.plan.faults import NODE_TIMEOUT, callers_of, callers_shape
from respmark.plan.plan import Trial
from respmark.run.processes import TrialProcesses
from respmark.run.relays import Relays
from respmark.run.testbed import ServerInUse, Testbed, WorkloadFile
from respmark.runners.runner import Runner
from respmark.servers.failover import How
from respmark.servers.group import Group
from respmark.servers.node import SAVED
from respmark.servers.sentinels import WatchedNodes
from respmark.specs.faults import DROPPING, FRAMED, SHAPES, lasts_s
from respmark.specs.server import SpawnedServer
from respmark.workload import columns

POLL_NS: Final = 20_000_000
"""Between two questions whether a fault is over that ends by itself."""
LATE_NS: Final = 100_000_000
"""A trial in which something was done so much later than planned does not count."""
CLOSE_LIMIT_S: Final = 10.0
"""For the end of a process; then it is killed."""
WENT_LIMIT_S: Final = 5.0
"""For the answer of callers, from when all must have ended."""
SETTLED_NS: Final = 300_000_000
"""Counters that have not changed for so long do not change any more,"""
SETTLING_LIMIT_NS: Final = 5_000_000_000
"""or nobody waits longer for that."""


@dataclass(eq=False)
class CallersTrial:
    """One trial of a fault. What waits, waits in a thread of the trial's own, until `over` is set."""

    bed: Testbed
    trial: Trial
    callers: Scenario
    """In which its callers work."""
    over: threading.Event
    cpus: int
    beside: int
    """How many others run side by side with it."""
    steps: list[Step] = field(default_factory=list)
    logs: list[ProcessLog] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)
    moments: Moments | None = None
    """Known when the callers have ended."""
    connections: Connections | None = None
    client_cpu_percent: float | None = None
    memory_growth_bytes: int | None = None
    machine_busy_percent: float | None = None
    close: Wait | None = None
    latest_ns: int = 0
    """How much later than planned something was done at most."""

    def __post_init__(self) -> None:
        shape = self.trial.cell.shape
        asked = shape.fault or Fault.RESET
        is_replaced = asked in DROPPING and not can_drop()
        self.made_as = SHAPES[asked].without_filters if is_replaced else None
        """The fault that takes the place of the one that was asked for; None: none does."""
        self._made, self._asked, self._lasts_s = SHAPES[self.made_as or asked], SHAPES[asked], lasts_s(shape)
        self._shape = callers_shape(shape, self.callers)
        self._due, self._most_s = due_ns(shape, callers_of(self._shape, self.callers)), goes_on_s(shape)
        self._recovery_s = recovery_s(shape)
        self._breaking: Breaking
        self._replacing: Replacing | None = None
        """The same, where a primary is replaced."""
        self._log_files: list[Path] = []
        self._begun_ns = 0

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Start its server and its relay; in the end its processes end first, then the relay, then the server."""
        cell = self.trial.cell
        with ExitStack() as stack:
            if self._made.primary == "stays":
                in_use = stack.enter_context(self.bed.own_server(cell, self._settings))
                reached = in_use.server.for_client(avoids_tls=cell.client.avoids_tls)
                relay = stack.enter_context(closing(Relay(reached, frames=cell.shape.fault in FRAMED)))
                self.stretches = self._stretches()
                self._breaking, in_use = RelayBreaking(self._made, in_use.server, relay), replace(in_use, relay=relay)
            else:
                in_use = self._group(self._made.primary, stack)
            self.processes = self._of_server(in_use)
            stack.callback(self.processes.kill)
            yield

    def _group(self, how: How, stack: ExitStack) -> ServerInUse:
        """Start its group of servers, and relays before the nodes, if packets are to be lost."""
        relays, is_cut_off = Relays(lambda: LOOPBACK, stack), self._made.existing == "drop"
        before = relays.put_before if is_cut_off else None
        in_use = stack.enter_context(self.bed.own_server(self.trial.cell, self._settings, before))
        node = cast("Group | WatchedNodes", in_use.server.node)  # the plan has seen to it
        failover = node.failover(in_use.server.control)
        self.stretches = self._stretches(failover.is_affected if failover.has_others else None)
        affected = self.stretches.affected()
        if not is_cut_off:
            self._breaking = self._replacing = Replacing(how, failover, affected)
            return in_use
        cut_off = partial(relays.before(failover.primary).treat, Treatment.DROP, Treatment.DROP)
        self._breaking = self._replacing = Replacing(how, failover, affected, cut_off)
        return replace(in_use, relay=relays.before(cast("Group", node).members[0]))

    @property
    def _settings(self) -> Mapping[str, str]:
        """What its server is started with besides."""
        if self._made.primary != "stays":
            spec = cast("SpawnedServer", self.bed.server_specs[self.trial.cell.server])
            own = NODE_TIMEOUT if spec.kind == "cluster" else {}
            return {name: value for name, value in own.items() if name not in spec.settings}
        return SAVED if self._made.server == "killed" else {}

    def _stretches(self, is_affected: Callable[[bytes], bool] | None = None) -> Stretches:
        each = -(-len(self._due) // self._shape.processes)
        workload = self.bed.workload_of(self.trial.cell).workload
        return Stretches(workload, callers_of(self._shape, self.callers), each, is_affected)

    def _of_server(self, in_use: ServerInUse) -> TrialProcesses:
        cell, self._in_use = self.trial.cell, in_use
        self._files = Path(mkdtemp(dir=self.bed.files))
        path = self._files / "columns"
        columns.write(self.stretches.workload, path)
        bed = replace(
            self.bed,
            servers={**self.bed.servers, cell.server: in_use},
            workloads={**self.bed.workloads, cell.workload: WorkloadFile(self.stretches.workload, path)},
        )
        return TrialProcesses(bed, replace(self.trial, cell=replace(cell, scenario=self.callers, shape=self._shape)))

    def connect(self) -> None:
        """Write the keys, let the processes connect, and let every caller's counter begin."""
        self._in_use.state.restore(self._in_use.server, [self.trial.cell.workload])
        self.processes.connect()
        for key, value in self.stretches.begins():
            self._in_use.server.control.holding(key).command("SET", key, value)

    def go(self, begins_ns: int) -> None:
        """Let callers go on from this moment, break what the fault breaks, mend it, and end the callers."""
        try:
            self._go(begins_ns)
        except ServerError as error:
            if not self._in_use.server.spawned:
                raise
            raise RunnerFailedError(f"the trial's own server: {error}") from error
        finally:
            self._breaking.release()

    def disturbance(self) -> str | None:
        """Return why the trial does not count; None if nothing disturbed it."""
        if self.latest_ns > LATE_NS:
            return f"something was done {self.latest_ns / 1e6:.0f} ms later than planned: the machine was busy"
        busy = self.machine_busy_percent
        if self.beside and busy is not None and busy > BUSY_PERCENT:
            return f"the machine's processors were busy for {busy:.0f} % of the time"
        return None

    @property
    def lasted_s(self) -> float:
        """Return how long the fault was to last; of one that ended by itself, how long it did."""
        ended_ns = None if self.moments is None else self.moments.mended
        if self._replacing is None or self.moments is None or ended_ns is None:
            return self._lasts_s
        return (ended_ns - self.moments.fault) / SECOND_NS

    @property
    def replaced(self) -> Replaced | None:
        """Return the primary that was replaced, and of whom; None: none was to be."""
        return None if self._replacing is None else self._replacing.replaced

    # --- while callers go on ---------------------------------------------------------------------------------------

    def _go(self, begins_ns: int) -> None:
        self._begun_ns, until_ns = begins_ns, begins_ns + round(self._most_s * 1e9)
        self._order(begins_ns, until_ns)
        self._wait_until(begins_ns)
        machine, machine_ns = machine_cpu(), time.monotonic_ns()
        self._watch(begins_ns + round(HEALTHY_S * 1e9))
        before, cpu_ns, memory_bytes = (
            self._breaking.counts(),
            self.processes.cpu_ns(),
            self.processes.peak_memory_so_far(),
        )
        fault_ns = self._did(self._made.summary, begins_ns + round(HEALTHY_S * 1e9), self._breaking.begin)
        mended_ns = self._mended(fault_ns)
        meanwhile = self._breaking.counts()
        well = Moments(begins_ns, begins_ns + round(WARM_S * 1e9), fault_ns, mended_ns, 0)
        self._look()
        watched = Watched(self.logs, well)
        # One that ends by itself may have ended long before it had to.
        watched_ns = until_ns if mended_ns is None else min(until_ns, mended_ns + round(self._recovery_s * 1e9))
        self._watch(watched_ns, watched.is_all_well)
        if self.over.is_set():
            return
        (self._files / "enough").touch()
        ended_ns = time.monotonic_ns()
        self.moments = replace(well, ended=ended_ns)
        after, used, now = self._breaking.counts(), self.processes.cpu_ns(), machine_cpu()
        self.latest_ns = max(self.latest_ns, meanwhile.late_ns, after.late_ns)
        self.connections = connections_of(before, meanwhile, after, is_mended=mended_ns is not None)
        if cpu_ns is not None and used is not None:
            self.client_cpu_percent = (used - cpu_ns) / (ended_ns - fault_ns) * 100
        self.memory_growth_bytes = max(0, self.processes.peak_memory_so_far() - memory_bytes)
        if machine is not None and now is not None:
            busy_ns = now.since(machine).busy_ns
            self.machine_busy_percent = busy_ns / (time.monotonic_ns() - machine_ns) / self.cpus * 100
        self._end(until_ns)

    def _order(self, begins_ns: int, until_ns: int) -> None:
        parts, each = len(self.processes.runners), walkers(self.callers, self._shape)
        for part, process in enumerate(self.processes.runners):
            due, log = self._files / f"{part}.due", self._files / f"{part}.log"
            own = self._due[part::parts]
            due.write_bytes(own.astype("<i8").tobytes())
            log.touch()
            self._log_files.append(log)
            self.logs.append(ProcessLog((own + begins_ns).tolist(), part * each))
            process.keep_going(
                KeepGoing(
                    due=Due(file=str(due), at=begins_ns),
                    log=str(log),
                    enough=str(self._files / "enough"),
                    until=until_ns,
                )
            )

    def _mended(self, fault_ns: int) -> int | None:
        """Wait for the end of the fault, and mend what is to be mended; return when that was, None: it is not."""
        if not self._asked.is_mended:
            return None
        if not self._lasts_s:
            return fault_ns
        ends_ns = fault_ns + round(self._lasts_s * 1e9)
        if self._replacing is not None:
            return self._when_over(ends_ns)
        self._watch(ends_ns)
        self._did("mended", ends_ns, self._breaking.end)
        # A server that is started again was away until then.
        return time.monotonic_ns() if self._made.server == "killed" else self.steps[-1].at_ns

    def _when_over(self, ends_ns: int) -> int:
        """Ask again and again whether the fault has ended by itself; return when it had."""
        looks_ns = time.monotonic_ns()
        while not self.over.is_set():
            now_ns = time.monotonic_ns()
            if self._breaking.is_over():
                self.steps.append(Step(what="a replica has taken the primary's place", at_ns=now_ns))
                return now_ns
            if now_ns >= ends_ns:
                raise ServerError(f"no replica had taken the primary's place after {self._lasts_s:g} s")
            if now_ns >= looks_ns:
                self._look()
                looks_ns = now_ns + self._breaking.look_ns
            self._wait_until(now_ns + POLL_NS)
        return ends_ns

    def _did(self, what: str, planned_ns: int, do: Callable[[], None]) -> int:
        """Do something, and note when; return that moment."""
        at_ns = time.monotonic_ns()
        if not self.over.is_set():
            do()
        took_ns = time.monotonic_ns() - at_ns
        self.steps.append(Step(what=what, at_ns=at_ns, took_ns=took_ns, late_ns=max(0, at_ns - planned_ns)))
        return at_ns

    def _watch(self, until_ns: int, is_enough: Callable[[int], bool] = lambda _: False) -> None:
        """Look at what callers see, again and again, until this moment, or until what is known by a look is enough."""
        while (now_ns := time.monotonic_ns()) < until_ns and not self.over.is_set():
            self._look()
            if is_enough(now_ns):
                return
            self._wait_until(min(until_ns, now_ns + self._breaking.look_ns))

    def _look(self) -> None:
        for log, path in zip(self.logs, self._log_files, strict=True):
            with path.open("rb") as file:
                file.seek(log.taken)
                log.add(file.read())
        self._breaking.look()
        if (sample := self._sample()) is not None:
            self.samples.append(sample)

    def _sample(self) -> Sample | None:
        """Read the callers' counters; None: nobody can be asked now."""
        begins, asked_ns = self.stretches.begins(), time.monotonic_ns()
        values = self._breaking.values([key for key, _ in begins])
        if values is None:
            return None
        at_ns, counts = time.monotonic_ns(), (value - begin for value, (_, begin) in zip(values, begins, strict=True))
        return Sample(at_ns, list(counts), at_ns - asked_ns)

    def _wait_until(self, at_ns: int) -> None:
        self.over.wait(max(0, at_ns - time.monotonic_ns()) / 1e9)
        if not self.over.is_set():
            self.latest_ns = max(self.latest_ns, time.monotonic_ns() - at_ns)

    # --- afterwards ------------------------------------------------------------------------------------------------

    def _end(self, until_ns: int) -> None:
        """Let the processes end, and read the callers' counters when nothing comes any more."""
        running = self.processes.runners
        hung_ns = [self._hung_since(process, log, until_ns) for process, log in zip(running, self.logs, strict=True)]
        self.processes.peak_memory_bytes = self.processes.peak_memory_so_far()
        with ThreadPoolExecutor(len(running)) as pool:
            ends = list(pool.map(_ended, running, hung_ns))
        self._look()
        waits = []
        for (asked_ns, code, known_ns), log in zip(ends, self.logs, strict=True):
            if code:  # such as Node's 13: nothing is left that could end the wait for the client
                log.close_error = log.close_error or f"the program exited with code {code}"
            closed_ns = log.closed_ns if code is not None else None
            waits.append(((closed_ns or known_ns) - asked_ns, closed_ns is not None))
        running.clear()
        took_ns, is_closed = max(waits)
        self.close = Wait(s=max(0, took_ns) / SECOND_NS, is_over=is_closed)
        self._settle()

    def _hung_since(self, process: Runner, log: ProcessLog, until_ns: int) -> int | None:
        """Wait until a process is done; return since when it should be, if its only thread still waits for a reply."""
        try:
            process.went(max(0, until_ns + round(WENT_LIMIT_S * SECOND_NS) - time.monotonic_ns()) / SECOND_NS)
        except RunnerHungError:  # it was ended
            self._look()
            if not log.is_waiting:
                raise
            return until_ns
        return None

    def _settle(self) -> None:
        """Read the counters until they do not change any more."""
        ends_ns = time.monotonic_ns() + SETTLING_LIMIT_NS
        self._look()
        since_ns = self.samples[-1].at_ns
        while time.monotonic_ns() < min(ends_ns, since_ns + SETTLED_NS) and not self.over.is_set():
            self.over.wait(self._breaking.look_ns / 1e9)
            self._look()
            if self.samples[-1].values != self.samples[-2].values:
                since_ns = self.samples[-1].at_ns


def _ended(process: Runner, hung_ns: int | None) -> tuple[int, int | None, int]:
    """Return when a process was asked to end, its exit code (None: it did not end), and when that was known."""
    asked_ns = time.monotonic_ns()
    if hung_ns is not None:
        return hung_ns, None, asked_ns
    code = process.process.end(CLOSE_LIMIT_S)
    return asked_ns, code, time.monotonic_ns()


def connections_of(before: Counts, during: Counts, after: Counts, *, is_mended: bool) -> Connections:
    """Return the connections of a trial: `before` the fault, from then until it was mended, and `after` that."""
    return Connections(
        before=before.still_open,
        opened=during.opened + after.opened,
        during=during.opened + (0 if is_mended else after.opened),
        busiest=max(during.busiest, after.busiest),
        left=after.still_open - before.still_open,
        forwarded_bytes=during.forwarded_bytes + after.forwarded_bytes,
        swallowed_bytes=during.swallowed_bytes + after.swallowed_bytes,
        refused=during.refused + after.refused,
    )
