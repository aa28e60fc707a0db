"""What short trials are made with: a target, runners, a workload."""

import contextlib
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from respmark.conform.holds import hold_for
from respmark.conform.observation import Observation
from respmark.conform.observed import ObservedExecutor
from respmark.conform.order import Score
from respmark.conform.tries import ALLOWANCES, Allowance
from respmark.console import error_console
from respmark.contract.trial import Scenario, Window
from respmark.errors import InvalidRequestError
from respmark.execute.place import Local, Place, Where
from respmark.limits import allow_many_connections
from respmark.plan.trial import BlockRound, Cell, Settings, Trial
from respmark.run.bench import Bench, make_bench
from respmark.run.block import measure_block
from respmark.specs.catalogue import Catalogue
from respmark.target.certificates import make_certificates
from respmark.target.folders import guarded_folder
from respmark.target.guardian import Guardian
from respmark.target.target import Target
from respmark.wire.faults import Fault
from respmark.wire.proxy import HERE, Reach, Script, proxied
from respmark.wire.shape import shape_of
from respmark.wire.trace import Subject
from respmark.workload.spec import WorkloadSpec

DEPTH_S = 0.0003
"""Added to the slice for each command in flight: a deep unit must not use it up."""
FAULT_S = 0.3
"""The same where a reply is to suffer: on a busy machine a slow scenario must come to it, and go on after it."""
SLIDING_S, SLIDING_DEPTH_S = 0.2, 0.002
"""The same for a sliding window, and once: it shows what it is only when it is full."""


TURNS = 2
"""Slices in a row, where more than one is tried."""
LEAD_IN_S = 0.05


@dataclass(frozen=True)
class Workbench:
    """One server and all that is needed to run one trial after the other against it."""

    bench: Bench
    score: Score
    commands: tuple[str, ...]
    folder: Path
    """For sockets of proxies."""
    reach: Reach = HERE
    """Where runners reach a proxy of ours."""

    def observe(
        self,
        cell: Cell,
        faults: tuple[Fault, ...] = (),
        *,
        held: bool = True,
        turns: bool = False,
        allowance: Allowance = ALLOWANCES[0],
    ) -> Observation:
        """Run one short trial through a proxy: one slice, or `TURNS` of them with a lead-in.

        Raises:
            TargetError: the target refused us or went away.
            RunnerMissingError: the client is not installed here.
        """
        public = self._public(cell.scenario)
        subject = Subject(
            client=cell.client.name,
            scenario=cell.scenario,
            shape=cell.shape,
            workload=self.bench.settings.workload.name,
            commands=public,
        )
        hold = hold_for(cell.scenario, cell.shape, frozenset(public), allowance.linger_times) if held else None
        reach = replace(self.reach, context=None, tls=None) if cell.client.avoids_tls else self.reach
        with proxied(self.bench.target.endpoint, subject, Script(hold, faults), self.folder, reach) as proxy:
            executor = ObservedExecutor(self.bench.executor, proxy)
            trial = Trial(cell, 1)
            bench = self._bench_for(cell, executor, (FAULT_S if faults else 0) + allowance.more_s)
            if turns:
                bench = replace(bench, settings=replace(bench.settings, laps=TURNS, lead_in_s=LEAD_IN_S))
            outcome = measure_block(bench, BlockRound(cell.block, 1, (trial,))).outcomes[0]
            trace = proxy.trace()
        return Observation(trial, outcome, tuple(executor.failures), trace, shape_of(trace))

    def _public(self, scenario: Scenario) -> tuple[str, ...]:
        return (*self.commands, "MULTI", "EXEC") if scenario is Scenario.TRANSACTION else self.commands

    def _bench_for(self, cell: Cell, executor: ObservedExecutor, longer_s: float) -> Bench:
        settings = self.bench.settings
        depth = cell.shape.depth or 1
        more_s = SLIDING_S + depth * SLIDING_DEPTH_S if cell.shape.window is Window.SLIDING else depth * DEPTH_S
        longer = replace(settings, slice_s=settings.slice_s + more_s + longer_s)
        return replace(self.bench, executor=executor, settings=longer)


@contextlib.contextmanager
def workbench(
    settings: Settings, catalogue: Catalogue, guardian: Guardian, where: Where | None = None
) -> Iterator[Workbench]:
    """Open a server of its own, and close everything whatever happens.

    Raises:
        TargetError: the target cannot be reached or refused us.
        NothingRanError: there is no server program.
        InvalidRequestError: the target speaks TLS, and runners are in containers.
    """
    allow_many_connections()
    with (
        guarded_folder(guardian, "conform") as folder,
        (where or Local()).open(catalogue, guardian, _share(folder), "conform") as place,
        closing(place.open_target(catalogue.target(settings.target), allow_flush=False)) as target,
    ):
        reach = _reach(place, target, folder)
        bench, workload = make_bench(
            settings, catalogue, place.executor, target, guardian=guardian, share=_share(folder)
        )
        bench.state.note = error_console().print
        with closing(bench.state):
            yield Workbench(bench, Score(workload), _names(settings.workload), folder, reach)


def _reach(place: Place, target: Target, folder: Path) -> Reach:
    """Return where a proxy listens; where runners are to speak TLS, it passes for the server.

    For a server that is not ours it has a certificate of our own, which runners are told to trust.
    """
    if target.secured is None and target.endpoint.tls is None:
        return place.reach
    if place.reach != HERE:
        message = "runners in containers cannot see the proxy's certificate: name a target without TLS"
        raise InvalidRequestError(message)
    files = make_certificates(folder) if target.secured is None else target.secured.certificates
    return replace(place.reach, context=files.for_servers(), tls=files.tls)


def _share(folder: Path) -> Path:
    """Return the folder that runners read the workload from."""
    share = folder / "share"
    share.mkdir(exist_ok=True)
    return share


def _names(workload: WorkloadSpec) -> tuple[str, ...]:
    return tuple(dict.fromkeys(command.name for command in workload.mix))
