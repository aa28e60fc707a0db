"""A password is nowhere: commands that take a target run with one, and all that they leave and start is searched."""

import base64
import gzip
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

import pytest

from respmark.cli import app
from respmark.target.control import Control
from respmark.target.spawn import Server
from tests.record_files import bytes_of

SECRET = 'hush-hush/7+"\u00e9'
MARKS = (b"hush-hush", base64.b64encode(SECRET.encode())[:12], base64.b64encode(b":" + SECRET.encode())[:12])
COMMANDS = {
    "run": ("run", "tiny"),
    "plan": ("plan", "tiny"),
    "conform": ("conform", "double[mode=honest]", "--scenario", "sync", "--no-faults"),
    "trace": ("trace", "double", "sync"),
    "doctor": ("doctor",),
    "clean": ("clean",),
    "failing": ("run", "tiny", "--client", "double[mode=crashes-in-slice]", "--client", "double[mode=raises]"),
}
WITHOUT_PASSWORD = ("list",)


class Watch:
    """Looks at the command line and environment of everything that a command has started."""

    def __init__(self, first: int) -> None:
        self._first = first
        self._family = {first}
        self._own = b""
        self.told: dict[int, set[str]] = {}
        self.seen = 0

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
        self.seen += 1
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


class House:
    """Where a command works: all that it leaves lies in here."""

    def __init__(self, folder: Path, environment: dict[str, str], server: Server) -> None:
        self.folder = folder
        self.url = f"redis://127.0.0.1:{server.endpoint.port}"
        (folder / "tmp").mkdir(parents=True)
        self.environment = {**environment, "TMPDIR": str(folder / "tmp"), "HOME": str(folder)}
        with Control(server.endpoint) as control:
            control.command("CONFIG", "SET", "requirepass", SECRET)

    def run(self, *words: str, target: bool = True) -> tuple[bytes, Watch, int]:
        """Run a command to its end; return what it printed, what was seen meanwhile, and its process."""
        given = ["--out", str(self.folder / "out")] if words[0] in {"run", "trace"} else []
        named = ["--target", self.url] if target and "--target" not in words else []
        process = subprocess.Popen(
            [sys.executable, "-m", "respmark", *words, *named, *given],
            env=self.environment,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        with watched(process) as watch:
            printed, _ = process.communicate(timeout=110)
        assert b"Traceback" not in printed, printed.decode()
        return printed, watch, process.pid

    def left(self) -> bytes:
        """Return the content of every file here; a compressed one would hide what it holds."""
        return b"".join(bytes_of(path) for path in self.folder.rglob("*") if path.is_file())


@pytest.fixture
def house(tmp_path: Path, environment: dict[str, str], server: Server) -> House:
    """Return a place to work in, beside a server with a password."""
    return House(tmp_path / "house", environment, server)


def hold(house: House, printed: bytes, told: dict[int, set[str]]) -> None:
    """Assert that the password was seen nowhere."""
    assert [mark for mark in MARKS if mark in printed] == [], printed.decode()
    assert [mark for mark in MARKS if mark in house.left()] == []
    assert told == {}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_password_of_the_environment_is_nowhere(house: House, name: str) -> None:
    """Only the command's own environment has it, where the user put it; what it starts has not."""
    house.environment["RESPMARK_TARGET_PASSWORD"] = SECRET
    printed, watch, own = house.run(*COMMANDS[name])
    assert watch.seen > 1
    assert watch.told.pop(own, {"environ"}) == {"environ"}
    assert b"refused" not in printed
    hold(house, printed, watch.told)


@pytest.mark.parametrize("name", ["run", "doctor", "trace"])
def test_a_password_of_a_file_is_nowhere_else(house: House, name: str, tmp_path: Path) -> None:
    """Not even in the command's own environment or process list."""
    (tmp_path / "password").write_text(f"{SECRET}\n")
    printed, watch, _ = house.run(*COMMANDS[name], "--password-file", str(tmp_path / "password"))
    assert b"error" not in printed, printed.decode()
    hold(house, printed, watch.told)


@pytest.mark.parametrize("name", ["run", "conform", "doctor"])
def test_a_password_of_a_url_goes_no_further(house: House, name: str) -> None:
    """The command's own process list shows it, which it says; what it starts does not."""
    url = house.url.replace("://", f"://:{quote(SECRET, safe='')}@")
    printed, watch, own = house.run(*COMMANDS[name], "--target", url)
    assert watch.told.pop(own) == {"cmdline"}
    assert b"can read the password in --server" in printed
    hold(house, printed, watch.told)


def test_every_command_that_takes_a_target_is_among_them() -> None:
    """By its parameters."""
    with_target = {
        name
        for name in app.COMMANDS
        if any("--target" in a.names for a in app.app_for([name])[name].assemble_argument_collection())
    }
    assert with_target == {words[0] for words in COMMANDS.values()}


def test_a_password_would_be_found_in_a_record(house: House) -> None:
    """Records are compressed."""
    (house.folder / "record.json.gz").write_bytes(gzip.compress(SECRET.encode()))
    assert MARKS[0] in house.left()


def test_a_command_without_a_target_leaves_it_alone(house: House) -> None:
    """The variable may be set for all of a user's commands."""
    house.environment["RESPMARK_TARGET_PASSWORD"] = SECRET
    printed, watch, own = house.run(*WITHOUT_PASSWORD, target=False)
    watch.told.pop(own, None)
    hold(house, printed, watch.told)
