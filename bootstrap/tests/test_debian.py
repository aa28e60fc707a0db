"""Debian packages: who may install them, and what is said to who may not."""

import pytest

from bootstrap import debian
from bootstrap.errors import Missing, RequestError
from bootstrap.machine import Finished
from bootstrap.tests.fakes import Checkout

APT = "env DEBIAN_FRONTEND=noninteractive apt-get"


@pytest.fixture
def machine(checkout: Checkout) -> Checkout:
    """Give a Debian machine."""
    checkout.machine.has("apt-get")
    checkout.machine.has("apt-cache")
    checkout.machine.variables = {"RESPMARK_SYSTEM_PACKAGES": "yes"}
    return checkout


def install(checkout: Checkout) -> None:
    """Install two packages."""
    debian.install(("nodejs", "npm"), "node is not here", checkout.site())


def test_root_installs(machine: Checkout) -> None:
    """Where the user has said yes: after the command was told, and the lists are left as they are."""
    machine.machine.as_root = True
    install(machine)
    assert machine.machine.ran == [f"{APT} install -y --no-install-recommends nodejs npm"]
    assert machine.machine.asked == []
    assert "Installing Debian packages: apt-get install -y --no-install-recommends nodejs npm" in (
        machine.printed.getvalue()
    )


@pytest.mark.parametrize("answer", ["y\n", "Yes\n"])
def test_a_user_at_a_terminal_is_asked(machine: Checkout, answer: str) -> None:
    """The question names the packages and the command; a yes is done."""
    machine.machine.as_root, machine.machine.variables, machine.machine.says = True, {}, answer
    install(machine)
    assert machine.machine.ran == [f"{APT} install -y --no-install-recommends nodejs npm"]
    (question,) = machine.machine.asked
    assert question == (
        "Install Debian's nodejs npm, with `apt-get install -y --no-install-recommends nodejs npm`? [y/N] "
    )


@pytest.mark.parametrize("answer", ["n\n", "\n", "", "what?\n", None])
def test_without_a_yes_nothing_is_installed(machine: Checkout, answer: str | None) -> None:
    """A no, silence, the end of input, something else, or no terminal at all: the command is named."""
    machine.machine.as_root, machine.machine.variables, machine.machine.says = True, {}, answer
    with pytest.raises(Missing, match="node is not here") as missing:
        install(machine)
    assert machine.machine.ran == []
    assert "apt-get install -y --no-install-recommends nodejs npm" in missing.value.advice
    assert "RESPMARK_SYSTEM_PACKAGES=yes" in missing.value.advice


def test_nobody_is_asked_for_what_cannot_be_done(machine: Checkout) -> None:
    """Without root and without sudo the answer would not matter."""
    machine.machine.variables, machine.machine.says = {}, "y\n"
    with pytest.raises(Missing):
        install(machine)
    assert machine.machine.asked == []


def test_another_word_in_the_variable_is_refused(machine: Checkout) -> None:
    """Whoever writes `ja` means something; it is not guessed."""
    machine.machine.as_root, machine.machine.variables = True, {"RESPMARK_SYSTEM_PACKAGES": "ja"}
    with pytest.raises(RequestError, match="RESPMARK_SYSTEM_PACKAGES is `ja`; it can be `yes` or `no`"):
        install(machine)


def test_package_lists_are_fetched_only_where_that_was_decided(machine: Checkout) -> None:
    """Looking for a version changes nothing on the machine unless the user has said yes."""
    machine.machine.as_root, machine.machine.variables = True, {}
    assert debian.candidate("nodejs", machine.site()) is None
    assert machine.machine.ran == ["apt-cache policy nodejs"]


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
