"""Where trials run."""

import os
from pathlib import Path

import pytest

from respmark.containers.manifest import Limits
from respmark.contract.trial import Endpoint
from respmark.errors import InvalidRequestError
from respmark.execute.backend import LocalBackend, backend_named
from respmark.execute.docker_backend import DockerBackend, OpenDocker, service_of
from respmark.placement import BackendName, Placement
from respmark.specs.target import SpawnedTarget
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


@pytest.mark.parametrize(
    ("changes", "said"),
    [({"transport": "unix"}, "a unix socket"), ({"arguments": ("--io-threads", "2")}, "settings of its own")],
)
def test_a_server_that_a_container_is_not_is_refused(changes: dict[str, object], said: str) -> None:
    """It would be measured under a wrong name."""
    spec = SpawnedTarget.model_validate({"name": "mine", "summary": "s", "servers": ("x",), **changes})
    with pytest.raises(InvalidRequestError, match=said):
        service_of(spec)


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
