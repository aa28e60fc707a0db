"""The figures of a run from its files: the same as from its records in memory."""

from pathlib import Path

import pytest

from respmark.errors import InvalidRequestError
from respmark.paths import RESULTS
from respmark.results import store
from respmark.results.store import RunFolder, read_run
from respmark.statistics.cells import cells_of, counted
from respmark.statistics.reading import read_counted
from tests.builders.plan import make_trial
from tests.builders.records import MILLISECOND_NS, make_latency, make_manifest, make_record, make_result
from tests.results.test_version1 import VERSION_1


@pytest.mark.parametrize("folder", [RESULTS / "published" / "quick", RESULTS / "published" / "post", VERSION_1])
@pytest.mark.parametrize("baseline", [None, "jedis"])
def test_figures_are_those_of_the_whole_run(
    monkeypatch: pytest.MonkeyPatch, folder: Path, baseline: str | None
) -> None:
    """In the suite's order, ratios and standings included."""
    whole = counted(read_run(folder))
    monkeypatch.setattr(store, "JOINED", 0)
    read = read_counted(folder)
    assert read.manifest == whole.manifest
    assert list(map(list, read.blocks.values())) == list(map(list, whole.blocks.values()))
    assert list(read.blocks) == list(whole.blocks)
    assert cells_of(read, baseline) == cells_of(whole, baseline)


def test_rounds_that_are_to_come_are_not_missing(tmp_path: Path) -> None:
    """A run that goes on has lost nothing yet."""
    made = RunFolder.create(tmp_path / "run")
    made.write_manifest(make_manifest(rounds=3))
    made.record(make_record(make_trial(number=1)))
    assert [cell.is_partial for cell in read_counted(made.folder).cells] == [True]
    assert [cell.is_partial for cell in read_counted(made.folder, rounds=1).cells] == [False]


def test_a_record_that_does_not_hold_is_refused(tmp_path: Path) -> None:
    """Latencies of half a millisecond, where each took a whole one."""
    made = RunFolder.create(tmp_path / "run")
    made.write_manifest(make_manifest())
    made.record(make_record(make_trial(number=1)))
    assert [cell.rounds for cell in read_counted(made.folder).cells] == [1]
    swift = make_result(latency=make_latency([(MILLISECOND_NS // 2, 1000)]))
    made.record(make_record(make_trial(number=2), results=[swift]))
    with pytest.raises(InvalidRequestError, match=r"round=2\.json\.gz is no result: its latencies add up to"):
        read_counted(made.folder)
