"""What became of a case."""

from dataclasses import dataclass
from enum import StrEnum

from respmark.conform.cases import Case
from respmark.conform.claims import claim_deviations
from respmark.conform.faulty import fault_deviations
from respmark.conform.observation import Deviation, Observation
from respmark.conform.rules import deviations
from respmark.conform.turns import turns_deviations
from respmark.conform.workbench import Workbench
from respmark.execute.protocol import RunnerMissingError
from respmark.records import Status
from respmark.specs.client import ClientSpec
from respmark.wire.trace import Trace


class Answer(StrEnum):
    """Whether a case conforms; each is shown, none is left out."""

    CONFORMS = "conforms"
    DEVIATES = "deviates"
    UNSUPPORTED = "unsupported"
    MISSING = "missing"


@dataclass(frozen=True)
class Verdict:
    """A case and its answer."""

    case: Case
    answer: Answer
    reason: str | None = None
    """Why it is unsupported or missing."""
    deviations: tuple[Deviation, ...] = ()
    seen: Observation | None = None

    @property
    def trace(self) -> Trace | None:
        """Return what went over the wire."""
        return None if self.seen is None else self.seen.trace


def judge(case: Case, bench: Workbench, spec: ClientSpec) -> Verdict:
    """Run a case and say what became of it.

    Raises:
        TargetError: the target refused us or went away.
    """
    if case.cell.unsupported is not None:
        return Verdict(case, Answer.UNSUPPORTED, case.cell.unsupported)
    try:
        faults = () if case.fault is None else (case.fault,)
        seen = bench.observe(case.cell, faults, held=not case.turns, turns=case.turns)
    except RunnerMissingError as error:
        return Verdict(case, Answer.MISSING, str(error))
    if seen.outcome.status is Status.UNSUPPORTED:
        return _refused(case, seen)
    found = tuple(_found(case, seen, bench, spec))
    return Verdict(case, Answer.DEVIATES if found else Answer.CONFORMS, None, found, seen)


def _refused(case: Case, seen: Observation) -> Verdict:
    """A pool's `max_idle` is a setting that libraries may lack; anything else that a spec promises is owed."""
    if case.cell.shape.max_idle is not None:
        return Verdict(case, Answer.UNSUPPORTED, seen.outcome.reason)
    owed = Deviation("a scenario that the client's spec names", f"the runner says unsupported: {seen.outcome.reason}")
    return Verdict(case, Answer.DEVIATES, None, (owed,), seen)


def _found(case: Case, seen: Observation, bench: Workbench, spec: ClientSpec) -> list[Deviation]:
    if case.fault is not None and not case.must_conform:
        return list(fault_deviations(seen, case.fault))
    setup_commands = frozenset(name.upper() for name in spec.setup_commands)
    if case.turns:
        return list(turns_deviations(seen, bench.score, setup_commands))
    claims = list(claim_deviations(seen, bench.score, setup_commands))
    return claims + (deviations(seen) if seen.answers else [])
