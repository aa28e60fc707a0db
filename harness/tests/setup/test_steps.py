"""A step is done once, again when something changed, and from nothing when it was left half done."""

from collections.abc import Callable

import pytest

from respmark.setup import steps
from respmark.setup.host import Finished, Missing
from respmark.specs.runner import StepSpec
from tests.setup.conftest import FakeHost

STEP = StepSpec(
    name="thing",
    says="the thing",
    commands=("make-thing x",),
    inputs=("in/*.txt",),
    makes="made",
    proof="made/proof",
    variables=("WHICH",),
)


@pytest.fixture
def thing(host: FakeHost) -> FakeHost:
    host.write("in/a.txt", "1")
    host.makes["make-thing"] = ("made/proof",)
    steps.do(STEP, "base", host)
    host.write("made/extra")
    host.ran.clear()
    return host


def is_kept(host: FakeHost, step: StepSpec = STEP, foundation: str = "base") -> bool:
    host.ran.clear()
    steps.do(step, foundation, host)
    assert host.ran == [*step.commands]
    return (host.root / "made/extra").exists()


def test_a_step_is_done_once_and_again_in_place_when_only_its_inputs_change(thing: FakeHost) -> None:
    """Other contents of its inputs, and other commands of a newer version of this package."""
    thing.variables = {"OTHER": "1"}
    steps.do(STEP, "base", thing)
    assert not thing.ran
    thing.write("in/a.txt", "2")
    assert is_kept(thing)
    assert is_kept(thing, STEP.model_copy(update={"commands": ("make-thing --better",)}))


@pytest.mark.parametrize(
    "change",
    [
        lambda host: (host.root / "made/proof").unlink(),
        lambda host: host.write(".build/stamp/thing", "spoilt"),
        lambda host: setattr(host, "variables", {"WHICH": "2"}),
    ],
    ids=["what it made is gone", "the stamp is spoilt", "a variable is another"],
)
def test_what_is_no_sound_base_goes(thing: FakeHost, change: Callable[[FakeHost], object]) -> None:
    """It is done from nothing; what another Python made is not built upon either."""
    change(thing)
    assert not is_kept(thing)
    assert not is_kept(thing, foundation="another base")


def test_a_failure_is_reported_and_starts_from_nothing(thing: FakeHost) -> None:
    """The user gets one sentence, and the whole output where the advice says; what is half done is not trusted."""
    thing.results["make-thing"] = [Finished(1, "chatter\nerror: no such thing\n"), Finished(0, "")]
    thing.write("in/a.txt", "2")
    with pytest.raises(Missing, match="no such thing") as failed:
        steps.do(STEP, "base", thing)
    assert ".build/log/thing.log" in failed.value.advice
    assert thing.log("thing").read_text() == "chatter\nerror: no such thing\n"
    assert thing.said[-1] == "set-up: the thing"
    assert not is_kept(thing)


def test_what_no_registry_delivers_is_taken_from_the_package_managers_cache(host: FakeHost) -> None:
    """It is said, with what the registry gave; where the cache has nothing, the first reason counts."""
    step = STEP.model_copy(update={"offline": ("env", "OFFLINE=1")})
    host.makes["env OFFLINE=1 make-thing"] = ("made/proof",)
    host.results["make-thing"] = Finished(1, "error: could not resolve host\n")
    steps.do(step, "base", host)
    assert host.ran == ["make-thing x", "env OFFLINE=1 make-thing x"]
    (_, said) = host.said
    assert said == "the thing: taken from the package manager's cache; its registry gave: could not resolve host"
    host.results["env OFFLINE=1"] = Finished(1, "error: not in the cache")
    with pytest.raises(Missing, match="could not resolve host"):
        steps.do(step, "another base", host)
