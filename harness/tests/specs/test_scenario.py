"""What a latency sample covers, by scenario."""

import pytest

from respmark.contract.trial import Form, SampleCovers, Scenario, Shape, Window
from respmark.specs.scenario import sample_covers


@pytest.mark.parametrize(
    ("scenario", "shape", "covers"),
    [
        (Scenario.SYNC, Shape(), SampleCovers.COMMAND),
        (Scenario.PIPELINING, Shape(depth=2, window=Window.BURST), SampleCovers.BURST),
        (Scenario.PIPELINING, Shape(depth=2, window=Window.SLIDING), SampleCovers.COMMAND),
        (Scenario.BATCHING, Shape(depth=2), SampleCovers.BATCH),
        (Scenario.TRANSACTION, Shape(depth=2, form=Form.QUEUED), SampleCovers.TRANSACTION),
        (Scenario.THREADS, Shape(threads=2, connections=1), SampleCovers.COMMAND),
        (Scenario.POOL, Shape(threads=2, max_total=2), SampleCovers.COMMAND),
        (Scenario.NEW_CONNECTION, Shape(), SampleCovers.CONNECTION),
    ],
)
def test_a_sample_covers_the_scenarios_unit(scenario: Scenario, shape: Shape, covers: SampleCovers) -> None:
    """The table of units in the contract's page, row by row."""
    assert sample_covers(scenario, shape) is covers
