"""Tests and lint of all parts, and the account given of them."""

import pytest

from bootstrap import checks
from bootstrap.machine import Finished
from bootstrap.model import Purpose
from bootstrap.prepare import prepare
from bootstrap.tests.fakes import Checkout

PYTEST = ".build/harness/bin/python -m pytest"


@pytest.fixture
def passing(whole: Checkout) -> Checkout:
    """Give a checkout whose every test passes."""
    whole.machine.answers |= {
        f"{PYTEST} bootstrap/tests": Finished(0, "== 10 passed in 1.00s =="),
        f"{PYTEST} -n auto --maxprocesses 4 harness/tests": Finished(0, "== 100 passed, 2 skipped in 9.00s =="),
        ".build/python/dev/bin/python -m pytest": Finished(0, "== 20 passed in 2.00s =="),
        "usr-bin/npm test": Finished(0, "# pass 30\n# fail 0\n"),
    }
    return whole


def all_pass(checkout: Checkout) -> bool:
    """Set up and run all tests."""
    site = checkout.site(Purpose.TEST)
    return checks.test(site, prepare(site))


def closing(checkout: Checkout) -> str:
    """Give the last line printed."""
    return checkout.printed.getvalue().splitlines()[-1]


def test_all_pass(passing: Checkout) -> None:
    """The closing line counts over all runners."""
    assert all_pass(passing)
    assert closing(passing) == "160 passed, 0 failed"


def test_one_fails(passing: Checkout) -> None:
    """One failure anywhere is a failure, and the others run all the same."""
    passing.machine.answers[f"{PYTEST} -n auto --maxprocesses 4 harness/tests"] = Finished(
        1, "== 1 failed, 99 passed in 9.00s =="
    )
    assert not all_pass(passing)
    assert closing(passing) == "159 passed, 1 failed"


def test_a_missing_language_is_told_and_the_rest_tested(passing: Checkout) -> None:
    """On a user's machine a missing language is no failure."""
    passing.machine.answers["usr-bin/npm ci"] = Finished(1, "npm error 404 gone")
    assert all_pass(passing)
    assert "node is missing: npm error 404 gone" in passing.printed.getvalue()
    assert closing(passing) == "130 passed, 0 failed"


def test_a_required_language_that_is_missing_fails(passing: Checkout) -> None:
    """In CI it is a failure, counted once."""
    passing.machine.variables = {"RESPMARK_REQUIRE": "node"}
    passing.machine.answers["usr-bin/npm ci"] = Finished(1, "npm error 404 gone")
    assert not all_pass(passing)
    assert closing(passing) == "130 passed, 1 failed"


def test_a_required_language_without_a_folder_fails(passing: Checkout) -> None:
    """A requirement that the checkout cannot meet is a failure."""
    passing.machine.variables = {"RESPMARK_REQUIRE": "node"}
    (passing.root / "node").rename(passing.root / "away")
    assert not all_pass(passing)
    assert "there is no folder node/" in passing.printed.getvalue()


def test_the_tests_learn_where_the_server_is(passing: Checkout) -> None:
    """Runners' tests start the server that set-up found."""
    all_pass(passing)
    at = passing.machine.ran.index("usr-bin/npm test")
    assert passing.machine.environments[at]["RESPMARK_SERVER"].endswith("usr-bin/redis-server")


def all_content(checkout: Checkout) -> bool:
    """Set up and run all linters."""
    site = checkout.site(Purpose.LINT)
    return checks.lint(site, prepare(site))


def test_lint_is_content(whole: Checkout) -> None:
    """Every linter runs."""
    assert all_content(whole)
    assert "usr-bin/npm run lint" in whole.machine.ran
    assert closing(whole) == "lint: nothing to object to"


def test_lint_names_who_objects(whole: Checkout) -> None:
    """All linters run, and those that object are named at the end."""
    whole.machine.answers["../.build/harness/bin/lint-imports"] = Finished(1, "broken")
    whole.machine.answers["usr-bin/npm run lint"] = Finished(1, "broken")
    assert not all_content(whole)
    assert closing(whole) == "lint: harness: import rules; node: npm run lint"
