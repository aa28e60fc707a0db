"""The real runners: every client in every scenario of the suite `every`, with evidence."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from respmark.placement import UNPINNED, usual
from respmark.specs.catalogue import Catalogue
from respmark.specs.naming import variants
from tests.record_files import records_of

CATALOGUE = Catalogue()
CLIENTS = {client.name: client for library in CATALOGUE.clients.values() for client in variants(library)}
REQUIRED = set(os.environ.get("RESPMARK_REQUIRE", "").split(","))

BRIEF = ("--laps", "5")
"""Of five slices, a trial may lose one."""
ON_A_BUSY_MACHINE = "of CPU for the slice, from order to answer the kernel counted"
"""The only reason to lose one. Seen with node-redis on virtual machines, rarely: 20 to 29 ms more than it claimed."""
VARIANT_SCENARIOS = ("--scenario", "sync", "--scenario", "batching", "--scenario", "pool")
"""Scenarios for variants and older versions; tests/conform tries the others, on the wire."""


@pytest.mark.timeout(300)
@pytest.mark.usefixtures("java_starts_soon")
@pytest.mark.parametrize("name", CLIENTS)
def test_every_claim_of_a_real_client_is_backed_by_the_server(name: str, tmp_path: Path) -> None:
    """Each trial is ok, or unsupported with a reason; a runner that is not here is shown as missing."""
    library = name.partition("[")[0].partition("@")[0]
    out = tmp_path / "out"
    scenarios = () if name == library else VARIANT_SCENARIOS
    command = [sys.executable, "-m", "respmark", "run", "every", "--client", name, "--out", str(out)]
    command += [*BRIEF, *scenarios]
    environment = {name: value for name, value in os.environ.items() if name != "RESPMARK_SPECS"}
    environment["RESPMARK_LOCK"] = str(tmp_path / "lock")  # nothing is measured here, so others may run meanwhile
    finished = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=280)
    records = records_of(out)
    statuses = {record["status"] for record in records}
    client = CLIENTS[name]
    required = not REQUIRED.isdisjoint({client.runner, f"{client.runner}@{client.installation}"})
    if statuses == {"missing"} and not required:
        assert finished.returncode == 3
        assert f"{name} is missing: " in " ".join(finished.stdout.split())
        return
    problems = [record["reason"] for record in records if record["status"] not in {"ok", "unsupported"}]
    assert problems == [], finished.stderr
    assert finished.returncode == 0, finished.stderr
    measured = [record for record in records if record["status"] == "ok"]
    lost = [record["reason"] for record in measured if record["reason"] is not None]
    assert all(ON_A_BUSY_MACHINE in reason for reason in lost), lost
    assert all(record["ready"][0]["verified_replies"] >= 100 for record in measured)
    # Of runtimes that compile in threads of their own, the kernel tells what that takes, by the threads' names.
    compiles = bool(CATALOGUE.runners[client.runner].compilers)
    compiling = [record["warm_up"]["compiling_percent"] for record in measured]
    assert {percent is not None for percent in compiling} == {compiles}
    assert not compiles or max(compiling) > 0
    if client.runner == "php" and usual() != UNPINNED:
        # PHP has one thread, so it keeps off the server's CPU, unless several of its processes work.
        one = {record["trial_id"]: (record["shape"].get("processes") or 1) == 1 for record in measured}
        assert {record["trial_id"]: record["warm_up"]["is_apart_from_server"] for record in measured} == one
