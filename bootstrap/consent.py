"""Whether Debian's packages may be installed: as RESPMARK_SYSTEM_PACKAGES says, else as the user at a terminal does."""

from bootstrap.errors import RequestError
from bootstrap.worksite import Site

VARIABLE = "RESPMARK_SYSTEM_PACKAGES"
YES = {"y", "yes"}


def decided(site: Site) -> bool | None:
    """Give what the variable says; nothing where it leaves it open."""
    said = site.machine.variables.get(VARIABLE, "")
    if said not in {"", "yes", "no"}:
        message = f"{VARIABLE} is `{said}`; it can be `yes` or `no`"
        raise RequestError(message)
    return None if not said else said == "yes"


def given(packages: tuple[str, ...], command: str, site: Site) -> bool:
    """Tell whether these may be installed; where nobody has decided, ask who sits there, and take silence for a no."""
    decision = decided(site)
    if decision is not None:
        return decision
    answer = site.machine.ask(f"Install Debian's {' '.join(packages)}, with `{command}`? [y/N] ")
    return answer is not None and answer.strip().lower() in YES
