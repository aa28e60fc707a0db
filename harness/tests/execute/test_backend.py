"""Where trials run."""

import os
from pathlib import Path

import pytest

from respmark.containers.manifest import Limits
from respmark.contract.trial import Endpoint, Tls
from respmark.errors import InvalidRequestError
from respmark.execute.backend import LocalBackend, backend_named
from respmark.execute.docker_backend import DockerBackend, OpenDocker, check_reachable, service_of
from respmark.placement import BackendName, Placement
from respmark.specs.target import ContainerTarget, SpawnedTarget
from respmark.target import target as targets
from respmark.target.guardian import Guardian
from respmark.wire.proxy import LOOPBACK
from tests.builders.plan import SHIPPED
from tests.containers.conftest import FakeDocker, docker
from tests.containers.test_project import Commands
from tests.fakes import FakeControl

__all__ = ["docker"]
PINNED = Placement(target="0", clients="1")


def silent(_note: str) -> None:
    """Nobody listens."""


def test_every_way_has_its_place() -> None:
    """With the CPUs that were asked for."""
    assert backend_named(BackendName.LOCAL, PINNED, silent) == LocalBackend(PINNED)
    found = backend_named(BackendName.DOCKER, PINNED, silent)
    assert isinstance(found, DockerBackend)
    assert found.placement == PINNED


def test_servers_of_ours_become_containers() -> None:
    """The default target is the default service; a container's target names its own."""
    assert service_of(SpawnedTarget(name="spawned", summary="s", servers=("x",))) == "valkey"
    assert service_of(ContainerTarget(name="mine", summary="s", service="redis")) == "redis"


@pytest.mark.parametrize(
    ("changes", "words"),
    [({"transport": "unix"}, "a unix socket"), ({"arguments": ("--io-threads", "2")}, "settings of its own")],
)
def test_a_server_that_a_container_is_not_is_refused(changes: dict[str, object], words: str) -> None:
    """It would be measured under a wrong name."""
    spec = SpawnedTarget.model_validate({"name": "mine", "summary": "s", "servers": ("x",), **changes})
    with pytest.raises(InvalidRequestError, match=words):
        service_of(spec)


@pytest.mark.parametrize(
    ("endpoint", "words"),
    [
        (Endpoint(host="127.0.0.1", port=1), "the container itself"),
        (Endpoint(host="localhost", port=1), "the container itself"),
        (Endpoint(unix_socket="/s"), "the container itself"),
        (Endpoint(host="h", port=1, tls=Tls(ca_file="/ca.pem")), "certificate files are not carried"),
    ],
)
def test_servers_that_containers_cannot_reach_are_refused(endpoint: Endpoint, words: str) -> None:
    """Every trial would fail one by one."""
    with pytest.raises(InvalidRequestError, match=words):
        check_reachable(endpoint)


def test_servers_in_the_network_are_reached_as_they_are() -> None:
    """With the system's authorities where they speak TLS."""
    check_reachable(Endpoint(host="10.0.0.5", port=6379))
    check_reachable(Endpoint(host="redis.example", port=6379, tls=Tls()))


@pytest.fixture
def answering(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every control connection be one to a server that answers."""
    monkeypatch.setattr(targets, "Control", Opened)


class Opened(FakeControl):
    """A control connection to any endpoint."""

    def __init__(self, endpoint: Endpoint) -> None:
        super().__init__(endpoint=endpoint)

    def open(self) -> "Opened":
        """Open it."""
        return self


@pytest.mark.usefixtures("answering")
def test_the_harness_and_runners_reach_a_container_by_different_ways(tmp_path: Path, docker: FakeDocker) -> None:
    """The published port on this machine; the address on the private network."""
    (tmp_path / "share").mkdir(mode=0o700)
    way = backend_named(BackendName.DOCKER, PINNED, silent)
    with way.open(SHIPPED, Commands(), tmp_path / "share", "r") as place:
        target = place.open_target(SHIPPED.target("redis"), allow_flush=False)
        assert isinstance(place, OpenDocker)
        password = place.project.password
        assert target.endpoint == Endpoint(host="127.0.0.1", port=32768, password=password)
        assert target.for_runners == Endpoint(host="172.30.0.2", port=6379, password=password)
        assert target.spawned
        assert target.program == "valkey/valkey:8.1"
        target.close()
        assert docker.calls("compose", "rm", "redis")
        assert (tmp_path / "share").stat().st_mode & 0o777 == 0o755
        told = place.containers()
    assert told is not None
    assert told.engine.docker == "28.5.1"
    assert told.limits == [Limits(service="redis", memory_bytes=None, cpus=None)]


def test_a_proxy_listens_where_containers_reach_it(tmp_path: Path, docker: FakeDocker) -> None:
    """At the network's gateway, if that is this machine; else docker has a name for its host."""
    (tmp_path / "share").mkdir()
    with backend_named(BackendName.DOCKER, PINNED, silent).open(SHIPPED, Commands(), tmp_path / "share", "r") as place:
        docker.answer("network", "inspect", stdout='[{"IPAM": {"Config": [{"Gateway": "127.0.0.1"}]}}]')
        assert (place.listen_address.listen, place.listen_address.told) == ("127.0.0.1", "127.0.0.1")
        docker.answer("network", "inspect", stdout='[{"IPAM": {"Config": [{"Gateway": "192.0.2.1"}]}}]')
        assert (place.listen_address.listen, place.listen_address.told) == ("127.0.0.1", "host.docker.internal")


def test_processes_need_no_containers(tmp_path: Path, guardian: Guardian) -> None:
    """Nothing is asked of docker; a target that is a container is refused."""
    with LocalBackend().open(SHIPPED, guardian, tmp_path, "r") as place:
        assert place.containers() is None
        assert place.listen_address == LOOPBACK
        with pytest.raises(InvalidRequestError, match="say --via docker"):
            place.open_target(SHIPPED.target("valkey"), allow_flush=False)


def test_a_server_of_ours_runs_on_its_cpus(tmp_path: Path, guardian: Guardian) -> None:
    """With a real server; what we do ourselves is not pinned."""
    first = min(os.sched_getaffinity(0))
    place_of = LocalBackend(Placement(target=str(first), clients=None))
    with place_of.open(SHIPPED, guardian, tmp_path, "r") as place:
        target = place.open_target(SHIPPED.target("spawned"), allow_flush=False)
        info = target.control.command("INFO", "server").decode()
        pid = int(next(line for line in info.splitlines() if line.startswith("process_id")).partition(":")[2])
        assert os.sched_getaffinity(pid) == {first}
        target.close()
