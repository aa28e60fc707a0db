"""Clients that err, crash, hang, talk or are not there: each is shown, none stops the run."""

import re
import shutil
from pathlib import Path

import pytest

from respmark.kinds.loops import loop
from respmark.run import processes
from respmark.servers.control import Control
from respmark.servers.node import Node
from tests.double import install
from tests.integration.conftest import Respmark, url_of
from tests.integration.run_files import left_in

FAILED = {
    "talkative": "commands that are not in the workload: ECHO",
    "raises": "x ResponseError in the slice, first: ResponseError: one went wrong",
    "undecoded": "must be a value of",
    "crashes": "exited with code 1 before its result: RuntimeError: something broke here",
    "crashes-in-slice": "exited with code 1 before its result: double: broke in the slice",
    "hangs": "the runner hung: it printed nothing for",
    "hangs-in-slice": "the runner hung: it printed nothing for",
}


@pytest.mark.parametrize("mode", FAILED)
def test_a_client_that_fails_costs_nobody_else_anything(
    respmark: Respmark, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    """Its trial has failed, with what was found; the others are measured, and the exit code is 1."""
    if mode.startswith("hangs"):
        monkeypatch.setattr(processes, "START_LIMIT_S", 5.0)
        monkeypatch.setattr(loop, "SLICE_GRACE_S", 5.0)
    clients = ("--client", f"double[mode={mode}]", "--client", "double[mode=honest]")
    finished = respmark("run", "tiny", *clients, "--scenario", "sync")
    by_client = {record["client"]["name"]: record for record in finished.records}
    assert finished.code == 1, finished.said
    assert by_client[f"double[mode={mode}]"]["status"] == "failed"
    assert re.search(FAILED[mode], by_client[f"double[mode={mode}]"]["reason"])
    assert by_client["double"]["status"] == "ok", by_client["double"]["reason"]


def test_what_cannot_be_measured_is_shown(respmark: Respmark, specs: Path) -> None:
    """As unsupported or missing, with the reason and what to do; what was named and is missing ends the run with 1."""
    absent = specs / "absent" / "clients" / "other"
    absent.mkdir(parents=True)
    (absent.parents[1] / "runner.toml").write_text(
        'language = "None"\ncommand = ["no-such-program", "main"]\nadvice = "install it"\n'
    )
    shutil.copy(specs / "double" / "clients" / "double" / "client.toml", absent)
    clients = [word for name in ("double[mode=unsupported]", "double", "other") for word in ("--client", name)]
    finished = respmark("run", "tiny", *clients, "--scenario", "sync")
    assert finished.code == 1, finished.said
    statuses = {record["client"]["name"]: record["status"] for record in finished.records}
    assert statuses == {"double": "ok", "double[mode=unsupported]": "unsupported", "other": "missing"}
    assert "this client cannot do that" in finished.said
    assert "other: missing: no-such-program: No such file or directory; install it" in finished.said
    shutil.rmtree(specs / "double")
    install(specs, ("no-such-program",))
    nothing = respmark("run", "tiny", out=finished.out.with_name("nothing"))
    assert nothing.code == 3
    assert "missing" in nothing.output


def test_what_a_library_says_is_harmless(respmark: Respmark, server: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    """A password, orders for the terminal, and far too much: none of it is in files, tables or messages."""
    with Control(server.endpoint) as control:
        control.command("CONFIG", "SET", "requirepass", "hush-hush/7")
    monkeypatch.setenv("RESPMARK_SERVER_PASSWORD", "hush-hush/7")
    words = ("--client", "double[mode=tells]", "--scenario", "sync", "--server", url_of(server))
    finished = respmark("run", "tiny", *words)
    assert finished.code == 1
    assert "\N{REPLACEMENT CHARACTER}[2J[red]cannot log in with ***" in finished.said
    left = left_in(finished.out).decode() + finished.output + finished.errors
    assert "hush-hush" not in left
    assert "\x1b" not in left
    assert len(left) < 200_000
