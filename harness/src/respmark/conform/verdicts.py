"""Runs cases, several at a time, and says of each whether it conforms, and why not."""

import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from respmark.conform.cases import ANY_COMMAND, Case
from respmark.conform.claims import claim_deviations
from respmark.conform.context import ConformContext
from respmark.conform.observation import Deviation, Observation
from respmark.conform.picture import picture, wire_words
from respmark.conform.rules import deviations, tampered_deviations, tampering_happened
from respmark.contract.trial import Scenario
from respmark.machine.sockets import Sockets
from respmark.results.records import Status

TRIES: Final = 2
"""A case that deviates is tried once more, with more time: what it shows then stands."""
PIECE_LINES: Final = 12
"""Lines of a trace that are shown with a deviation."""


class Conformity(StrEnum):
    """Whether a case conforms; every case is shown, none is left out."""

    CONFORMS = "conforms"
    DEVIATES = "deviates"
    INCONCLUSIVE = "inconclusive"
    """Nothing that was seen contradicts the definition, but the trial did not get far enough to confirm it."""
    UNSUPPORTED = "unsupported"
    MISSING = "missing"


@dataclass(frozen=True)
class CaseVerdict:
    """A case and whether it conforms, without its trace: all cases of all libraries have gigabytes of them."""

    case: Case
    conformity: Conformity
    shown: str = ""
    """What the case showed, in a few words, or why it was not tried."""
    deviations: tuple[Deviation, ...] = ()
    """What is not as the definition says; for an inconclusive case, what was not seen."""
    piece: tuple[str, ...] = ()
    """Lines of the trace that show what deviates."""
    sockets: tuple[Sockets, ...] = ()
    """What the library asked of the kernel for its connections."""
    tries: int = 1

    @property
    def outcome(self) -> str:
        """Return what the case showed, in a few words, and the number of tries if there was more than one."""
        return self.shown + (f" ({self.tries} tries)" if self.tries > 1 else "")

    def explanation(self) -> Iterator[str]:
        """Yield everything that deviates, then the piece of the trace that shows it."""
        for deviation in self.deviations:
            yield f"asked: {deviation.asked}"
            yield f"found: {deviation.found}"
        yield from (f"    {line}" for line in self.piece)


def judge(case: Case, context: ConformContext, *, another: bool = False) -> CaseVerdict:
    """Run a case, once more with more time if it deviates; `another` of its client follows, in the same processes.

    Raises ServerError if the server refused us or went away.
    """
    cell = case.cell
    if cell.unsupported is not None:
        return CaseVerdict(case, Conformity.UNSUPPORTED, cell.unsupported)
    if reason := context.run.executor.missing(cell.client):
        return CaseVerdict(case, Conformity.MISSING, reason)
    for number in range(1, TRIES + 1):
        seen = context.observe(case, again=number > 1, another=another)
        # Libraries may lack a pool's `max_idle` or a way to send any command, and may cache only for certain servers;
        # all else in a spec must work.
        may_lack = cell.shape.max_idle is not None or cell.scenario is Scenario.CACHING or cell.workload == ANY_COMMAND
        if seen.status is Status.UNSUPPORTED and may_lack:
            return CaseVerdict(case, Conformity.UNSUPPORTED, seen.reason or "")
        found = tuple(deviations_of(case, seen, context))
        if not found:
            shown = _shown(case, seen, context.spec_of(case).hangs_when_lost)
            return CaseVerdict(case, Conformity.CONFORMS, shown, sockets=seen.sockets, tries=number)
    conformity = Conformity.INCONCLUSIVE if all(one.absent for one in found) else Conformity.DEVIATES
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    order = next((one.order for one in found if one.order is not None), None)
    piece = tuple(picture(seen.trace, PIECE_LINES, order))
    return CaseVerdict(case, conformity, found[0].found + more, found, piece, seen.sockets, number)


def _shown(case: Case, seen: Observation, why_it_hangs: str | None) -> str:
    if case.turns:
        led_in = sum(sum(answer.lead_in) for answer in seen.answers) * seen.per_unit
        return f"{seen.operations} operations, {led_in} of them in lead-in"
    if not case.must_conform:
        if seen.runner_errors or not seen.slices:
            return f"hangs: {why_it_hangs}" if why_it_hangs and seen.is_hung else seen.failure or ""
        counted = ", ".join(f"{count} x {kind}" for kind, count in seen.errors.items())
        return f"{counted or 'no error: the library retried it'}; {seen.operations} operations"
    is_handshakes = seen.scenario is Scenario.NEW_CONNECTION
    handshakes = f", {', '.join(seen.wire.handshake) or 'no handshake'}" if is_handshakes else ""
    return wire_words(seen.wire) + handshakes


def deviations_of(case: Case, seen: Observation, context: ConformContext) -> list[Deviation]:
    """Return all that is not as it must be."""
    missed = [] if case.tampering is None else list(tampering_happened(seen, case.tampering))
    if case.tampering is not None and not case.must_conform and not missed:
        return list(tampered_deviations(seen, case.tampering, may_hang=context.may_hang(case)))
    own_commands = context.spec_of(case).of_version(case.cell.client.version).own_commands
    expected = context.expected[seen.trace.subject.workload]
    claims = claim_deviations(seen, expected, frozenset(map(str.upper, own_commands)), seen.protocol)
    return [*missed, *claims, *(deviations(seen) if seen.slices and not case.turns else ())]


OpenContext = Callable[[], AbstractContextManager[ConformContext]]


class CaseQueue:
    """Cases that wait for a worker, which goes on with its client's: they follow one another in the same processes."""

    def __init__(self, cases: Sequence[Case]) -> None:
        self._waiting: dict[str, deque[tuple[int, Case]]] = {}
        for number, case in enumerate(cases):
            self._waiting.setdefault(case.cell.client.name, deque()).append((number, case))
        self._workers = Counter[str]()
        """At work on each client."""
        self._lock = threading.Lock()

    def take(self, client: str | None = None) -> tuple[int, Case, bool] | None:
        """Return a case, its number, and whether another of its client waits; None: there is no more.

        It is one of the worker's last `client`; after those, one of the client that has most for each worker.
        """
        with self._lock:
            if client not in self._waiting:
                if not self._waiting:
                    return None
                client = max(self._waiting, key=lambda name: len(self._waiting[name]) / (1 + self._workers[name]))
                self._workers[client] += 1
            number, case = self._waiting[client].popleft()
            if not (another := bool(self._waiting[client])):
                del self._waiting[client]
            return number, case, another


def run_cases(
    cases: Sequence[Case], jobs: int, open_context: OpenContext, tell: Callable[[CaseVerdict], None] = lambda _: None
) -> list[CaseVerdict]:
    """Run every case, `jobs` at a time, each worker in a context of its own; return the verdicts in the cases' order.

    `tell` is called when a case ends, from any worker. Raises what `judge` and `open_context` do.
    """
    waiting, found, stopping = CaseQueue(cases), dict[int, CaseVerdict](), threading.Event()

    def work() -> None:
        client = None
        with open_context() as context:
            while not stopping.is_set() and (taken := waiting.take(client)):
                number, case, another = taken
                client = case.cell.client.name
                found[number] = judge(case, context, another=another)
                tell(found[number])

    with ThreadPoolExecutor(jobs, thread_name_prefix="respmark-conform") as pool:
        workers = [pool.submit(work) for _ in range(jobs)]
        try:
            wait(workers, return_when=FIRST_EXCEPTION)
        finally:
            # Whatever ends one worker, an interrupt included, ends the others after their current case.
            stopping.set()
    for worker in workers:
        worker.result()
    return [found[number] for number in range(len(cases))]
