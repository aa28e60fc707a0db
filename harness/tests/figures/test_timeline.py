"""Releases on one scale, and the steps between neighbours."""

from collections.abc import Mapping
from random import Random

import pytest

from respmark.contract.trial import Shape
from respmark.figures.cells import RunFigures
from respmark.figures.series import Point, Series, releases_of
from respmark.kinds.loops.record import LoopRecord
from respmark.plan.plan import Trial
from respmark.results.records import Status
from tests.builders.plan import make_cell, make_client
from tests.builders.records import make_record, make_run, make_slice_record, unmeasured

ROUNDS = 5
RATES = {"1.0.0": 10_000, "1.1.0": 10_000, "1.2.0": 8_000, "1.10.0": 8_000, "2.0.0": 9_000}
BLOCKS = {"one": ("1.0.0", "1.1.0", "1.2.0"), "two": ("1.0.0", "1.2.0", "1.10.0", "2.0.0")}


def records_of(block: str, version: str, rate: int, *, disturbed: float = 1.0) -> list[LoopRecord]:
    cell = make_cell(make_client(f"lib@{version}", version=version), block_name=block)
    random = Random(f"{version} in {block}")  # noqa: S311 - noise, no secret
    return [
        make_record(
            Trial(cell, number),
            slices=[make_slice_record(round(rate * disturbed * random.gauss(1, 0.005)), lap) for lap in range(1, 7)],
            versions={"lib": version},
        )
        for number in range(1, ROUNDS + 1)
    ]


def series(
    *more: LoopRecord,
    rates: Mapping[str, int] = RATES,
    blocks: Mapping[str, tuple[str, ...]] = BLOCKS,
    control: str | None = "lib@1.0.0",
) -> RunFigures:
    """Return a run whose second block was disturbed: everything in it has half of the throughput."""
    records = [
        record
        for block, versions in blocks.items()
        for version in versions
        for record in records_of(block, version, rates[version], disturbed=0.5 if block == "two" else 1.0)
    ]
    return make_run(*records, *more, control=control)


def timeline(run: RunFigures) -> Series:
    (found,) = releases_of(run)
    return found


def by_version(run: RunFigures) -> dict[str, Point]:
    return {one.label: one for one in timeline(run).points}


def test_blocks_are_on_one_scale() -> None:
    """Whatever disturbed a block; releases stand in their order, each once."""
    found = by_version(series())
    assert list(found) == list(RATES)
    ratios = {version: one.to("rps").value for version, one in found.items() if version != "1.0.0"}
    assert ratios == pytest.approx({"1.1.0": 1.0, "1.2.0": 0.8, "1.10.0": 0.8, "2.0.0": 0.9}, rel=0.01)
    assert not found["1.0.0"].to("rps").is_known
    assert timeline(series()).control_label == "1.0.0"


def test_a_step_is_named_by_its_release_with_its_factor() -> None:
    """In throughput, and in the CPU of a command, which changes the other way round."""
    found = by_version(series())
    assert {version: list(one.steps) for version, one in found.items() if one.steps} == {
        "1.2.0": ["rps", "client_cpu"],
        "2.0.0": ["rps", "client_cpu"],
    }
    assert found["1.2.0"].before == "1.1.0"
    assert found["1.2.0"].steps["rps"].value == pytest.approx(0.8, rel=0.01)
    assert found["1.2.0"].steps["client_cpu"].value == pytest.approx(1.25, rel=0.01)
    assert found["2.0.0"].steps["rps"].value == pytest.approx(1.125, rel=0.01)


def test_steps_are_corrected_for_the_number_of_neighbours() -> None:
    """What two neighbours show alone, they do not show among forty."""
    few = {"1.0.0": 10_000, "1.1.0": 10_060}
    many = {**few, **{f"2.{number}.0": 10_060 for number in range(38)}}
    assert by_version(series(rates=few, blocks={"one": tuple(few)}))["1.1.0"].steps
    assert not by_version(series(rates=many, blocks={"one": tuple(many)}))["1.1.0"].steps


def test_neighbours_of_different_blocks_are_compared_through_the_control() -> None:
    """With the errors of both: where the release between them could not be measured."""
    blocks = {"one": ("1.0.0", "1.1.0"), "two": ("1.0.0", "1.10.0", "2.0.0")}
    direct, through = by_version(series())["1.2.0"], by_version(series(blocks=blocks))["1.10.0"]
    assert through.before == "1.1.0"
    ratio, other = through.steps["rps"], direct.steps["rps"]
    assert ratio.value == pytest.approx(0.8, rel=0.01)
    assert ratio.half_width is not None
    assert other.half_width is not None
    assert ratio.half_width > other.half_width


def test_a_release_without_figures_keeps_its_place_and_its_reason() -> None:
    """The next step is from the release before it."""
    cell = make_cell(make_client("lib@1.1.5", version="1.1.5"), block_name="one")
    missing = unmeasured(Status.MISSING, "no wheel for this Python", Trial(cell, 1))
    found = by_version(series(missing))
    assert list(found) == ["1.0.0", "1.1.0", "1.1.5", "1.2.0", "1.10.0", "2.0.0"]
    assert (found["1.1.5"].cell.status, found["1.1.5"].cell.reason) == (Status.MISSING, "no wheel for this Python")
    assert (found["1.1.5"].before, found["1.2.0"].before) == (None, "1.1.0")
    assert "rps" in found["1.2.0"].steps


def test_if_the_control_was_not_measured_another_release_of_every_block_is() -> None:
    blocks = {"one": ("1.1.0", "1.2.0"), "two": ("1.2.0", "1.10.0", "2.0.0")}
    assert timeline(series(blocks=blocks)).control == "lib@1.2.0"
    apart = {"one": ("1.1.0", "1.2.0"), "two": ("1.10.0", "2.0.0")}
    found = timeline(series(blocks=apart))
    assert found.control is None
    assert [one.before for one in found.points if one.steps] == ["1.1.0", "1.10.0"]


def test_only_a_series_has_timelines() -> None:
    """Versions that were compared otherwise have their own tables."""
    assert releases_of(series(control=None)) == []


def test_a_use_with_a_rate_has_a_timeline_of_what_is_named() -> None:
    """As `bisect` does of faults, which have a rate. By itself, its throughput would be what was asked for."""
    records = [
        make_record(
            Trial(make_cell(make_client(f"lib@{version}", version=version), shape=Shape(rate="40")), number),
            slices=[make_slice_record(per_s + 10 * number, lap) for lap in range(1, 7)],
            versions={"lib": version},
        )
        for version, per_s in {"1.0.0": 10_000, "2.0.0": 5_000}.items()
        for number in range(1, ROUNDS + 1)
    ]
    run = make_run(*records, control="lib@1.0.0")
    assert releases_of(run) == []
    (found,) = releases_of(run, ["rps"])
    assert [one.before for one in found.points if one.steps] == ["1.0.0"]


def test_options_that_are_a_releases_defaults_are_no_other_series() -> None:
    names = {"lib@1.0.0": "1.0.0", "lib@2.0.0[protocol=2]": "2.0.0"}
    records = [
        make_record(Trial(make_cell(make_client(name, version=version)), number), versions={"lib": version})
        for name, version in names.items()
        for number in (1, 2)
    ]
    found = timeline(make_run(*records, control="lib@1.0.0"))
    assert found.options == "protocol=2"
    assert [one.label for one in found.points] == ["1.0.0", "2.0.0"]
