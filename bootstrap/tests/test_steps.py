"""A step is done once, again when something changed, and from nothing when it was left half done."""

from dataclasses import replace

import pytest

from bootstrap import steps
from bootstrap.errors import StepFailed
from bootstrap.machine import Finished
from bootstrap.model import DEVELOPMENT, Purpose, Step
from bootstrap.tests.fakes import Checkout

STEP = Step(
    name="thing",
    says="the thing",
    commands=(("make-thing", "{word}"),),
    inputs=("in/*.txt",),
    makes="made",
    proof="made/proof",
)


@pytest.fixture
def thing(checkout: Checkout) -> Checkout:
    """Give a checkout in which the thing can be made."""
    checkout.write("in/a.txt", "1")
    checkout.made_by("make-thing", "made/proof")
    return checkout


def do(checkout: Checkout, foundation: str = "base", step: Step = STEP) -> None:
    """Do the step."""
    steps.do(step, {"word": "x"}, foundation, checkout.site())


def test_a_step_is_done_once(thing: Checkout) -> None:
    """Nothing runs when nothing changed."""
    do(thing)
    do(thing)
    assert thing.machine.ran == ["make-thing x"]


def test_changed_inputs_do_it_again_in_place(thing: Checkout) -> None:
    """What was made stays as the base when only an input changed."""
    do(thing)
    thing.write("made/extra")
    thing.write("in/a.txt", "2")
    do(thing)
    assert len(thing.machine.ran) == 2
    assert (thing.root / "made/extra").exists()


def test_a_changed_command_does_it_again(thing: Checkout) -> None:
    """A newer version of this package repairs what an older one made."""
    do(thing)
    do(thing, step=replace(STEP, commands=(("make-thing", "--better"),)))
    assert thing.machine.ran == ["make-thing x", "make-thing --better"]


def test_another_foundation_starts_from_nothing(thing: Checkout) -> None:
    """What another Python made is not built upon."""
    do(thing)
    thing.write("made/extra")
    do(thing, "another base")
    assert not (thing.root / "made/extra").exists()


def test_another_value_of_a_variable_that_it_reads_starts_from_nothing(thing: Checkout) -> None:
    """A version that the user's shell names is part of what was made; other variables are not."""
    step = replace(STEP, variables=("WHICH",))
    do(thing, step=step)
    thing.machine.variables = {**thing.machine.variables, "OTHER": "1"}
    do(thing, step=step)
    assert thing.machine.ran == ["make-thing x"]
    thing.write("made/extra")
    thing.machine.variables = {**thing.machine.variables, "WHICH": "2"}
    do(thing, step=step)
    assert len(thing.machine.ran) == 2
    assert not (thing.root / "made/extra").exists()


def test_an_interrupted_step_starts_from_nothing(thing: Checkout) -> None:
    """What was left half done is not trusted."""
    thing.machine.answers["make-thing"] = [Finished(1, "interrupted"), Finished(0, "")]
    with pytest.raises(StepFailed):
        do(thing)
    thing.write("made/half")
    do(thing)
    assert not (thing.root / "made/half").exists()


def test_what_was_deleted_is_made_again(thing: Checkout) -> None:
    """A stamp without the thing itself counts for nothing."""
    do(thing)
    (thing.root / "made/proof").unlink()
    do(thing)
    assert len(thing.machine.ran) == 2


def test_a_spoilt_stamp_is_none(thing: Checkout) -> None:
    """A stamp cut short by a full disk leads to doing the step again."""
    do(thing)
    thing.write(".build/stamp/thing.json", '{"found')
    do(thing)
    assert len(thing.machine.ran) == 2


def test_a_failure_tells_the_sentence_and_keeps_the_log(thing: Checkout) -> None:
    """The user gets one sentence, and the whole output where the error says."""
    thing.machine.answers["make-thing"] = Finished(1, "chatter\nerror: no such thing\n")
    with pytest.raises(StepFailed, match="error: no such thing") as failed:
        do(thing)
    assert failed.value.log.read_text() == "chatter\nerror: no such thing\n"
    assert thing.printed.getvalue() == "the thing … failed\n"


def test_a_command_that_makes_nothing_has_failed(thing: Checkout) -> None:
    """Ending well is not enough."""
    thing.machine.makes.clear()
    with pytest.raises(StepFailed, match="made/proof is not there"):
        do(thing)


def test_a_step_for_each_file(checkout: Checkout) -> None:
    """One entry describes every environment."""
    checkout.write("envs/a.txt")
    checkout.write("envs/b.txt")
    each = replace(STEP, name="env-{name}", inputs=("{file}",), each="envs/*.txt", environment="{name}")
    expanded = list(steps.expand((each,), checkout.site()))
    assert [(step.name, step.inputs, step.environment) for step in expanded] == [
        ("env-a", ("envs/a.txt",), "a"),
        ("env-b", ("envs/b.txt",), "b"),
    ]


def test_development_steps_are_left_out_of_a_benchmark(checkout: Checkout) -> None:
    """Who only measures does not wait for linters."""
    development = replace(STEP, purposes=DEVELOPMENT)
    assert not list(steps.expand((development,), checkout.site(Purpose.BENCH)))
    assert list(steps.expand((development,), checkout.site(Purpose.LINT)))
