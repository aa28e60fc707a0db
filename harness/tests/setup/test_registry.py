"""Versions as people write them, and what a registry says of them."""

import os
from typing import NoReturn

import pytest

from respmark.errors import InvalidRequestError
from respmark.setup import registry
from respmark.setup.commits import Commit
from respmark.setup.host import Finished, Missing
from respmark.setup.registry import exact_names, tried, versions_of
from respmark.specs.naming import one_client
from tests.builders.plan import SHIPPED
from tests.setup.conftest import FakeHost

PIP = "env PIP_DISABLE_PIP_VERSION_CHECK=1 uv tool run --quiet pip index versions"
OF_PIP = "redis (8.1.0)\nAvailable versions: 8.1.0, 8.0.0, 5.3.1, 5.0.8, 4.6.0\n  INSTALLED: 7.0.0\n"
OF_NPM = '[\n  "3.1.2",\n  "4.0.0-rc.1",\n  "5.12.1"\n]'
OF_COMPOSER = "name     : predis/predis\nversions : v3.7.1, v2.2.2\nreleased : 2024-01-02\n"
OF_DOTNET = '{"version": 2, "searchResult": [{"packages": [{"version": "2.8.0"}, {"version": "2.9.1"}]}]}'
OF_MAVEN = "<versions><version>6.3.2.RELEASE</version><version>6.3.0.RELEASE</version></versions>"
METADATA = ".build/maven/io/lettuce/lettuce-core/maven-metadata-central.xml"


@pytest.fixture
def online(host: FakeHost) -> FakeHost:
    """A machine whose package managers answer."""
    for tool, version in (
        ("node", "20"),
        ("npm", "10"),
        ("php", "8.4"),
        ("dotnet", "10"),
        ("javac", "21"),
        ("mvn", "3.9"),
    ):
        host.has(tool, version)
    host.has("java", "21")
    host.results |= {
        PIP: Finished(0, OF_PIP),
        "npm view redis versions": Finished(0, OF_NPM),
        "composer show --all": Finished(0, OF_COMPOSER),
        "sh -c": Finished(0, OF_DOTNET),
    }
    host.makes["mvn"] = ()
    host.write(METADATA, OF_MAVEN)
    return host


@pytest.mark.parametrize(
    ("name", "exact"),
    [
        ("redis-py@5", "redis-py@5.3.1"),
        ("redis-py@5.0[protocol=3]", "redis-py@5.0.8[protocol=3]"),
        ("redis-py@latest", "redis-py@8.1.0"),
        ("node-redis@latest", "node-redis@5.12.1"),
        ("predis@2", "predis@2.2.2"),
        ("stackexchange-redis@2.8", "stackexchange-redis@2.8.0"),
        ("lettuce@6.3.0", "lettuce@6.3.0.RELEASE"),
        ("lettuce@6", "lettuce@6.3.2.RELEASE"),
    ],
)
def test_a_name_gets_the_newest_version_that_begins_so(online: FakeHost, name: str, exact: str) -> None:
    """Each registry is asked through the language's own package manager; what was found is said."""
    assert exact_names([name], SHIPPED, online) == (exact,)
    assert f"{name.partition('[')[0]} is {exact.partition('[')[0]}" in online.said


@pytest.mark.parametrize(
    "name", ["redis-py", "redis-py@3.5.3", "redis-py@*", "*[*]", "redis-py@file:../x", "nope@5", "@"]
)
def test_no_registry_is_asked_about_what_needs_none(host: FakeHost, name: str) -> None:
    assert exact_names([name], SHIPPED, host) == (name,)
    assert not host.ran


def test_no_registry_is_asked_about_what_is_set_up(host: FakeHost) -> None:
    host.write(".build/stamp/python-redis-py-4.5.5")
    assert exact_names(["redis-py@4.5.5"], SHIPPED, host) == ("redis-py@4.5.5",)
    assert not host.ran


def test_a_registry_is_asked_once(online: FakeHost) -> None:
    exact_names(["redis-py@5", "redis-py@4"], SHIPPED, online)
    assert [line for line in online.ran if line.startswith(PIP)] == [f"{PIP} redis"]


def test_a_version_that_does_not_exist_names_the_nearest(online: FakeHost) -> None:
    with pytest.raises(
        InvalidRequestError, match=r"there is no redis-py 5.9; the nearest are 5.0.8, 5.3.1, 8.0.0, 8.1.0"
    ):
        exact_names(["redis-py@5.9"], SHIPPED, online)


def test_without_a_registry_what_it_had_is_used_and_said(online: FakeHost) -> None:
    """Also what is set up; a whole version is left to the package manager's own cache."""
    exact_names(["redis-py@5"], SHIPPED, online)
    os.utime(online.root / ".build/registry/python-redis-py.json", (0, 0))
    online.results[PIP] = Finished(1, "ERROR: No matching distribution found for redis")
    online.write(".build/stamp/python-redis-py-6.4.0")
    assert exact_names(["redis-py@5", "redis-py@6", "redis-py@7.0.1"], SHIPPED, online) == (
        "redis-py@5.3.1",
        "redis-py@6.4.0",
        "redis-py@7.0.1",
    )
    assert "the registry did not answer (ERROR: No matching distribution found for redis)" in "".join(online.said)
    with pytest.raises(
        InvalidRequestError, match=r"there is no redis-py 7; the nearest are 5.3.1, 6.4.0, 8.0.0, 8.1.0"
    ):
        exact_names(["redis-py@7"], SHIPPED, online)


def test_what_was_tried_is_what_is_set_up_and_what_is_missing(online: FakeHost) -> None:
    online.write(".build/stamp/python-redis-py")
    online.write(".build/stamp/python-redis-py-4.5.5")
    online.write(".build/stamp/python-redis-py-file-0a1b2c3d")
    online.write(".build/status/python@redis-py-4.0.0.json", '{"sentence": "no such thing", "advice": ""}')
    spec = SHIPPED.clients["redis-py"]
    assert tried(spec, online) == {"8.1.0": "set up", "4.5.5": "set up", "4.0.0": "missing: no such thing"}
    assert versions_of(spec, SHIPPED.runners["python"], online).versions[0] == "4.6.0"


def test_a_version_before_the_oldest_that_is_known_is_refused_with_the_reason(online: FakeHost) -> None:
    """Whether the registry has it under the library's name or not."""
    why = r"can be measured from version 9 on \(version 8 is another module.*, not 8"
    with pytest.raises(InvalidRequestError, match=why):
        exact_names(["go-redis@8"], SHIPPED, online)
    with pytest.raises(InvalidRequestError, match=why):
        one_client("go-redis@8.11.5", SHIPPED.clients)


def test_main_is_a_build_of_the_newest_commit(online: FakeHost, monkeypatch: pytest.MonkeyPatch) -> None:
    """Options stay; a build that fails shows its own line and the log."""
    commit, clone = Commit("0123456789abcdef", "2026-11-27", "a subject"), online.root / "repository.git"
    monkeypatch.setattr(registry, "newest_commit", lambda *_: (clone, commit))
    monkeypatch.setattr(registry, "built_commit", lambda *_: online.root / "built")
    assert exact_names(["redis-py@main[protocol=2]"], SHIPPED, online) == (
        f"redis-py@file:{online.root / 'built'}[protocol=2]",
    )
    assert online.said == ["redis-py@main is commit 0123456789ab (2026-11-27, a subject)"]

    def failing(*_: object) -> NoReturn:
        raise Missing("error: invalid command 'bdist_wheel'", "See the log")

    monkeypatch.setattr(registry, "built_commit", failing)
    with pytest.raises(
        InvalidRequestError, match=r"redis-py@main cannot be built: error: invalid command .*; See the log"
    ):
        exact_names(["redis-py@main"], SHIPPED, online)
