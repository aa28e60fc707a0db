"""Suites, scenarios and servers: shapes of trials, and what a sample covers."""

import json

from respmark.contract.trial import Shape, Window
from respmark.specs.suite import ShapeAxes, TrialsSpec


def trials(**fields: object) -> TrialsSpec:
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
