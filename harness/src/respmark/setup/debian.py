"""Packages of Debian and its like: looked up, installed if the user allows it, else the exact command is shown.

RESPMARK_SYSTEM_PACKAGES decides; if it is not set, the user at a terminal does.
"""

import re

from respmark.errors import InvalidRequestError
from respmark.setup.host import QUESTIONS, Missing, SetupHost
from respmark.specs.client import numbers

VARIABLE = "RESPMARK_SYSTEM_PACKAGES"
INSTALL = ("apt-get", "install", "-y", "--no-install-recommends")
UPDATE = ("apt-get", "update")
LISTED = re.compile(r"^ +-?\d+ (?!/var/lib/dpkg/status$)", re.MULTILINE)
"""A source of packages in what `apt-cache policy` says, beside what is installed."""
UNKNOWN = re.compile(
    r"^E: (?:Unable to locate package |Package '?)([^\s']+)'?(?: has no installation candidate)?$", re.MULTILINE
)


def install(packages: tuple[str, ...], why: str, host: SetupHost, otherwise: str = "") -> None:
    """Install packages, or raise Missing with `why` and what to type; `otherwise`: where the system has none."""
    with host.lock:
        decided, prefix, command = _decided(host), _prefix(host), " ".join(INSTALL + packages)
        if not host.which("apt-get"):
            raise Missing(why, otherwise)
        _check(packages, why, host, otherwise)
        question = f"Install {' '.join(packages)} of {host.system}, with `{command}`? [y/N] "
        if prefix is None or not (decided or host.agrees(question)):
            raise Missing(why, _advice(packages, host, otherwise))
        host.say(f"Installing packages of {host.system}: {command}")
        # The package lists are updated only if it fails without that: new machines have none, old ones lag behind.
        for argv in (INSTALL + packages, UPDATE, INSTALL + packages):
            finished = host.run(prefix + argv, "debian")
            if finished.code == 0 and argv != UPDATE:
                return
        _check(packages, why, host, otherwise)
        raise Missing(host.reason(finished), "See .build/log/debian.log")


def _check(packages: tuple[str, ...], why: str, host: SetupHost, otherwise: str) -> None:
    """Raise Missing if apt would not install the packages; not if it has no lists to look them up in."""
    tried = host.run((*INSTALL, "--dry-run", *packages), QUESTIONS)
    if tried.code == 0 or not LISTED.search(host.ask("apt-cache", "policy")):
        return
    unknown = " or ".join(dict.fromkeys(UNKNOWN.findall(tried.output)))
    refusal = f"{host.system} has no package {unknown}" if unknown else host.reason(tried)
    raise Missing("; ".join(filter(None, (why, refusal))), otherwise)


def candidate(package: str, host: SetupHost) -> tuple[int, ...]:
    """Return the version that apt would install, as far as its lists say."""
    policy = host.ask("apt-cache", "policy", package)
    found = re.search(r"Candidate: (?:\d+:)?(\d.*)", policy)
    return numbers(found[1]) if found else ()


def typed(packages: tuple[str, ...], host: SetupHost) -> str:
    """Return the command as a person with our rights would type it."""
    command = " ".join((*UPDATE, "&&", *INSTALL, *packages))
    if host.is_root():
        return command
    return command.replace("apt-get", "sudo apt-get") if host.which("sudo") else f"su -c '{command}'"


def _advice(packages: tuple[str, ...], host: SetupHost, otherwise: str) -> str:
    advice = [f"Type: {typed(packages, host)}"]
    if _decided(host) is None and _prefix(host) is not None:
        advice.append(f"(or let set-up do it: {VARIABLE}=yes)")
    if otherwise and not LISTED.search(host.ask("apt-cache", "policy")):
        advice.append(f"(if there is no such package: {otherwise})")
    return "\n".join(advice)


def _decided(host: SetupHost) -> bool | None:
    """Return what the variable says; None if it leaves that open."""
    said = host.variables.get(VARIABLE, "")
    if said not in {"", "yes", "no"}:
        raise InvalidRequestError(f"{VARIABLE} is `{said}`; it can be `yes` or `no`")
    return None if not said else said == "yes"


def _prefix(host: SetupHost) -> tuple[str, ...] | None:
    if _decided(host) is False:
        return None
    setting = ("env", "DEBIAN_FRONTEND=noninteractive")
    if host.is_root():
        return setting
    may = host.which("sudo") and host.run(("sudo", "-n", "true"), QUESTIONS).code == 0
    return ("sudo", "-n", *setting) if may else None
