"""Removing what runs left."""

import json

import pytest

from respmark.cli.setup import clean
from respmark.errors import ExitCode, NothingRanError
from respmark.machine.lock import lock_path, only_run
from respmark.runners.docker_engine import MACHINE_LABEL, PROJECT_LABEL, RUN_LABEL, this_machine
from tests.runners.conftest import FakeDocker


def labels(project: str, machine: str) -> dict[str, str]:
    return {PROJECT_LABEL: project, RUN_LABEL: "r", MACHINE_LABEL: machine}


@pytest.fixture
def leftovers(docker: FakeDocker) -> FakeDocker:
    things = {
        ("container", "dead-1"): labels("dead", this_machine()),
        ("container", "foreign-1"): labels("foreign", "another-machine"),
        ("container", "hand-1"): labels("hand", ""),
        ("network", "dead-net"): labels("dead", this_machine()),
    }
    for (kind, name), given in things.items():
        shown = {"Id": name, "Name": name, "Labels": given, "Config": {"Labels": given}}
        docker.answer(kind, "inspect", name, stdout=json.dumps([shown]))
    for kind in ("container", "network"):
        for verb in ("ls", "list"):
            docker.answer(kind, verb, stdout="\n".join(name for its, name in things if its == kind))
    return docker


def removed(docker: FakeDocker) -> set[str]:
    return {call[-1] for call in docker.calls("rm")} | {call[-1] for call in docker.calls("remove")}


def test_clean_removes_what_runs_here_left_and_nothing_else(
    leftovers: FakeDocker, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was kept is told with the reason; only what has our labels is looked for."""
    assert clean() is ExitCode.OK
    assert removed(leftovers) == {"dead-1", "dead-net"}
    said = capsys.readouterr().out
    assert "removed dead: 1 container, 1 network" in said
    for kept in ("foreign", "hand"):
        assert f"kept {kept}: 1 container: it was started by hand or by a run on another machine" in said
    assert all(f"label={RUN_LABEL}" in call for call in leftovers.calls("--filter"))


def test_while_a_run_measures_nothing_is_removed(leftovers: FakeDocker) -> None:
    """Its containers have the same labels."""
    with only_run(lock_path()), pytest.raises(NothingRanError, match="another run is measuring"):
        clean()
    assert removed(leftovers) == set()
