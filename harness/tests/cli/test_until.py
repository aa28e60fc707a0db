"""`--until`: how many further rounds that takes, and what a run says of the precision that was asked of it."""

import math
from pathlib import Path
from typing import Any, cast

import pytest

from respmark.cli import under_way as module
from respmark.cli.until import NAMED, measure_until, more_rounds, precision_reached
from respmark.errors import ExitCode
from respmark.kinds.loops.record import LoopRecord
from respmark.results.manifest import Until
from respmark.results.store import RunFolder
from respmark.run.run import Run
from respmark.run.testbed import OpenOptions
from respmark.setup.prepare import Prepared
from tests.builders.records import laps, make_manifest, make_run, planned_cell
from tests.cli.conftest import Command, Opens


def until(half_width: float) -> Until:
    return Until(half_width=half_width, budget_s=600.0, looks=1)


def two_clients() -> list[LoopRecord]:
    return [*laps("a", 1000), *laps("b", 2000)]


def test_reached_is_said_with_what_it_took() -> None:
    lines = precision_reached(make_run(*two_clients(), wall_s=90.0), until(0.2))
    assert lines == ["Every comparison is known to ±20.0%: reached after 90 s."]


def test_how_long_it_took_is_left_out_where_nobody_knows() -> None:
    """A run that was interrupted has no duration."""
    lines = precision_reached(make_run(*two_clients(), wall_s=None), until(0.2))
    assert lines == ["Every comparison is known to ±20.0%: reached."]


def test_what_is_not_precise_enough_is_named_with_what_it_would_take() -> None:
    """Client and scenario, the width so far, and more rounds: a width shrinks as their square root. Each takes 20 s."""
    first, named = precision_reached(make_run(*two_clients(), wall_s=80.0), until(0.001))
    assert first == "Not every comparison is known to ±0.1%: 1 is less precise after 80 s."
    assert named == " - b in sync, tiny, spawned: ±0.4% after 4 rounds; about 77 more, 26 min, should be enough"


def test_too_few_rounds_have_no_width() -> None:
    records = [record for record in two_clients() if record.round == 1]
    _, named = precision_reached(make_run(*records, wall_s=80.0), until(0.02))
    assert named.endswith(": too few rounds for an interval")


def test_the_widest_are_named_and_the_others_counted() -> None:
    clients = [record for name in "bcdefgh" for record in laps(name, 2000)]
    first, *named, more = precision_reached(make_run(*laps("a", 1000), *clients, wall_s=80.0), until(0.0001))
    assert ": 7 are less precise after 80 s." in first
    assert len(named) == NAMED
    assert more == f" - and {7 - NAMED} more"


@pytest.mark.parametrize("option", [(), ("--quiet",)])
def test_a_run_ends_with_it(
    respmark: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, option: tuple[str, ...]
) -> None:
    """With `--quiet` as well: it is part of the summary."""

    def measures(options: OpenOptions) -> ExitCode:
        folder = RunFolder.create(options.folder)
        records = two_clients()
        cells = list({record.cell_id: planned_cell(record) for record in records}.values())
        folder.write_manifest(make_manifest(cells=cells, rounds=4, until=until(0.2), wall_s=90.0))
        for record in records:
            folder.append(record)
        return ExitCode.OK

    monkeypatch.setattr(module, "quick_warnings", lambda _plan, **_: [])
    monkeypatch.setattr("respmark.cli.setup.set_up", lambda *_what: Prepared(packages={}))
    monkeypatch.setattr(module, "opened", Opens(measures))
    finished = respmark("run", "smoke", "--until", "20%", *option, "--out", str(tmp_path / "out"))
    assert "Every comparison is known to ±20.0%: reached after 90 s." in finished.output


@pytest.mark.parametrize(
    ("rounds", "width", "more"),
    [(10, 0.021, 2), (10, 0.024, 5), (10, 0.2, 10), (3, math.inf, 3), (0, math.inf, 1)],
)
def test_an_interval_narrows_with_the_square_root_of_its_rounds(rounds: int, width: float, more: int) -> None:
    """At most as many again: a few rounds say little about how many are needed."""
    assert more_rounds(rounds, width, 0.02) == more


class Rounds:
    """A run of two blocks, one of which is wide until it has as many rounds as a test says."""

    def __init__(self, folder: Path, time_for: int = 99) -> None:
        self.time_for = time_for
        self.measured: list[Any] = []
        self.folder = RunFolder.create(folder)
        records = two_clients()
        cells = list({record.cell_id: planned_cell(record) for record in records}.values())
        self.folder.write_manifest(make_manifest(cells=cells, rounds=4))
        for record in records:
            self.folder.append(record)

    def has_time(self, only: Any = None) -> bool:  # noqa: ANN401 - names of blocks
        return only != {} and len(self.measured) < self.time_for

    def measure_round(self, only: Any) -> bool:  # noqa: ANN401 - names of blocks
        if not self.has_time(only):
            return False
        self.measured.append(only)
        return True


def test_wide_blocks_are_measured_as_often_as_their_widths_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then comes the next look; without any that is wide, it is over."""
    run, notes = Rounds(tmp_path / "out"), list[str]()
    (block,) = {record.block for record in two_clients()}
    wide = next(record.cell_id for record in two_clients() if record.client.name == "b")
    widths = [{wide: 0.025}, {wide: 0.021}, {}]
    monkeypatch.setattr("respmark.cli.until.too_wide", lambda *_: widths.pop(0))
    measure_until(cast("Run", run), until(0.02), notes.append)
    assert run.measured == [{block}] * (3 + 1)
    assert notes == [f"1 comparisons are less precise than ±2.0%: up to {more} more rounds" for more in (3, 1)]


def test_the_time_alone_ends_it(tmp_path: Path) -> None:
    """However wide intervals still are."""
    run = Rounds(tmp_path / "out", time_for=7)
    measure_until(cast("Run", run), until(1e-9), lambda _: None)
    assert len(run.measured) == 7
