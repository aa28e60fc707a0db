"""Suites: the shapes of their trials."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from respmark.contract.trial import Shape, Window
from respmark.specs.suite import ShapeAxes, TrialsSpec
from tests.properties import UNTIMED

AXIS = st.lists(st.integers(1, 1000), max_size=4, unique=True).map(tuple)


def trials(**fields: object) -> TrialsSpec:
    """Return the trials of one scenario, as a suite's file gives them."""
    return TrialsSpec.model_validate_json(json.dumps(fields))


def test_no_axes_are_one_shape() -> None:
    """A scenario without numbers has one trial."""
    assert ShapeAxes().shapes() == [Shape()]


def test_the_last_axis_changes_fastest() -> None:
    """Shapes come in the order in which a reader would write them down."""
    shapes = ShapeAxes(depth=(10, 1), window=(Window.BURST, Window.SLIDING)).shapes()
    assert [(shape.depth, shape.window) for shape in shapes] == [
        (10, "burst"),
        (10, "sliding"),
        (1, "burst"),
        (1, "sliding"),
    ]


@UNTIMED
@given(st.fixed_dictionaries(dict.fromkeys(("depth", "threads", "connections", "max_total", "processes"), AXIS)))
def test_every_combination_is_there_once(axes: dict[str, tuple[int, ...]]) -> None:
    """The shapes are the product of the axes that are given."""
    shapes = ShapeAxes.model_validate(axes).shapes()
    given_axes = [values for values in axes.values() if values]
    assert len(shapes) == math.prod(len(values) for values in given_axes)
    assert len(set(shapes)) == len(shapes)
    for name, values in axes.items():
        assert {getattr(shape, name) for shape in shapes} == set(values) or not values


def test_zero_idle_connections_is_a_value() -> None:
    """A pool that keeps no idle connection is a shape of its own, not the absence of one."""
    (shape,) = ShapeAxes(threads=(1,), max_total=(1,), max_idle=(0,)).shapes()
    assert shape.max_idle == 0


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


def test_processes_go_with_every_scenario() -> None:
    """Several processes are a shape of `sync` too."""
    assert [shape.processes for shape in trials(scenario="sync", shape={"processes": [1, 2]}).shape.shapes()] == [1, 2]
