"""Repeats the verdict on records that were read from files: a file that was changed by hand is no result.

A single changed number or label is found, unless nothing else in the files depends on it: the server's reads, CPU and
time (upwards), the CPU of others, peak memory, warm-up, health of the runtime. Consistent changes are not, if every
number that depends on another is changed, in all rounds, and still fits the server's counters, the kernel's accounts,
the clocks and the samples: the files carry no secret.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from respmark.errors import InvalidRequestError
from respmark.evidence.clocks import SLICE_CPU_NS
from respmark.evidence.mismatch import Mismatch, told
from respmark.evidence.protocols import protocol_mismatch
from respmark.evidence.verdict import asked_of, slice_mismatches, trial_mismatches
from respmark.evidence.versions import version_mismatch
from respmark.results.manifest import Manifest, PlannedCell
from respmark.results.records import Status, TrialRecord
from respmark.results.slice_arrays import SliceArrays, in_arrays
from respmark.results.store import MANIFEST, Run, read_run, trial_path
from respmark.results.untrusted import shown
from respmark.results.version1 import Record


def read_rechecked(folder: Path) -> Run:
    """Read a run whose records still hold; raises what `read_run` and `recheck` do."""
    return recheck(read_run(folder))


def recheck(run: Run) -> Run:
    """Return the run, if its records still hold; those of version 1 contain too little to be checked.

    Raises:
        InvalidRequestError: a record does not hold.
    """
    Recheck(run.folder, run.manifest).check(run.records)
    return run


class Recheck:
    """Repeats the verdict on the records of one run, which may come in parts."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self._folder, self._manifest = folder, manifest
        self._cells = {cell.cell_id: cell for cell in manifest.cells}
        self._versions: dict[str, Mapping[str, str]] = {}
        """What was loaded, by client."""
        self._same: dict[str, object] = {}
        """What results say of types and settings, the same in all rounds, by cell."""

    def check(self, records: Iterable[Record]) -> None:
        """Check some of the run's records; raises what `recheck` does."""
        known = [record for record in records if isinstance(record, TrialRecord)]
        measured = [record for record in known if record.slices]
        commands = {record.workload: _commands(self._folder, self._manifest, record.workload) for record in measured}
        reasons = {record.trial_id: reason for record in known if (reason := self._of_another(record)) is not None}
        for slices, trials in _alike(measured):
            for number, reason in _changed(slices, trials, commands, self._manifest):
                reasons.setdefault(trials[number].trial_id, reason)
        for record in known:
            if record.trial_id in reasons:
                path = self._folder / trial_path(record)
                message = f"{path} is no result: {shown(reasons[record.trial_id])}; was it changed after the run?"
                raise InvalidRequestError(message)

    def _of_another(self, record: TrialRecord) -> str | None:
        """Return why a record is of another cell than its name says, or of another library than other rounds."""
        reason = _of_another_cell(record, self._manifest, self._cells.get(record.cell_id))
        if reason is not None or record.status is not Status.OK or not record.results:
            return reason
        reason = version_mismatch(record.client, record.results, self._versions.get(record.client.name))
        self._versions.setdefault(record.client.name, record.results[0].versions)
        same = [(result.decodes_to, result.runtime_settings) for result in record.results]
        if reason is None and self._same.setdefault(record.cell_id, same) != same:
            return "another round decoded replies to another type, or had other settings of the runtime"
        return reason


def _of_another_cell(record: TrialRecord, manifest: Manifest, cell: PlannedCell | None) -> str | None:
    """Return why a record is not of the cell and round that its name says, or None."""
    if record.trial_id != f"{record.cell_id}--round={record.round}":
        return f"by its content, it is round {record.round} of cell {record.cell_id}"
    if cell is None:
        return f"the manifest has no cell {record.cell_id}" if manifest.cells else None
    names = ("block", "client", "language", "scenario", "shape")
    pairs = {name: (getattr(record, name), getattr(cell, name)) for name in names}
    pairs["workload"] = record.workload, cell.workload or manifest.workload.get("name")
    different = [name for name, (ours, planned) in pairs.items() if ours != planned]
    return f"the manifest has another {' and '.join(different)} for its cell" if different else None


def _alike(records: Sequence[TrialRecord]) -> Iterator[tuple[SliceArrays, list[TrialRecord]]]:
    """Yield arrays of slices, with the records that the slices belong to, one for each trial."""
    found: defaultdict[SliceArrays, list[tuple[int, TrialRecord]]] = defaultdict(list)
    for record in records:
        slices, number = in_arrays(record.slices).place
        found[slices].append((number, record))
    for slices, trials in found.items():
        trials.sort(key=lambda trial: trial[0])
        if [number for number, _ in trials] == list(range(len(slices.counts))):
            yield slices, [record for _, record in trials]
        else:
            yield from ((slices.trial(number), [record]) for number, record in trials)


def _changed(
    slices: SliceArrays, records: Sequence[TrialRecord], commands: Mapping[str, int], manifest: Manifest
) -> Iterator[tuple[int, str]]:
    """Yield the numbers of trials, with what the run would have found wrong with their records, but did not."""
    cpus = manifest.machine.cpus
    for place, words in told(_disordered(slices)).items():
        yield _trial_of(slices, place), f"lap {slices.value(place, 'lap')}: {words}"
    asked = [asked_of(record.scenario, record.shape, commands[record.workload]) for record in records]
    mismatches, counted = slice_mismatches(slices, asked, cpus), slices.counted
    # A slice that the run did not count stays uncounted; the tables say how many there are, and why.
    for place in sorted(place for place in mismatches if counted[place]):
        yield _trial_of(slices, place), f"lap {slices.value(place, 'lap')}: {mismatches[place]}"
    # A trial that was cut short has a reason, and may have samples of a slice whose answer was never read.
    whole = [record.status is Status.OK and bool(record.results) and record.reason is None for record in records]
    results = [record.results if is_whole else () for record, is_whole in zip(records, whole, strict=True)]
    of_trials = trial_mismatches(slices, asked, results, cpus)
    yield from ((number, reason) for number, reason in of_trials if whole[number])
    for number, record in enumerate(records):
        if record.status is Status.OK:
            reason = protocol_mismatch(record.handshake, record.scenario, slices, number)
            if reason is not None:
                yield number, reason


def _disordered(slices: SliceArrays) -> Iterator[Mismatch]:
    """Yield where what the harness and the kernel counted contradicts itself: only a changed file does."""
    laps = slices.whole("lap")
    steps = np.diff(laps, prepend=laps[:1])
    steps[slices.starts] = 0
    yield Mismatch(steps < 0, lambda _: "it is out of order")
    ordered_ns, answered_ns = slices.whole("ordered_ns"), slices.whole("answered_ns")
    overlaps = np.append(answered_ns[:-1] > ordered_ns[1:], False)
    overlaps[slices.ends - 1] = False
    yield Mismatch(overlaps, lambda _: "the next slice was ordered before this one was answered")
    lasted_ns = slices.answers("ended", "at_ns").max(axis=0) - slices.answers("started", "at_ns").min(axis=0)
    yield Mismatch(
        slices.whole("evidence", "elapsed_ns") < lasted_ns,
        lambda _: "the server's counters were read before the slice was over",
    )
    server_ns = slices.whole("evidence", "server_cpu_user_ns") + slices.whole("evidence", "server_cpu_system_ns")
    server, client, process = (
        slices.known(name) for name in ("server_thread_ns", "client_thread_ns", "cpu_by_kernel_ns")
    )
    yield Mismatch(
        server.values > server_ns + SLICE_CPU_NS, lambda _: "the server's busiest thread used more CPU than the server"
    )
    yield Mismatch(
        process.known & (client.values > process.values + SLICE_CPU_NS),
        lambda _: "the client's busiest thread used more CPU than the client",
    )


def _trial_of(slices: SliceArrays, place: int) -> int:
    """Return the number of the trial that has this slice."""
    return int(slices.ends.searchsorted(place, side="right"))


def _commands(folder: Path, manifest: Manifest, workload: str) -> int:
    """Return how many commands a workload has."""
    other = manifest.other_workloads.get(workload)
    commands = (manifest.workload if other is None else other.spec).get("commands")
    if not isinstance(commands, int) or commands < 1:
        name = shown(workload)
        message = f"{folder / MANIFEST} does not say how many commands workload {name} has; was it changed by hand?"
        raise InvalidRequestError(message)
    return commands
