"""The commands `conform` and `trace`, as a user types them."""

import json
from pathlib import Path

import pytest

from respmark.cli import check
from respmark.cli.app import run_command
from respmark.conform import verdicts
from respmark.conform.cases import Case
from respmark.conform.observation import Deviation
from respmark.conform.verdicts import CaseVerdict, Conformity
from respmark.console import report_console
from respmark.contract.trial import Scenario, Shape
from respmark.errors import ExitCode
from respmark.specs.catalogue import Catalogue
from tests.builders.plan import make_cell, make_client


@pytest.fixture(autouse=True)
def _double_only(catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdicts, "TRIES", 1)
    monkeypatch.setattr(check, "Catalogue", lambda: Catalogue(catalogue.folder))


def test_a_deviation_ends_with_exit_code_1_and_its_trace(capsys: pytest.CaptureFixture[str]) -> None:
    """The table has a cross, and below it stands what was asked, what was found, and the trace that shows it."""
    words = ["conform", "double[mode=talkative]", "--no-tampering", "--scenario", "sync"]
    code = run_command(words)
    printed = capsys.readouterr().out
    assert code is ExitCode.SOME_FAILED
    assert "✗ │ sync" in printed
    assert "asked: " in printed
    assert "ECHO" in printed


def test_what_proved_nothing_is_inconclusive_and_not_red(capsys: pytest.CaptureFixture[str]) -> None:
    """The exit code is 0; the table, the last line and a list say so, with what was not seen and what to type."""
    case = Case(make_cell(make_client("slow"), Scenario.SYNC, Shape()))
    missed = (Deviation("a reply to tamper with", "none came", absent=True),)
    found = [CaseVerdict(case, Conformity.INCONCLUSIVE, deviations=missed)]
    check.print_verdicts(report_console(), found, {})
    printed = capsys.readouterr().out
    assert check.exit_code(found) is ExitCode.OK
    for shown in ("~ │ sync", "found: none came", "respmark conform 'slow' --scenario sync"):
        assert shown in printed
    assert " ~ inconclusive" in printed.splitlines()[-1]


def test_a_trace_is_drawn_and_saved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`trace` prints the wire shape and a picture, and writes a file that reads back; the password is in neither."""
    out = tmp_path / "trace.json"
    words = ["trace", "double", "batching", "--depth", "7", "--out", str(out)]
    assert run_command(words) is ExitCode.OK
    printed = capsys.readouterr().out
    assert "1 connection, 7 outstanding, 7 per flush" in printed
    assert "-->  7 commands in 1 read" in printed
    saved = json.loads(out.read_text())
    assert saved["subject"]["shape"]["depth"] == 7
    handshake, *_, last = saved["connections"][0]["commands"]
    assert (handshake["name"], handshake["sizes"], handshake["digest"]) == ("HELLO", [], None)
    assert last["name"] in {"GET", "SET"}
