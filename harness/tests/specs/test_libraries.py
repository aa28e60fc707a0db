"""Reading TOML into checked models: what an error says; clients and runners of a folder."""

from pathlib import Path

import pytest

from respmark.errors import ExitCode, SpecError
from respmark.specs.catalogue import Catalogue
from respmark.specs.libraries import load
from respmark.specs.suite import SuiteSpec
from tests.builders.plan import SHIPPED, write_specs

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


def test_a_good_file_becomes_a_frozen_model(tmp_path: Path) -> None:
    """Values arrive with their types; a whole number is good for seconds."""
    suite = suite_of(tmp_path, GOOD)
    assert suite.slice_s == 1.0
    assert suite.trials[0].shape.depth == (1, 10)
    with pytest.raises(ValueError, match="frozen"):
        suite.rounds = 4  # type: ignore[misc]


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (
            "rounds = 3",
            "rounds = 3\nwarm_up_s = 1",
            "`warm_up_s`: is not a key that respmark knows; it knows: warmup_limit_s, ",
        ),
        ("depth =", "deep =", "`trials.[1].shape.deep`: is not a key that respmark knows; it knows: depth, "),
        ("rounds = 3", 'rounds = "3"', "`rounds`: should be a valid integer (is '3')"),
        ("rounds = 3", "rounds = true", "`rounds`: should be a valid integer"),
        ("rounds = 3", "rounds = 0", "`rounds`: should be greater than or equal to 1 (is 0)"),
        ("rounds = 3", "", "`rounds`: Field required"),
        ("rounds = 3", "rounds = = 3", "is not TOML: Invalid value (at line 5"),
        ('"batching"', '"bulk"', "`trials.[1].scenario`: should be 'sync', 'pipelining', 'batching'"),
        ('"batching"', '"bulk"', "(is 'bulk')"),
        ("slice_s = 1", "slice_s = inf", "`slice_s`"),
        ("slice_s = 1", "slice_s = 0", "`slice_s`"),
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


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    """None, a folder or a binary in its place: none ends in a stack trace."""
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    for name, said in (("no.toml", "there is no such file"), ("", "cannot be read"), ("binary.toml", "cannot be read")):
        with pytest.raises(SpecError, match=said):
            load(tmp_path / name, SuiteSpec)


def test_shipped_clients_load_and_have_a_runner() -> None:
    """Clients are found by their folders, runners by their languages'; every language has a client."""
    assert {spec.runner for spec in SHIPPED.clients.values()} == set(SHIPPED.runners)
    assert {"python", "node", "java", "php", "dotnet"} <= set(SHIPPED.runners)


def test_a_folder_without_clients_or_with_a_broken_one_is_told(tmp_path: Path) -> None:
    """An empty folder is not an empty answer; one file that does not fit is found among many."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "runner.toml").touch()
    with pytest.raises(SpecError, match="clients: has no specs"):
        _ = Catalogue(tmp_path).clients
    folder = write_specs(tmp_path / "specs", clients__broken='library = "broken"\n')
    with pytest.raises(SpecError, match=r"clients/broken\.toml: .*`runner`: Field required"):
        _ = Catalogue(folder).clients
