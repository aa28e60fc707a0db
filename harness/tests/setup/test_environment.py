"""An environment is made of the language's core and of one client's folder: no other folder can break or change it."""

import shutil
from itertools import product
from pathlib import Path

import pytest

from respmark.paths import CHECKOUT
from respmark.setup import steps
from respmark.setup.prepare import prepare
from respmark.specs.naming import one_client
from tests.builders.plan import SHIPPED
from tests.setup.conftest import FakeHost

ONE = {
    "python": "redis-py",
    "node": "ioredis",
    "java": "jedis",
    "go": "go-redis",
    "php": "predis",
    "dotnet": "stackexchange-redis",
    "rust": "fred",
    "c": "hiredis",
}
BROKEN = ("client.toml", "package.json", "pom.xml", "Cargo.toml", "go.mod", "client.props", "a.ts", "a.cs", "A.java")
MADE = {
    "uv": "python/redis-py/bin/python",
    "../bin/python": "python/redis-py/src/runner/__main__.py",
    "npm ci --no-audit --no-fund": "node-tools/node_modules/.bin/tsc",
    "../../../node-tools": "node/ioredis/src/dist/runner/main.js",
    "mvn --batch-mode -Dmaven.repo.local=../maven": "maven/respmark/runner.jar",
    "mv clients/jedis/target/lib ..": "java/jedis/lib/jedis.jar",
    "sh -c go version": "go/go-redis/modules.json",
    "env COMPOSER": "php/predis/autoload.php",
    "dotnet": "dotnet/stackexchange-redis/bin/Respmark.Runner/release/respmark.dll",
    "sh build.sh": "rust/fred/respmark",
    "cc": "c/hiredis/respmark",
}
"""What commands make, in `.build`."""
TOOLS = ("node", "npm", "npx", "javac", "java", "mvn", "go", "gofmt", "php", "dotnet", "cargo", "rustc")


@pytest.fixture
def checkout(host: FakeHost) -> FakeHost:
    """A checkout with every language's sources, on a machine that has all tools."""
    for language in ONE:
        ignored = shutil.ignore_patterns("node_modules", "server", "bin", "obj", "dist", "__pycache__", "tests")
        shutil.copytree(CHECKOUT / language, host.root / language, ignore=ignored)
    for tool in TOOLS:
        host.has(tool, "99.0")
    host.results["usr/go version"] = host.results["usr/go --version"]
    host.makes = {start: (f".build/{made}",) for start, made in MADE.items()}
    return host


def set_up(host: FakeHost) -> None:
    host.ran.clear()
    missing = prepare([one_client(name, SHIPPED.clients) for name in ONE.values()], SHIPPED, host).missing
    assert not any(missing.values()), missing


def test_a_broken_folder_changes_nothing_for_the_others(checkout: FakeHost) -> None:
    """In any language, while it is there and after it is gone: nothing is made again, and nothing of it is copied."""
    set_up(checkout)
    assert checkout.ran
    for language, name in product(ONE, BROKEN):
        checkout.write(f"{language}/clients/broken/{name}", "is broken")
    set_up(checkout)
    assert not checkout.ran
    shutil.rmtree(checkout.build / "stamp")
    set_up(checkout)
    for language, library in ONE.items():
        copied = checkout.build / language / library / "src" / "clients"
        assert [path.name for path in copied.iterdir() if path.is_dir()] == [library]
        shutil.rmtree(checkout.root / language / "clients" / "broken")
    set_up(checkout)
    assert not checkout.ran


def test_sources_are_only_read(checkout: FakeHost) -> None:
    """Where respmark is installed, they may lie where nobody can write."""
    before = sources(checkout)
    set_up(checkout)
    assert sources(checkout) == before


def sources(host: FakeHost) -> dict[Path, float]:
    files = (path for language in ONE for path in (host.root / language).rglob("*") if path.is_file())
    return {path: path.stat().st_mtime for path in files}


def test_a_forks_adapter_is_its_originals(checkout: FakeHost) -> None:
    """Which is copied beside it, and made its own by a command; the description of neither is copied."""
    prepare([one_client("valkey-go", SHIPPED.clients)], SHIPPED, checkout)
    copied = checkout.root / ".build/go/valkey-go/src/clients"
    assert {path.name for path in copied.rglob("*")} >= {"rueidis", "adapter.go", "fork.sed"}
    assert not list(copied.rglob(steps.DESCRIPTION))
    assert any("fork.sed" in line for line in checkout.ran)


@pytest.mark.parametrize("language", ["python", "node", "java", "php", "rust"])
def test_an_adapter_that_is_not_there_is_missing_before_anything_is_made(checkout: FakeHost, language: str) -> None:
    """Its client says which file that is, and where it is named."""
    client = one_client(ONE[language], SHIPPED.clients)
    shutil.rmtree(checkout.root / language / "clients" / client.library)
    checkout.write(f"{language}/clients/{client.library}/client.toml")
    missing = prepare([client], SHIPPED, checkout).missing[f"{language}@{client.library}"]
    assert missing is not None
    assert str(missing).startswith(f"there is no {language}/clients/{client.library}/")
    assert "`adapter` in client.toml" in missing.advice
    assert not any(client.library in line for line in checkout.ran)


def test_javas_micro_benchmarks_have_the_versions_of_its_clients() -> None:
    """They are of two libraries, in one program."""
    pom = (CHECKOUT / "java" / "bench" / "pom.xml").read_text(encoding="utf-8")
    for name in ("jedis", "lettuce"):
        assert f"<{name}.version>{SHIPPED.clients[name].version}</{name}.version>" in pom
    pom = (CHECKOUT / "java" / "clients" / "lettuce" / "pom.xml").read_text(encoding="utf-8")
    assert f"<value>{SHIPPED.clients['lettuce'].version}</value>" in pom
