"""A run of a library in two versions."""

from collections.abc import Iterator
from random import Random

from respmark.contract.trial import Scenario, Shape
from respmark.figures.cells import RunFigures
from respmark.kinds.loops.record import LoopRecord
from tests.builders.plan import make_client, make_trial
from tests.builders.records import make_record, make_run, make_slice_record

VERSIONS = {"redis-py": "6.4.0", "redis-py@3.5.3": "3.5.3"}
RATES = {
    Scenario.SYNC: {"redis-py": 20_000, "redis-py@3.5.3": 10_000},
    Scenario.NEW_CONNECTION: {"redis-py": 1_000, "redis-py@3.5.3": 1_000},
}


def two_versions(rounds: int = 3) -> RunFigures:
    return make_run(*_records(rounds), rounds=rounds)


def _records(rounds: int) -> Iterator[LoopRecord]:
    random = Random(1)  # noqa: S311 - noise, no secret
    for number in range(1, rounds + 1):
        for scenario, rates in RATES.items():
            for name, rate in rates.items():
                client = make_client(name, library="redis-py")
                yield make_record(
                    make_trial(scenario, Shape(), number, client),
                    slices=[make_slice_record(round(rate * random.gauss(1, 0.02)), lap) for lap in range(1, 7)],
                    versions={"redis-py": VERSIONS[name]},
                )
