"""Debian packages: who may install them, and what is said to who may not."""

import pytest

from bootstrap import debian
from bootstrap.errors import Missing
from bootstrap.machine import Finished
from bootstrap.tests.fakes import Checkout

APT = "env DEBIAN_FRONTEND=noninteractive apt-get"


@pytest.fixture
def machine(checkout: Checkout) -> Checkout:
    """Give a Debian machine."""
    checkout.machine.has("apt-get")
    checkout.machine.has("apt-cache")
    return checkout


def install(checkout: Checkout) -> None:
    """Install two packages."""
    debian.install(("nodejs", "npm"), "node is not here", checkout.site())


def test_root_installs(machine: Checkout) -> None:
    """As root the packages are installed without a question, and the lists are left as they are."""
    machine.machine.as_root = True
    install(machine)
    assert machine.machine.ran == [f"{APT} install -y --no-install-recommends nodejs npm"]


def test_the_lists_are_fetched_when_they_are_needed(machine: Checkout) -> None:
    """A new machine has no package lists."""
    machine.machine.as_root = True
    machine.machine.answers[f"{APT} install"] = [Finished(100, "E: Unable to locate package npm"), Finished(0, "")]
    install(machine)
    assert [line.split()[3] for line in machine.machine.ran] == ["install", "update", "install"]


def test_apts_own_sentence_is_told(machine: Checkout) -> None:
    """When apt cannot install, its own words say why."""
    machine.machine.as_root = True
    machine.machine.answers[f"{APT} install"] = Finished(100, "E: Unable to locate package npm")
    with pytest.raises(Missing, match="E: Unable to locate package npm"):
        install(machine)


def test_sudo_without_a_password_installs(machine: Checkout) -> None:
    """Where sudo asks nothing, neither do we."""
    machine.machine.has("sudo")
    install(machine)
    assert machine.machine.ran == ["sudo -n true", f"sudo -n {APT} install -y --no-install-recommends nodejs npm"]


def test_sudo_with_a_password_is_named(machine: Checkout) -> None:
    """Where sudo would ask, the user gets the exact command."""
    machine.machine.has("sudo")
    machine.machine.answers["sudo -n true"] = Finished(1, "sudo: a password is required")
    with pytest.raises(Missing, match="node is not here") as missing:
        install(machine)
    assert missing.value.advice == (
        "Type: sudo apt-get update && sudo apt-get install -y --no-install-recommends nodejs npm"
    )


def test_without_sudo_su_is_named(machine: Checkout) -> None:
    """A minimal machine has no sudo."""
    with pytest.raises(Missing) as missing:
        install(machine)
    assert (
        missing.value.advice == "Type: su -c 'apt-get update && apt-get install -y --no-install-recommends nodejs npm'"
    )


def test_the_user_can_forbid_it(machine: Checkout) -> None:
    """RESPMARK_SYSTEM_PACKAGES=no keeps root's machine as it is."""
    machine.machine.as_root = True
    machine.machine.variables = {"RESPMARK_SYSTEM_PACKAGES": "no"}
    with pytest.raises(Missing):
        install(machine)
    assert machine.machine.ran == []


def test_the_candidate_is_read_without_its_epoch(machine: Checkout) -> None:
    """The version that apt would install is known before anything is installed."""
    machine.machine.answers["apt-cache policy"] = Finished(0, "nodejs:\n  Candidate: 5:18.20.4+dfsg-1~deb12u1\n")
    assert debian.candidate("nodejs", machine.site()) == (18, 20, 4)


def test_no_candidate(machine: Checkout) -> None:
    """A package that apt does not know has no version."""
    machine.machine.answers["apt-cache policy"] = Finished(0, "nodejs:\n  Candidate: (none)\n")
    assert debian.candidate("nodejs", machine.site()) is None
