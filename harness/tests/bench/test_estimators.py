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
    estimators,
    read,
    recorded,
    student,
    tallies,
    write,
)
from respmark.plan.trial import Trial
from respmark.results.store import RunFolder
from tests.builders.plan import planned
from tests.builders.records import make_manifest, make_record, make_slice_record, planned_cell

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


def test_student_by_hand() -> None:
    """Three values, of which a table says 4.303 standard errors."""
    ratio = student([0.1, 0.2, 0.3])
    assert ratio.value == pytest.approx(math.exp(0.2))
    assert math.log(ratio.high or 0) - 0.2 == pytest.approx(4.3027 * 0.1 / math.sqrt(3), rel=1e-4)


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


def test_blocks_with_too_few_rounds_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The table has a row for that; the same seed prints the same."""
    write(observations(copies=3), tmp_path / "aa.csv.gz")
    estimators(tmp_path / "aa.csv.gz", rounds=(2, 3), runs=2)
    first = capsys.readouterr().out
    assert first.count("| 3 | no block has so many rounds |") == 3
    assert f"| 2 | {IN_USE} |" in first
    estimators(tmp_path / "aa.csv.gz", rounds=(2, 3), runs=2)
    assert capsys.readouterr().out == first
