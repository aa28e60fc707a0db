"""However a run in containers ends, nothing of it stays in docker; and nothing of others goes."""

import contextlib
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from python_on_whales.exceptions import NoSuchContainer

from respmark.runners.docker_engine import client
from respmark.specs.catalogue import Catalogue
from tests.docker.conftest import RUN_LIMIT_S, command, left_of, wait_until

pytestmark = [pytest.mark.docker, pytest.mark.full, pytest.mark.timeout(RUN_LIMIT_S + 60)]
TRIAL = ["smoke", "--via", "docker", "--client", Catalogue().suite("smoke").clients[0], "--scenario", "sync"]


@contextlib.contextmanager
def running(run: str, folder: Path) -> Iterator["subprocess.Popen[bytes]"]:
    with subprocess.Popen(
        command("run", *TRIAL, "--slice-s", "300", "--out", str(folder / run)),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        try:
            wait_until(
                lambda: (
                    process.poll() is not None or ((folder / run / "manifest.json").exists() and runners_of(run) != [])
                )
            )
            assert process.poll() is None, "the run has ended"
            yield process
        finally:
            process.kill()


def runners_of(run: str) -> list[str]:
    names = [name for found in left_of(run) for name in found.containers]
    with contextlib.suppress(NoSuchContainer):  # it ended while we looked: we look again
        containers = [client().container.inspect(name) for name in names]
        return [one.id for one in containers if one.state.running and "-valkey-" not in one.name]
    return []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_nothing_stays_of_a_run_that_is_ended(number: signal.Signals, run_name: str, tmp_path: Path) -> None:
    """In order, or by its guardian where the run has no say in it."""
    with running(run_name, tmp_path) as process:
        os.kill(process.pid, number)
        assert process.wait() == (-number if number is signal.SIGKILL else 130)
        wait_until(lambda: left_of(run_name) == [])


def test_a_container_that_is_killed_fails_its_trial_only(run_name: str, tmp_path: Path) -> None:
    """The run goes on to its end, says so, and leaves nothing."""
    with running(run_name, tmp_path) as process:
        client().container.kill(runners_of(run_name))
        assert process.wait() == 1
    assert left_of(run_name) == []
