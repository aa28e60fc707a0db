"""What a runner says of itself."""

import json

import pytest
from pydantic import ValidationError

from respmark.contract.description import Description
from respmark.contract.trial import Scenario, Window
from respmark.paths import CONTRACT

GOLDEN = json.loads((CONTRACT / "golden" / "description.json").read_text(encoding="utf-8"))


def test_the_golden_description_parses() -> None:
    """Clients, what they support and what is missing arrive as written."""
    description = Description.model_validate_json(json.dumps(GOLDEN))
    (client,) = description.clients
    assert client.scenarios[Scenario.PIPELINING].windows == [Window.BURST, Window.SLIDING]
    assert client.options == {"protocol": [3, 2]}
    assert [missing.library for missing in description.missing] == ["b-library"]


@pytest.mark.parametrize("change", [{"surprise": 1}, {"schema_version": 3}, {"clients": None}, {"runner": 3}])
def test_a_description_beside_the_contract_is_refused(change: dict[str, object]) -> None:
    """Unknown fields, a newer version and wrong types are refused."""
    with pytest.raises(ValidationError):
        Description.model_validate_json(json.dumps(GOLDEN | change))


def test_an_unknown_scenario_is_refused() -> None:
    """A runner cannot offer a scenario that the vocabulary does not have."""
    client = GOLDEN["clients"][0] | {"scenarios": {"bulk": {}}}
    with pytest.raises(ValidationError, match="bulk"):
        Description.model_validate_json(json.dumps(GOLDEN | {"clients": [client]}))
