"""What a runner and a server in their containers may do, and what not."""

import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from respmark.machine.guardian import Guardian
from respmark.machine.placement import UNPINNED
from respmark.runners.compose import Project, project
from respmark.runners.docker_engine import Images
from respmark.specs.catalogue import Catalogue
from tests.docker.conftest import RUN_LIMIT_S

pytestmark = [pytest.mark.docker, pytest.mark.full, pytest.mark.timeout(RUN_LIMIT_S + 60)]
LOOK = r"""
echo "uid $(id -u)"
grep -E '^(CapEff|CapPrm|NoNewPrivs):' /proc/self/status
for place in / /respmark /share /etc; do touch "$place/mine" 2>/dev/null && echo "wrote $place"; done
touch /tmp/mine && echo "wrote /tmp"
cat /share/hello
ls /var/run/docker.sock 2>/dev/null
env
"""


@pytest.fixture
def opened(run_name: str, tmp_path: Path) -> Iterator[Project]:
    share = tmp_path / "share"
    share.mkdir()
    share.chmod(0o755)
    (share / "hello").write_text("hello from the share\n")
    with closing(Guardian()) as guardian, project(run_name, share, UNPINNED, guardian) as made:
        yield made


@pytest.mark.parametrize("runner", sorted(Catalogue().languages))
def test_a_runner_can_read_its_share_and_write_nothing_that_stays(opened: Project, runner: str) -> None:
    """No root, no capabilities, a read-only file system, no docker inside, no secrets in the environment."""
    Images(lambda _note: None).build(opened.docker, runner)
    name = opened.new_name(runner)
    words = opened.run_command(runner, name, ["sh", "-c", LOOK])
    shown = subprocess.run(words, capture_output=True, text=True, timeout=300, check=True).stdout
    lines = shown.splitlines()
    assert "uid 0" not in lines
    assert [line for line in lines if line.startswith("wrote")] == ["wrote /tmp"]
    assert "hello from the share" in lines
    status = dict(line.split(":\t") for line in lines if ":\t" in line)
    assert int(status["CapEff"], 16) == int(status["CapPrm"], 16) == 0
    assert status["NoNewPrivs"] == "1"
    assert not [word for word in ("docker.sock", "PASSWORD") if word in shown]
    found = opened.docker.container.inspect(name).host_config
    assert (found.privileged, found.readonly_rootfs) == (False, True)
    assert found.memory
    assert found.memory == found.memory_swap


@pytest.mark.parametrize("service", ["valkey", "redis"])
def test_a_server_is_confined_and_reached_from_this_machine_only(opened: Project, service: str) -> None:
    """Not root, nothing persisted, its port on the loopback interface alone, nothing mounted but its configuration."""
    opened.serve(service)
    found = opened.docker.container.inspect(opened.served[service])
    assert (found.host_config.privileged, found.host_config.readonly_rootfs) == (False, True)
    assert found.config.user == "999:999"
    assert [(mount.destination, mount.rw) for mount in found.mounts] == [("/run/respmark.conf", False)]
    bindings = [binding for ports in (found.network_settings.ports or {}).values() for binding in ports or []]
    assert {dict(binding)["HostIp"] for binding in bindings} == {"127.0.0.1"}
