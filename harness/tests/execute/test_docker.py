"""Runners in containers, with a docker that is a script: what `run` starts is a few lines of Python."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from respmark.containers.accounting import CpuCounter
from respmark.containers.images import Images
from respmark.containers.project import project
from respmark.contract.events import Connect, Loaded, Ready
from respmark.errors import RunnerFailedError, RunnerMissingError
from respmark.execute import inquiry
from respmark.execute.docker import DockerExecutor
from respmark.execute.protocol import RunnerProcess
from respmark.files import write_whole
from respmark.placement import UNPINNED
from respmark.specs.runner import RunnerSpec
from tests.builders.plan import client_spec, make_client, make_request
from tests.containers.conftest import FakeDocker, docker
from tests.containers.test_project import Commands
from tests.execute.scripted import LOADED, PREFIX, SURELY_S

__all__ = ["docker"]
SPEC = RunnerSpec(
    name="python",
    language="Python",
    runtime="rt",
    command=(".build/python/{client}/bin/python", "-m", "runner"),
    advice="run `make setup`",
)
CLIENTS = {("python", "lib"): client_spec()}
GOOD = (
    LOADED
    + """
sys.stdin.readline()
say(connected={})
sys.stdin.read()
"""
)


class FakeHost:
    """An executor whose containers are a script."""

    def __init__(self, folder: Path, docker: FakeDocker, executor: DockerExecutor) -> None:
        self.folder = folder
        self.docker = docker
        self.executor = executor

    def play(self, script: str) -> None:
        """Make every container do this."""
        path = self.folder / "runner.py"
        write_whole(path, (PREFIX + script).encode())
        self.docker.answer("compose", "run", exec=str(path))

    def start(self, script: str) -> RunnerProcess:
        """Start a runner, whose replies are not verified."""
        self.play(script)
        return self.executor.start(make_client(), make_request(verify_commands=0))

    @property
    def names(self) -> list[str]:
        """Return the names of all containers that were started."""
        return [call[call.index("--name") + 1] for call in self.docker.calls("compose", "run")]

    @property
    def removed(self) -> set[str]:
        """Return the names of all containers that were removed."""
        return {call[-1] for call in self.docker.calls("container", "rm")}


@pytest.fixture
def host(tmp_path: Path, docker: FakeDocker) -> Iterator[FakeHost]:
    """Return a host of a project whose docker is the script."""
    share = tmp_path / "share"
    share.mkdir()
    guardian = Commands()
    with (
        project("r", share, UNPINNED, guardian) as made,
        DockerExecutor({"python": SPEC}, CLIENTS, made, Images(lambda _note: None), guardian, share=share) as executor,
    ):
        yield FakeHost(tmp_path, docker, executor)


def test_a_trial_travels_over_the_containers_streams(host: FakeHost) -> None:
    """Orders and all; the container is removed when it has ended."""
    process = host.start(GOOD)
    assert isinstance(process.next_event(SURELY_S), Loaded)
    process.order(Connect())
    assert isinstance(process.next_event(SURELY_S), Ready)
    (name,) = host.names
    assert host.removed == set()
    process.wait(SURELY_S)
    assert host.removed == {name}
    process.kill()
    assert len(host.docker.calls("container", "rm")) == 1


def test_the_same_command_is_run_from_the_images_checkout(host: FakeHost) -> None:
    """The runner's spec serves both places."""
    process = host.start(GOOD)
    process.next_event(SURELY_S)  # docker's client is at work: it has noted its command
    process.kill()
    (call,) = host.docker.calls("compose", "run")
    assert call[-4:] == ["python", "/respmark/.build/python/lib/bin/python", "-m", "runner"]


def test_a_container_sees_the_workload_in_its_share(host: FakeHost) -> None:
    """Under the name that it has here."""
    process = host.start("sys.exit(json.loads(sys.stdin.readline())['workload'])")
    with pytest.raises(RunnerFailedError, match=r": /share/tiny\.columns$"):
        process.next_event(SURELY_S)


def test_a_password_is_in_no_command(host: FakeHost) -> None:
    """Commands can be listed by anybody; standard input cannot."""
    request = make_request()
    endpoint = type(request.target).model_validate_json('{"host": "h", "port": 1, "password": "hunter2"}')
    host.play(GOOD)
    process = host.executor.start(make_client(), request.model_copy(update={"target": endpoint}))
    process.next_event(SURELY_S)
    process.kill()
    assert len(host.names) == 1
    assert "hunter2" not in json.dumps(host.docker.calls())


def test_what_the_control_group_counted_is_told(
    host: FakeHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its counter is found once the runner is there, and read whenever it is asked for."""
    (tmp_path / "cpu.stat").write_text("usage_usec 5\n")
    asked: list[str] = []

    def counter(name: str) -> CpuCounter:
        asked.append(name)
        return CpuCounter(tmp_path / "cpu.stat", 2)

    monkeypatch.setattr(host.executor._project, "cpu_counter", counter)
    process = host.start(GOOD)
    assert process.cpu_ns() is None
    process.next_event(SURELY_S)
    assert process.cpu_ns() == 5_000
    (tmp_path / "cpu.stat").write_text("usage_usec 1005\n")
    process.order(Connect())
    process.next_event(SURELY_S)
    assert process.cpu_ns() == 1_005_000
    assert asked == host.names
    process.kill()


def test_where_nothing_counts_nothing_is_told(host: FakeHost) -> None:
    """The figure is then missing, not that of docker's client, which is a process here."""
    process = host.start(GOOD)
    process.next_event(SURELY_S)
    assert process.cpu_ns() is None
    process.kill()


def failing(host: FakeHost, script: str) -> RunnerFailedError:
    """Return what is said of a runner that does this instead of its first event."""
    process = host.start(script)
    with pytest.raises(RunnerFailedError) as caught:
        process.next_event(SURELY_S)
    process.kill()
    return caught.value


def test_a_container_that_was_killed_for_memory_is_recognised(host: FakeHost) -> None:
    """Exit code 137 alone would not say why."""
    host.docker.answer("container", "inspect", stdout='[{"Id": "c", "State": {"OOMKilled": true}}]')
    error = failing(host, "sys.exit(137)")
    assert "killed for memory" in str(error)
    assert "RESPMARK_RUNNER_MEMORY" in str(error)


def test_a_runner_that_ends_by_itself_is_told_as_such(host: FakeHost) -> None:
    """Its own last words, as for a process."""
    error = failing(host, "sys.exit('no such workload')")
    assert "ended with exit code 1 before its result: no such workload" in str(error)


def test_a_container_that_does_not_start_is_told_in_words(host: FakeHost) -> None:
    """Docker's exit codes are not the runner's."""
    said = "Error response from daemon: Requested CPUs are not available - requested 9, available: 0-1"
    error = failing(host, f"print({said!r}, file=sys.stderr); sys.exit(125)")
    assert "the container did not start: Error response from daemon: Requested CPUs" in str(error)


def test_a_runner_that_hangs_is_ended_with_its_container(host: FakeHost) -> None:
    """Docker's client alone would leave it running."""
    process = host.start(LOADED + "time.sleep(300)")
    process.next_event(SURELY_S)
    process.order(Connect())
    with pytest.raises(RunnerFailedError, match="hung"):
        process.next_event(0.5)
    assert host.removed == set(host.names)


def test_whatever_still_runs_is_ended_with_the_executor(tmp_path: Path, docker: FakeDocker) -> None:
    """An interrupt may come at any moment."""
    (tmp_path / "share").mkdir()
    guardian = Commands()
    with project("r", tmp_path / "share", UNPINNED, guardian) as made:
        with DockerExecutor(
            {"python": SPEC}, CLIENTS, made, Images(lambda _note: None), guardian, share=tmp_path / "share"
        ) as executor:
            host = FakeHost(tmp_path, docker, executor)
            for process in [host.start(LOADED + "time.sleep(300)") for _ in range(2)]:
                process.next_event(SURELY_S)
        assert len(set(host.names)) == 2
        assert host.removed == set(host.names)


def test_a_container_that_is_made_late_is_removed_as_well(host: FakeHost) -> None:
    """It was not there when we asked, and its client had just asked for it."""
    # Before it is started: the stand-in reads its rules at any time after.
    host.docker.fail("container", "rm", stderr="Error: No such container: x")
    process = host.start("time.sleep(300)")
    process.kill()
    assert len(host.docker.calls("container", "rm")) == 2


def test_a_runner_describes_itself_once(host: FakeHost) -> None:
    """From its image, which is built before; the container is removed."""
    host.play(LOADED + "sys.stdin.read()")
    for _ in range(2):
        assert host.executor.describe(make_client()).runtime_version == "3"
    assert host.removed == set(host.names)
    assert len(host.names) == 1
    assert host.executor.services == ["python"]
    assert host.docker.calls("compose", "build", "python")


def missing(host: FakeHost) -> str:
    """Return why the client is missing; asked twice, tried once."""
    said = []
    for _ in range(2):
        with pytest.raises(RunnerMissingError) as caught:
            host.executor.describe(make_client())
        said.append(str(caught.value))
    assert said[0] == said[1]
    assert host.executor.services == []
    return said[0]


def test_a_client_whose_image_cannot_be_built_is_missing(host: FakeHost) -> None:
    """Other languages are measured all the same."""
    host.docker.fail("compose", "build", stderr="#7 ERROR: npm ci did not complete")
    assert "npm ci did not complete" in missing(host)
    assert host.names == []
    with pytest.raises(RunnerMissingError, match="npm ci"):
        host.executor.start(make_client(), make_request())


def test_a_client_whose_container_says_nothing_useful_is_missing(
    host: FakeHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With its last words, or what docker means, or that there were none."""
    host.play("sys.exit('no module named redis')")
    assert "no module named redis" in missing(host)
    with pytest.raises(RunnerMissingError, match=r"the image of `python` has no lib 1\.2\.3 that runs"):
        host.executor.describe(make_client("lib@1.2.3", version="1.2.3"))
    monkeypatch.setattr(inquiry, "LIMIT_S", 0.5)
    host.executor._descriptions.clear()
    host.play("time.sleep(300)")
    assert "the runner hung" in missing(host)
    # Docker's client may have been ended before it had noted its command: what was removed is known all the same.
    assert set(host.names) <= host.removed
    assert len(host.removed) == 3
