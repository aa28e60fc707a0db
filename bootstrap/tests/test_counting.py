"""Closing lines of test runners."""

import pytest

from bootstrap.counting import Tally, count
from bootstrap.model import Counts


@pytest.mark.parametrize(
    ("counts", "output", "tally"),
    [
        ("pytest", "==== 12 passed in 0.31s ====", Tally(12)),
        ("pytest", "12 passed in 75.00s (0:01:15)", Tally(12)),
        ("pytest", "= 1 failed, 12 passed, 3 skipped, 2 warnings in 4.00s =", Tally(12, 1, 3)),
        ("pytest", "=== 2 passed, 1 xfailed, 1 error in 4.00s ===", Tally(3, 1)),
        ("pytest", "\x1b[32m==== \x1b[1m12 passed\x1b[0m in 0.31s ====", Tally(12)),
        ("pytest", "--- 3 snapshots passed. ---\n==== 12 passed in 0.31s ====", Tally(12)),
        ("node", "# tests 6\n# pass 4\n# fail 1\n# cancelled 0\n# skipped 1\n# todo 0", Tally(4, 1, 1)),
        ("node", "ℹ pass 4\nℹ fail 0\nℹ cancelled 1\nℹ skipped 0", Tally(4, 1)),  # noqa: RUF001
        (
            "surefire",
            (
                "Tests run: 2, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s - in A\n"
                "[INFO] Tests run: 9, Failures: 1, Errors: 1, Skipped: 2\n"
                "Tests run: 3, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s - in B\n"
                "[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0"
            ),
            Tally(8, 2, 2),
        ),
        ("phpunit", "OK (12 tests, 30 assertions)", Tally(12)),
        ("phpunit", "Tests: 12, Assertions: 30, Errors: 1, Failures: 2, Skipped: 3.", Tally(6, 3, 3)),
        ("dotnet", "Failed!  - Failed:     1, Passed:    12, Skipped:     2, Total:    15", Tally(12, 1, 2)),
    ],
)
def test_reads_the_closing_line(counts: Counts, output: str, tally: Tally) -> None:
    """Each runner's own closing line is understood."""
    assert count(output, counts, 1 if tally.failed else 0) == tally


def test_a_runner_that_ran_nothing_has_failed() -> None:
    """A runner that ends well without a test is not a pass."""
    assert count("no tests ran in 0.01s", "pytest", 0) == Tally(failed=1)


def test_a_crash_counts_as_a_failure() -> None:
    """A runner that dies after passing some tests has failed."""
    assert count("# pass 4\n# fail 0", "node", 1) == Tally(4, 1)


def test_tallies_add_up() -> None:
    """The closing line is over all runners."""
    assert Tally(1, 2, 3) + Tally(10, 20, 30) == Tally(11, 22, 33)
