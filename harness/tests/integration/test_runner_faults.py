"""Runners that lie, crash, hang or are not there: each is shown, none stops the run."""

from pathlib import Path

import pytest

from tests.integration.conftest import Respmark

LIES = {
    "overclaims": "the server saw",
    "underclaims": "the server saw",
    "wrong-kinds": "server saw",
    "hides-errors": "2 x ReplyError in the window, first: ReplyError: two went wrong",
    "extra-commands": "commands that are not in the workload: ECHO 1",
}
FAULTS = {
    "crashes": "ended with exit code 1 before its result: double: something broke here",
    "crashes-in-window": "ended with exit code 1 before its result: double: broke in the window",
    "silent-crash": "was ended by signal 6 before its result",
    "garbage": "printed something that is not in the contract",
    "exits-after-result": "ended with exit code 7 after its result",
}


@pytest.mark.parametrize("mode", LIES)
def test_a_claim_that_the_server_does_not_back_fails_the_trial(respmark: Respmark, mode: str) -> None:
    """A trial is failed, with both numbers, when the runner's claim and the server's counters differ."""
    finished = respmark("run", "tiny", "--client", f"double[mode={mode}]", "--scenario", "sync")
    (record,) = finished.records()
    assert finished.code == 1
    assert record["status"] == "failed"
    assert LIES[mode] in record["reason"]
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
    assert FAULTS[mode] in by_client[f"double[mode={mode}]"]["reason"]
    assert by_client["double"]["status"] == "ok"


def test_what_a_runner_cannot_express_is_shown_as_unsupported(respmark: Respmark) -> None:
    """Exit code 3 is no failure: the reason stands in the table."""
    finished = respmark("run", "tiny", "--client", "double[mode=unsupported]", "--client", "double[mode=honest]")
    assert finished.code == 0, finished.errors
    statuses = {(record["client"]["name"], record["status"]) for record in finished.records()}
    assert statuses == {("double", "ok"), ("double[mode=unsupported]", "unsupported")}
    assert "double: this client cannot do that" in " ".join(finished.output.split())


def test_a_missing_runner_is_shown_and_the_others_are_measured(respmark: Respmark, specs: Path) -> None:
    """Its cells stand in the tables as missing, with what to do."""
    (specs / "runners" / "absent.toml").write_text(
        'name = "absent"\nlanguage = "None"\ncommand = ["no-such-program", "main"]\n'
        'bare = ["no-such-program"]\nadvice = "install it"\n'
    )
    client = (specs / "clients" / "double.toml").read_text()
    client = client.replace('library = "double"', 'library = "other"').replace('runner = "double"', 'runner = "absent"')
    (specs / "clients" / "other.toml").write_text(client)
    finished = respmark("run", "tiny", "--client", "double", "--client", "other")
    assert finished.code == 0, finished.errors
    assert "other is missing: no-such-program: No such file or directory; install it" in _flat(finished.output)
    statuses = {(record["client"]["library"], record["status"]) for record in finished.records()}
    assert statuses == {("double", "ok"), ("other", "missing")}


def _flat(text: str) -> str:
    return " ".join(text.split())


def test_when_nothing_can_be_measured_the_exit_code_says_so(respmark: Respmark, specs: Path) -> None:
    """With every runner missing, the tables still appear and the exit code is 3."""
    runner = specs / "runners" / "double.toml"
    runner.write_text(runner.read_text().replace("command = [", 'command = ["no-such-program", '))
    finished = respmark("run", "tiny")
    assert finished.code == 3
    assert "missing" in finished.output
