"""Runs the verdict on what was read again: a file that was changed by hand is no result.

Whoever changes every number that hangs on another, keeps the server's counters, the kernel's accounts, the clocks and
the samples in step, and does so for all rounds, is not found out: the files carry no secret. Whoever changes one is.
"""

from collections.abc import Iterator

from respmark.errors import InvalidRequestError
from respmark.evidence.clocks import Span
from respmark.evidence.protocols import protocol_mismatch
from respmark.evidence.verdict import Asked, slice_mismatch, trial_mismatches
from respmark.records import Status, TrialRecord
from respmark.results.store import MANIFEST, Run, trial_path
from respmark.results.untrusted import shown


def recheck(run: Run) -> Run:
    """Return the run, if its records still hold.

    Raises:
        InvalidRequestError: one does not; version 1 has too little in it to tell.
    """
    records = [record for record in run.records if isinstance(record, TrialRecord) and record.slices]
    commands = run.manifest.workload.get("commands")
    if not records:
        return run
    if not isinstance(commands, int) or commands < 1:
        message = f"{run.folder / MANIFEST} does not say how many commands its workload has; was it changed by hand?"
        raise InvalidRequestError(message)
    for record in records:
        if reason := next(_changed(record, commands, run.manifest.machine.cpus), None):
            path = run.folder / trial_path(record)
            message = f"{path} is no result: {shown(reason)}; was it changed after the run?"
            raise InvalidRequestError(message)
    return run


def _changed(record: TrialRecord, commands: int, cpus: int) -> Iterator[str]:
    """Yield what the run would have said of the record, and did not."""
    for one in record.slices:
        span = Span(one.ordered_ns, one.answered_ns, one.cpu_by_kernel_ns, cpus)
        asked = Asked.of(one.order, record.scenario, record.shape, commands, span)
        # A slice that the run did not count stays so; the tables say how many there are, and why.
        if one.mismatch is None and (reason := slice_mismatch(one.answers, one.evidence, asked)):
            yield f"lap {one.lap}: {reason}"
    # What cut a trial short stands in its reason: then there are samples of a slice that nobody has heard of.
    if record.status is Status.OK and record.results and record.reason is None:
        yield from filter(None, trial_mismatches(record.slices, record.results, record.scenario, record.shape))
    if record.status is Status.OK and (reason := protocol_mismatch(record.handshake, record.scenario, record.slices)):
        yield reason
