"""A step is done once, again when something changed, and from nothing when it was left half done."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from bootstrap import steps
from bootstrap.errors import Missing
from bootstrap.languages import Step
from bootstrap.machine import Finished
from bootstrap.tests.fakes import FakeSite

STEP = Step("thing", "the thing", ("make-thing x",), ("in/*.txt",), "made", "made/proof", variables=("WHICH",))


@pytest.fixture
def thing(site: FakeSite) -> FakeSite:
    """Give a checkout in which the thing was made, and something was left beside it."""
    site.write("in/a.txt", "1")
    site.makes["make-thing"] = ("made/proof",)
    steps.do(STEP, "base", site)
    site.write("made/extra")
    site.ran.clear()
    return site


def is_kept(site: FakeSite, step: Step = STEP, foundation: str = "base") -> bool:
    """Do the step again, which must run; tell whether it was done in place."""
    steps.do(step, foundation, site)
    assert [*site.ran] == [*step.commands]
    return (site.root / "made/extra").exists()


def test_a_step_is_done_once(thing: FakeSite) -> None:
    """Nothing runs when nothing changed that it reads."""
    thing.variables = {"OTHER": "1"}
    steps.do(STEP, "base", thing)
    assert not thing.ran


def test_what_only_reads_something_else_is_done_again_in_place(thing: FakeSite) -> None:
    """Other contents of its inputs, and other commands of a newer version of this package."""
    thing.write("in/a.txt", "2")
    assert is_kept(thing)
    thing.ran.clear()
    assert is_kept(thing, replace(STEP, commands=("make-thing --better",)))


@pytest.mark.parametrize(
    "change",
    [
        lambda site: (site.root / "made/proof").unlink(),
        lambda site: site.write(".build/stamp/thing", "spoilt"),
        lambda site: setattr(site, "variables", {"WHICH": "2"}),
    ],
    ids=["what it made is gone", "the stamp is spoilt", "a variable is another"],
)
def test_what_is_no_sound_base_goes(thing: FakeSite, change: Callable[[FakeSite], object]) -> None:
    """It is done from nothing; what another Python made is not built upon either."""
    change(thing)
    assert not is_kept(thing)


def test_another_foundation_starts_from_nothing(thing: FakeSite) -> None:
    """What another Python made is not built upon."""
    assert not is_kept(thing, foundation="another base")


def test_a_failure_is_told_and_starts_from_nothing(thing: FakeSite, capsys: pytest.CaptureFixture[str]) -> None:
    """The user gets one sentence, and the whole output where the advice says; what is half done is not trusted."""
    thing.results["make-thing"] = [Finished(1, "chatter\nerror: no such thing\n"), Finished(0, "")]
    thing.write("in/a.txt", "2")
    with pytest.raises(Missing, match="error: no such thing") as failed:
        steps.do(STEP, "base", thing)
    assert ".build/log/thing.log" in failed.value.advice
    assert thing.log("thing").read_text() == "chatter\nerror: no such thing\n"
    assert capsys.readouterr().out.endswith("the thing\n")
    assert not is_kept(thing)


def test_a_command_that_makes_nothing_has_failed(site: FakeSite) -> None:
    """Ending well is not enough."""
    with pytest.raises(Missing, match="made/proof is not there"):
        steps.do(STEP, "base", site)
