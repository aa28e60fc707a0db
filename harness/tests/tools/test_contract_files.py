"""The files in harness/contract/ against the models that they are made from."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from respmark.histogram import bucket, merge
from respmark.paths import CONTRACT
from respmark.workload import file as workload_file
from tools.contract_files import EVENTS, INVALID_TRIALS, VALID_TRIALS, golden, golden_workloads, schemas

TRIALS = CONTRACT / "golden" / "trials"
BEYOND_SCHEMA = {"shape-of-another-scenario", "no-cache-entries", "no-depth", "no-host-and-no-socket"}
"""Rules over several fields, which stand in the contract's page and not in the JSON Schema."""


def read(path: Path) -> Any:  # noqa: ANN401 - JSON can be anything
    """Return the content of a JSON file."""
    return json.loads(path.read_text(encoding="utf-8"))


def validator(name: str) -> Draft202012Validator:
    """Return the validator of a message, from the file that other languages read."""
    schema = read(CONTRACT / "schemas" / f"{name}.schema.json")
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


@pytest.mark.parametrize("name", [*schemas(), *golden()])
def test_the_folder_has_what_the_models_make(name: str) -> None:
    """A change of a model is noticed until `make contract` has been run."""
    assert (CONTRACT / name).read_text(encoding="utf-8") == {**schemas(), **golden()}[name]


@pytest.mark.parametrize("name", golden_workloads())
def test_the_golden_workloads_have_the_bytes_that_the_generator_makes(name: str) -> None:
    """Runners in every language test against the very files that this version writes."""
    assert (CONTRACT / name).read_bytes() == golden_workloads()[name]


def test_the_folder_has_nothing_else() -> None:
    """An example that was renamed or removed does not stay behind for runners to read."""
    made = {CONTRACT / name for name in {**schemas(), **golden()}}
    found = {path for path in CONTRACT.rglob("*") if path.is_file()}
    assert found == made | {CONTRACT / "README.md", *(CONTRACT / name for name in golden_workloads())}


@pytest.mark.parametrize("name", VALID_TRIALS)
def test_valid_trials_fit_the_schema(name: str) -> None:
    """A runner that checks trials by the JSON Schema accepts each valid one."""
    assert validator("trial").is_valid(read(TRIALS / "valid" / f"{name}.json"))


@pytest.mark.parametrize("name", INVALID_TRIALS)
def test_invalid_trials_do_not_fit_the_schema(name: str) -> None:
    """The JSON Schema refuses each invalid trial but those that break a rule over several fields."""
    assert validator("trial").is_valid(read(TRIALS / "invalid" / f"{name}.json")) == (name in BEYOND_SCHEMA)


@pytest.mark.parametrize("name", EVENTS)
def test_golden_messages_fit_their_schema(name: str) -> None:
    """Each golden message is one that its JSON Schema accepts."""
    assert validator(name).is_valid(read(CONTRACT / "golden" / f"{name}.json"))


@pytest.mark.parametrize("name", EVENTS)
def test_schemas_refuse_unknown_fields(name: str) -> None:
    """A field that the contract does not have is refused in every message."""
    message = read(CONTRACT / "golden" / f"{name}.json") | {"surprise": 1}
    assert not validator(name).is_valid(message)


@pytest.mark.parametrize("name", sorted(set(EVENTS) - {"go"}))
def test_schemas_require_what_the_models_require(name: str) -> None:
    """A message without its first field that has no default is refused."""
    message = read(CONTRACT / "golden" / f"{name}.json")
    (first, *_) = read(CONTRACT / "schemas" / f"{name}.schema.json")["required"]
    assert not validator(name).is_valid({key: value for key, value in message.items() if key != first})


def test_the_golden_workload_is_written_out_as_its_columns_say() -> None:
    """The commands in workload.json are those of golden.workload, word for word."""
    workload = workload_file.read(CONTRACT / "golden" / "golden.workload")
    written = read(CONTRACT / "golden" / "workload.json")
    assert len(written["commands"]) == workload.header.commands
    for row, words in enumerate(written["commands"]):
        assert words[0] == workload.header.mix[int(workload.kinds[row])].name
        key, size = int(workload.keys[row]), int(workload.sizes[row])
        if words[0] == "SET":
            assert [word.encode() for word in words[1:]] == [workload.key(key), workload.value(key, size)]
        elif words[0] == "GETRANGE":
            assert words[1:] == [workload.key(key).decode(), "0", "3"]


def test_the_golden_workload_has_every_kind_of_argument_and_missing_keys() -> None:
    """Runners that read only GET and SET, or know no misses, do not get through their tests."""
    written = read(CONTRACT / "golden" / "workload.json")
    assert {words[0] for words in written["commands"]} == {"GET", "SET", "PING", "GETRANGE"}
    assert written["missing_keys"]


def test_the_header_of_the_golden_workload_fits_its_schema() -> None:
    """A runner can check the file's header by the JSON Schema."""
    header = workload_file.read(CONTRACT / "golden" / "golden.workload").header
    assert validator("workload-header").is_valid(header.model_dump(mode="json"))


def test_the_golden_histogram_is_folded_by_its_own_rule() -> None:
    """Buckets and the folded example agree with each other and with the harness."""
    example = read(CONTRACT / "golden" / "histogram.json")
    assert all(bucket(value) == expected for value, expected in example["buckets"])
    folded = merge([[(bucket(sample), 1)] for sample in example["samples"]])
    assert [list(pair) for pair in folded] == example["histogram"]
    assert sum(count for _, count in folded) == len(example["samples"])
