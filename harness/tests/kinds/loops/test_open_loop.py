"""Units that are due at times of their own: when that is, and what a slice of them shows."""

from pathlib import Path

import numpy as np
import pytest

from respmark.contract.lines import Arrivals, Work
from respmark.contract.rate import parsed
from respmark.kinds.loops.arrivals import ArrivalFiles, due_ns
from respmark.kinds.loops.open_loop import OpenSlice, Times

MS = 1e6
LEAD_IN_NS, SLICE_NS, DRAIN_NS = 10_000_000, 100_000_000, 50_000_000


def due(text: str, per_unit: int = 1) -> list[float]:
    """Return when units are due, in ms after the lead-in of 10 ms, those of the lead-in left out."""
    every = due_ns(parsed(text), per_unit, lead_in_s=0.01, slice_s=0.1, seed=1) / MS - 10
    return [round(float(one), 3) for one in every if one >= -1e-9]


def test_units_are_due_when_the_integral_of_the_rate_has_grown_by_one() -> None:
    """Evenly, in batches, in steps that carry remainders on, and on a ramp."""
    assert due("1000") == [float(k) for k in range(100)]
    assert due("1000", per_unit=50) == [40.0, 90.0]  # the lead-in's unit is due at its beginning
    assert due("100:0.015,200:0.02") == [0.0, 10.0, 17.5, 22.5, 27.5, 32.5]
    ramp = due("1-101:1")  # t + 50 t^2 = 0.99, 1.99, ..., because the lead-in has 0.01
    assert len(ramp) == 51
    assert ramp[0] == pytest.approx(1000 * (1.99e2**0.5 - 1) / 100, abs=0.001)
    assert np.diff(ramp)[-1] == pytest.approx(1000 / 101, rel=0.02)


def test_arrivals_at_random_have_the_mean_that_was_asked_for_and_are_the_same_for_all() -> None:
    """The gaps of a Poisson process vary as much as they are long."""
    found = due("poisson 50000")
    assert len(found) == pytest.approx(5000, rel=0.1)
    gaps = np.diff(found)
    assert np.std(gaps) / np.mean(gaps) == pytest.approx(1, rel=0.1)
    assert found == due("poisson 50000")


def test_a_file_has_what_runners_read_and_a_schedule_its_own_length(tmp_path: Path) -> None:
    """The same file for every slice that is alike."""
    files, work = ArrivalFiles(tmp_path, seed=1), Work(first=0, lead_in_ns=LEAD_IN_NS, ns=SLICE_NS, keep=True)
    made = files.work(work, parsed("1000:0.3"), per_unit=10, processes=2)
    assert made.arrivals is not None
    assert made.ns == 300_000_000
    every = [np.fromfile(own.file, dtype="<i8").tolist() for own in made.arrivals.own]
    assert every == [[k * 10 * MS for k in range(31)][part::2] for part in range(2)]
    assert [own.lead_in for own in made.arrivals.own] == [sum(due < LEAD_IN_NS for due in own) for own in every]
    assert files.work(work, parsed("1000:0.3"), per_unit=10, processes=2) == made
    assert len(list(tmp_path.iterdir())) == 2


def seen(due: list[float], began: list[float], took: list[float], idle: float = 0.0) -> OpenSlice:
    """Return a slice; times in ms after its lead-in; units without a beginning never began; it ended after `idle`."""
    arrivals = Arrivals(own=(), at=0, drain_ns=DRAIN_NS)
    work = Work(first=0, lead_in_ns=LEAD_IN_NS, ns=SLICE_NS, keep=True, arrivals=arrivals)
    every: Times = np.array(due) * MS + LEAD_IN_NS
    rows = zip(took, every, np.array(began) + LEAD_IN_NS / MS, strict=False)
    kept = np.array([(took * MS, when, start * MS - when) for took, when, start in rows]).reshape(-1, 3)
    ended_ns = float((kept[:, 1] + kept[:, 2] + np.abs(kept[:, 0])).max()) + idle * MS
    return OpenSlice(work, every, kept, places=1, ended_ns=ended_ns)


def test_a_stall_is_in_the_response_of_every_unit_that_was_due_in_it() -> None:
    """The one that met it took 40 ms, those behind it half of one: a closed loop would have one slow unit."""
    when = [float(k) for k in range(100)]
    began = [max(k, 50 + (k - 10)) if 10 < k < 60 else k for k in when]
    took = [40.0 if k == 10 else 0.5 for k in when]
    found = seen(when, began, took)
    figures = found.figures
    assert figures["service_p99_ns"] < 2 * MS
    assert figures["p99_ns"] > 35 * MS
    assert (figures["due"], figures["unstarted"], figures["is_saturated"]) == (100, 0, False)
    assert figures["backlog"] >= 39
    assert found.left_out is None


def test_a_rate_that_is_too_high_is_named_and_what_never_began_waited_to_the_end() -> None:
    """Each unit takes twice the time between two; after the drain of 50 ms, 75 of 100 have begun."""
    when = [float(k) for k in range(100)]
    began = [2.0 * k for k in range(75)]
    found = seen(when, began, [2.0] * 75)
    figures = found.figures
    assert (figures["unstarted"], figures["is_saturated"]) == (25, True)
    assert found.response[-1] == pytest.approx((100 + 50 - 99) * MS)
    assert found.left_out is None


def test_a_unit_that_there_was_time_for_must_not_be_left_out() -> None:
    """The runner was done 50 ms before it had to give up."""
    found = seen([float(k) for k in range(100)], [float(k) for k in range(99)], [1.0] * 99)
    assert found.left_out == "1 of 100 due units were not sent, although 51 ms remained"


def test_who_got_no_processor_before_it_had_to_give_up_has_left_nothing_out() -> None:
    """Its last unit was over 51 ms earlier; when it could have begun the next one, the time was up."""
    found = seen([float(k) for k in range(100)], [float(k) for k in range(99)], [1.0] * 99, idle=52.0)
    assert found.left_out is None


def test_failed_units_are_no_latencies() -> None:
    """Their place in the queue is."""
    found = seen([0.0, 1.0], [0.0, 1.0], [-5.0, 2.0])
    assert found.response.tolist() == [2 * MS]
    assert (found.failed, len(found.unstarted)) == (1, 0)
