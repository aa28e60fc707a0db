"""The real runners over TLS, to a server that the run starts with certificates of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from respmark.specs.catalogue import Catalogue
from tests.record_files import records_of

CATALOGUE = Catalogue()
REQUIRED = set(os.environ.get("RESPMARK_REQUIRE", "").split(","))


@pytest.mark.timeout(300)
def test_every_library_is_measured_over_tls(tmp_path: Path) -> None:
    """Each trusts the run's authority, verifies the server, and has the server's counters behind what it claims."""
    out = tmp_path / "out"
    command = [sys.executable, "-m", "respmark", "run", "smoke", "--client", "*", "--scenario", "sync"]
    environment = {name: value for name, value in os.environ.items() if name != "RESPMARK_SPECS"}
    environment["RESPMARK_LOCK"] = str(tmp_path / "lock")  # nothing is measured here, so others may run meanwhile
    finished = subprocess.run(
        [*command, "--target", "spawned-tls", "--out", str(out)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )
    assert json.loads((out / "manifest.json").read_text())["target"]["address"].endswith(" over TLS")
    records = records_of(out)
    assert {record["client"]["library"] for record in records} == set(CATALOGUE.clients)
    here = [record for record in records if record["status"] != "missing" or record["client"]["runner"] in REQUIRED]
    assert [(record["client"]["name"], record["reason"]) for record in here if record["status"] != "ok"] == []
    assert all(record["ready"][0]["verified_replies"] >= 100 for record in here), finished.stderr
