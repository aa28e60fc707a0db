"""A run of `respmark versions` by hand: a step down, one that is missing, and a step up."""

from collections.abc import Mapping
from random import Random

from respmark.figures.cells import RunFigures
from respmark.kinds.loops.record import LoopRecord
from respmark.plan.plan import Trial
from respmark.results.records import Status
from tests.builders.plan import make_cell, make_client
from tests.builders.records import make_record, make_run, make_slice_record, unmeasured

RATES = {"3.5.3": 20_000, "4.6.0": 19_900, "5.0.8": 16_000, "6.4.0": 16_100, "8.1.0": 18_000}
GONE = "no wheel for this Python"


def series_run(rounds: int = 5, rates: Mapping[str, int] = RATES) -> RunFigures:
    return make_run(*series_records(rounds, rates), control="redis-py@3.5.3", rounds=rounds)


def series_records(rounds: int = 5, rates: Mapping[str, int] = RATES) -> list[LoopRecord]:
    records = [record for version, rate in rates.items() for record in _records(version, rate, rounds)]
    gone = make_cell(make_client("redis-py@4.0.0", library="redis-py", version="4.0.0"))
    return [*records, unmeasured(Status.MISSING, GONE, Trial(gone, 1))]


def _records(version: str, rate: int, rounds: int) -> list[LoopRecord]:
    random = Random(version)  # noqa: S311 - noise, no secret
    cell = make_cell(make_client(f"redis-py@{version}", library="redis-py", version=version))
    return [
        make_record(
            Trial(cell, number),
            slices=[make_slice_record(round(rate * random.gauss(1, 0.01)), lap) for lap in range(1, 7)],
            versions={"redis-py": version},
        )
        for number in range(1, rounds + 1)
    ]
