"""Debian packages: who may install them, and what is said to who may not."""

import pytest

from respmark.setup import debian
from respmark.setup.host import Finished, Missing
from tests.setup.conftest import FakeHost

APT = "env DEBIAN_FRONTEND=noninteractive apt-get"
INSTALL = "apt-get install -y --no-install-recommends nodejs npm"
TRY = "apt-get install -y --no-install-recommends --dry-run nodejs npm"
LISTS = Finished(0, " 100 /var/lib/dpkg/status\n     release a=now\n 500 http://deb.debian.org/debian bookworm/main\n")
LET = "\n(or let set-up do it: RESPMARK_SYSTEM_PACKAGES=yes)"
GONE = Finished(100, "E: Unable to locate package npm\nE: Couldn't find any package by glob 'npm'")


def install(host: FakeHost) -> str:
    try:
        debian.install(("nodejs", "npm"), "node is not here", host, "See nodejs.org")
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
def test_who_may_installs_after_a_yes(host: FakeHost, said: str, done: list[str], *, root: bool, asked: bool) -> None:
    """Root, and who has a sudo that asks nothing: in the variable or at the terminal; the command is told first."""
    host.may_install()
    host.as_root, host.variables, host.says_yes = root, {"RESPMARK_SYSTEM_PACKAGES": said}, asked
    host.has("sudo")
    assert install(host) == ""
    assert host.ran == [*done[:-1], TRY, done[-1]]
    assert host.questions == ([f"Install nodejs npm of Debian 12, with `{INSTALL}`? [y/N] "] if asked else [])
    assert host.said == [f"Installing packages of Debian 12: {INSTALL}"]


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
    host: FakeHost, said: str, advice: str, *, root: bool, sudo: bool
) -> None:
    """Without a yes, without root, where it is forbidden, or where sudo would ask for a password.

    Nobody is asked where the answer would not matter.
    """
    host.may_install()
    host.as_root, host.variables = root, {"RESPMARK_SYSTEM_PACKAGES": said}
    if sudo:
        host.has("sudo")
        host.results["sudo -n true"] = Finished(1, "sudo: a password is required")
    host.results["apt-cache policy"] = LISTS
    assert install(host) == f"node is not here: {advice}"
    assert not any("install" in line for line in host.ran if line != TRY)
    assert bool(host.questions) == (advice.endswith(LET))


def test_the_lists_are_fetched_when_they_are_needed(host: FakeHost) -> None:
    """A new machine has no package lists; when that does not help, apt's own words say why."""
    host.may_install()
    host.results[f"{APT} install"] = [GONE, Finished(0, ""), GONE, GONE]
    assert install(host) == ""
    assert [line.split()[3] for line in host.ran if line.startswith(APT)] == ["install", "update", "install"]
    assert install(host).startswith("E: Unable to locate package npm: See ")
