"""Debian packages: who may install them, and what is said to who may not."""

import pytest

from respmark.setup import debian
from respmark.setup.machine import Finished, Missing
from tests.setup.conftest import FakeMachine

APT = "env DEBIAN_FRONTEND=noninteractive apt-get"
INSTALL = "apt-get install -y --no-install-recommends nodejs npm"
TRY = "apt-get install -y --no-install-recommends --dry-run nodejs npm"
LISTS = Finished(0, " 100 /var/lib/dpkg/status\n     release a=now\n 500 http://deb.debian.org/debian bookworm/main\n")
LET = "\n(or let set-up do it: RESPMARK_SYSTEM_PACKAGES=yes)"
GONE = Finished(100, "E: Unable to locate package npm\nE: Couldn't find any package by glob 'npm'")


def install(machine: FakeMachine) -> str:
    try:
        debian.install(("nodejs", "npm"), "node is not here", machine, "See nodejs.org")
    except Missing as missing:
        return f"{missing}: {missing.advice}"
    return ""


@pytest.mark.parametrize(
    ("said", "root", "asked", "done"),
    [
        ("yes", True, False, [f"{APT} install -y --no-install-recommends nodejs npm"]),
        ("yes", False, False, ["sudo -n true", f"sudo -n {APT} install -y --no-install-recommends nodejs npm"]),
        ("", True, True, [f"{APT} install -y --no-install-recommends nodejs npm"]),
    ],
)
def test_who_may_installs_after_a_yes(
    machine: FakeMachine, said: str, done: list[str], *, root: bool, asked: bool
) -> None:
    """Root, and who has a sudo that asks nothing: in the variable or at the terminal; the command is told first."""
    machine.may_install()
    machine.as_root, machine.variables, machine.says_yes = root, {"RESPMARK_SYSTEM_PACKAGES": said}, asked
    machine.has("sudo")
    assert install(machine) == ""
    assert machine.ran == [*done[:-1], TRY, done[-1]]
    assert machine.questions == ([f"Install nodejs npm of Debian 12, with `{INSTALL}`? [y/N] "] if asked else [])
    assert machine.said == [f"Installing packages of Debian 12: {INSTALL}"]


@pytest.mark.parametrize(
    ("said", "root", "sudo", "advice"),
    [
        ("", True, False, f"Type: apt-get update && {INSTALL}{LET}"),
        ("", False, False, f"Type: su -c 'apt-get update && {INSTALL}'"),
        ("no", True, False, f"Type: apt-get update && {INSTALL}"),
        ("yes", False, True, f"Type: sudo apt-get update && sudo {INSTALL}"),
    ],
)
def test_else_nothing_is_installed_and_the_command_is_named(
    machine: FakeMachine, said: str, advice: str, *, root: bool, sudo: bool
) -> None:
    """Without a yes, without root, where it is forbidden, or where sudo would ask for a password.

    Nobody is asked where the answer would not matter.
    """
    machine.may_install()
    machine.as_root, machine.variables = root, {"RESPMARK_SYSTEM_PACKAGES": said}
    if sudo:
        machine.has("sudo")
        machine.results["sudo -n true"] = Finished(1, "sudo: a password is required")
    machine.results["apt-cache policy"] = LISTS
    assert install(machine) == f"node is not here: {advice}"
    assert not any("install" in line for line in machine.ran if line != TRY)
    assert bool(machine.questions) == (advice.endswith(LET))


def test_the_lists_are_fetched_when_they_are_needed(machine: FakeMachine) -> None:
    """A new machine has no package lists; when that does not help, apt's own words say why."""
    machine.may_install()
    machine.results[f"{APT} install"] = [GONE, Finished(0, ""), GONE, GONE]
    assert install(machine) == ""
    assert [line.split()[3] for line in machine.ran if line.startswith(APT)] == ["install", "update", "install"]
    assert install(machine).startswith("E: Unable to locate package npm: See ")
