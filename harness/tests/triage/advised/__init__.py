"""Programs that take the advice of rules: the lines of `specs/triage` as they are, and what a program needs besides."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

from tests.required import need
from tests.triage.advised import dotnet, go, java, node, php, python
from tests.triage.advised.client import Advised
from tools.triage_loads.mixes import write_go_module

MAKERS: Final = {
    "python": python.program,
    "node": node.program,
    "php": php.program,
    "go": go.program,
    "java": java.program,
    "dotnet": dotnet.program,
}
SUFFIXES: Final = {"python": "py", "node": "cjs", "php": "php", "go": "go", "java": "java", "dotnet": "cs"}
ADVISED: Final = (
    Advised("python", "redis-py", "8.1.0"),
    Advised("python", "redis-py", "7.4.1", "7.4.1"),
    Advised("python", "redis-py", "5.0.8", "5.0.8"),
    Advised("python", "valkey", "6.2.0"),
    Advised("node", "node-redis", "6.3.1"),
    Advised("node", "node-redis", "1.6.1", "4.7.1"),  # the version of @redis/client, which it reports
    Advised("node", "ioredis", "6.0.0"),
    Advised("node", "iovalkey", "0.4.0"),
    Advised("go", "go-redis", "9.23.0"),
    Advised("go", "rueidis", "1.0.79"),
    Advised("go", "valkey-go", "1.0.79"),
    Advised("php", "phpredis", ""),
    Advised("php", "predis", "3.7.1"),
    Advised("java", "jedis", "8.0.2"),
    Advised("java", "jedis", "7.2.1", "7.2.1"),
    Advised("java", "jedis", "7.1.0", "7.1.0"),
    Advised("java", "jedis", "5.1.5", "5.1.5"),
    Advised("java", "lettuce", "7.7.0"),
    Advised("dotnet", "stackexchange-redis", "2.10.1"),
)
"""The newest versions, and of those that report theirs (CLIENT SETINFO) the oldest, and those where an API ends."""
SENT: Final[Mapping[str, frozenset[str]]] = {
    "keys-command": frozenset({"scan"}),
    "slow-del": frozenset({"unlink"}),
    "whole-key-reads/smembers": frozenset({"sscan"}),
    "whole-key-reads/hgetall": frozenset({"hmget"}),
    "whole-key-reads/lrange": frozenset({"lrange"}),
    "whole-key-reads/zrange": frozenset({"zrange"}),
}
"""What is sent to the server when the advice is taken."""


def set_up(client: Advised) -> None:
    """Set a version up that set-up leaves out; skip the test, or let it fail, if the client is not here."""
    if client.pinned and not client.folder.is_dir():
        name = f"{client.name}@{client.pinned}"
        subprocess.run([sys.executable, "-m", "respmark", "setup", name], check=True, capture_output=True)
    need(client.language, client.installation)
    if client.language == "dotnet" and "SetScanAsync" not in _words_of(client):
        pytest.skip("the StackExchange.Redis here is older than 2.7, the first that says which version it is")


def _words_of(client: Advised) -> str:
    (library,) = client.folder.glob("bin/*/release/StackExchange.Redis.dll")
    return library.read_bytes().decode(errors="ignore")


def start(client: Advised, rule: str, text: str, port: int, folder: Path) -> "subprocess.Popen[str]":
    """Start the program that follows a rule's advice."""
    path = folder / f"Advised.{SUFFIXES[client.language]}"
    path.write_text(MAKERS[client.language](client, rule, text, port))
    environment = {**os.environ, "NODE_PATH": str(client.folder / "node_modules")}
    return subprocess.Popen(_command(client, path), stdout=-1, stderr=-1, text=True, env=environment)


def _command(client: Advised, path: Path) -> list[str]:
    made = {
        "python": lambda: [str(client.folder / "bin" / "python")],
        "node": lambda: ["node"],
        "php": lambda: ["php"],
        "java": lambda: ["java", "-cp", ":".join(map(str, client.folder.rglob("*.jar")))],
    }
    if client.language == "go":
        return [_built(client, path)]
    return dotnet.compiled(client, path) if client.language == "dotnet" else [*made[client.language](), str(path)]


def _built(client: Advised, path: Path) -> str:
    write_go_module(client.name, path.parent)
    shutil.copy(path, path.parent / "main.go")
    path.unlink()
    subprocess.run(["go", "build", "-o", "advised", "."], cwd=path.parent, check=True)
    return str(path.parent / "advised")
