"""Target specs."""

import json

import pytest
from pydantic import ValidationError

from respmark.specs.target import SpawnedTarget


@pytest.mark.parametrize("change", [{"servers": []}, {"transport": "udp"}, {"url": "redis://h"}])
def test_a_target_that_cannot_be_started_is_refused(change: dict[str, object]) -> None:
    """No program, an unknown transport, or a URL beside programs are refused."""
    fields = {"name": "t", "summary": "s", "servers": ["redis-server"]}
    with pytest.raises(ValidationError, match=next(iter(change))):
        SpawnedTarget.model_validate_json(json.dumps(fields | change))
