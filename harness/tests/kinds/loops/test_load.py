"""The tables of the highest rates that keep to a goal."""

from respmark.contract.trial import Scenario, Shape
from respmark.kinds.loops.highest import highest_rates
from respmark.kinds.loops.load import load_chapters
from respmark.kinds.loops.record import Aim, FoundRate, LoopRecord, SearchEnd, SliceRecord
from respmark.report.report import Report
from respmark.report.table import Chapter
from tests.builders.plan import make_client, make_trial
from tests.builders.records import make_record, make_slice_record
from tests.report.reading import printed, reported

SHAPE = Shape(rate="find p99=1ms")


def at(lap: int, rate: float, p99_ms: float, aim: Aim = Aim.SEARCH) -> SliceRecord:
    latency = {"p50_ns": 2e5, "p99_ns": p99_ms * 1e6, "lag_p50_ns": 1e4, "lag_p99_ns": p99_ms * 5e5}
    return make_slice_record(100, lap, aim=aim, rate_due=rate, is_saturated=False, **latency)


def chapters(report: Report) -> list[Chapter]:
    return load_chapters(highest_rates(report.run, report.cells))


def record(client: str, number: int, highest: float, p99_ms: float) -> LoopRecord:
    """Return a trial that found this rate, and failed at one that is 4 % higher."""
    shares = {Aim.HALF: highest / 2, Aim.SEVENTY: highest * 0.7, Aim.NINETY: highest * 0.9, Aim.COMMON: 700.0}
    slices = [at(1, highest, 0.9), at(2, highest * 1.04, 1.2), at(3, highest * 2, 9.0)]
    slices += [at(4 + lap, rate, p99_ms, aim) for lap, (aim, rate) in enumerate(shares.items())]
    trial = make_trial(Scenario.SYNC, SHAPE, number, make_client(client, library=client))
    found = FoundRate(held=highest, failed=highest * 1.04, ended=SearchEnd.FOUND)
    return make_record(trial, slices=slices, found=found)


def test_the_highest_rate_is_between_the_last_that_passed_and_the_first_that_failed() -> None:
    """Over rounds; latency is at shares of it, and compared where all clients have the same rate."""
    records = [record("slow", number, 1000.0 * number, 0.8) for number in (1, 2)]
    records += [record("fast", number, 4000.0 * number, 0.4) for number in (1, 2)]
    (chapter,) = chapters(reported(*records))
    (table,) = chapter.tables
    assert table.title == "sync, highest rate with p99=1ms, common rate 700"
    slow, fast = ([cell.text for cell in row] for row in table.rows)
    assert slow[:4] == ["slow", "1,500", "1,000..2,080", "0.200/0.800"]
    assert slow[5:] == ["0.200/0.800", "0.200/0.800", "0.200/0.800", "0.0100/0.400", "50"]
    assert fast[:3] == ["fast", "6,000", "4,000..8,320"]
    assert fast[4] == "0.50 (0.50..0.50)"
    narrow = printed([chapter], 80)
    assert all(word in narrow.split() for word in [*fast[:4], "commands/s", "passed..failed"])


def test_a_client_may_keep_to_the_goal_at_no_rate() -> None:
    """It has no latency below it either; a run without searches has no such chapter."""
    trial = make_trial(Scenario.SYNC, SHAPE, 1, make_client("none", library="none"))
    none = FoundRate(held=None, failed=100.0, ended=SearchEnd.NONE_HELD)
    (chapter,) = chapters(reported(make_record(trial, slices=[at(1, 100.0, 5.0)], found=none)))
    assert [cell.text for cell in chapter.tables[0].rows[0]][:3] == ["none", "none", "0..100"]
    assert chapter.tables[0].notes == ("none: no rate kept to the goal in 1 of 1 round",)
    assert chapters(reported(make_record())) == []


def test_a_rate_at_whose_shares_the_goal_is_missed_is_too_high() -> None:
    """The table would contradict its title without a word."""
    (chapter,) = chapters(reported(record("fast", 1, 1000.0, 1.3)))
    (table,) = chapter.tables
    assert [note.split(":")[0] for note in table.notes] == ["fast"] * 3
    assert "even at 90 % of it, p99 is 1.30 ms and misses the goal" in table.notes[2]


def test_a_search_that_was_interrupted_says_so() -> None:
    """What it found is shown with the reason."""
    cut = record("slow", 2, 900.0, 0.8).model_copy(
        update={"found": FoundRate(held=900.0, failed=None, ended=SearchEnd.CUT_SHORT)}
    )
    (chapter,) = chapters(reported(record("slow", 1, 1000.0, 0.8), cut))
    assert chapter.tables[0].notes == ("slow: the search was interrupted in 1 of 2 rounds",)
