"""Reading TOML into checked models: what an error says; clients and runners of a folder."""

from pathlib import Path

import pytest

from respmark.errors import ExitCode, SpecError
from respmark.specs.catalogue import load
from respmark.specs.suite import SuiteSpec
from tests.builders.plan import SHIPPED

GOOD = """
name = "mine"
summary = "for tests"
workload = "quick"
rounds = 3
laps = 3
slice_s = 1
lead_in_s = 0.1
warmup_limit_s = 1.0
clients = ["lib"]

[[trials]]
scenario = "batching"
shape = { depth = [1, 10] }
"""


def suite_of(folder: Path, text: str) -> SuiteSpec:
    """Load a suite of this text."""
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return load(path, SuiteSpec)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (
            "rounds = 3",
            "rounds = 3\nwarm_up_s = 1",
            "`warm_up_s`: is not a key that respmark knows; it knows: warmup_limit_s, ",
        ),
        ("rounds = 3", 'rounds = "3"', "`rounds`: should be a valid integer (is '3')"),
        ("rounds = 3", "rounds = 0", "`rounds`: should be greater than or equal to 1 (is 0)"),
        ("rounds = 3", "", "`rounds`: Field required"),
        ("rounds = 3", "rounds = = 3", "is not TOML: Invalid value (at line 5"),
        ('"batching"', '"bulk"', "`trials.[1].scenario`: should be 'sync', 'pipelining', 'batching'"),
        ("lead_in_s = 0.1\nwarmup_limit_s = 1.0", "", "`lead_in_s`: Field required; `warmup_limit_s`: Field required"),
    ],
)
def test_a_fault_is_told_with_file_and_key(tmp_path: Path, before: str, after: str, said: str) -> None:
    """How it is wrong, what it was, and what is allowed; all faults at once."""
    with pytest.raises(SpecError) as caught:
        suite_of(tmp_path, GOOD.replace(before, after))
    assert caught.value.exit_code is ExitCode.INVALID_REQUEST
    assert str(tmp_path / "mine.toml") in str(caught.value)
    assert said in str(caught.value)


def test_shipped_clients_load_and_have_a_runner() -> None:
    """Clients are found by their folders, runners by their languages'; every language has a client."""
    assert {spec.runner for spec in SHIPPED.clients.values()} == set(SHIPPED.runners)
    assert {"python", "node", "java", "php", "dotnet"} <= set(SHIPPED.runners)
