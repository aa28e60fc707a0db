"""Tests and lint of all parts, and the account given of them."""

from bootstrap import checks
from bootstrap.machine import Finished
from bootstrap.model import Purpose
from bootstrap.prepare import prepare
from bootstrap.tests.fakes import Checkout

PYTEST = ".build/harness/bin/python -m pytest"


def all_pass(checkout: Checkout) -> bool:
    """Set up and run all tests."""
    site = checkout.site(Purpose.TEST)
    return checks.test(site, prepare(site))


def closing(checkout: Checkout) -> str:
    """Give the last line printed."""
    return checkout.printed.getvalue().splitlines()[-1]


def test_all_pass(whole: Checkout) -> None:
    """Every runner is run, and is in the account."""
    assert all_pass(whole)
    assert {f"{PYTEST} bootstrap/tests", "usr-bin/npm test"} < set(whole.machine.ran)
    assert closing(whole) == "all tests passed"


def test_one_fails(whole: Checkout) -> None:
    """One failure anywhere is a failure, and the others run all the same."""
    whole.machine.answers[f"{PYTEST} -n auto --maxprocesses 4 --dist worksteal harness/tests"] = Finished(1, "broken")
    assert not all_pass(whole)
    assert "usr-bin/npm test" in whole.machine.ran
    assert closing(whole) == "failed: harness"


def test_a_missing_language_is_told_and_the_rest_tested(whole: Checkout) -> None:
    """On a user's machine a missing language is no failure."""
    whole.machine.answers["usr-bin/npm ci"] = Finished(1, "npm error 404 gone")
    assert all_pass(whole)
    assert "node is missing: npm error 404 gone" in whole.printed.getvalue()
    assert closing(whole) == "all tests passed"


def test_a_required_language_that_is_missing_fails(whole: Checkout) -> None:
    """In CI it is a failure, counted once."""
    whole.machine.variables = {"RESPMARK_REQUIRE": "node"}
    whole.machine.answers["usr-bin/npm ci"] = Finished(1, "npm error 404 gone")
    assert not all_pass(whole)
    assert closing(whole) == "failed: node"


def test_a_required_language_without_a_folder_fails(whole: Checkout) -> None:
    """A requirement that the checkout cannot meet is a failure."""
    whole.machine.variables = {"RESPMARK_REQUIRE": "node"}
    (whole.root / "node").rename(whole.root / "away")
    assert not all_pass(whole)
    assert "there is no folder node/" in whole.printed.getvalue()


def test_the_tests_learn_where_the_server_is(whole: Checkout) -> None:
    """Runners' tests start the server that set-up found."""
    all_pass(whole)
    at = whole.machine.ran.index("usr-bin/npm test")
    assert whole.machine.environments[at]["RESPMARK_SERVER"].endswith("usr-bin/redis-server")


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
