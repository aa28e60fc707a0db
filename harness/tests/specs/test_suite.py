"""Suites, scenarios and servers: shapes of trials, and what a sample covers."""

import json

import pytest
from pydantic import ValidationError

from respmark.contract.trial import Shape, Window
from respmark.specs.suite import ShapeAxes, TrialsSpec


def trials(**fields: object) -> TrialsSpec:
    """Return the trials of one scenario, as a suite's file gives them."""
    return TrialsSpec.model_validate_json(json.dumps(fields))


def test_the_shapes_are_the_product_of_the_axes() -> None:
    """The last axis changes fastest, as a reader would write them down; no axes are one shape."""
    assert ShapeAxes().shapes() == [Shape()]
    shapes = ShapeAxes(depth=(10, 1), window=(Window.BURST, Window.SLIDING)).shapes()
    assert [(shape.depth, shape.window) for shape in shapes] == [
        (10, "burst"),
        (10, "sliding"),
        (1, "burst"),
        (1, "sliding"),
    ]
    (none_idle,) = ShapeAxes(threads=(1,), max_total=(1,), max_idle=(0,)).shapes()
    assert none_idle.max_idle == 0
    assert [shape.processes for shape in trials(scenario="sync", shape={"processes": [1, 2]}).shape.shapes()] == [1, 2]
    assert [shape.rtt_ms for shape in trials(scenario="sync", shape={"rtt_ms": [0, 0.2]}).shape.shapes()] == [None, 0.2]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"scenario": "batching"}, "batching needs depth in its shape"),
        ({"scenario": "transaction", "shape": {"depth": [1]}}, "transaction needs form in its shape"),
        ({"scenario": "sync", "shape": {"depth": [1]}}, "sync does not use depth of its shape"),
        ({"scenario": "batching", "shape": {"depth": [0]}}, "greater than or equal to 1"),
        ({"scenario": "pipelining", "shape": {"depth": [1], "window": ["wide"]}}, "'burst' or 'sliding'"),
        ({"scenario": "sync", "shape": {"pipeline": [1]}}, "pipeline"),
        ({"scenario": "sync", "shape": {"processes": 2}}, "processes"),
    ],
)
def test_shapes_that_do_not_fit_their_scenario_are_refused(fields: dict[str, object], words: str) -> None:
    """A suite that could not run is refused when it is read, and says why."""
    with pytest.raises(ValidationError, match=words):
        trials(**fields)
