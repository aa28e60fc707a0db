"""Tests and lint of all parts, and the account given of them."""

import pytest

from bootstrap import checks
from bootstrap.machine import Finished
from bootstrap.prepare import prepare
from bootstrap.tests.fakes import FakeSite

PYTEST = ".build/harness/bin/python -m pytest"
GONE = Finished(1, "npm error 404 gone")


@pytest.mark.parametrize(
    ("result", "required", "closing"),
    [
        ({}, "node", "all tests passed"),
        ({f"{PYTEST} -n ": Finished(1, "broken")}, "", "failed: harness"),
        ({"npm ci": GONE}, "", "all tests passed"),
        ({"npm ci": GONE}, "node", "failed: node"),
        ({"npm ci": GONE}, "node@default", "failed: node; node@default"),
        ({"uv pip sync --python .build/python/dev": GONE}, "python@default", "failed: python"),
        ({}, "java", "failed: java"),
    ],
)
def test_tests(
    whole: FakeSite, capsys: pytest.CaptureFixture[str], result: dict[str, Finished], required: str, closing: str
) -> None:
    """All run, whatever fails; what is missing is told, and is a failure where it is required."""
    whole.purpose, whole.variables = "test", {"RESPMARK_REQUIRE": required}
    whole.results |= result
    assert checks.test(whole, prepare(whole)) == (closing == "all tests passed")
    assert f"{PYTEST} bootstrap/tests" in whole.ran
    assert ("npm test" in whole.ran) == ("npm ci" not in result)
    shown = capsys.readouterr().out
    assert shown.splitlines()[-1] == closing
    assert ("node is missing: npm error 404 gone" in shown) == ("npm ci" in result)
    assert ("there is no java in this checkout" in shown) == (required == "java")


def test_languages_are_shown_one_after_the_other(whole: FakeSite, capsys: pytest.CaptureFixture[str]) -> None:
    """What their tests print is not mixed, though they run together."""
    whole.purpose = "test"
    whole.results["npm test"] = Finished(1, "one\nbroken\n")
    assert not checks.test(whole, prepare(whole))
    assert "--- tests: node\none\nbroken\n" in capsys.readouterr().out


def test_the_tests_learn_where_the_server_is(whole: FakeSite) -> None:
    """Runners' tests start the server that set-up found."""
    whole.purpose = "test"
    checks.test(whole, prepare(whole))
    assert whole.ran["npm test"]["RESPMARK_SERVER"] == str(whole.which("redis-server"))


@pytest.mark.parametrize(
    ("objects", "closing"),
    [
        ((), "lint: nothing to object to"),
        (
            ("../.build/harness/bin/lint-imports", "npm run lint"),
            "lint: harness: import rules; node: npm run lint",
        ),
    ],
)
def test_lint(whole: FakeSite, capsys: pytest.CaptureFixture[str], objects: tuple[str, ...], closing: str) -> None:
    """All linters run, and those that object are named at the end."""
    whole.purpose = "lint"
    whole.results |= dict.fromkeys(objects, Finished(1, "broken"))
    assert checks.lint(whole, prepare(whole)) == (not objects)
    assert "npm run lint" in whole.ran
    assert capsys.readouterr().out.splitlines()[-1] == closing
