"""Debian's packages: installed if the user allows it, else the exact command is shown.

RESPMARK_SYSTEM_PACKAGES decides; if it is not set, the user at a terminal does.
"""

import re

from bootstrap.errors import Missing, RequestError
from bootstrap.machine import Site
from bootstrap.sentences import decisive

VARIABLE = "RESPMARK_SYSTEM_PACKAGES"
INSTALL = ("apt-get", "install", "-y", "--no-install-recommends")
UPDATE = ("apt-get", "update")


def install(packages: tuple[str, ...], why: str, site: Site) -> None:
    """Install packages; raise Missing with apt's own sentence, or with `why` and the exact command to type."""
    prefix, command = _prefix(site), " ".join(INSTALL + packages)
    question = f"Install Debian's {' '.join(packages)}, with `{command}`? [y/N] "
    if prefix is None or not (_decided(site) or site.agrees(question)):
        raise Missing(why, _advice(packages, site))
    site.say(f"Installing Debian packages: {command}")
    # The package lists are updated only if it fails without that: new machines have none, old ones lag behind.
    for argv in (INSTALL + packages, UPDATE, INSTALL + packages):
        finished = site.run(prefix + argv, "debian")
        if finished.code == 0 and argv != UPDATE:
            return
    raise Missing(decisive(finished.output), "See .build/log/debian.log")


def candidate(package: str, site: Site) -> tuple[int, ...]:
    """Return the version that apt would install, as far as its lists say."""
    policy = site.ask("apt-cache", "policy", package)
    found = re.search(r"Candidate: (?:\d+:)?(\d.*)", policy)
    return numbers(found[1]) if found else ()


def numbers(version: str) -> tuple[int, ...]:
    """Return the first dotted number in a text: (20, 11, 1) for "v20.11.1-dev"."""
    found = re.search(r"\d+(?:\.\d+)*", version)
    return tuple(map(int, found[0].split("."))) if found else ()


def typed(packages: tuple[str, ...], site: Site) -> str:
    """Return the command as a person without our rights would type it."""
    command = " ".join((*UPDATE, "&&", *INSTALL, *packages))
    return command.replace("apt-get", "sudo apt-get") if site.which("sudo") else f"su -c '{command}'"


def _advice(packages: tuple[str, ...], site: Site) -> str:
    """Return what to type, and how to let set-up do it."""
    may_be_let = _decided(site) is None and _prefix(site) is not None
    return f"Type: {typed(packages, site)}" + (f"\nOr let set-up do it: {VARIABLE}=yes" if may_be_let else "")


def _decided(site: Site) -> bool | None:
    """Return what the variable says; None if it leaves that open."""
    said = site.variables.get(VARIABLE, "")
    if said not in {"", "yes", "no"}:
        raise RequestError(f"{VARIABLE} is `{said}`; it can be `yes` or `no`")
    return None if not said else said == "yes"


def _prefix(site: Site) -> tuple[str, ...] | None:
    """Return what makes us root for one command, or None if we may not be."""
    if _decided(site) is False or not site.which("apt-get"):
        return None
    setting = ("env", "DEBIAN_FRONTEND=noninteractive")
    if site.is_root():
        return setting
    may = site.which("sudo") and site.run(("sudo", "-n", "true"), "questions").code == 0
    return ("sudo", "-n", *setting) if may else None
