"""Runs cases, several at a time, and says of each whether it conforms."""

import contextlib
import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import chain
from typing import Final

from respmark.conform.cases import Case
from respmark.conform.claims import claim_deviations
from respmark.conform.context import ConformContext, conform_context
from respmark.conform.faulty import fault_deviations, fault_happened
from respmark.conform.observation import Deviation, Observation
from respmark.conform.rules import deviations
from respmark.contract.trial import Scenario
from respmark.errors import RunnerMissingError
from respmark.execute.backend import Backend
from respmark.execute.protocol import missing_reason
from respmark.plan.trial import Settings
from respmark.results.records import Status
from respmark.specs.catalogue import Catalogue
from respmark.specs.naming import protocol_of
from respmark.target.guardian import Guardian

TRIES: Final = 2
"""A case that deviates is tried once more, with more time: what it shows then stands."""


class Conformity(StrEnum):
    """Whether a case conforms; every case is shown, none is left out."""

    CONFORMS = "conforms"
    DEVIATES = "deviates"
    INCONCLUSIVE = "inconclusive"
    """Nothing that was seen contradicts the definition, but the trial did not get far enough to confirm it."""
    UNSUPPORTED = "unsupported"
    MISSING = "missing"


@dataclass(frozen=True)
class Verdict:
    """A case and whether it conforms."""

    case: Case
    conformity: Conformity
    reason: str | None = None
    """Why it is unsupported or missing."""
    deviations: tuple[Deviation, ...] = ()
    """What is not as the definition says; for an inconclusive case, what was not seen."""
    seen: Observation | None = None
    tries: int = 1


def judge(case: Case, context: ConformContext) -> Verdict:
    """Run a case, once more with more time if it deviates; raises TargetError if the target refused us or went away."""
    cell = case.cell
    if cell.unsupported is not None:
        return Verdict(case, Conformity.UNSUPPORTED, cell.unsupported)
    if reason := missing_reason(cell.client, context.run.executor):
        return Verdict(case, Conformity.MISSING, reason)
    for number in range(1, TRIES + 1):
        try:
            seen = context.observe(cell, case.fault, held=not case.turns, turns=case.turns, again=number > 1)
        except RunnerMissingError as error:
            return Verdict(case, Conformity.MISSING, str(error))
        # Libraries may lack a pool's `max_idle`, and may cache only for certain servers; all else in a spec must work.
        may_lack = cell.shape.max_idle is not None or cell.scenario is Scenario.CACHING
        if seen.status is Status.UNSUPPORTED and may_lack:
            return Verdict(case, Conformity.UNSUPPORTED, seen.reason)
        found = tuple(deviations_of(case, seen, context))
        if not found:
            return Verdict(case, Conformity.CONFORMS, None, found, seen, number)
    conformity = Conformity.INCONCLUSIVE if all(one.absent for one in found) else Conformity.DEVIATES
    return Verdict(case, conformity, None, found, seen, number)


def deviations_of(case: Case, seen: Observation, context: ConformContext) -> list[Deviation]:
    """Return all that is not as it must be."""
    missed = [] if case.fault is None else list(fault_happened(seen, case.fault))
    if case.fault is not None and not case.must_conform and not missed:
        return list(fault_deviations(seen, case.fault))
    client = case.cell.client
    own_commands = context.catalogue.clients[client.library].commands_of_its_own(client.version)
    protocol = protocol_of(client, context.run.executor.describe(client))
    claims = claim_deviations(seen, context.expected, frozenset(map(str.upper, own_commands)), protocol)
    return [*missed, *claims, *(deviations(seen) if seen.claims and not case.turns else ())]


@dataclass(frozen=True)
class Works:
    """What the workers share; each has a server of its own."""

    settings: Settings
    catalogue: Catalogue
    guardian: Guardian
    tell: Callable[[Verdict], None]
    """Called when a case ends, from any worker."""
    backend: Backend = field(default_factory=Backend)
    """Where runners and servers run."""
    stopping: threading.Event = field(default_factory=threading.Event)

    def run(self, cases: Sequence[Case], jobs: int) -> list[Verdict]:
        """Run every case; return the verdicts in the cases' order; raises what `judge` and `conform_context` do."""
        waiting: queue.SimpleQueue[tuple[int, Case]] = queue.SimpleQueue()
        for numbered in enumerate(cases):
            waiting.put(numbered)
        with ThreadPoolExecutor(jobs, thread_name_prefix="respmark-conform") as pool:
            workers = [pool.submit(self._work, waiting) for _ in range(jobs)]
            try:
                wait(workers, return_when=FIRST_EXCEPTION)
            finally:
                # Whatever ends one worker, an interrupt included, ends the others after their current case.
                self.stopping.set()
            found = dict(chain.from_iterable(worker.result() for worker in workers))
        return [found[number] for number in range(len(cases))]

    def _work(self, waiting: "queue.SimpleQueue[tuple[int, Case]]") -> list[tuple[int, Verdict]]:
        found = []
        with (
            conform_context(self.settings, self.catalogue, self.guardian, self.backend) as context,
            contextlib.suppress(queue.Empty),
        ):
            while not self.stopping.is_set():
                number, case = waiting.get_nowait()
                found.append((number, judge(case, context)))
                self.tell(found[-1][1])
        return found
