"""Clients that err, crash, hang or are not there: each is shown, none stops the run."""

import os
import re
import shutil
from pathlib import Path

import pytest

from tests.double import install
from tests.integration.conftest import Respmark

IMPATIENCE = Path(__file__).with_name("impatience")
"""A folder whose sitecustomize makes the harness wait for runners for seconds only."""
FOUND = {
    "talkative": "commands that are not in the workload: ECHO",
    "resends": "the server saw",
    "raises": "x ReplyError in the slice, first: ReplyError: one went wrong",
}
"""What is found when all slices have been measured."""
FAULTS = {
    "crashes": "ended with exit code 1 before its result: RuntimeError: something broke here",
    "crashes-in-slice": "ended with exit code 1 before its result: double: broke in the slice",
    "silent-crash": "was ended by signal 6 before its result",
    "garbage": "printed something that is not in the contract",
    "exits-at-the-end": "ended with exit code 7 after its result",
    "undecoded": "must be a value of",
}
"""What puts a client out of its block at once."""


@pytest.mark.parametrize("mode", FOUND)
def test_a_claim_that_the_server_does_not_back_fails_the_trial(respmark: Respmark, mode: str) -> None:
    """A trial is failed, with what was asked or seen and what was claimed; its slices are kept, the others are ok."""
    clients = ("--client", f"double[mode={mode}]", "--client", "double[mode=honest]")
    finished = respmark("run", "tiny", *clients, "--scenario", "sync")
    by_client = {record["client"]["name"]: record for record in finished.records()}
    record = by_client[f"double[mode={mode}]"]
    assert finished.code == 1
    assert record["status"] == "failed"
    assert re.search(FOUND[mode], record["reason"])
    assert len(record["slices"]) == 2
    assert by_client["double"]["status"] == "ok"
    assert "failed" in finished.output


@pytest.mark.parametrize("mode", FAULTS)
def test_a_broken_runner_fails_its_trials_and_the_run_goes_on(respmark: Respmark, mode: str) -> None:
    """Its last words are in the record, other clients are measured, and the exit code is 1."""
    finished = respmark(
        "run", "tiny", "--client", f"double[mode={mode}]", "--client", "double[mode=honest]", "--scenario", "sync"
    )
    by_client = {record["client"]["name"]: record for record in finished.records()}
    assert finished.code == 1
    assert by_client[f"double[mode={mode}]"]["status"] == "failed"
    assert re.search(FAULTS[mode], by_client[f"double[mode={mode}]"]["reason"])
    assert by_client["double"]["status"] == "ok"
    assert by_client["double"]["reason"] is None
    assert len(by_client["double"]["slices"]) == 2


@pytest.mark.parametrize("mode", ["hangs", "hangs-in-slice"])
def test_a_runner_that_hangs_is_ended_and_the_others_go_on(
    respmark: Respmark, environment: dict[str, str], mode: str
) -> None:
    """It costs its own round, with the reason; nobody else's."""
    environment["PYTHONPATH"] = os.pathsep.join([str(IMPATIENCE), environment.get("PYTHONPATH", "")])
    clients = ("--client", f"double[mode={mode}]", "--client", "double[mode=honest]")
    finished = respmark("run", "tiny", *clients, "--scenario", "sync")
    by_client = {record["client"]["name"]: record for record in finished.records()}
    assert finished.code == 1
    assert by_client[f"double[mode={mode}]"]["status"] == "failed"
    assert "the runner hung: it said nothing for" in by_client[f"double[mode={mode}]"]["reason"]
    assert by_client["double"]["status"] == "ok"
    assert len(by_client["double"]["slices"]) == 2


def test_what_a_runner_cannot_express_is_shown_as_unsupported(respmark: Respmark) -> None:
    """Exit code 3 is no failure: the reason stands in the table."""
    finished = respmark("run", "tiny", "--client", "double[mode=unsupported]", "--client", "double[mode=honest]")
    assert finished.code == 0, finished.output + finished.errors
    statuses = {(record["client"]["name"], record["status"]) for record in finished.records()}
    assert statuses == {("double", "ok"), ("double[mode=unsupported]", "unsupported")}
    assert "this client cannot do that" in " ".join(finished.output.split())


def test_a_missing_runner_is_shown_and_the_others_are_measured(respmark: Respmark, specs: Path) -> None:
    """Its cells stand in the tables as missing, with what to do."""
    absent = specs / "absent" / "clients" / "other"
    absent.mkdir(parents=True)
    (absent.parents[1] / "runner.toml").write_text(
        'language = "None"\ncommand = ["no-such-program", "main"]\nadvice = "install it"\n'
    )
    shutil.copy(specs / "double" / "clients" / "double" / "client.toml", absent)
    finished = respmark("run", "tiny", "--client", "double", "--client", "other")
    assert finished.code == 0, finished.output + finished.errors
    assert "other is missing: no-such-program: No such file or directory; install it" in _flat(finished.output)
    statuses = {(record["client"]["library"], record["status"]) for record in finished.records()}
    assert statuses == {("double", "ok"), ("other", "missing")}


def _flat(text: str) -> str:
    return " ".join(text.split())


def test_when_nothing_can_be_measured_the_exit_code_says_so(respmark: Respmark, specs: Path) -> None:
    """With every runner missing, the tables still appear and the exit code is 3."""
    shutil.rmtree(specs / "double")
    install(specs, ("no-such-program",))
    finished = respmark("run", "tiny")
    assert finished.code == 3
    assert "missing" in finished.output
