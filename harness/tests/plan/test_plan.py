"""The names of cells and trials."""

from hypothesis import given
from hypothesis import strategies as st

from respmark.contract.trial import Form, Scenario, Shape, Window
from respmark.plan.plan import shape_words
from tests.builders.plan import make_cell, make_client, make_trial

NUMBERS = st.none() | st.integers(1, 10**6)
SHAPES = st.builds(
    Shape,
    depth=NUMBERS,
    window=st.none() | st.sampled_from(Window),
    form=st.none() | st.sampled_from(Form),
    threads=NUMBERS,
    connections=NUMBERS,
    max_total=NUMBERS,
    max_idle=st.none() | st.integers(0, 100),
    processes=st.integers(1, 8),
)


def test_a_name_says_client_scenario_and_shape() -> None:
    """What shells and file systems dislike is written as plus signs, and what does not apply is left out."""
    trial = make_trial(Scenario.PIPELINING, Shape(depth=100, window=Window.BURST, processes=2), 3, make_client("lib"))
    assert trial.id == "lib--pipelining--depth=100--window=burst--processes=2--round=3"
    trial = make_trial(client=make_client("lib@1.0[parser=slow,timeout=true]"))
    assert trial.cell.id == "lib@1.0+parser=slow+timeout=true--sync"
    assert shape_words(Shape(max_idle=0)) == ["max_idle=0"]


@given(SHAPES, SHAPES)
def test_shapes_that_differ_have_names_that_differ(first: Shape, second: Shape) -> None:
    names = [make_cell(make_client(), Scenario.SYNC, shape).id for shape in (first, second)]
    assert (names[0] == names[1]) == (first == second)
