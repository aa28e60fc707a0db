"""`respmark fidelity` whole: a runner and a bare loop, in turns, on a real server."""

import csv
import io
import sys
from pathlib import Path

import pytest

from respmark.fidelity.rows import FidelityRun
from tests.integration.conftest import DOUBLE, SUITE, Respmark

BARE = f"{sys.executable} {DOUBLE.with_name('bare.py')}"
OPEN = SUITE.replace('name = "tiny"', 'name = "fidelity"\ntarget = "spawned-open"', 1)
"""Bare loops are told no password."""
FAST = ("--rounds", "2", "--laps", "3", "--slice-s", "0.05")
"""Of shorter slices, one moment without a processor, between two samples, is more than a trial may lose."""


@pytest.fixture(autouse=True)
def _suite(specs: Path) -> None:
    """Make the tiny suite the one that is held against bare loops."""
    (specs / "suites" / "fidelity.toml").write_text(OPEN)


def rows_of(text: str) -> dict[tuple[str, str], dict[str, str]]:
    """Return the rows of a CSV by client and scenario."""
    return {(row["client"], row["scenario"]): row for row in csv.DictReader(io.StringIO(text))}


def test_every_row_has_both_ratios_with_intervals(respmark: Respmark, tmp_path: Path) -> None:
    """And a file from which the same table is made again."""
    out = tmp_path / "fidelity"
    clients = ("--client", "double[mode=honest]", "--client", "double[mode=also-honest]")
    finished = respmark("fidelity", *clients, *FAST, "--out", out, "--format", "csv")
    assert finished.code == 0, finished.output + finished.errors
    rows = rows_of(finished.output)
    names = ("double", "double[mode=also-honest]")
    assert set(rows) == {(name, scenario) for name in names for scenario in ("sync", "batching")}
    for row in rows.values():
        assert (row["status"], row["rounds"], row["laps"], row["library_version"]) == ("ok", "2", "6", "1.0")
        assert float(row["rps_ratio_low"]) < float(row["rps_ratio"]) < float(row["rps_ratio_high"])
        assert float(row["client_cpu_ratio_low"]) < float(row["client_cpu_ratio"]) < float(row["client_cpu_ratio_high"])
    again = respmark("fidelity", "--from", out / "fidelity.json", "--format", "csv")
    assert again.output == finished.output
    assert FidelityRun.model_validate_json((out / "fidelity.json").read_bytes()).rounds == 2


def test_a_run_gets_more_rounds(respmark: Respmark, tmp_path: Path) -> None:
    """Those that it has stay as they are; with other slices it does not go on."""
    out, words = tmp_path / "fidelity", ("--client", "double[mode=honest]", "--scenario", "sync", *FAST[2:])
    assert respmark("fidelity", *words, "--rounds", "2", "--out", out).code == 0
    before = FidelityRun.model_validate_json((out / "fidelity.json").read_bytes())
    finished = respmark("fidelity", *words, "--rounds", "3", "--resume", out, "--format", "csv")
    assert finished.code == 0, finished.output + finished.errors
    (row,) = rows_of(finished.output).values()
    assert (row["rounds"], row["laps"]) == ("3", "9")
    after = FidelityRun.model_validate_json((out / "fidelity.json").read_bytes())
    assert after.rows[0].laps[:6] == before.rows[0].laps
    other = respmark("fidelity", *words, "--lead-in-s", "0.03", "--resume", out)
    assert other.code == 2
    assert "lead_in_s: 0.03, there 0.02" in other.errors


@pytest.mark.parametrize(
    ("mode", "words"),
    [
        ("overclaims", "commands, the server saw"),
        ("garbage", "answered `I did a lot`"),
        ("ends-early", "bare: gave up"),
        ("never-ready", "bare: no such module"),
    ],
)
def test_a_bare_loop_that_lies_has_no_row_of_figures(respmark: Respmark, tmp_path: Path, mode: str, words: str) -> None:
    """A variant's own loop is held to its word; the other client's row stands."""
    clients = ("--client", "double[mode=honest]", "--client", "double[mode=also-honest]", "--scenario", "sync")
    bare = f"double[mode=also-honest]={BARE} {mode}"
    out = tmp_path / "fidelity"
    finished = respmark("fidelity", *clients, *FAST, "--bare", bare, "--out", out, "--format", "csv")
    assert finished.code == 1
    rows = rows_of(finished.output)
    lied = rows["double[mode=also-honest]", "sync"]
    assert (lied["status"], lied["rps_ratio"]) == ("failed", "")
    assert lied["reason"].startswith("round 1: the bare loop ")
    assert words in lied["reason"]
    assert rows["double", "sync"]["status"] == "ok"


def test_a_runner_that_lies_has_no_row_of_figures_either(respmark: Respmark, tmp_path: Path) -> None:
    """The suite's side is held against the server's counters as in every run."""
    words = ("--client", "double[mode=overclaims]", "--scenario", "sync", "--out", tmp_path / "fidelity")
    finished = respmark("fidelity", *words, *FAST, "--bare", f"double={BARE}", "--format", "csv")
    assert finished.code == 1
    (row,) = rows_of(finished.output).values()
    assert row["status"] == "failed"
    assert "the server saw" in row["reason"]
