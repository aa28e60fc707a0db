"""Going on with a fidelity run."""

from typing import Any

import pytest

from respmark.contract.trial import Scenario
from respmark.errors import InvalidRequestError
from respmark.fidelity.resume import continued
from respmark.placement import Placement
from tests.fidelity.test_rows import laps
from tests.fidelity.test_tables import FAILED, make_fidelity_run, make_row

MEASURED = make_row()
FRESH = make_row(versions={}, laps=[])


def test_rows_keep_their_rounds_and_lose_the_reason_why_they_ended() -> None:
    """What was measured stays, with the versions that were loaded; what failed is tried again."""
    broken = make_row("other", laps=laps(2), reason="round 3: it broke")
    now = make_fidelity_run(make_row("other", versions={}, laps=[]), FRESH)
    found = continued(now, make_fidelity_run(MEASURED, broken))
    assert found.rows == [MEASURED, broken.model_copy(update={"reason": None})]


def test_a_client_that_is_missing_now_keeps_its_rounds_and_says_so() -> None:
    """It gets no more."""
    now = make_fidelity_run(FRESH.model_copy(update={"reason": "not installed"}))
    (row,) = continued(now, make_fidelity_run(MEASURED)).rows
    assert (row.laps, row.reason) == (MEASURED.laps, "not installed")


def test_rows_that_only_one_of_the_two_has_stand_as_they_are() -> None:
    """A run goes on for some of its clients, or with new ones."""
    new = make_row("new", scenario=Scenario.SYNC, versions={}, laps=[])
    found = continued(make_fidelity_run(new), make_fidelity_run(MEASURED, FAILED))
    assert found.rows == [MEASURED, FAILED, new]


def test_a_run_may_get_more_rounds() -> None:
    """The larger number counts."""
    more = make_fidelity_run(FRESH).model_copy(update={"rounds": 9})
    assert continued(more, make_fidelity_run(MEASURED)).rounds == 9
    assert continued(make_fidelity_run(FRESH), more).rounds == 9


@pytest.mark.parametrize(
    "change",
    [
        {"against": "docker"},
        {"laps": 6},
        {"slice_s": 0.2},
        {"lead_in_s": 0.01},
        {"machine": "another"},
        {"placement": Placement(target=None, clients=None, awake=False)},
        {"target": "redis 8.0.0"},
        {"workload": "post"},
        {"seed": 2},
    ],
)
def test_rounds_from_elsewhere_are_not_added(change: dict[str, Any]) -> None:
    """The message names what differs."""
    (name,) = change
    before = make_fidelity_run(MEASURED).model_copy(update=change)
    with pytest.raises(InvalidRequestError, match=f"{name}: .*, there "):
        continued(make_fidelity_run(FRESH), before)
