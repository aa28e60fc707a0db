"""Runners in containers, with a docker that is a script: what `run` starts is a few lines of Python."""

import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from respmark.contract.lines import Arrivals, OwnUnits, Work
from respmark.contract.trial import Shape
from respmark.errors import InvalidRequestError, RunnerFailedError, RunnerMissingError, UnsupportedError
from respmark.files import write_whole
from respmark.machine.placement import UNPINNED
from respmark.runners.compose import CpuCounter, project
from respmark.runners.docker import DockerExecutor, check_possible
from respmark.runners.docker_engine import Images
from respmark.runners.runner import Runner
from respmark.specs.naming import find_clients
from respmark.specs.runner import RunnerSpec
from tests.builders.plan import HIDDEN, SHIPPED, client_spec, make_client, make_request
from tests.builders.records import make_containers
from tests.runners.conftest import FakeDocker, docker
from tests.runners.scripted import LOADED, PREFIX, SURELY_S, Notes

__all__ = ["docker"]
SPEC = RunnerSpec(
    name="python",
    language="Python",
    runtime="rt",
    command=(".build/python/{client}/bin/python", "-m", "runner"),
    advice="run `make setup`",
)
CLIENTS = {("python", "lib"): client_spec()}
ENGINE = make_containers().engine.model_copy(update={"kernel": os.uname().release})
GOOD = (
    LOADED
    + """
sys.stdin.readline()
say(connected={})
sys.stdin.read()
"""
)
REPEAT = """
print(said.strip(), sys.stdin.readline().strip(), sep="\\n", flush=True)
sys.stdin.read()
"""


class FakeHost:
    """An executor whose containers are a script."""

    def __init__(self, folder: Path, docker: FakeDocker, executor: DockerExecutor, share: Path) -> None:
        self.folder, self.share = folder, share
        self.docker = docker
        self.executor = executor

    def play(self, script: str) -> None:
        path = self.folder / "runner.py"
        write_whole(path, (PREFIX + script).encode())
        self.docker.answer("compose", "run", exec=str(path))

    def start(self, script: str) -> Runner:
        self.play(script)
        return self.executor.start(make_request())

    @property
    def names(self) -> list[str]:
        return [call[call.index("--name") + 1] for call in self.docker.calls("compose", "run")]

    @property
    def removed(self) -> set[str]:
        return {call[-1] for call in self.docker.calls("container", "rm")}


@pytest.fixture
def host(tmp_path: Path, docker: FakeDocker) -> Iterator[FakeHost]:
    share = tmp_path / "share"
    share.mkdir()
    guardian = Notes()
    with (
        project("r", share, UNPINNED, guardian) as made,
        DockerExecutor(
            {"python": SPEC}, CLIENTS, guardian, project=made, images=Images(lambda _note: None), engine=ENGINE
        ) as executor,
    ):
        yield FakeHost(tmp_path, docker, executor, share)


def test_a_trial_travels_over_the_containers_streams(host: FakeHost) -> None:
    """The same command as here, from the image's checkout; no password in it; the container is removed at the end."""
    process = host.start(GOOD)
    process.load(SURELY_S)
    process.connect(SURELY_S)
    (name,), (call,) = host.names, host.docker.calls("compose", "run")
    assert call[-4:] == ["python", "/respmark/.build/python/lib/bin/python", "-m", "runner"]
    assert HIDDEN not in json.dumps(host.docker.calls())
    assert host.removed == set()
    process.end(SURELY_S)
    process.kill()
    assert host.removed == {name}
    assert len(host.docker.calls("container", "rm")) == 1


def test_what_a_container_says_has_no_password(host: FakeHost) -> None:
    """Its words travel through docker's client, and are redacted like those of a process here."""
    told = f'sys.stdin.readline(); print("cannot log in with {HIDDEN}", file=sys.stderr); sys.exit(1)'
    with pytest.raises(RunnerFailedError, match=r"cannot log in with \*\*\*") as caught:
        host.start(told).load(SURELY_S)
    assert HIDDEN not in f"{caught.value} {caught.value.stderr}"


def test_the_control_group_counts(host: FakeHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once the runner is there; where nothing counts, there is no figure, and not that of docker's client."""
    process = host.start(GOOD)
    process.load(SURELY_S)
    assert process.cpu_ns() is None
    process.kill()
    counter = CpuCounter(tmp_path / "cpu.stat", 2)
    monkeypatch.setattr(host.executor.project, "cpu_counter", lambda _name: counter)
    process = host.start(GOOD)
    assert process.cpu_ns() is None
    process.load(SURELY_S)
    for used in (5, 1005):
        (tmp_path / "cpu.stat").write_text(f"usage_usec {used}\n")
        assert process.cpu_ns() == used * 1000
    process.kill()


def test_files_are_named_as_containers_see_them(host: FakeHost) -> None:
    """The workload, and when the units of an open loop are due."""
    process = host.start(LOADED.replace("sys.stdin", "said = sys.stdin", 1) + REPEAT)
    process.load(SURELY_S)
    own = OwnUnits(file=str(host.share / "a.arrivals"), lead_in=3)
    arrivals = Arrivals(own=(own,), at=1, drain_ns=2)
    process.work(Work(first=0, ns=1, keep=False, arrivals=arrivals))
    trial, order = (json.loads(process.next_line(SURELY_S)) for _ in range(2))
    assert trial["workload"] == "/share/tiny.columns"
    assert order["work"]["arrivals"] == {"file": "/share/a.arrivals", "lead_in": 3, "at": 1, "drain_ns": 2}


def test_an_open_loop_needs_this_machines_clock(host: FakeHost) -> None:
    """A virtual machine, in which Docker Desktop has its containers, has another: a row says so, nothing is started."""
    host.executor.engine = ENGINE.model_copy(update={"kernel": "of a virtual machine"})
    with pytest.raises(UnsupportedError, match="its own clock"):
        host.executor.start(make_request(shape=Shape(rate="1000")))
    assert host.names == []


def test_a_runner_that_hangs_is_ended_with_its_container(host: FakeHost) -> None:
    """Docker's client alone would leave it running."""
    process = host.start(LOADED + "time.sleep(300)")
    process.load(SURELY_S)
    with pytest.raises(RunnerFailedError, match="hung"):
        process.connect(0.5)
    assert host.removed == set(host.names)


def test_a_client_whose_image_cannot_be_built_is_missing(host: FakeHost) -> None:
    """It is tried once, and other languages are measured all the same."""
    host.docker.fail("compose", "build", stderr="#7 ERROR: npm ci did not complete")
    reasons = [host.executor.missing(make_client()) for _ in range(2)]
    assert reasons[0] == reasons[1]
    assert "npm ci did not complete" in str(reasons[0])
    assert (host.names, len(host.docker.calls("compose", "build"))) == ([], 1)
    with pytest.raises(RunnerMissingError, match="npm ci"):
        host.executor.start(make_request())


def test_a_version_that_is_a_package_of_the_system_is_in_no_image(host: FakeHost) -> None:
    """Its row says so; no image is built for it."""
    host.executor.clients = SHIPPED.every_client
    (client,) = find_clients("predis@distribution", SHIPPED.clients)
    assert "images have no predis@distribution" in (host.executor.missing(client) or "")
    assert host.docker.calls("compose", "build") == []


@pytest.mark.parametrize(
    ("servers", "why"),
    [
        (["redis@6.2"], "other versions and programs are not supported"),
        ([sys.executable], "other versions and programs are not supported"),
        (["valkey", "spawned[io-threads=2]"], "server settings in [brackets] are not supported"),
        (["spawned[allocator=jemalloc]"], "server settings in [brackets] are not supported"),
        (["spawned-unix"], "unix sockets are not supported"),
        (["spawned-tls"], "servers with TLS are not supported"),
        (["spawned[primaries=3]"], "clusters that respmark starts are not supported"),
        (["spawned[sentinels=3]"], "sentinels are not supported"),
        (["unix:///run/valkey.sock"], "cannot reach unix socket /run/valkey.sock"),
        (["redis://localhost"], "cannot reach localhost:6379"),
        (["rediss://cache.example?ssl_ca_certs=/ca.pem"], "certificate files"),
        (["spawned", "valkey"], "both are the same server"),
    ],
)
def test_servers_that_containers_cannot_have_are_refused(servers: list[str], why: str) -> None:
    """By what they are, before anything starts; those of the compose file and others in the network are taken."""
    with pytest.raises(InvalidRequestError, match=re.escape(why)):
        check_possible([], SHIPPED, map(SHIPPED.server, servers))
    check_possible([], SHIPPED, map(SHIPPED.server, ["spawned", "redis", "rediss://cache.example"]))


def test_versions_that_are_not_in_images_are_refused() -> None:
    """Naming one is for processes, whose set-up builds any."""
    with pytest.raises(InvalidRequestError, match="pinned versions only"):
        check_possible(find_clients("redis-py@4.4.4", SHIPPED.clients), SHIPPED, [])
