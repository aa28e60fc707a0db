"""Is docker there, and what is it."""

import json
from pathlib import Path

import pytest

from respmark.containers.compose import compose, services
from respmark.containers.engine import client, examine
from respmark.errors import ContainerError
from tests.containers.conftest import FakeDocker


def test_the_engine_is_described(docker: FakeDocker) -> None:
    """As the manifest keeps it."""
    docker.answer(
        "info",
        stdout=json.dumps(
            {"ServerVersion": "28.5.1", "NCPU": 4, "SecurityOptions": ["name=seccomp,profile=builtin", "name=rootless"]}
        ),
    )
    engine = examine(compose())
    assert (engine.docker, engine.compose, engine.cpus) == ("28.5.1", "2.40.0", 4)
    assert engine.security == ["seccomp", "rootless"]


def test_no_docker_is_told_with_the_way_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody must guess that a program is missing."""
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ContainerError, match=r"docker is not installed .*--via local"):
        client()


@pytest.mark.parametrize(
    ("stderr", "words"),
    [
        (
            "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?",
            "does not answer",
        ),
        ("dial unix /var/run/docker.sock: connect: permission denied", "you may not use docker"),
    ],
)
def test_an_engine_that_does_not_answer_is_told(docker: FakeDocker, stderr: str, words: str) -> None:
    """Both ways in which `docker info` can say so."""
    docker.fail("info", stderr=stderr)
    with pytest.raises(ContainerError, match=words):
        examine(compose())
    docker.answer("info", stdout="{}")
    with pytest.raises(ContainerError, match="does not answer"):
        examine(compose())


def test_a_missing_compose_plugin_is_told(docker: FakeDocker) -> None:
    """Docker then takes `compose` for a mistake."""
    docker.fail("compose", "version", stderr="docker: 'compose' is not a docker command.\nSee 'docker --help'")
    with pytest.raises(ContainerError, match="missing or too old"):
        examine(compose())


def test_runners_are_told_from_targets(docker: FakeDocker) -> None:
    """By their profile."""
    found = services(compose())
    assert set(found.targets) == {"valkey", "redis"}
    assert set(found.runners) == {"python"}
    assert docker.calls("--profile", "runners", "config")
