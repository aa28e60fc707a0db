"""Servers of tests, clients of them, and the command."""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
import redis

from respmark.cli.app import run_command
from respmark.machine.guardian import Guardian
from respmark.servers.node import Node, bundled_server_path
from respmark.specs.catalogue import Catalogue
from tests.user_server import start_user_server

SECONDS = "1"


@dataclass(frozen=True)
class Finished:
    """What a command left."""

    code: int
    output: str
    errors: str
    """In one line."""


Triage = Callable[..., Finished]
Start = Callable[..., Node]


@pytest.fixture
def triage(capsys: pytest.CaptureFixture[str]) -> Triage:

    def run(*words: object) -> Finished:
        capsys.readouterr()
        code = run_command(["triage", *map(str, words)])
        captured = capsys.readouterr()
        return Finished(code, captured.out, " ".join(captured.err.split()))

    return run


@pytest.fixture
def start(guardian: Guardian, request: pytest.FixtureRequest) -> Start:

    def begin(*settings: str, port: int | None = None) -> Node:
        server = start_user_server(guardian, port, *settings)
        request.addfinalizer(server.close)
        return server

    return begin


OTHERS = ("redis@6.2", "redis@8.2", "valkey@8.1", "valkey@9.1")


@pytest.fixture(params=["usual", *(pytest.param(name, marks=pytest.mark.full) for name in OTHERS)])
def start_each(start: Start, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Start:
    """Return what starts the usual server; in the full tests, each of the others that set-up brings as well."""
    if request.param != "usual":
        subprocess.run([sys.executable, "-m", "respmark", "setup", request.param], check=True, capture_output=True)
        monkeypatch.setenv("RESPMARK_SERVER", str(bundled_server_path(Catalogue().server(request.param))))
    return start


def url_of(server: Node, userinfo: str = "") -> str:
    return f"redis://{userinfo}127.0.0.1:{server.endpoint.port}"


def connect_to(server: Node) -> Callable[..., Any]:
    """Return what makes redis-py's clients of a server."""
    return partial(redis.Redis, host="127.0.0.1", port=server.endpoint.port or 0)
