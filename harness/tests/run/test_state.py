"""What a run has learned from its records."""

import pytest

from respmark.errors import ExitCode
from respmark.results.records import Status
from respmark.run.state import INTERRUPTED, RunState, exit_code
from tests.builders.plan import make_block, make_client, make_trial
from tests.builders.records import make_record, unmeasured

OK, FAILED, UNSUPPORTED, MISSING = Status.OK, Status.FAILED, Status.UNSUPPORTED, Status.MISSING


@pytest.mark.parametrize(
    ("statuses", "code"),
    [
        ([OK, OK], ExitCode.OK),
        ([OK, FAILED], ExitCode.SOME_FAILED),
        ([FAILED], ExitCode.SOME_FAILED),
        ([OK, UNSUPPORTED], ExitCode.OK),
        ([OK, MISSING], ExitCode.OK),
        ([MISSING, UNSUPPORTED], ExitCode.NOTHING_RAN),
        ([], ExitCode.NOTHING_RAN),
    ],
)
def test_the_exit_code_says_what_became_of_the_trials(statuses: list[Status], code: ExitCode) -> None:
    """A language that is not here does not fail a run; a run without any figure is none."""
    assert exit_code(statuses) is code


ONE, OTHER = make_trial(), make_trial(client=make_client("other"))


def test_a_block_is_done_when_all_its_trials_are() -> None:
    """One that was cut short is measured again as a whole, and so is one with a trial that left nothing."""
    block = make_block(ONE, OTHER)
    failed = unmeasured(Status.FAILED, "it broke", OTHER)
    cut = make_record(OTHER, reason=f"1 of 2 slices are not counted: x; {INTERRUPTED}")
    assert RunState([make_record(ONE), make_record(OTHER)]).is_done(block)
    assert RunState([make_record(ONE), failed]).is_done(block)
    assert not RunState([make_record(ONE), cut]).is_done(block)
    assert not RunState([make_record(ONE)]).is_done(block)


def test_the_first_trial_that_is_ok_decides_for_all_later_ones() -> None:
    """Which versions a client has; one that failed decides nothing."""
    failed = make_record(ONE, status=FAILED, reason="it broke", versions={"lib": "0"})
    first, second = (make_record(make_trial(number=n), versions={"lib": str(n)}, order=n) for n in (2, 3))
    assert RunState([second, failed, first]).versions == {"lib": {"lib": "2"}}
