"""Records that are read again: what was changed by hand is refused, what was not is not."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from respmark.contract.events import Slice
from respmark.contract.trial import Scenario
from respmark.errors import InvalidRequestError
from respmark.evidence.recheck import Recheck, recheck
from respmark.results.records import TrialRecord
from respmark.results.store import Run
from tests.builders.plan import make_client, make_trial
from tests.builders.records import (
    MILLISECOND_NS,
    SECOND_NS,
    make_evidence,
    make_manifest,
    make_moment,
    make_record,
    make_result,
    make_slice_record,
    make_workload_description,
    planned_cell,
)


def make_run(record: TrialRecord) -> Run:
    """Return a run of one record."""
    return Run(Path("run"), make_manifest(), (record,))


def answering(record: TrialRecord, answer: Slice) -> TrialRecord:
    """Return the record in which somebody put another answer into its only slice."""
    return record.model_copy(update={"slices": [record.slices[0].model_copy(update={"answers": [answer]})]})


def twice(record: TrialRecord) -> TrialRecord:
    """Claim twice the commands."""
    answer = record.slices[0].answers[0]
    measured = answer.measured.model_copy(update={"operations": 2000, "units": 2000})
    return answering(record, answer.model_copy(update={"measured": measured}))


def faster(record: TrialRecord) -> TrialRecord:
    """Claim half the time."""
    answer = record.slices[0].answers[0]
    ended = make_moment(answer.started.at_ns + SECOND_NS // 2, SECOND_NS // 2)
    return answering(record, answer.model_copy(update={"ended": ended}))


def swifter(record: TrialRecord) -> TrialRecord:
    """Claim half the latency."""
    result = record.results[0]
    latency = result.latency.model_copy(update={"histogram": [(MILLISECOND_NS // 2, 1000)]})
    return record.model_copy(update={"results": [result.model_copy(update={"latency": latency})]})


def pardoned(record: TrialRecord) -> TrialRecord:
    """Count a slice that the server did not back."""
    one = make_slice_record(500)
    return record.model_copy(update={"slices": [one.model_copy(update={"evidence": record.slices[0].evidence})]})


def moved(record: TrialRecord) -> TrialRecord:
    """Count it as a round of another cell."""
    return record.model_copy(update={"cell_id": "other--sync"})


def again(record: TrialRecord) -> TrialRecord:
    """Count it as another round."""
    return record.model_copy(update={"round": 2})


def turned_back(record: TrialRecord) -> TrialRecord:
    """Count the laps backwards."""
    return record.model_copy(update={"slices": [make_slice_record(number=lap) for lap in (2, 1)]})


def test_what_was_not_changed_holds() -> None:
    """Whatever it was read from."""
    run = make_run(make_record())
    assert recheck(run) is run


@pytest.mark.parametrize("change", [twice, faster, swifter, pardoned, moved, again, turned_back])
def test_what_was_changed_is_refused(change: Callable[[TrialRecord], TrialRecord]) -> None:
    """With the file's name."""
    record = make_record()
    with pytest.raises(InvalidRequestError, match=f"{record.trial_id}.json.gz is no result: .* changed after the run"):
        recheck(make_run(change(record)))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"client": make_client("faster-lib")}, "the manifest has another client for its cell"),
        ({"scenario": Scenario.BATCHING, "block": "batching"}, "the manifest has another block and scenario for"),
        ({"workload": "mget"}, "the manifest has another workload for its cell"),
        ({"language": "Rust"}, "the manifest has another language for its cell"),
    ],
)
def test_a_record_is_of_the_cell_that_was_planned(changes: dict[str, Any], words: str) -> None:
    """Figures of one client do not become another's by a change of the label."""
    record = make_record()
    cells = [planned_cell(record)]
    assert recheck(Run(Path("run"), make_manifest(cells=cells), (record,)))
    relabelled = record.model_copy(update=changes)
    other = {"mget": make_workload_description("mget")}
    with pytest.raises(InvalidRequestError, match=words):
        recheck(Run(Path("run"), make_manifest(cells=cells, other_workloads=other), (relabelled,)))
    others = [cells[0].model_copy(update={"cell_id": "lib--threads"})]
    with pytest.raises(InvalidRequestError, match="the manifest has no cell lib--sync"):
        recheck(Run(Path("run"), make_manifest(cells=others), (record,)))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"answered_ns": 9 * SECOND_NS}, "the next slice was ordered before this one was answered"),
        ({"evidence": make_evidence(elapsed_ns=SECOND_NS - 1)}, "counters were read before the slice was over"),
        ({"server_thread_ns": SECOND_NS}, "the server's busiest thread used more CPU than the server"),
        (
            {"cpu_by_kernel_ns": SECOND_NS // 2, "client_thread_ns": SECOND_NS},
            "the client's busiest thread used more CPU than the client",
        ),
    ],
)
def test_what_was_counted_does_not_contradict_itself(changes: dict[str, Any], words: str) -> None:
    """The run noted these itself, so no runner can get them wrong."""
    slices = [make_slice_record(number=1), make_slice_record(number=2)]
    record = make_record(slices=slices, results=[make_result(2000)])
    assert recheck(make_run(record)).records == (record,)
    changed = record.model_copy(update={"slices": [slices[0].model_copy(update=changes), slices[1]]})
    with pytest.raises(InvalidRequestError, match=f"is no result: lap 1: .*{words}"):
        recheck(make_run(changed))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"versions": {"lib": "9.9.9", "runtime": "4"}}, "lib 9.9.9 was loaded, where another .* loaded 1.2.3"),
        ({"decodes_to": "text"}, "another round decoded replies to another type"),
        ({"runtime_settings": {"heap": "1 TiB"}}, "or had other settings of the runtime"),
    ],
)
def test_all_rounds_are_of_the_same_library(changes: dict[str, Any], words: str) -> None:
    """Whichever files the rounds are in, and whichever cells of the client the versions are told of."""
    first, second = (make_record(make_trial(number=number)) for number in (1, 2))
    checks = Recheck(Path("run"), make_manifest())
    checks.check([first])
    checks.check([second])
    results = [result.model_copy(update=changes) for result in second.results]
    with pytest.raises(InvalidRequestError, match=words):
        checks.check([second.model_copy(update={"results": results})])


def test_a_record_is_held_against_its_own_workload() -> None:
    """Where its slices begin follows from how many commands that one has."""
    record = make_record(make_trial(workload="mget"))
    description = make_workload_description("mget")
    run = Run(Path("run"), make_manifest(workload={"name": "x"}, other_workloads={"mget": description}), (record,))
    assert recheck(run) is run
    nameless = description.model_copy(update={"spec": {"name": "mget"}})
    manifest = run.manifest.model_copy(update={"other_workloads": {"mget": nameless}})
    with pytest.raises(InvalidRequestError, match="does not say how many commands workload mget has"):
        recheck(Run(run.folder, manifest, run.records))


def test_a_run_that_was_cut_short_has_samples_beyond_its_slices() -> None:
    """Its reason says so; they are not held against the slices."""
    record = swifter(make_record()).model_copy(update={"reason": "the run was interrupted"})
    assert recheck(make_run(record)).records == (record,)


def test_a_manifest_without_its_workload_is_refused() -> None:
    """Without it, nobody knows where the walkers were to begin."""
    run = Run(Path("run"), make_manifest(workload={"name": "tiny"}), (make_record(),))
    with pytest.raises(InvalidRequestError, match=r"manifest.json does not say how many commands workload tiny has"):
        recheck(run)
