"""The verdict on a case, after one or more tries."""

from dataclasses import dataclass, replace
from enum import StrEnum

from respmark.conform.cases import Case
from respmark.conform.claims import claim_deviations
from respmark.conform.context import ConformContext
from respmark.conform.faulty import fault_deviations, fault_happened
from respmark.conform.observation import Deviation, Observation
from respmark.conform.protocol import speaks_its_protocol
from respmark.conform.rules import deviations
from respmark.conform.tries import ALLOWANCES, Allowance, fell_short, shown_absent
from respmark.conform.turns import turns_deviations
from respmark.contract.trial import Scenario
from respmark.errors import RunnerMissingError
from respmark.results.records import Status
from respmark.specs.client import ClientSpec
from respmark.specs.naming import protocol_of
from respmark.wire.trace import Trace


class Conformity(StrEnum):
    """Whether a case conforms; every case is shown, none is left out."""

    CONFORMS = "conforms"
    DEVIATES = "deviates"
    INCONCLUSIVE = "inconclusive"
    """No try got far enough, and nothing that was seen contradicts the definition: the machine was too busy."""
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

    @property
    def trace(self) -> Trace | None:
        """Return what went over the wire."""
        return None if self.seen is None else self.seen.trace


def judge(case: Case, context: ConformContext, spec: ClientSpec) -> Verdict:
    """Run a case, again with more time if it did not get far enough, and return the verdict.

    Raises:
        TargetError: the target refused us or went away.
    """
    if case.cell.unsupported is not None:
        return Verdict(case, Conformity.UNSUPPORTED, case.cell.unsupported)
    for number, allowance in enumerate(ALLOWANCES, start=1):
        verdict = replace(_try(case, context, spec, allowance), tries=number)
        if not fell_short(verdict.seen, verdict.deviations):
            break
    else:
        verdict = _undecided(verdict)
    return verdict


def _undecided(last: Verdict) -> Verdict:
    """Judge a last try that fell short, too: what had every chance to happen deviates, all else is inconclusive."""
    if last.seen is not None and shown_absent(last.seen, last.deviations):
        return last
    return replace(last, conformity=Conformity.INCONCLUSIVE)


def _try(case: Case, context: ConformContext, spec: ClientSpec, allowance: Allowance) -> Verdict:
    try:
        faults = () if case.fault is None else (case.fault,)
        seen = context.observe(case.cell, faults, held=not case.turns, turns=case.turns, allowance=allowance)
    except RunnerMissingError as error:
        return Verdict(case, Conformity.MISSING, str(error))
    if seen.outcome.status is Status.UNSUPPORTED:
        return _refused(case, seen)
    found = tuple(_found(case, seen, context, spec))
    return Verdict(case, Conformity.DEVIATES if found else Conformity.CONFORMS, None, found, seen)


def _refused(case: Case, seen: Observation) -> Verdict:
    """Libraries may lack a pool's `max_idle`, and may cache only for certain servers; all else in a spec must work."""
    if case.cell.shape.max_idle is not None or case.cell.scenario is Scenario.CACHING:
        return Verdict(case, Conformity.UNSUPPORTED, seen.outcome.reason)
    owed = Deviation("a scenario that the client's spec names", f"the runner says unsupported: {seen.outcome.reason}")
    return Verdict(case, Conformity.DEVIATES, None, (owed,), seen)


def _label(case: Case, context: ConformContext) -> int:
    return protocol_of(case.cell.client, context.run.executor.describe(case.cell.client))


def _found(case: Case, seen: Observation, context: ConformContext, spec: ClientSpec) -> list[Deviation]:
    missed = [] if case.fault is None else list(fault_happened(seen, case.fault))
    if case.fault is not None and not case.must_conform and not missed:
        return list(fault_deviations(seen, case.fault))
    setup_commands = frozenset(map(str.upper, spec.commands_of_its_own(case.cell.client.version)))
    spoken = list(speaks_its_protocol(seen, _label(case, context)))
    if case.turns:
        return spoken + list(turns_deviations(seen, context.expected, setup_commands))
    claims = spoken + list(claim_deviations(seen, context.expected, setup_commands))
    return missed + claims + (deviations(seen) if seen.answers else [])
