"""The trial is read as the contract says, and refused with a message that helps."""

import json
from pathlib import Path
from typing import Any

import pytest

from paths import GOLDEN
from respmark_python.contract.trial import SHAPE_FIELDS, parse_trial
from respmark_python.errors import InvalidInputError
from runner import trial

VALID = sorted((GOLDEN / "trials" / "valid").glob("*.json"))
INVALID = sorted((GOLDEN / "trials" / "invalid").glob("*.json"))


@pytest.mark.parametrize("path", VALID, ids=lambda path: path.stem)
def test_valid_golden_trials_are_read(path: Path) -> None:
    """Every golden trial that the contract calls valid is accepted."""
    assert parse_trial(path.read_bytes()).trial_id == "golden"


@pytest.mark.parametrize("path", INVALID, ids=lambda path: path.stem)
def test_invalid_golden_trials_are_refused(path: Path) -> None:
    """Every golden trial that the contract calls invalid is refused with exit code 2."""
    with pytest.raises(InvalidInputError) as caught:
        parse_trial(path.read_bytes())
    assert caught.value.exit_code == 2


def test_golden_trials_exist() -> None:
    """The two tests above have something to read."""
    assert len(VALID) >= 8
    assert len(INVALID) >= 11


def test_every_field_arrives() -> None:
    """Fields end up where the runner looks for them."""
    secured = parse_trial((GOLDEN / "trials" / "valid" / "secured-target.json").read_bytes())
    assert secured.target.tls is not None
    assert (secured.target.address, secured.target.database) == ("redis.example:6380", 2)
    assert (secured.target.username, secured.target.password) == ("bench", "golden-secret")
    assert (secured.target.tls.ca_file, secured.target.tls.verify) == ("/etc/ssl/ca.pem", True)
    second = parse_trial((GOLDEN / "trials" / "valid" / "second-of-two-processes.json").read_bytes())
    assert (second.workload.part, second.workload.parts, second.shape.processes) == (1, 2, 2)


def test_the_password_is_not_shown() -> None:
    """Neither an endpoint's text nor a refusal shows the password."""
    secured = (GOLDEN / "trials" / "valid" / "secured-target.json").read_bytes()
    assert "golden-secret" not in repr(parse_trial(secured))
    with pytest.raises(InvalidInputError) as caught:
        parse_trial(secured.replace(b'"golden-secret"', b'["golden-secret"]'))
    assert "golden-secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"scenario": "bulk"}, f"trial.scenario must be one of {', '.join(SHAPE_FIELDS)}, not 'bulk'"),
        ({"shape": {"depth": True}}, "trial.shape.depth must be a whole number of at least 1, not True"),
        ({"measure_s": 1}, "trial.measure_s is unknown; known are schema_version, trial_id"),
        ({"verify_commands": -1}, "trial.verify_commands must be a whole number of at least 0, not -1"),
        ({"client": {"library": "redis-py", "optoins": {}}}, "trial.client.optoins is unknown; known are library"),
        ({"client": {}}, "trial.client.library is missing"),
        ({"client": {"library": ""}}, "trial.client.library must be a text that is not empty"),
        ({"client": {"library": "redis-py", "options": {"protocol": 3.0}}}, "trial.client.options.protocol must be"),
        ({"shape": {"depth": 1}}, "trial.shape has depth, which sync does not use"),
        ({"scenario": "batching"}, "trial.shape lacks depth, which batching needs"),
        ({"workload": {"path": "w", "part": 2, "parts": 2}}, "trial.workload.part must be below parts (2), not 2"),
        ({"target": {"host": "h", "port": 70000}}, "trial.target.port must be a whole number from 1 to 65535"),
        ({"target": {"host": "h", "port": 1, "tls": {"verify": 1}}}, "trial.target.tls.verify must be true or false"),
        ({"target": []}, "trial.target must be an object, not []"),
        ({"schema_version": 3}, "trial.schema_version 3 is not 2, which this runner reads; update the runner"),
        ({"schema_version": 1}, "trial.schema_version 1 is not 2, which this runner reads; update the harness"),
    ],
)
def test_messages_name_the_field_and_what_is_allowed(changes: dict[str, Any], message: str) -> None:
    """A refusal says which field is wrong, and what it may be."""
    with pytest.raises(InvalidInputError) as caught:
        parse_trial(json.dumps(trial(**changes)))
    assert message in str(caught.value)


@pytest.mark.parametrize("line", ["", "{", "[1]", '{"verify_commands": NaN}'])
def test_what_is_not_a_json_object_is_refused(line: str) -> None:
    """Anything but one JSON object is refused."""
    with pytest.raises(InvalidInputError, match="trial"):
        parse_trial(line)
