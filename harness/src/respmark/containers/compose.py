"""The compose file, and what is in it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from python_on_whales import DockerClient

from respmark.containers.engine import client, explained
from respmark.paths import ROOT

COMPOSE_FILE: Final = ROOT / "docker-compose.yml"
RUNNERS: Final = "runners"
"""The profile of the runners."""


@dataclass(frozen=True)
class Services:
    """The services of the compose file, by name, after the user's environment has been applied."""

    targets: dict[str, dict[str, Any]]
    runners: dict[str, dict[str, Any]]
    """One per language, by the runner's name."""


def compose(project: str | None = None, override: Path | None = None) -> DockerClient:
    """Return a docker client for our compose file."""
    return client(project, (COMPOSE_FILE, *([override] if override else [])), (RUNNERS,))


def services(docker: DockerClient) -> Services:
    """Read the compose file, as docker compose understands it.

    Raises:
        ContainerError: docker compose cannot read it.
    """
    with explained(f"reading {COMPOSE_FILE.name}"):
        found: dict[str, dict[str, Any]] = docker.compose.config(return_json=True)["services"]
    runners = {name: service for name, service in found.items() if RUNNERS in service.get("profiles", [])}
    return Services({name: service for name, service in found.items() if name not in runners}, runners)
