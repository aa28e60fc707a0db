"""What was loaded, against what was asked for."""

import pytest

from respmark.evidence.versions import version_mismatch
from tests.builders.plan import make_client
from tests.builders.records import make_result

LOADED = {"lib": "1.2.3", "runtime": "4"}


@pytest.mark.parametrize("version", [None, "1.2.3", "distribution"])
def test_what_was_asked_for(version: str | None) -> None:
    """A number is that number; a word is whatever is there."""
    assert version_mismatch(make_client(version=version), [make_result()], LOADED) is None


def test_another_version_than_asked_for() -> None:
    """The label would be false."""
    found = version_mismatch(make_client(version="1.2.4"), [make_result()], None)
    assert found == "lib 1.2.3 was loaded, where 1.2.4 was asked for"


def test_a_runner_that_does_not_say() -> None:
    """Nobody could repeat it."""
    found = version_mismatch(make_client(), [make_result(versions={"runtime": "4"})], None)
    assert found == "the runner does not say which version of lib it loaded"


@pytest.mark.parametrize("now", [{"lib": "1.2.3", "runtime": "5"}, {"lib": "1.2.3"}, {**LOADED, "hiredis": "3"}])
def test_versions_must_be_those_of_every_round(now: dict[str, str]) -> None:
    """Of the library, of what it depends on, and of the runtime; of all processes."""
    found = version_mismatch(make_client(), [make_result(versions=now)], LOADED)
    assert found is not None
    assert "where another process or round loaded" in found
    assert version_mismatch(make_client(), [make_result(), make_result(versions=now)], None) is not None


def test_what_a_variant_goes_without_must_not_be_loaded() -> None:
    """`without hiredis` that still used it is somebody else's figure."""
    result = make_result(versions={**LOADED, "hiredis": "3"})
    found = version_mismatch(make_client("lib[parser=slow]"), [result], None, frozenset({"hiredis"}))
    assert found == "hiredis was loaded: lib[parser=slow] is measured without it"
    assert version_mismatch(make_client(), [make_result()], None, frozenset({"hiredis"})) is None
