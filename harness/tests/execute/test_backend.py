"""Where trials run."""

import os
from pathlib import Path

import pytest

from respmark.containers.manifest import Limits
from respmark.contract.trial import Endpoint, Tls
from respmark.errors import InvalidRequestError
from respmark.execute.backend import BackendName, LocalBackend, backend_named
from respmark.execute.docker_backend import DockerBackend, OpenDocker, check_reachable, service_of
from respmark.placement import Placement
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


def in_docker() -> DockerBackend:
    """Return the backend in containers, with the CPUs that were asked for."""
    found = backend_named(BackendName.DOCKER, PINNED, lambda _note: None)
    assert isinstance(found, DockerBackend)
    assert found.placement == PINNED
    return found


def test_servers_of_ours_become_containers() -> None:
    """The default target is the default service; a container's target names its own."""
    assert service_of(SpawnedTarget(name="spawned", summary="s", servers=("x",))) == "valkey"
    assert service_of(ContainerTarget(name="mine", summary="s", service="redis")) == "redis"


@pytest.mark.parametrize(
    ("changes", "said"),
    [({"transport": "unix"}, "a unix socket"), ({"arguments": ("--io-threads", "2")}, "settings of its own")],
)
def test_a_server_that_a_container_is_not_is_refused(changes: dict[str, object], said: str) -> None:
    """It would be measured under a wrong name."""
    spec = SpawnedTarget.model_validate({"name": "mine", "summary": "s", "servers": ("x",), **changes})
    with pytest.raises(InvalidRequestError, match=said):
        service_of(spec)


@pytest.mark.parametrize(
    ("endpoint", "said"),
    [
        (Endpoint(host="localhost", port=1), "the container itself"),
        (Endpoint(unix_socket="/s"), "the container itself"),
        (Endpoint(host="h", port=1, tls=Tls(ca_file="/ca.pem")), "certificate files are not carried"),
    ],
)
def test_servers_that_containers_cannot_reach_are_refused(endpoint: Endpoint, said: str) -> None:
    """Every trial would fail one by one; those in the network are reached as they are."""
    with pytest.raises(InvalidRequestError, match=said):
        check_reachable(endpoint)
    check_reachable(Endpoint(host="redis.example", port=6379, tls=Tls()))


class Opened(FakeControl):
    """A control connection to any endpoint, which answers."""

    def __init__(self, endpoint: Endpoint) -> None:
        super().__init__(endpoint=endpoint)

    def open(self) -> "Opened":
        return self


def test_the_harness_and_runners_reach_a_container_by_different_ways(
    tmp_path: Path, docker: FakeDocker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The published port on this machine; the address on the private network."""
    monkeypatch.setattr(targets, "Control", Opened)
    (tmp_path / "share").mkdir(mode=0o700)
    with in_docker().open(SHIPPED, Commands(), tmp_path / "share", "r") as opened:
        target = opened.open_target(SHIPPED.target("redis"), allow_flush=False)
        assert isinstance(opened, OpenDocker)
        password = opened.project.password
        assert target.endpoint == Endpoint(host="127.0.0.1", port=32768, password=password)
        assert target.for_runners == Endpoint(host="172.30.0.2", port=6379, password=password)
        assert (target.spawned, target.program) == (True, "valkey/valkey:8.1")
        target.close()
        assert docker.calls("compose", "rm", "redis")
        assert (tmp_path / "share").stat().st_mode & 0o777 == 0o755
        containers = opened.containers()
    assert containers is not None
    assert containers.engine.docker == "28.5.1"
    assert containers.limits == [Limits(service="redis", memory_bytes=None, cpus=None)]


@pytest.mark.parametrize(("gateway", "named"), [("127.0.0.1", "127.0.0.1"), ("192.0.2.1", "host.docker.internal")])
def test_a_proxy_listens_where_containers_reach_it(
    tmp_path: Path, docker: FakeDocker, gateway: str, named: str
) -> None:
    """At the network's gateway, if that is this machine; else docker has a name for its host."""
    (tmp_path / "share").mkdir()
    with in_docker().open(SHIPPED, Commands(), tmp_path / "share", "r") as opened:
        docker.answer("network", "inspect", stdout=f'[{{"IPAM": {{"Config": [{{"Gateway": "{gateway}"}}]}}}}]')
        assert (opened.listen_address.listen, opened.listen_address.told) == ("127.0.0.1", named)


def test_processes_need_no_containers(tmp_path: Path, guardian: Guardian) -> None:
    """A target that is a container is refused; a server of ours runs on its CPUs, and what we do ourselves does not."""
    first = min(os.sched_getaffinity(0))
    backend = backend_named(BackendName.LOCAL, Placement(target=str(first), clients=None), lambda _note: None)
    assert isinstance(backend, LocalBackend)
    with backend.open(SHIPPED, guardian, tmp_path, "r") as opened:
        assert opened.containers() is None
        assert opened.listen_address == LOOPBACK
        with pytest.raises(InvalidRequestError, match="say --via docker"):
            opened.open_target(SHIPPED.target("valkey"), allow_flush=False)
        target = opened.open_target(SHIPPED.target("spawned"), allow_flush=False)
        assert target.pid is not None
        assert os.sched_getaffinity(target.pid) == {first}
        target.close()
