"""A docker that is a script, and runners that are."""

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from respmark.files import write_whole
from tests.runners.scripted import ScriptedRunners

FAKE = Path(__file__).with_name("fake_docker.py")
INFO = {"ServerVersion": "28.5.1", "OperatingSystem": "Debian", "KernelVersion": "6.12", "NCPU": 4, "MemTotal": 2**33}
COMPOSE = {
    "services": {
        "valkey": {"image": "valkey/valkey:8.1", "mem_limit": "8589934592", "command": ["valkey-server", "--save", ""]},
        "redis": {"image": "redis:8.0", "command": ["redis-server", "--save", ""]},
        "python": {"image": "respmark-python:local", "profiles": ["runners"], "mem_limit": "4294967296"},
    }
}
CONTAINER = {
    "Id": "c1",
    "Config": {"Image": "valkey/valkey:8.1", "Labels": {}},
    "NetworkSettings": {"Networks": {"bench": {"IPAddress": "172.30.0.2"}}},
    "State": {"Pid": 0, "OOMKilled": False},
}


class FakeDocker:
    """Rules for the script, the latest first, and what it was asked."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "rules.json"
        self._rules: list[tuple[Sequence[str], dict[str, Any]]] = []
        self.answer("info", stdout=json.dumps(INFO))
        self.answer("compose", "version", stdout="Docker Compose version v2.40.0")
        self.answer("compose", "config", stdout=json.dumps(COMPOSE))
        self.answer("compose", "build")
        self.answer("compose", "up")
        self.answer("compose", "rm")
        self.answer("compose", "ps", stdout="c1")
        self.answer("compose", "port", stdout="127.0.0.1:32768")
        self.answer("container", "inspect", stdout=json.dumps([CONTAINER]))
        self.answer("container", "rm")
        self.answer("container", "list")
        self.answer("network", "ls")
        self.answer("network", "remove")

    def answer(self, *words: str, **answer: Any) -> None:  # noqa: ANN401 - the fields of an answer
        """Answer calls that have all these words in this way, whatever was said before."""
        self._rules.insert(0, (words, answer))
        write_whole(self._file, json.dumps(self._rules).encode())  # one that still starts reads it meanwhile

    def fail(self, *words: str, stderr: str, code: int = 1) -> None:
        """Let such calls fail."""
        self.answer(*words, stderr=stderr, code=code)

    def calls(self, *words: str) -> list[list[str]]:
        """Return the calls that have all these words."""
        noted = self._file.with_suffix(".calls")
        lines = noted.read_text().splitlines() if noted.exists() else []
        return [call for call in map(json.loads, lines) if set(words) <= set(call)]


@pytest.fixture
def docker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeDocker:
    binaries = tmp_path / "bin"
    binaries.mkdir()
    program = binaries / "docker"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -IS "{FAKE}" "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(binaries), prepend=":")
    monkeypatch.setenv("FAKE_DOCKER", str(tmp_path / "rules.json"))
    return FakeDocker(tmp_path)


@pytest.fixture
def scripted(tmp_path: Path) -> Iterator[ScriptedRunners]:
    with closing(ScriptedRunners(tmp_path)) as made, made.executor:
        yield made
