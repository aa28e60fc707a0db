"""Runs every case, several at a time; each worker has its own server."""

import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass, field

from respmark.conform.cases import Case
from respmark.conform.context import ConformContext, conform_context
from respmark.conform.verdicts import Conformity, Verdict, judge
from respmark.execute.backend import Backend, LocalBackend
from respmark.execute.missing import missing_reason
from respmark.plan.trial import Settings
from respmark.specs.catalogue import Catalogue
from respmark.target.guardian import Guardian


@dataclass(frozen=True)
class Works:
    """What the workers share."""

    settings: Settings
    catalogue: Catalogue
    guardian: Guardian
    tell: Callable[[Verdict], None]
    """Called when a case ends, from any worker."""
    backend: Backend = field(default_factory=LocalBackend)
    """Where runners and servers run."""
    cases: "queue.SimpleQueue[tuple[int, Case]]" = field(default_factory=queue.SimpleQueue)
    stopping: threading.Event = field(default_factory=threading.Event)

    def run(self, cases: Sequence[Case], jobs: int) -> list[Verdict]:
        """Run every case; return the verdicts in the cases' order.

        Raises:
            TargetError: a target refused us or went away.
            NothingRanError: there is no server program.
        """
        for numbered in enumerate(cases):
            self.cases.put(numbered)
        found: dict[int, Verdict] = {}
        with ThreadPoolExecutor(jobs, thread_name_prefix="respmark-conform") as pool:
            workers = [pool.submit(self._work) for _ in range(jobs)]
            try:
                wait(workers, return_when=FIRST_EXCEPTION)
            finally:
                # Whatever ends one worker, an interrupt included, ends the others after their current case.
                self.stopping.set()
            for worker in workers:
                found.update(worker.result())
        return [found[number] for number in range(len(cases))]

    def _work(self) -> dict[int, Verdict]:
        found: dict[int, Verdict] = {}
        with conform_context(self.settings, self.catalogue, self.guardian, self.backend) as context:
            while not self.stopping.is_set() and (numbered := self._next()):
                number, case = numbered
                found[number] = self._verdict(case, context)
                self.tell(found[number])
        return found

    def _next(self) -> tuple[int, Case] | None:
        try:
            return self.cases.get_nowait()
        except queue.Empty:
            return None

    def _verdict(self, case: Case, context: ConformContext) -> Verdict:
        if reason := missing_reason(case.cell.client, context.run.executor):
            return Verdict(case, Conformity.MISSING, reason)
        return judge(case, context, self.catalogue.clients[case.cell.client.library])
