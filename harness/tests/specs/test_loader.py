"""Reading TOML into checked models: what an error says."""

from pathlib import Path

import pytest

from respmark.errors import ExitCode, SpecError
from respmark.specs.loader import load
from respmark.specs.suite import SuiteSpec

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


def problem_of(folder: Path, text: str) -> str:
    """Return what is said of a suite that is not valid."""
    with pytest.raises(SpecError) as caught:
        suite_of(folder, text)
    assert str(folder / "mine.toml") in str(caught.value)
    assert caught.value.exit_code is ExitCode.INVALID_REQUEST
    return str(caught.value)


def test_a_good_file_becomes_a_frozen_model(tmp_path: Path) -> None:
    """Values arrive with their types; a whole number is good for seconds."""
    suite = suite_of(tmp_path, GOOD)
    assert suite.slice_s == 1.0
    assert suite.trials[0].shape.depth == (1, 10)
    with pytest.raises(ValueError, match="frozen"):
        suite.rounds = 4  # type: ignore[misc]


def test_an_unknown_key_is_named(tmp_path: Path) -> None:
    """A misspelt key is not ignored."""
    assert "`warm_up_s`: is not a key that respmark knows" in problem_of(tmp_path, "warm_up_s = 1\n" + GOOD)


def test_an_unknown_key_in_a_table_is_named_with_its_place(tmp_path: Path) -> None:
    """The path says which of the trials it stands in."""
    problem = problem_of(tmp_path, GOOD.replace("depth =", "deep ="))
    assert "`trials.[1].shape.deep`: is not a key that respmark knows" in problem


def test_a_wrong_type_is_named_with_what_was_given(tmp_path: Path) -> None:
    """A text where a number is due is not converted."""
    problem = problem_of(tmp_path, GOOD.replace("rounds = 3", 'rounds = "3"'))
    assert "`rounds`" in problem
    assert "integer" in problem
    assert "(is '3')" in problem


def test_true_is_no_number(tmp_path: Path) -> None:
    """A boolean does not pass for 1."""
    assert "`rounds`" in problem_of(tmp_path, GOOD.replace("rounds = 3", "rounds = true"))


def test_a_value_that_is_not_allowed_is_named_with_the_allowed_ones(tmp_path: Path) -> None:
    """Whoever misspells a scenario is told all of them."""
    problem = problem_of(tmp_path, GOOD.replace('"batching"', '"bulk"'))
    assert "`trials.[1].scenario`" in problem
    assert "(is 'bulk')" in problem
    for name in ("sync", "pipelining", "batching", "transaction", "threads", "pool", "new-connection"):
        assert f"'{name}'" in problem


def test_a_number_out_of_range_is_named_with_its_bound(tmp_path: Path) -> None:
    """The bound stands in the message."""
    problem = problem_of(tmp_path, GOOD.replace("rounds = 3", "rounds = 0"))
    assert "`rounds`: should be greater than or equal to 1 (is 0)" in problem


@pytest.mark.parametrize("written", ["inf", "nan", "-1.0", "0"])
def test_a_window_must_be_a_positive_time(tmp_path: Path, written: str) -> None:
    """Endless windows and windows of no time are refused."""
    assert "`slice_s`" in problem_of(tmp_path, GOOD.replace("slice_s = 1", f"slice_s = {written}"))


def test_a_missing_key_is_named(tmp_path: Path) -> None:
    """The message says which key is not there."""
    problem = problem_of(tmp_path, GOOD.replace("rounds = 3\n", ""))
    assert "`rounds`: Field required" in problem
    assert "(is" not in problem


def test_all_faults_are_told_at_once(tmp_path: Path) -> None:
    """Nobody has to run it again for each fault."""
    problem = problem_of(tmp_path, GOOD.replace("rounds = 3", 'rounds = "3"').replace("lead_in_s = 0.1", "warm_up = 1"))
    for key in ("`rounds`", "`lead_in_s`", "`warm_up`"):
        assert key in problem


def test_what_is_not_toml_is_told_with_its_line(tmp_path: Path) -> None:
    """The parser's place of the fault is kept."""
    problem = problem_of(tmp_path, GOOD.replace("rounds = 3", "rounds = = 3"))
    assert "is not TOML" in problem
    assert "line 5" in problem


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    """The path stands in the message."""
    with pytest.raises(SpecError, match=r"nowhere\.toml: there is no such file"):
        load(tmp_path / "nowhere.toml", SuiteSpec)


def test_a_folder_or_binary_in_its_place_is_told(tmp_path: Path) -> None:
    """Neither ends in a stack trace."""
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    for name in (tmp_path, tmp_path / "binary.toml"):
        with pytest.raises(SpecError, match="cannot be read"):
            load(name, SuiteSpec)
