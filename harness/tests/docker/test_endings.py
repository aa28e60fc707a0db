"""However a run ends, nothing of it stays in docker; and nothing of others goes."""

import contextlib
import os
import re
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from python_on_whales.exceptions import NoSuchContainer

from respmark.containers.engine import client
from respmark.containers.sweep import MACHINE_LABEL, PROJECT_LABEL, RUN_LABEL, this_machine
from respmark.specs.catalogue import Catalogue
from tests.docker.conftest import RUN_LIMIT_S, command, left_of, respmark, wait_until

pytestmark = [pytest.mark.docker, pytest.mark.timeout(RUN_LIMIT_S + 60)]
CLIENT = Catalogue().suite("smoke").clients[0]
LONG = ["--client", CLIENT, "--scenario", "sync", "--slice-s", "300"]


@contextmanager
def running(run: str, folder: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """Start a run that takes long, and wait until a runner is at work in its container."""
    process = subprocess.Popen(
        command("run", "smoke", "--via", "docker", "--out", str(folder / run), *LONG),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        wait_until(lambda: measuring(run, folder / run, process), "a runner at work")
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(timeout=60)


def measuring(run: str, folder: Path, process: "subprocess.Popen[bytes]") -> bool:
    """Tell whether a container of the run works on a trial: its clients were asked before the manifest was written."""
    assert process.poll() is None, "the run has ended"
    if not (folder / "manifest.json").exists():
        return False
    with contextlib.suppress(NoSuchContainer):  # it ended while we looked: we look again
        return any(
            container.state.running
            for found in left_of(run)
            for container in map(client().container.inspect, found.containers)
            if "-valkey-" not in container.name
        )
    return False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_stays_of_a_run_that_is_ended(number: signal.Signals, run_name: str, tmp_path: Path) -> None:
    """In order, or by its guardian where the run has no say in it."""
    with running(run_name, tmp_path) as process:
        os.kill(process.pid, number)
        code = process.wait(timeout=60)
        wait_until(lambda: left_of(run_name) == [], "containers and network are gone")
    assert code == (-number if number is signal.SIGKILL else 130)


def test_a_container_that_is_killed_fails_its_trial_only(run_name: str, tmp_path: Path) -> None:
    """The run goes on to its end, tells it, and leaves nothing."""
    with running(run_name, tmp_path) as process:
        (runner,) = [
            container
            for found in left_of(run_name)
            for container in map(client().container.inspect, found.containers)
            if "-valkey-" not in container.name
        ]
        client().container.kill(runner)
        assert process.wait(timeout=60) == 1
    assert left_of(run_name) == []


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({"RESPMARK_RUNNER_MEMORY": "24m"}, "killed for memory"),
        ({"VALKEY_VERSION": "no-such-version"}, "starting `valkey` in a container: docker says"),
        ({"DOCKER_HOST": "tcp://127.0.0.1:1"}, "asking the docker engine: docker says"),
    ],
)
def test_what_docker_cannot_do_is_told_in_words(
    environment: dict[str, str], words: str, run_name: str, tmp_path: Path
) -> None:
    """The real engine's last words are shown."""
    trial = ["--client", CLIENT, "--scenario", "sync", "--out", str(tmp_path / run_name)]
    finished = respmark("run", "smoke", "--via", "docker", *trial, **environment)
    assert finished.returncode in {1, 3}
    assert words in " ".join((finished.stdout + finished.stderr).split())
    assert left_of(run_name) == []


def test_a_port_that_is_taken_is_told(run_name: str, tmp_path: Path) -> None:
    """Where the user has named one."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        trial = ["--client", CLIENT, "--scenario", "sync", "--out", str(tmp_path / run_name)]
        finished = respmark("run", "smoke", "--via", "docker", *trial, RESPMARK_TARGET_PORT=port)
    assert finished.returncode == 3
    assert re.search("already (allocated|in use)", finished.stderr)
    assert left_of(run_name) == []


def network(name: str, labels: dict[str, str]) -> Iterator[str]:
    """Make a network, and remove it if it is still there."""
    docker = client()
    made = docker.network.create(name, labels=labels)
    yield name
    if docker.network.list(filters=[("id", made.id)]):
        docker.network.remove(made.id)


@pytest.fixture
def dead(run_name: str) -> Iterator[str]:
    """Return a network of a run here that is over."""
    labels = {RUN_LABEL: run_name, MACHINE_LABEL: this_machine(), PROJECT_LABEL: f"dead-{run_name}"}
    yield from network(f"dead-{run_name}", labels)


@pytest.fixture
def elsewhere(run_name: str) -> Iterator[str]:
    """Return a network of a run on another machine."""
    labels = {RUN_LABEL: run_name, MACHINE_LABEL: "another", PROJECT_LABEL: f"elsewhere-{run_name}"}
    yield from network(f"elsewhere-{run_name}", labels)


@pytest.fixture
def foreign(run_name: str) -> Iterator[str]:
    """Return a network that is none of ours."""
    yield from network(f"foreign-{run_name}", {PROJECT_LABEL: f"foreign-{run_name}"})


def test_clean_removes_what_runs_here_left_and_nothing_else(dead: str, elsewhere: str, foreign: str) -> None:
    """Other machines keep their own; what is not respmark's is not looked at."""
    finished = respmark("clean")
    assert finished.returncode == 0, finished.stderr
    assert f"removed {dead}: 1 network" in finished.stdout
    assert f"kept {elsewhere}: 1 network: it was started by hand, or by a run on another machine" in finished.stdout
    assert foreign not in finished.stdout
    here = {network.name for network in client().network.list()}
    assert {dead, elsewhere, foreign} & here == {elsewhere, foreign}
