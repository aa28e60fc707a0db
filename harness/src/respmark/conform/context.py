"""What short trials need: a target, runners and a workload."""

import contextlib
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from respmark.conform.observation import Observation
from respmark.conform.observed import ObservedExecutor
from respmark.conform.order import ExpectedOrder
from respmark.console import error_console
from respmark.contract.trial import Scenario, Window
from respmark.errors import InvalidRequestError
from respmark.execute.backend import Backend, OpenBackend
from respmark.plan.trial import BlockRound, Cell, Settings, Trial
from respmark.run.block import measure_block
from respmark.run.context import RunContext, make_context
from respmark.specs.catalogue import Catalogue
from respmark.target.guardian import Guardian, guarded_folder
from respmark.target.spawn import make_certificates
from respmark.target.target import Target
from respmark.wire.faults import Fault
from respmark.wire.hold import hold_for
from respmark.wire.proxy import LOOPBACK, ListenAddress, Proxy
from respmark.wire.trace import Subject

DEPTH_S: Final = 0.0003
"""Added to the slice for each command in flight, because one deep unit must not use up the whole slice."""
SLIDING_S, SLIDING_DEPTH_S = 0.2, 0.002
"""Added for a sliding window, once and for each command in flight: only a full window shows that it slides."""
FAULT_S: Final = 0.3
"""Added if there is a fault: on a busy machine, even a slow scenario must reach the faulty reply and go on after it."""
AGAIN_S: Final = 2.0
"""Added for the second try, in which the proxy also waits twice as long for the commands of other walkers."""
TURNS: Final = 2
"""Slices in a row, in cases that try more than one."""
LEAD_IN_S: Final = 0.05


@dataclass(frozen=True)
class ConformContext:
    """One server, and everything that is needed to run one trial after another against it."""

    run: RunContext
    catalogue: Catalogue
    expected: ExpectedOrder
    folder: Path
    """For the proxies' sockets."""
    listen_address: ListenAddress = LOOPBACK
    """Where runners reach our proxies."""

    def observe(
        self, cell: Cell, fault: Fault | None = None, *, held: bool = True, turns: bool = False, again: bool = False
    ) -> Observation:
        """Run one short trial through a proxy: one slice, or `TURNS` of them with a lead-in.

        Raises TargetError if the target refused us or went away, RunnerMissingError if the client is not installed
        here.
        """
        workload, trial = self.run.settings.workload, Trial(cell, 1)
        public = tuple(dict.fromkeys(command.name for command in workload.mix))
        if cell.scenario is Scenario.TRANSACTION:
            public = (*public, "MULTI", "EXEC")
        hold = hold_for(cell.scenario, cell.shape, frozenset(public), 2.0 if again else 1.0) if held else None
        subject = Subject(cell.client.name, cell.scenario, cell.shape, workload.name, public)
        address = self.listen_address
        if cell.client.avoids_tls:
            address = replace(address, context=None, tls=None)
        with Proxy(self.run.target.endpoint, subject, self.folder, address, hold=hold, fault=fault) as proxy:
            executor = ObservedExecutor(self.run.executor, proxy, len(self.expected))
            more_s = (FAULT_S if fault else 0) + (AGAIN_S if again else 0)
            context = replace(self.run, executor=executor, settings=self._settings(cell, more_s, turns=turns))
            outcome = measure_block(context, BlockRound(cell.block, 1, (trial,))).outcomes[0]
        return Observation(cell, outcome.status, outcome.reason, tuple(executor.errors), executor.slices, proxy.trace)

    def _settings(self, cell: Cell, more_s: float, *, turns: bool) -> Settings:
        settings, depth = self.run.settings, cell.shape.depth or 1
        more_s += SLIDING_S + depth * SLIDING_DEPTH_S if cell.shape.window is Window.SLIDING else depth * DEPTH_S
        longer = replace(settings, slice_s=settings.slice_s + more_s)
        return replace(longer, laps=TURNS, lead_in_s=LEAD_IN_S) if turns else longer


@contextlib.contextmanager
def conform_context(
    settings: Settings, catalogue: Catalogue, guardian: Guardian, backend: Backend | None = None
) -> Iterator[ConformContext]:
    """Open a target and what its trials need; close everything at the end, whatever happens.

    Raises TargetError if the target cannot be reached or refused us, NothingRanError if there is no server program,
    InvalidRequestError if the target speaks TLS, but runners are in containers.
    """
    with guarded_folder(guardian, "conform") as folder:
        share = folder / "share"  # runners read the workload from it
        share.mkdir(exist_ok=True)
        with (
            (backend or Backend()).open(catalogue, guardian, share, "conform") as opened,
            closing(opened.open_target(catalogue.target(settings.target), allow_flush=False)) as target,
        ):
            listen_address = _listen_address(opened, target, folder)
            run = make_context(settings, catalogue, opened.executor, target, guardian=guardian, share=share)
            run.state.note = error_console().print
            with closing(run.state):
                expected = ExpectedOrder(run.workloads[settings.workload.name].workload)
                yield ConformContext(run, catalogue, expected, folder, listen_address)


def _listen_address(opened: OpenBackend, target: Target, folder: Path) -> ListenAddress:
    """Return where a proxy listens; if runners are to speak TLS, the proxy poses as the server.

    In front of a server that is not ours, it presents a certificate of our own, which runners are told to trust.
    """
    if target.server.secured is None and target.endpoint.tls is None:
        return opened.listen_address
    if opened.listen_address != LOOPBACK:
        raise InvalidRequestError("runners in containers cannot see the proxy's certificate: name a target without TLS")
    files = make_certificates(folder) if target.server.secured is None else target.server.secured.certificates
    return replace(opened.listen_address, context=files.for_servers(), tls=files.tls)
