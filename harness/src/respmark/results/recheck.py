"""Runs the verdict on what was read again: a file that was changed by hand is no result.

Whoever changes every number that hangs on another, keeps the server's counters, the kernel's accounts, the clocks and
the samples in step, and does so for all rounds, is not found out: the files carry no secret. Whoever changes one is.
"""

from collections.abc import Iterator

from respmark.errors import InvalidRequestError
from respmark.evidence.clocks import Span, outside_mismatch
from respmark.evidence.samples import in_flight, latency_mismatch
from respmark.evidence.verdict import Asked, result_mismatch, slice_mismatch
from respmark.records import SliceRecord, Status, TrialRecord
from respmark.results.store import TRIALS, Run
from respmark.results.untrusted import shown
from respmark.specs.scenario import commands_per_unit
from respmark.workload.walk import first_commands


def recheck(run: Run) -> Run:
    """Return the run, if its records still hold.

    Raises:
        InvalidRequestError: one does not; version 1 has too little in it to tell.
    """
    for record in run.records:
        if isinstance(record, TrialRecord) and (reason := next(_changed(run, record), None)):
            path = run.folder / TRIALS / f"{record.trial_id}.json"
            message = f"{path} is no result: {shown(reason)}; was it changed after the run?"
            raise InvalidRequestError(message)
    return run


def _changed(run: Run, record: TrialRecord) -> Iterator[str]:
    """Yield what the run would have said of the record, and did not."""
    for one in record.slices:
        # A slice that the run did not count stays so; the tables say how many there are, and why.
        if one.mismatch is None and (reason := slice_mismatch(one.answers, one.evidence, _asked(run, record, one))):
            yield f"lap {one.lap}: {reason}"
    # What cut a trial short stands in its reason: then there are samples of a slice that nobody has heard of.
    if record.status is Status.OK and record.results and record.reason is None:
        yield from _untrue(record)


def _untrue(record: TrialRecord) -> Iterator[str]:
    if reason := outside_mismatch(record.slices):
        yield reason
    units = [sum(one.answers[part].measured.units for one in record.slices) for part in range(len(record.results))]
    for result, count in zip(record.results, units, strict=True):
        if reason := result_mismatch(result, count):
            yield reason
    failed = any(answer.errors for one in record.slices for answer in one.answers)
    together = in_flight(record.scenario, record.shape)
    if not failed and (reason := latency_mismatch(record.slices, record.results, together)):
        yield reason


def _asked(run: Run, record: TrialRecord, one: SliceRecord) -> Asked:
    commands, first = run.manifest.workload.get("commands"), one.order.first_command
    return Asked(
        one.order,
        commands_per_unit(record.scenario, record.shape),
        [
            first_commands(commands, record.shape, record.scenario, part, first)
            if isinstance(commands, int)
            else [segment.first_command for segment in answer.segments]
            for part, answer in enumerate(one.answers)
        ],
        Span(one.ordered_ns, one.answered_ns, one.cpu_by_kernel_ns, run.manifest.machine.cpus),
    )
