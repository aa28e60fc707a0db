"""Runs that go on after they were cut short."""

import json
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.integration.conftest import Finished, Respmark

WORDS = ("run", "tiny", "--rounds", "3", "--seed", "5")


def files(out: Path) -> dict[str, bytes]:
    """Return the trials' files by name."""
    return {path.name: path.read_bytes() for path in (out / "trials").glob("*.json.gz")}


def places(finished: Finished) -> list[tuple[str, int, list[int]]]:
    """Return each trial with its place in the run and the commands at which its slices began."""
    return [
        (record["trial_id"], record["order"], [one["order"]["first_command"] for one in record["slices"]])
        for record in finished.records()
    ]


def resumed(start: Callable[..., Any], out: Path) -> Finished:
    """Go on."""
    process = start(*WORDS, "--resume", out)
    output, errors = process.communicate(timeout=100)
    return Finished(process.returncode, output, " ".join(errors.split()), out)


def test_what_is_done_is_kept_and_the_rest_is_as_it_would_have_been(
    respmark: Respmark, start: Callable[..., Any], tmp_path: Path
) -> None:
    """As after a crash: the files of the last blocks are not there, and the manifest says `running`."""
    whole = respmark(*WORDS, out=tmp_path / "whole")
    cut = respmark(*WORDS, out=tmp_path / "cut")
    assert places(whole) == places(cut)
    for record in cut.records()[3:]:
        (cut.out / "trials" / f"{record['trial_id']}.json.gz").unlink()
    manifest = cut.manifest() | {"status": "running", "ended_at": None}
    (cut.out / "manifest.json").write_text(json.dumps(manifest))
    kept = files(cut.out)
    finished = resumed(start, cut.out)
    assert finished.code == 0, finished.output + finished.errors
    assert places(finished) == places(whole)
    assert {name: content for name, content in files(cut.out).items() if name in kept} == kept
    after = finished.manifest()
    assert (after["status"], after["started_at"], len(after["resumed_at"])) == ("complete", manifest["started_at"], 1)


def test_an_interrupted_run_goes_on(start: Callable[..., Any], tmp_path: Path) -> None:
    """Ctrl-C in the second block; the block that it cut short is measured as a whole."""
    out = tmp_path / "out"
    process = start(*WORDS, "--out", out)
    while not any((out / "trials").glob("[!.]*.json.gz")):
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=100)
    assert process.returncode == 130
    finished = resumed(start, out)
    assert finished.code == 0, finished.output + finished.errors
    records = finished.records()
    assert [(record["status"], record["reason"], len(record["slices"])) for record in records] == [("ok", None, 2)] * 6
    assert [record["order"] for record in records] == list(range(1, 7))
    again = resumed(start, out)
    assert again.code == 2
    assert "is complete: nothing is left to be measured" in again.errors
