"""Debian's packages: installed where the user lets us (`consent`), else the exact command is named."""

import re
from collections.abc import Mapping

from bootstrap import consent, steps
from bootstrap.errors import Missing, StepFailed
from bootstrap.model import Packages
from bootstrap.worksite import Site

INSTALL = ("apt-get", "install", "-y", "--no-install-recommends")
UPDATE = ("apt-get", "update")


def bring(packages: Packages, words: Mapping[str, str], site: Site) -> None:
    """Install what a step stands on unless it is there; raise Missing if it is not there in the end."""
    check = site.command(tuple(steps.fill(word, words) for word in packages.check))
    if site.machine.run(check).code == 0:
        return
    install(packages.names, packages.lacking, site)
    if site.machine.run(check).code != 0:
        message = f"{packages.lacking}, although Debian's {' '.join(packages.names)} is installed"
        raise Missing(message, "See whether the one that is first on PATH is Debian's")


def install(packages: tuple[str, ...], why: str, site: Site) -> None:
    """Install packages; raise Missing with apt's own sentence, or with `why` and the exact command to type."""
    prefix = _prefix(site)
    command = " ".join(INSTALL + packages)
    if prefix is None or not consent.given(packages, command, site):
        raise Missing(why, advice(packages, site))
    site.screen.say(f"Installing Debian packages: {command}")
    with site.screen.step(f"Debian packages {' '.join(packages)}"):
        try:
            _install_fresh(prefix + INSTALL + packages, prefix + UPDATE, site)
        except StepFailed as failure:
            raise Missing(failure.sentence, f"See {site.layout.shown(failure.log)}") from failure


def _install_fresh(install_them: tuple[str, ...], update: tuple[str, ...], site: Site) -> None:
    """Try with the package lists as they are; new machines have none, and old ones name files that are gone."""
    site.layout.log("debian").unlink(missing_ok=True)
    try:
        _run(install_them, site)
    except StepFailed:
        _run(update, site)
        _run(install_them, site)


def _run(command: tuple[str, ...], site: Site) -> None:
    steps.run(command, "debian", site)


def advice(packages: tuple[str, ...], site: Site) -> str:
    """Say what to type, and how set-up may do it."""
    told = f"Type: {typed(packages, site)}"
    if consent.decided(site) is None and _prefix(site) is not None:
        return f"{told}\nOr let set-up do it: {consent.VARIABLE}=yes"
    return told


def typed(packages: tuple[str, ...], site: Site) -> str:
    """Give the command as a person without our rights types it."""
    command = " ".join((*UPDATE, "&&", *INSTALL, *packages))
    return command.replace("apt-get", "sudo apt-get") if site.machine.which("sudo") else f"su -c '{command}'"


def _prefix(site: Site) -> tuple[str, ...] | None:
    """Give what makes us root for one command, or nothing if we may not be."""
    if not site.machine.which("apt-get") or consent.decided(site) is False:
        return None
    setting = ("env", "DEBIAN_FRONTEND=noninteractive")
    if site.machine.is_root():
        return setting
    may = site.machine.which("sudo") and site.machine.run(site.command(("sudo", "-n", "true"))).code == 0
    return ("sudo", "-n", *setting) if may else None


def candidate(package: str, site: Site) -> tuple[int, ...] | None:
    """Give the version that apt would install, or nothing if that is not known."""
    if not site.machine.which("apt-cache"):
        return None
    version = _policy(package, site)
    if version is None and consent.decided(site) and (prefix := _prefix(site)):
        site.machine.run(site.command(prefix + UPDATE))
        version = _policy(package, site)
    return version


def _policy(package: str, site: Site) -> tuple[int, ...] | None:
    found = re.search(r"Candidate: (?:\d+:)?(\d+(?:\.\d+)*)", site.ask("apt-cache", "policy", package))
    return numbers(found[1]) if found else None


def numbers(version: str) -> tuple[int, ...]:
    """Read the first dotted number of a text: (20, 11, 1) of "v20.11.1-dev"."""
    found = re.search(r"\d+(?:\.\d+)*", version)
    return tuple(map(int, found[0].split("."))) if found else ()
