"""What can be run, as a run's manifest has it."""

import json

import pytest
from pydantic import ValidationError

from respmark.contract.description import ClientDescription, Description
from respmark.contract.trial import Scenario, Window

DESCRIPTION = {
    "schema_version": 2,
    "runner": "python",
    "runtime": "CPython",
    "runtime_version": "3.13.5",
    "clients": [
        {
            "library": "a-library",
            "version": "8.0.1",
            "options": {"protocol": [3, 2]},
            "scenarios": {"sync": {}, "pipelining": {"windows": ["burst", "sliding"]}},
        }
    ],
    "missing": [{"library": "b-library", "reason": "not found", "advice": "run `make setup`"}],
}


def test_a_description_of_an_older_run_is_read() -> None:
    """Clients, what they support and what was missing arrive as written."""
    description = Description.model_validate_json(json.dumps(DESCRIPTION))
    (client,) = description.clients
    assert client.scenarios[Scenario.PIPELINING].windows == [Window.BURST, Window.SLIDING]
    assert client.options == {"protocol": [3, 2]}
    assert [missing.library for missing in description.missing] == ["b-library"]


@pytest.mark.parametrize("change", [{"surprise": 1}, {"schema_version": 3}, {"clients": None}, {"runner": 3}])
def test_a_description_beside_the_contract_is_refused(change: dict[str, object]) -> None:
    """Unknown fields, a newer version and wrong types are refused."""
    with pytest.raises(ValidationError):
        Description.model_validate_json(json.dumps(DESCRIPTION | change))


def test_an_unknown_scenario_is_refused() -> None:
    """A client cannot have a scenario that the vocabulary does not have."""
    with pytest.raises(ValidationError, match="bulk"):
        ClientDescription.model_validate_json(
            '{"library": "a", "version": "1", "options": {}, "scenarios": {"bulk": {}}}'
        )
