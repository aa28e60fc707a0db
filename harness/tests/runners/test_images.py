"""Images have every client: docker-compose.yml and the Dockerfiles, held against the clients' folders."""

import re

import pytest

from respmark.errors import InvalidRequestError
from respmark.paths import CHECKOUT
from respmark.runners.docker import check_possible
from respmark.specs.naming import find_clients
from tests.builders.plan import SHIPPED, planned

DRIVERS = "drivers"
LIBRARIES = [name for name, spec in SHIPPED.clients.items() if spec.runner != DRIVERS]
ALL_FOLDERS = re.compile(r"clients/\*/|\$\(ls clients\)")
"""How a Dockerfile makes whatever clients there are."""


def test_every_language_has_a_service() -> None:
    """Of its own name, built from its folder."""
    services = re.findall(r"^  (\w+):\n(?:    .*\n)*?      context: (\w+)$", _text("docker-compose.yml"), re.MULTILINE)
    languages = {SHIPPED.clients[library].runner for library in LIBRARIES}
    assert dict(services) == {name: name for name in languages}
    assert {path.parent.name for path in CHECKOUT.glob("*/Dockerfile")} == languages


@pytest.mark.parametrize("library", LIBRARIES)
def test_an_image_has_the_library_in_every_version_that_is_pinned(library: str) -> None:
    """By its folder and the files in it, or by name."""
    spec = SHIPPED.clients[library]
    dockerfile, ignored = _text(f"{spec.runner}/Dockerfile"), _text(f"{spec.runner}/.dockerignore").splitlines()
    folder = CHECKOUT / spec.runner / "clients" / library
    assert "!clients" in ignored
    assert folder.is_dir()
    assert ALL_FOLDERS.search(dockerfile) or library in dockerfile
    for version in spec.pinned:
        assert version in dockerfile or list(folder.glob(f"*{version}*")), version


@pytest.mark.parametrize("language", [*SHIPPED.languages, "quick"])
def test_the_suite_of_a_language_is_measured_in_containers(language: str) -> None:
    """What shows the cost in C, too; load generators are refused by name."""
    check_possible(planned(language).clients, SHIPPED, [SHIPPED.server("valkey")])
    with pytest.raises(InvalidRequestError, match="redis-benchmark is not available in containers"):
        check_possible(find_clients("redis-benchmark", SHIPPED.clients), SHIPPED, [])


def _text(name: str) -> str:
    return (CHECKOUT / name).read_text(encoding="utf-8")
