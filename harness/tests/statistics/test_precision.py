"""How precisely a run knows its ratios, and which it does not know well enough."""

import pytest

from respmark.results.manifest import Until
from respmark.results.records import TrialRecord
from respmark.statistics.blocks import (
    Comparison,
    comparisons_of,
    least_certain_blocks,
    precision_of,
    wide_comparisons,
)
from respmark.statistics.compare import Ratio
from tests.builders.records import make_run
from tests.statistics.test_blocks import record


def ratio(half_width_percent: float | None) -> Ratio:
    if half_width_percent is None:
        return Ratio(value=2.0)
    reach = 2.0 * half_width_percent / 100
    return Ratio(value=2.0, low=2.0 - reach, high=2.0 + reach, shown=True)


def comparison(rps: float | None) -> Comparison:
    known = ratio(1.0)
    return Comparison(
        baseline="a--sync",
        baseline_client="a",
        baseline_workload="tiny",
        rps=ratio(rps),
        client_cpu=known,
        server_cpu=known,
    )


def test_widths_are_counted_by_metric() -> None:
    """Ten intervals of 0 to 9 %: nine of them are at most 8 % wide, five at most 5 %."""
    found = precision_of(comparison(width + 1e-9) for width in map(float, range(10)))["rps"]
    assert found.intervals == 10
    assert found.half_width_percent_median == pytest.approx(4.5)
    assert found.half_width_percent_90 == pytest.approx(8)
    assert found.within_percent == {2: 2, 5: 5, 10: 10}


def until(half_width: float, looks: int = 1) -> Until:
    return Until(half_width=half_width, budget_s=1.0, looks=looks)


def rounds(spread: int, count: int = 4, **labels: str) -> list[TrialRecord]:
    return [
        record(client, *(1000 + (7 * number + 3 * lap) % 5 * by for lap in range(1, 6)), number=number).model_copy(
            update={"cell_id": f"{client}{labels.get('block', '')}", **labels}
        )
        for number in range(1, count + 1)
        for client, by in (("a", 0), ("b", spread))
    ]


def test_what_is_wider_than_wanted_is_named_with_its_half_width() -> None:
    """The wider of throughput and client CPU per command; every look has its share of the error."""
    blocks = make_run(*rounds(100)).blocks
    (one,) = comparisons_of(blocks).values()
    widths = [one.ratio(metric).half_width or 0 for metric in ("rps", "client_cpu")]
    assert wide_comparisons(blocks, until(0.001)) == {"b": max(widths)}
    assert wide_comparisons(blocks, until(0.99)) == {}
    assert wide_comparisons(blocks, until(0.001, looks=5))["b"] > max(widths)


def test_the_least_certain_block_comes_first() -> None:
    """By the median of its intervals; one without any is the least certain, one that compares nothing is not named."""
    alone = rounds(500, block="alone")[0]
    records = [*rounds(10, block="calm"), *rounds(100, block="wild"), *rounds(0, 1, block="once"), alone]
    assert least_certain_blocks(make_run(*records).blocks) == ["once", "wild", "calm"]
