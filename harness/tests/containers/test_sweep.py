"""Removing what runs left."""

import json

import pytest

from respmark.cli.clean import clean
from respmark.containers.engine import client
from respmark.containers.ownership import OWNER_LABEL, PROJECT_LABEL, RUN_LABEL, this_owner
from respmark.containers.sweep import BY_HAND, find, sweep
from respmark.errors import ContainerError, ExitCode
from tests.containers.conftest import FakeDocker

DEAD = this_owner().rsplit(" ", 1)[0] + " 1"
"""This process's number, at another time."""


def has(docker: FakeDocker, kind: str, name: str, labels: dict[str, str]) -> None:
    """Let docker have one more thing."""
    shown = {"Id": name, "Name": name, "Labels": labels, "Config": {"Labels": labels}}
    docker.answer(kind, "inspect", name, stdout=json.dumps([shown]))


def labels(project: str, owner: str, run: str = "r") -> dict[str, str]:
    """Return the labels of a run's things."""
    return {PROJECT_LABEL: project, RUN_LABEL: run, OWNER_LABEL: owner}


def lists(docker: FakeDocker, kind: str, *names: str) -> None:
    """Let docker list these."""
    for verb in ("ls", "list"):
        docker.answer(kind, verb, stdout="\n".join(names))


@pytest.fixture
def leftovers(docker: FakeDocker) -> FakeDocker:
    """Return a docker with things of a dead run, of one that goes on, and of others."""
    things = {
        "dead-1": labels("dead", DEAD),
        "alive-1": labels("alive", this_owner()),
        "foreign-1": labels("foreign", "another-machine b 1 1"),
        "hand-1": labels("hand", "", BY_HAND),
        "stranger-1": {PROJECT_LABEL: "stranger"},
    }
    for name, given in things.items():
        has(docker, "container", name, given)
    has(docker, "network", "dead-net", labels("dead", DEAD))
    has(docker, "volume", "dead-vol", labels("dead", DEAD))
    lists(docker, "container", *things)
    lists(docker, "network", "dead-net")
    lists(docker, "volume", "dead-vol")
    return docker


def removed(docker: FakeDocker) -> set[str]:
    """Return what was removed, by name."""
    return {call[-1] for call in docker.calls("rm")} | {call[-1] for call in docker.calls("remove")}


def test_clean_removes_what_dead_runs_left_and_nothing_else(
    leftovers: FakeDocker, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was kept is told with the reason; what is not respmark's is not even named."""
    assert clean() is ExitCode.OK
    assert removed(leftovers) == {"dead-1", "dead-net", "dead-vol"}
    said = capsys.readouterr().out
    assert "removed dead: 1 container, 1 network, 1 volume" in said
    assert "kept alive: 1 container: its run goes on" in said
    assert "kept foreign: 1 container: it was started by hand, or by a run on another machine" in said
    assert "kept hand: 1 container" in said
    assert "stranger" not in said


def test_where_there_is_nothing_it_is_said(docker: FakeDocker, capsys: pytest.CaptureFixture[str]) -> None:
    """Silence could mean anything."""
    assert clean() is ExitCode.OK
    assert "nothing of respmark" in capsys.readouterr().out
    assert removed(docker) == set()


def test_a_project_is_swept_whole_and_alone(leftovers: FakeDocker) -> None:
    """Its run is alive: it is the run itself that asks."""
    sweep(client(), "alive")
    assert leftovers.calls("--filter", f"label={PROJECT_LABEL}=alive")
    assert "alive-1" in removed(leftovers)


def test_what_goes_while_we_look_is_no_error(leftovers: FakeDocker) -> None:
    """Another clean-up may be at work."""
    leftovers.fail("container", "inspect", "dead-1", stderr="Error: No such container: dead-1")
    leftovers.fail("network", "remove", stderr="Error response from daemon: network dead-net not found")
    assert clean() is ExitCode.OK
    assert "dead-1" not in removed(leftovers)


def test_what_docker_refuses_to_remove_is_told(leftovers: FakeDocker) -> None:
    """It would otherwise stay for ever."""
    leftovers.fail("container", "rm", stderr="Error response from daemon: driver failed to remove root filesystem")
    with pytest.raises(ContainerError, match=r"removing what dead left: .* driver failed"):
        clean()


@pytest.mark.usefixtures("leftovers")
def test_only_things_with_our_label_are_found() -> None:
    """A project of anybody's has compose's label."""
    assert {found.project for found in find(client())} == {"dead", "alive", "foreign", "hand"}
