"""What docker's errors mean, and what to do about them."""

import re
from typing import Final

from respmark.errors import ContainerError

LAST_LINES: Final = 8


MEANINGS: Final[tuple[tuple[tuple[str, ...], str], ...]] = (
    (
        (r"permission denied.*docker(\.sock|_engine| daemon| api)", r"connect: permission denied"),
        (
            "you may not use docker: join its group (as root: `usermod -aG docker YOUR-NAME`; log in again), or use "
            "rootless docker"
        ),
    ),
    (
        (
            r"cannot connect to the docker daemon",
            r"is the docker daemon running",
            r"error during connect",
            r"failed to connect to the docker api",
        ),
        (
            "the docker daemon does not answer: start it (as root: `systemctl start docker`; or Docker Desktop), or "
            "look at DOCKER_HOST"
        ),
    ),
    (
        (r"no space left on device", r"disk quota exceeded"),
        "the disk is full: `docker system df` shows what images and caches hold",
    ),
    (
        (r"port is already allocated", r"address already in use", r"ports are not available"),
        "the port on 127.0.0.1 is taken by another program: without RESPMARK_TARGET_PORT docker picks a free one",
    ),
    (
        (r"non-overlapping ipv4 address pool", r"pool overlaps", r"predefined address pools"),
        (
            "docker has no address range left for one more network: `respmark clean` removes what dead runs left, "
            "`docker network prune` all that nobody uses"
        ),
    ),
    (
        (r"network.*already exists", r"network .* was found but has incorrect label"),
        (
            "a network of this name is there already and not this run's: `respmark clean` removes what dead runs left, "
            "`docker network ls` shows the others"
        ),
    ),
    (
        (
            r"pull access denied",
            r"manifest unknown",
            r"manifest for .* not found",
            r"failed to resolve (source metadata|reference)",
            r"error pulling image",
            r"no such host",
            r"toomanyrequests",
            r"tls handshake timeout",
        ),
        (
            "an image cannot be pulled: look at the network, the image's name and version; does the registry ask "
            "for `docker login`; docs/containers.md tells how to name other base images"
        ),
    ),
    (
        (
            r"requires? docker engine",
            r"client version .* is too (new|old)",
            r"unknown (flag|command|shorthand)",
            r"is not a docker command",
            r"additional propert",
        ),
        "docker or its compose plugin is missing or too old: Docker Engine 25 and Compose 2.20 are needed",
    ),
    (
        (r"requested cpus are not available",),
        "docker has other CPUs than those asked for: name sets with --pin-target and --pin-clients, or leave them out",
    ),
    (
        (r"out of memory", r"cannot allocate memory"),
        "there is not enough memory: see RESPMARK_RUNNER_MEMORY in docs/containers.md",
    ),
)
"""What docker says, in lower case, and what it means; the first match counts."""


def meaning(said: str) -> str | None:
    """Return what docker's words mean, if that is known."""
    low = " ".join(said.lower().split())
    return next((words for patterns, words in MEANINGS if any(re.search(one, low) for one in patterns)), None)


def explain(doing: str, said: str) -> ContainerError:
    """Return the error for what docker said while `doing`: its meaning if it is known, else its last lines."""
    lines = last_lines(said)
    if known := meaning(said):
        return ContainerError(f"{doing}: {known} (docker: {_short(lines)})")
    return ContainerError(f"{doing}: docker says: {' / '.join(lines) or 'nothing'}")


def explain_build(service: str, said: str) -> ContainerError:
    """Return the error for an image that was not built, with the last lines of the build, which help most."""
    lines = last_lines(said, LAST_LINES)
    known = meaning(said)
    cause = f"{known}; " if known else ""
    shown = "\n  ".join(lines)
    return ContainerError(
        f"the image of `{service}` was not built: {cause}`docker compose build {service}` shows all of it; its last "
        f"lines:\n  {shown}"
    )


def last_lines(said: str, count: int = 3) -> list[str]:
    """Return the last lines that are not blank."""
    return [line.strip() for line in said.splitlines() if line.strip()][-count:]


def _short(lines: list[str]) -> str:
    last = lines[-1] if lines else ""
    return last if len(last) <= 300 else f"{last[:300]} ..."  # noqa: PLR2004 - as much as one reads
