"""Every scenario is of one kind of trial, and what measures a kind agrees with what reports it."""

import pytest

from respmark.contract.trial import Scenario
from respmark.kinds import record_type
from respmark.kinds.reading import KINDS


@pytest.mark.parametrize("scenario", Scenario)
def test_a_scenario_is_of_one_kind(scenario: Scenario) -> None:
    (kind,) = [one for one in KINDS if scenario in one.scenarios]
    assert record_type(scenario) is kind.record
