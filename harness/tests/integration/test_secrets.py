"""A password is nowhere: commands that take a server run with one, and all that they leave and start is searched."""

import base64
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

import pytest

from respmark.servers.control import Control
from respmark.servers.node import Node
from tests.integration.conftest import url_of
from tests.integration.run_files import left_in

SECRET = 'hush-hush/7+"\u00e9'
MARKS = (b"hush-hush", base64.b64encode(SECRET.encode())[:12], base64.b64encode(b":" + SECRET.encode())[:12])
ON_A_HOST = "run on a host"
COMMANDS = {
    "run": ("run", "tiny", "--client", "double[mode=raises]", "--client", "double[mode=tells]"),
    ON_A_HOST: ("run", "tiny", "--client", "double[mode=tells]", "--via", "dask", "--scheduler", "local:1"),
    "plan": ("plan", "tiny"),
    "conform": ("conform", "double[mode=honest]", "--scenario", "sync", "--no-tampering"),
    "trace": ("trace", "double", "sync"),
    "doctor": ("doctor",),
    "clean": ("clean",),
}


class Watch:
    """Looks at the command line and environment of everything that a command has started."""

    def __init__(self, first: int) -> None:
        self._first = first
        self._family = {first}
        self._own = b""
        self.told: dict[int, set[str]] = {}

    def look(self) -> None:
        """Look once at every process whose ancestor is the command."""
        for path in Path("/proc").glob("[0-9]*"):
            with suppress(OSError, ValueError):
                pid = int(path.name)
                parent = int((path / "stat").read_text().rpartition(")")[2].split()[1])
                if pid in self._family or parent in self._family:
                    self._family.add(pid)
                    self._search(pid, path)

    def _search(self, pid: int, path: Path) -> None:
        words = (path / "cmdline").read_bytes()
        if pid == self._first:
            self._own = words
        elif words in {self._own, b""}:
            # Not another program yet, or no more one: for a moment what is started is a copy of the command itself.
            return
        # In this order: whoever has words of its own has an environment of its own.
        for name, content in (("cmdline", words), ("environ", (path / "environ").read_bytes())):
            if any(mark in content for mark in MARKS):
                self.told.setdefault(pid, set()).add(name)


@contextmanager
def watched(process: "subprocess.Popen[bytes]") -> Iterator[Watch]:
    """Look again and again until the command has ended."""
    watch, over = Watch(process.pid), threading.Event()

    def work() -> None:
        while not over.wait(0.02):
            watch.look()

    worker = threading.Thread(target=work)
    worker.start()
    try:
        yield watch
    finally:
        over.set()
        worker.join()


@pytest.mark.parametrize(
    ("way", "name"),
    [
        *(("environment", name) for name in COMMANDS if name not in {"run", ON_A_HOST}),
        pytest.param("environment", ON_A_HOST, marks=pytest.mark.full),
        ("file", "doctor"),
        ("URL", "run"),
    ],
)
def test_a_password_is_nowhere_else(
    server: Node, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str, name: str
) -> None:
    """Only where the user put it: in the command's own environment, its own process list, or in neither."""
    house, password = tmp_path / "house", tmp_path / "password"
    (house / "tmp").mkdir(parents=True)
    password.write_text(f"{SECRET}\n")
    with Control(server.endpoint) as control:
        control.command("CONFIG", "SET", "requirepass", SECRET)
    monkeypatch.setenv("TMPDIR", str(house / "tmp"))
    monkeypatch.setenv("HOME", str(house))
    words = [*COMMANDS[name], "--server", url_of(server, f":{quote(SECRET, safe='')}@" if way == "URL" else "")]
    words += ["--out", str(house / "out")] if words[0] in {"run", "trace"} else []
    words += ["--password-file", str(password)] if way == "file" else []
    if way == "environment":
        monkeypatch.setenv("RESPMARK_SERVER_PASSWORD", SECRET)
    process = subprocess.Popen(
        [sys.executable, "-m", "respmark", *words],
        cwd=house,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    with watched(process) as watch:
        printed, _ = process.communicate(timeout=110)
    assert b"refused" not in printed, printed.decode()
    assert [mark for mark in MARKS if mark in printed + left_in(house)] == [], printed.decode()
    own = {"environment": {"environ"}, "URL": {"cmdline"}}.get(way, set())
    assert watch.told.pop(process.pid, own) == own
    assert watch.told == {}
