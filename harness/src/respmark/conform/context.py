"""What short trials need: a target, runners and a workload."""

import contextlib
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from respmark.conform.holds import hold_for
from respmark.conform.observation import Observation
from respmark.conform.observed import ObservedExecutor
from respmark.conform.order import ExpectedOrder
from respmark.conform.tries import ALLOWANCES, Allowance
from respmark.console import error_console
from respmark.contract.trial import Scenario, Window
from respmark.errors import InvalidRequestError
from respmark.execute.backend import Backend, LocalBackend, OpenBackend
from respmark.limits import allow_many_connections
from respmark.plan.trial import BlockRound, Cell, Settings, Trial
from respmark.run.block import measure_block
from respmark.run.context import RunContext, make_context
from respmark.specs.catalogue import Catalogue
from respmark.target.folders import guarded_folder
from respmark.target.guardian import Guardian
from respmark.target.server_config import make_certificates
from respmark.target.target import Target
from respmark.wire.faults import Fault
from respmark.wire.proxy import LOOPBACK, ListenAddress, Script, proxied
from respmark.wire.shape import shape_of
from respmark.wire.trace import Subject
from respmark.workload.spec import WorkloadSpec

DEPTH_S = 0.0003
"""Added to the slice for each command in flight, because one deep unit must not use up the whole slice."""
FAULT_S = 0.3
"""Added if there is a fault: on a busy machine, even a slow scenario must reach the faulty reply and go on after it."""
SLIDING_S, SLIDING_DEPTH_S = 0.2, 0.002
"""Added for a sliding window, once and for each command in flight: only a full window shows that it slides."""


TURNS = 2
"""Slices in a row, in cases that try more than one."""
LEAD_IN_S = 0.05


@dataclass(frozen=True)
class ConformContext:
    """One server, and everything that is needed to run one trial after another against it."""

    run: RunContext
    expected: ExpectedOrder
    commands: tuple[str, ...]
    folder: Path
    """For the proxies' sockets."""
    listen_address: ListenAddress = LOOPBACK
    """Where runners reach our proxies."""

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
            workload=self.run.settings.workload.name,
            commands=public,
        )
        hold = hold_for(cell.scenario, cell.shape, frozenset(public), allowance.linger_times) if held else None
        address = (
            replace(self.listen_address, context=None, tls=None) if cell.client.avoids_tls else self.listen_address
        )
        with proxied(self.run.target.endpoint, subject, Script(hold, faults), self.folder, address) as proxy:
            executor = ObservedExecutor(self.run.executor, proxy)
            trial = Trial(cell, 1)
            context = self._context_for(cell, executor, (FAULT_S if faults else 0) + allowance.more_s)
            if turns:
                context = replace(context, settings=replace(context.settings, laps=TURNS, lead_in_s=LEAD_IN_S))
            outcome = measure_block(context, BlockRound(cell.block, 1, (trial,))).outcomes[0]
            trace = proxy.trace()
        return Observation(trial, outcome, tuple(executor.failures), trace, shape_of(trace))

    def _public(self, scenario: Scenario) -> tuple[str, ...]:
        return (*self.commands, "MULTI", "EXEC") if scenario is Scenario.TRANSACTION else self.commands

    def _context_for(self, cell: Cell, executor: ObservedExecutor, longer_s: float) -> RunContext:
        settings = self.run.settings
        depth = cell.shape.depth or 1
        more_s = SLIDING_S + depth * SLIDING_DEPTH_S if cell.shape.window is Window.SLIDING else depth * DEPTH_S
        longer = replace(settings, slice_s=settings.slice_s + more_s + longer_s)
        return replace(self.run, executor=executor, settings=longer)


@contextlib.contextmanager
def conform_context(
    settings: Settings, catalogue: Catalogue, guardian: Guardian, backend: Backend | None = None
) -> Iterator[ConformContext]:
    """Open a target and what its trials need; close everything at the end, whatever happens.

    Raises:
        TargetError: the target cannot be reached or refused us.
        NothingRanError: there is no server program.
        InvalidRequestError: the target speaks TLS, but runners are in containers.
    """
    allow_many_connections()
    with (
        guarded_folder(guardian, "conform") as folder,
        (backend or LocalBackend()).open(catalogue, guardian, _share(folder), "conform") as opened,
        closing(opened.open_target(catalogue.target(settings.target), allow_flush=False)) as target,
    ):
        listen_address = _listen_address(opened, target, folder)
        context = make_context(settings, catalogue, opened.executor, target, guardian=guardian, share=_share(folder))
        context.state.note = error_console().print
        with closing(context.state):
            expected = ExpectedOrder(context.workloads[settings.workload.name].workload)
            yield ConformContext(context, expected, _names(settings.workload), folder, listen_address)


def _listen_address(opened: OpenBackend, target: Target, folder: Path) -> ListenAddress:
    """Return where a proxy listens; if runners are to speak TLS, the proxy poses as the server.

    In front of a server that is not ours, it presents a certificate of our own, which runners are told to trust.
    """
    if target.secured is None and target.endpoint.tls is None:
        return opened.listen_address
    if opened.listen_address != LOOPBACK:
        message = "runners in containers cannot see the proxy's certificate: name a target without TLS"
        raise InvalidRequestError(message)
    files = make_certificates(folder) if target.secured is None else target.secured.certificates
    return replace(opened.listen_address, context=files.for_servers(), tls=files.tls)


def _share(folder: Path) -> Path:
    """Return the folder that runners read the workload from."""
    share = folder / "share"
    share.mkdir(exist_ok=True)
    return share


def _names(workload: WorkloadSpec) -> tuple[str, ...]:
    return tuple(dict.fromkeys(command.name for command in workload.mix))
