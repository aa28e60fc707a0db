"""Clients over many runs, as a picture and as tables."""

from dataclasses import replace

import pytest

from respmark.figures.series import history_of
from respmark.report.html.picture import history_picture, svg
from respmark.report.markdown import markdown
from respmark.report.series import history_chapters
from tests.figures.builders import OTHER_MACHINE, run_on

RUNS = [
    run_on(1, 1000, 1000),
    run_on(2, 1000, 2000, "2"),
    run_on(3, 1000, 2100, "2<script>", machine=OTHER_MACHINE),
]


def test_a_step_is_marked_in_the_picture_and_in_the_table() -> None:
    """Of throughput and of what a command costs; each machine has a line of its own."""
    found = history_of(RUNS)
    spec = history_picture(found)
    (rows,) = spec["datasets"].values()
    assert [one["metric"] for one in rows] == ["new in sync: RPS"] * 3 + ["new in sync: client CPU"] * 3
    steps = [(one["release"], one["step"]) for one in rows if one["step"] is not None]
    assert steps == [
        ("2026-11-23 09:00", pytest.approx(2.0, rel=0.02)),
        ("2026-11-23 09:00", pytest.approx(0.5, rel=0.02)),
    ]
    assert len({one["machine"] for one in rows}) == 2
    assert "ratios to same over 3 runs" in svg(spec)
    assert "better: 2.0" in markdown(history_chapters(found))


def test_a_build_stands_with_its_commit() -> None:
    run = run_on(1, 1000, 1000)
    manifest = run.manifest.model_copy(update={"commits": {"new": "0a1b2c3d4e5f-dirty"}})
    text = markdown(history_chapters(history_of([replace(run, manifest=manifest), RUNS[1]])))
    assert "| 1 (0a1b2c3d4e5f-dirty) |" in text


def test_figures_of_machines_stand_beside_each_other_uncompared() -> None:
    """Each run names its machine; the note says what its commands per second are worth."""
    text = markdown(history_chapters(history_of(RUNS)))
    assert "| 2026-11-22 09:00 | 1 | A |" in text
    assert "| 2026-11-24 09:00 | 2&lt;script> | B |" in text
    assert "machine B: 64 x A CPU" in text
    assert "say nothing about each other" in text
