"""Which releases are meant by two versions."""

from pathlib import Path

import pytest

from respmark.errors import InvalidRequestError
from respmark.releases.pick import Every, Picked, between, pick
from respmark.setup.host import Finished
from respmark.specs.versions import LATEST
from tests.builders.plan import SHIPPED
from tests.setup.conftest import FakeHost

PIP = "env PIP_DISABLE_PIP_VERSION_CHECK=1 uv tool run --quiet pip index versions"
OF_PIP = "redis (8.1.0)\nAvailable versions: 8.1.0, 8.0.0, 4.6.0, 4.5.5, 4.5.1, 4.0.2, 4.0.0, 3.5.3, 2.10.6\n"
REDIS_PY, LETTUCE = SHIPPED.clients["redis-py"], SHIPPED.clients["lettuce"]
OF_PYPI = ["2.10.6", "3.5.3", "4.0.0", "4.0.2", "4.5.1", "4.5.5", "4.6.0", "5.0.0rc1", "8.0.0", "8.1.0"]
OF_MAVEN = ["6.2.0.RELEASE", "6.3.0.RELEASE", "6.3.2.RELEASE", "7.0.0.BETA1", "7.0.0.RELEASE"]


@pytest.fixture
def online(tmp_path: Path) -> FakeHost:
    host = FakeHost(root=tmp_path, build=tmp_path / ".build")
    host.say = host.said.append
    host.results[PIP] = Finished(0, OF_PIP)
    return host


@pytest.mark.parametrize(
    ("first", "last", "every", "found"),
    [
        ("", LATEST, Every.MINOR, ["3.5.3", "4.0.2", "4.5.5", "4.6.0", "8.0.0", "8.1.0"]),
        ("4", "4", Every.MINOR, ["4.0.2", "4.5.5", "4.6.0"]),
        ("4", "4.5", Every.RELEASE, ["4.0.0", "4.0.2", "4.5.1", "4.5.5"]),
        ("4.0.0", "4.5.1", Every.MINOR, ["4.0.0", "4.0.2", "4.5.1"]),
        ("5.0.0rc1", "8.0.0", Every.RELEASE, ["5.0.0rc1", "8.0.0"]),
        (LATEST, LATEST, Every.RELEASE, ["8.1.0"]),
    ],
)
def test_both_ends_are_included_as_far_as_they_are_named(first: str, last: str, every: Every, found: list[str]) -> None:
    """Of each minor version the newest; whole versions that are named always; a pre-release only if it is named."""
    assert between(OF_PYPI, REDIS_PY, first, last, every) == found


def test_a_suffix_of_a_registry_need_not_be_typed() -> None:
    assert between(OF_MAVEN, LETTUCE, "6.3.0", "7") == ["6.3.0.RELEASE", "6.3.2.RELEASE", "7.0.0.RELEASE"]


@pytest.mark.parametrize(
    ("first", "last", "said"),
    [
        ("9", LATEST, r"there is no redis-py 9 that can be measured; the nearest are 4.6.0, 5.0.0rc1, 8.0.0, 8.1.0"),
        ("2.10.6", LATEST, r"there is no redis-py 2.10.6 that can be measured; the nearest are 3.5.3, 4.0.0"),
        ("3.5", "latst", r"there is no redis-py latst that can be measured; the nearest are 8.1.0"),
        ("8", "4", r"no release of redis-py is both 8.0.0 or newer and 4.6.0 or older"),
    ],
)
def test_what_is_not_there_names_what_is(first: str, last: str, said: str) -> None:
    with pytest.raises(InvalidRequestError, match=said):
        between(OF_PYPI, REDIS_PY, first, last)


def test_releases_are_clients_in_the_configuration_that_was_named(online: FakeHost) -> None:
    found = pick("redis-py[parser=python]", SHIPPED, online, first="4.5", last="4")
    assert found == Picked(["redis-py@4.5.5[parser=python]", "redis-py@4.6.0[parser=python]"])


def test_without_a_registry_releases_are_those_that_are_known_here(online: FakeHost) -> None:
    """What is set up and what is pinned; why there may be others is part of the answer."""
    online.results[PIP] = Finished(1, "ERROR: No matching distribution found for redis")
    online.write(".build/stamp/python-redis-py-7.0.1")
    found = pick("redis-py", SHIPPED, online)
    assert found.clients == ["redis-py@7.0.1", f"redis-py@{REDIS_PY.version}"]
    assert "the registry did not answer (ERROR: No matching distribution found for redis)" in found.doubt


@pytest.mark.parametrize(
    ("client", "said"),
    [
        ("redis-py@4.6.0", "redis-py@4.6.0: name the library without a version"),
        ("redis-pie", "there is no client library `redis-pie`; these have versions: .*redis-py"),
        ("phpredis", "no version of phpredis can be chosen"),
        ("python/*", "there is no client library"),
    ],
)
def test_only_a_library_of_a_registry_has_releases(online: FakeHost, client: str, said: str) -> None:
    with pytest.raises(InvalidRequestError, match=said):
        pick(client, SHIPPED, online)
    assert not online.ran
