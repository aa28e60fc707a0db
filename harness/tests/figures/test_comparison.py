"""The cells of a block against its baseline, and how precisely their ratios are known."""

from collections.abc import Mapping
from random import Random

import pytest

from respmark.figures.cells import RunFigures
from respmark.figures.comparison import Change, by_cell, per_base, per_block
from respmark.figures.estimate import Ratio
from respmark.figures.pairing import Pair, to_baseline, to_first_conditions
from respmark.figures.precision import half_widths, precision_of, too_wide
from respmark.kinds.loops.kind import LOOPS
from respmark.kinds.loops.record import LoopRecord
from respmark.results.manifest import Until
from respmark.results.records import Status
from tests.builders.records import SECOND_NS, make_record, make_run, make_slice_record, unmeasured
from tests.figures.builders import record, trial_of


def comparisons_of(run: RunFigures, baseline: str | None = None) -> dict[str, Change]:
    return by_cell(to_baseline(run, baseline), per_base)


def condition_changes(run: RunFigures) -> dict[str, Change]:
    return by_cell(to_first_conditions(run), per_block)


def compared(*records: LoopRecord) -> dict[str, Change]:
    return comparisons_of(make_run(*records))


def found(*records: LoopRecord) -> dict[str, float]:
    return {cell_id: one.ratio("rps").value for cell_id, one in compared(*records).items()}


def test_the_first_client_of_a_block_is_its_baseline() -> None:
    """It has no comparison of its own, the others have their ratio to it."""
    comparisons = compared(record("a", 1000), record("b", 2000), record("c", 500))
    assert {cell_id: one.ratio("rps").value for cell_id, one in comparisons.items()} == pytest.approx(
        {"b--sync": 2.0, "c--sync": 0.5}
    )
    assert {(one.base.cell_id, one.base.client) for one in comparisons.values()} == {("a--sync", "a")}


def test_a_baseline_whose_first_round_failed_is_still_the_baseline() -> None:
    failed = unmeasured(Status.FAILED, "crashed", trial_of("a", 1))
    later = [record("a", 1000, number=2), record("b", 3000, number=2)]
    assert found(failed, record("b", 2000), *later) == pytest.approx({"b--sync": 3.0})


def test_a_lap_that_one_of_them_lacks_is_left_out_of_both() -> None:
    """Slices are compared with those of the same lap, or not at all."""
    lost = [make_slice_record(1000, 1), make_slice_record(100, 2, reason="refuted"), make_slice_record(1000, 3)]
    a = make_record(trial_of("a"), slices=lost)
    b = make_record(trial_of("b"), slices=[make_slice_record(5000, 2), make_slice_record(2000, 3)])
    assert found(a, b) == pytest.approx({"b--sync": 2.0})
    assert found(make_record(trial_of("a"), slices=lost[:2]), b) == {}


def test_cpu_is_compared_as_throughput_is() -> None:
    """Client and server CPU per command, each a ratio of its own; waiting costs as work does."""
    costs = {"slice_cpu_ns": SECOND_NS * 3 // 4, "waiting_cpu_ns": SECOND_NS // 4, "server_cpu_ns": SECOND_NS // 10}
    b = make_record(trial_of("b"), slices=[make_slice_record(**costs)])
    (comparison,) = compared(record("a", 1000), b).values()
    assert {metric: comparison.ratio(metric).value for metric in ("rps", "client_cpu", "server_cpu")} == pytest.approx(
        {"rps": 1.0, "client_cpu": 2.0, "server_cpu": 0.5}
    )


def ratio(half_width_percent: float | None) -> Ratio:
    if half_width_percent is None:
        return Ratio(value=2.0)
    reach = 2.0 * half_width_percent / 100
    return Ratio(value=2.0, low=2.0 - reach, high=2.0 + reach, shown=True)


def comparison(rps: float | None) -> Change:
    (cell,) = make_run(record("a", 1000)).cells
    return Change(Pair(cell, cell), {}, {"rps": ratio(rps), "client_cpu": ratio(1.0), "server_cpu": ratio(1.0)})


def test_widths_are_counted_by_metric() -> None:
    """Ten intervals of 0 to 9 %: nine of them are at most 8 % wide, five at most 5 %."""
    found = precision_of(LOOPS, (comparison(width + 1e-9) for width in map(float, range(10))))["rps"]
    assert found.intervals == 10
    assert found.half_width_percent_median == pytest.approx(4.5)
    assert found.half_width_percent_90 == pytest.approx(8)
    assert found.within_percent == {2: 2, 5: 5, 10: 10}


def until(half_width: float, looks: int = 1) -> Until:
    return Until(half_width=half_width, budget_s=1.0, looks=looks)


def rounds(spread: int, count: int = 4, **labels: str) -> list[LoopRecord]:
    return [
        record(client, *(1000 + (7 * number + 3 * lap) % 5 * by for lap in range(1, 6)), number=number).model_copy(
            update={"cell_id": f"{client}{labels.get('block', '')}", **labels}
        )
        for number in range(1, count + 1)
        for client, by in (("a", 0), ("b", spread))
    ]


def test_what_is_wider_than_wanted_is_named_with_its_half_width() -> None:
    """The wider of throughput and client CPU per command; every look has its share of the error."""
    run = make_run(*rounds(100))
    (one,) = comparisons_of(run).values()
    widths = [one.ratio(metric).half_width or 0 for metric in ("rps", "client_cpu")]
    assert half_widths(run) == too_wide(run, 0.001) == {"b": max(widths)}
    assert too_wide(run, 0.99) == {}
    assert half_widths(make_run(*rounds(100), until=until(0.001, looks=5)))["b"] > max(widths)


def ratios(comparisons: Mapping[str, Change]) -> dict[tuple[str, str], float]:
    return {(cell_id, one.base.cell_id): one.ratio("rps").value for cell_id, one in comparisons.items()}


def in_places(client: str, rates: dict[str, int], *, seed: int) -> list[LoopRecord]:
    """Return three rounds of a client in one block, in several workloads."""
    dice = Random(seed)  # noqa: S311 - noise, no secret
    return [
        record(client, *(round(rate * dice.gauss(1, 0.01)) for _ in range(5)), number=number).model_copy(
            update={"cell_id": f"{client}--{workload}", "workload": workload, "block": "both"}
        )
        for workload, rate in rates.items()
        for number in range(1, 4)
    ]


def test_in_a_block_of_clients_and_workloads_clients_are_compared_in_each_workload() -> None:
    """With the first client there; and as a second set, each client with itself in the first workload."""
    a = in_places("a", {"small": 1000, "large": 500}, seed=1)
    b = in_places("b", {"small": 2000, "large": 750}, seed=2)
    run = make_run(*a, *b)
    assert ratios(comparisons_of(run)) == pytest.approx(
        {("b--small", "a--small"): 2.0, ("b--large", "a--large"): 1.5}, rel=0.02
    )
    assert ratios(condition_changes(run)) == pytest.approx(
        {("a--large", "a--small"): 0.5, ("b--large", "b--small"): 0.375}, rel=0.02
    )
    to_b = comparisons_of(run, "b")
    assert {cell_id: one.base.cell_id for cell_id, one in to_b.items()} == {
        "a--small": "b--small",
        "a--large": "b--large",
    }


def test_a_client_alone_is_compared_with_its_first_workload() -> None:
    """Then there is no second set."""
    run = make_run(*in_places("a", {"small": 1000, "large": 500}, seed=1))
    assert {cell_id: one.base.cell_id for cell_id, one in comparisons_of(run).items()} == {"a--large": "a--small"}
    assert condition_changes(run) == {}


def test_the_servers_memory_is_compared_between_workloads_alone() -> None:
    """Whichever client reads the same keys, they take as much."""
    both = [
        one.model_copy(
            update={
                "trial_id": f"{one.cell_id}.{one.round}",
                "memory_bytes_per_key": {"keys": 100.0, "hashes": 400.0}[one.workload],
            }
        )
        for seed, client in enumerate("ab")
        for one in in_places(client, {"keys": 1000, "hashes": 500}, seed=seed)
    ]
    run = make_run(*both)
    assert not any(one.ratio("server_memory").is_known for one in comparisons_of(run).values())
    found = {cell_id: one.ratio("server_memory").value for cell_id, one in condition_changes(run).items()}
    assert found == pytest.approx({"a--hashes": 4.0, "b--hashes": 4.0})
