"""Packages of Debian and its like: looked up, installed if the user allows it, else the exact command is shown.

RESPMARK_SYSTEM_PACKAGES decides; if it is not set, the user at a terminal does.
"""

import re

from respmark.errors import InvalidRequestError
from respmark.setup.machine import Machine, Missing, decisive
from respmark.specs.client import numbers

VARIABLE = "RESPMARK_SYSTEM_PACKAGES"
INSTALL = ("apt-get", "install", "-y", "--no-install-recommends")
UPDATE = ("apt-get", "update")
LISTED = re.compile(r"^ +-?\d+ (?!/var/lib/dpkg/status$)", re.MULTILINE)
"""A source of packages in what `apt-cache policy` says, beside what is installed."""
UNKNOWN = re.compile(
    r"^E: (?:Unable to locate package |Package '?)([^\s']+)'?(?: has no installation candidate)?$", re.MULTILINE
)


def install(packages: tuple[str, ...], why: str, machine: Machine, otherwise: str = "") -> None:
    """Install packages, or raise Missing with `why` and what to type; `otherwise`: where the system has none."""
    decided, prefix, command = _decided(machine), _prefix(machine), " ".join(INSTALL + packages)
    if not machine.which("apt-get"):
        raise Missing(why, otherwise)
    _check(packages, why, machine, otherwise)
    question = f"Install {' '.join(packages)} of {machine.system}, with `{command}`? [y/N] "
    if prefix is None or not (decided or machine.agrees(question)):
        raise Missing(why, _advice(packages, machine, otherwise))
    machine.say(f"Installing packages of {machine.system}: {command}")
    # The package lists are updated only if it fails without that: new machines have none, old ones lag behind.
    for argv in (INSTALL + packages, UPDATE, INSTALL + packages):
        finished = machine.run(prefix + argv, "debian")
        if finished.code == 0 and argv != UPDATE:
            return
    _check(packages, why, machine, otherwise)
    raise Missing(decisive(finished.output), "See .build/log/debian.log")


def _check(packages: tuple[str, ...], why: str, machine: Machine, otherwise: str) -> None:
    """Raise Missing if apt would not install the packages; not if it has no lists to look them up in."""
    tried = machine.run((*INSTALL, "--dry-run", *packages), "questions")
    if tried.code == 0 or not LISTED.search(machine.ask("apt-cache", "policy")):
        return
    unknown = " or ".join(dict.fromkeys(UNKNOWN.findall(tried.output)))
    refusal = f"{machine.system} has no package {unknown}" if unknown else decisive(tried.output)
    raise Missing("; ".join(filter(None, (why, refusal))), otherwise)


def candidate(package: str, machine: Machine) -> tuple[int, ...]:
    """Return the version that apt would install, as far as its lists say."""
    policy = machine.ask("apt-cache", "policy", package)
    found = re.search(r"Candidate: (?:\d+:)?(\d.*)", policy)
    return numbers(found[1]) if found else ()


def typed(packages: tuple[str, ...], machine: Machine) -> str:
    """Return the command as a person with our rights would type it."""
    command = " ".join((*UPDATE, "&&", *INSTALL, *packages))
    if machine.is_root():
        return command
    return command.replace("apt-get", "sudo apt-get") if machine.which("sudo") else f"su -c '{command}'"


def _advice(packages: tuple[str, ...], machine: Machine, otherwise: str) -> str:
    advice = [f"Type: {typed(packages, machine)}"]
    if _decided(machine) is None and _prefix(machine) is not None:
        advice.append(f"(or let set-up do it: {VARIABLE}=yes)")
    if otherwise and not LISTED.search(machine.ask("apt-cache", "policy")):
        advice.append(f"(where that finds no such package: {otherwise})")
    return "\n".join(advice)


def _decided(machine: Machine) -> bool | None:
    """Return what the variable says; None if it leaves that open."""
    said = machine.variables.get(VARIABLE, "")
    if said not in {"", "yes", "no"}:
        raise InvalidRequestError(f"{VARIABLE} is `{said}`; it can be `yes` or `no`")
    return None if not said else said == "yes"


def _prefix(machine: Machine) -> tuple[str, ...] | None:
    if _decided(machine) is False:
        return None
    setting = ("env", "DEBIAN_FRONTEND=noninteractive")
    if machine.is_root():
        return setting
    may = machine.which("sudo") and machine.run(("sudo", "-n", "true"), "questions").code == 0
    return ("sudo", "-n", *setting) if may else None
