"""Estimators on clients against themselves: simulated ones, whose truth is known."""

import math
import random
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from bench.aa import against_itself
from bench.estimators import (
    ESTIMATORS,
    IN_USE,
    Copies,
    Observation,
    Tally,
    blocks_of,
    bootstrap,
    estimators,
    pairs_of,
    prior_lines,
    read,
    recorded,
    relabelled,
    resamples,
    shifted,
    student,
    tallies,
    write,
)
from respmark.errors import InvalidRequestError
from respmark.plan.trial import Trial
from respmark.results.store import RunFolder
from tests.builders.plan import planned
from tests.builders.records import make_manifest, make_record, make_slice_record, planned_cell
from tests.statistics.builders import make_rounds

BLOCK = ("lib", "sync", 1)
ANY_RATES = ("t over laps, rounds ignored", "bootstrap over rounds")


def simulated(blocks: int, rounds: int, process_sd: float, laps: int = 10) -> list[list[Copies]]:
    """Return blocks of six equal copies: laps differ by 5 %, and the processes of a round by so much."""
    rng = np.random.Generator(np.random.PCG64(7))
    return [
        [
            [
                {lap: (math.exp(luck + noise), 1.0) for lap, noise in enumerate(rng.normal(0, 0.05, laps))}
                for luck in rng.normal(0, process_sd, 6)
            ]
            for _ in range(rounds)
        ]
        for _ in range(blocks)
    ]


def observations(copies: int = 2, rounds: int = 2) -> list[Observation]:
    """Return a block of two laps a round."""
    return [
        Observation(BLOCK, copy, number, lap, (1000.0 * copy, 1.0, 2.5 + lap, 2.0, 3.0 + number, 2.0))
        for copy, number, lap in product(range(1, copies + 1), range(1, rounds + 1), (1, 2))
    ]


def test_the_file_holds_what_was_written(tmp_path: Path) -> None:
    """The same slices, in the same bytes each time."""
    one, other = tmp_path / "new" / "aa.csv.gz", tmp_path / "again.csv.gz"
    write(observations(), one)
    write(read(one), other)
    assert list(read(one)) == observations()
    assert one.read_bytes() == other.read_bytes()


@pytest.mark.parametrize("content", [b"no gzip", b""])
def test_a_file_that_does_not_read_is_refused(tmp_path: Path, content: bytes) -> None:
    """In a sentence."""
    path = tmp_path / "aa.csv.gz"
    path.write_bytes(content)
    with pytest.raises(InvalidRequestError, match="does not read"):
        list(read(path))


def test_runs_of_a_client_against_itself_are_read(tmp_path: Path) -> None:
    """Every counted slice, with its block and its copy; blocks of different runs are different blocks."""
    plan = against_itself(planned(clients=("redis-py[parser=hiredis]",), scenarios=("sync",)), 5)
    records = [
        make_record(Trial(cell, 1), slices=[make_slice_record(), make_slice_record(number=2, reason="not so")])
        for cell in plan.cells
    ]
    for name in ("one", "two"):
        folder = RunFolder.create(tmp_path / name)
        folder.write_manifest(make_manifest(cells=[planned_cell(record) for record in records]))
        for record in records:
            folder.append(record)
    found = list(recorded([tmp_path / "one", tmp_path / "two"]))
    assert {(one.place[2], one.copy) for one in found} == set(product((1, 2), range(1, 7)))
    assert {(one.round, one.lap, one.figures[0]) for one in found} == {(1, 1, 1000.0)}
    assert len(found) == 12


def test_a_run_of_different_clients_is_refused(tmp_path: Path) -> None:
    """Their differences are no false claims."""
    record = make_record()
    folder = RunFolder.create(tmp_path / "run")
    folder.write_manifest(make_manifest(cells=[planned_cell(record)]))
    folder.append(record)
    with pytest.raises(InvalidRequestError, match=r"is not a run of `bench/aa\.py`"):
        list(recorded([tmp_path / "run"]))


def test_a_round_that_lacks_a_copy_is_left_out() -> None:
    """Labels can be exchanged only where every copy is."""
    without = [one for one in observations(copies=3) if (one.copy, one.round) != (2, 2)]
    (block,) = blocks_of(without, 0).values()
    assert block == [[dict.fromkeys((1, 2), (1000.0 * copy, 1.0)) for copy in (1, 2, 3)]]


def test_new_labels_reach_every_ordered_pair() -> None:
    """Each copy is compared with each other one, some time."""
    block: list[Copies] = [[{1: (1.0, 1.0)}, {1: (2.0, 1.0)}, {1: (4.0, 1.0)}]]
    dice = random.Random(1)  # noqa: S311 - no secret
    seen = {round(one.mean / math.log(2)) for _ in range(50) for one in relabelled(block, 1, dice)}
    assert seen == {-2, -1, 1, 2}


def test_a_difference_is_injected_into_every_slice() -> None:
    """The estimate moves by it, the spread does not."""
    rounds = make_rounds((0.1, (-0.1, 0.0, 0.1)), (0.2, (-0.1, 0.0, 0.1)))
    moved = shifted(rounds, 0.05)
    assert moved.mean - rounds.mean == pytest.approx(math.log(1.05))
    assert moved.lap_variance == pytest.approx(rounds.lap_variance)


def test_student_by_hand() -> None:
    """Three values, of which a table says 4.303 standard errors."""
    ratio = student([0.1, 0.2, 0.3])
    assert ratio.value == pytest.approx(math.exp(0.2))
    assert math.log(ratio.high or 0) - 0.2 == pytest.approx(4.3027 * 0.1 / math.sqrt(3), rel=1e-4)


def test_the_bootstrap_takes_every_resample_of_few_rounds() -> None:
    """Of two rounds there are four: a half of them is the mean, the ends are the values."""
    assert len(resamples(2)) == 4
    assert len(resamples(3)) == 27
    ratio = bootstrap(np.array([0.1, 0.2]))
    assert ratio.p_value == 0
    assert ratio.low == pytest.approx(math.exp(0.1), rel=0.01)
    assert ratio.high == pytest.approx(math.exp(0.2), rel=0.01)


def test_what_is_known_of_estimators_is_found() -> None:
    """Where processes differ, ignoring rounds claims falsely; moderation claims hardly ever, and sees more than a t."""
    dice = random.Random(2)  # noqa: S311 - no secret
    found = tallies(simulated(12, 3, 0.02), 3, 8, dice)
    false = {name: tally.false_families / tally.families for name, tally in found.items()}
    assert set(found) == set(ESTIMATORS)
    assert false[IN_USE] < 0.1
    assert all(false[name] > 0.2 for name in ANY_RATES)
    assert found[IN_USE].seen[0.10] > found["t over rounds"].seen[0.10]
    assert found[IN_USE].seen[0.10] >= found[IN_USE].seen[0.03]


def test_the_prior_is_what_the_blocks_have() -> None:
    """Processes that differ by 2 % beside laps that explain 5 %**2 / 10 each: two and a half times as much."""
    rows = prior_lines({"rps": pairs_of(simulated(40, 5, 0.02))})
    metric, count, variance, degrees = (word.strip() for word in rows[4].strip("| ").split("|"))
    assert (metric, count) == ("rps", "600")
    assert 2 < float(variance) < 3.5
    assert float(degrees) > 5


def test_blocks_with_too_few_rounds_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The table has a row for that; the same seed prints the same."""
    write(observations(copies=3), tmp_path / "aa.csv.gz")
    estimators(tmp_path / "aa.csv.gz", rounds=(2, 3), runs=2)
    first = capsys.readouterr().out
    assert first.count("| 3 | no block has so many rounds |") == 3
    assert f"| 2 | {IN_USE} |" in first
    estimators(tmp_path / "aa.csv.gz", rounds=(2, 3), runs=2)
    assert capsys.readouterr().out == first


def test_nothing_to_look_at_is_refused() -> None:
    """With what to name."""
    with pytest.raises(InvalidRequestError, match=r"name folders of runs of `bench/aa\.py`"):
        estimators()


def test_a_tally_in_words() -> None:
    """Shares of families, of comparisons, and widths."""
    tally = Tally(20, 1, [True] * 19 + [False], [0.01] * 10 + [0.02] * 10, {0.03: 5, 0.05: 10, 0.10: 20})
    assert tally.words == ["5.0%", "95.0%", "±1.5%", "±2.0%", "25%", "50%", "100%"]
