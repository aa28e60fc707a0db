"""Ends what a run started, even if the run itself is killed.

A guardian is a small process in its own session. It reads from a pipe what it must look after. When the pipe ends,
because the run ended it or because the run is gone, the guardian ends those process groups, runs those commands, and
removes those keys and folders.
"""

import contextlib
import json
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import Final

from respmark.errors import RespmarkError
from respmark.files import told_if_not_written
from respmark.target.process_group import ProcessGroup, end_groups, start_time

SOURCE: Final = Path(__file__).resolve().parents[2]
START: Final = "import sys; sys.path.insert(0, sys.argv[1]); from respmark.target.guardian import main; main()"
COMMAND_LIMIT_S: Final = 60.0
"""Time limit for a command that ends what the run started."""


class Guardian:
    """The run's side of the guardian."""

    def __init__(self) -> None:
        # Its own session: Ctrl-C in the terminal must not end it before its work is done.
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
            # Isolated: the user's environment variables for Python do not apply.
            [sys.executable, "-I", "-c", START, str(SOURCE)],
            stdin=subprocess.PIPE,
            start_new_session=True,
        )

    def protect_process(self, pid: int) -> None:
        """End this child and its group when the run ends; the child must not have been reaped."""
        self._protect("process", str(pid), start_time(pid))

    def release_process(self, pid: int) -> None:
        """Forget a process that was reaped: its ID may belong to another process from now on."""
        self._release("process", str(pid))

    def protect_folder(self, folder: Path) -> None:
        """Remove this folder when the run ends."""
        self._protect("folder", str(folder))

    def release_folder(self, folder: Path) -> None:
        """Forget a folder that was removed."""
        self._release("folder", str(folder))

    def protect_command(self, command: list[str]) -> None:
        """Run this command when the run ends: it ends what is not a process on this machine."""
        self._protect("command", json.dumps(command))

    def release_command(self, command: list[str]) -> None:
        """Forget a command whose work is done."""
        self._release("command", json.dumps(command))

    def protect_keys(self, keys: str) -> None:
        """Remove these keys when the run ends; they are described as `OwnKeys` in JSON, with the password."""
        self._protect("keys", keys)

    def release_keys(self, keys: str) -> None:
        """Forget keys that are gone."""
        self._release("keys", keys)

    def close(self) -> None:
        """End everything now and wait until that is done."""
        if self._process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()
        self._process.wait()

    def _protect(self, kind: str, what: str, started: int | None = None) -> None:
        """Tell the guardian; if it is gone, nobody would end what was just started: end it, and stop."""
        try:
            self._tell("protect", kind, what, started)
        except BrokenPipeError as error:
            if kind == "process":
                end_groups([ProcessGroup(int(what), started)])
            raise RespmarkError(
                f"the guardian of this run (process {self._process.pid}) is gone: nothing would end what the run "
                "starts if the run itself were killed, so it stops here; run it again"
            ) from error

    def _release(self, kind: str, what: str) -> None:
        with contextlib.suppress(BrokenPipeError):  # what is over needs no guardian
            self._tell("release", kind, what)

    def _tell(self, *note: object) -> None:
        if self._process.stdin is not None and not self._process.stdin.closed:
            self._process.stdin.write(json.dumps(note).encode() + b"\n")
            self._process.stdin.flush()


def main() -> None:
    """Read what to look after until standard input ends, then end all of it."""
    for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(name, signal.SIG_IGN)
    held: dict[str, dict[str, int | None]] = {"process": {}, "folder": {}, "command": {}, "keys": {}}
    for line in sys.stdin:
        verb, kind, what, *started = json.loads(line)
        held[kind].pop(what, None)
        if verb == "protect":
            held[kind][what] = started[0]
    end_groups([ProcessGroup(int(pid), started) for pid, started in held["process"].items()])
    for command in held["command"]:
        _run(json.loads(command))
    # After all that could write them again.
    if held["keys"]:
        # Not loaded before: nearly every run removes its keys itself, and to load what talks to servers takes long.
        from respmark.target.own_keys import remove_described  # noqa: PLC0415

        for keys in held["keys"]:
            remove_described(keys)
    for folder in held["folder"]:
        shutil.rmtree(folder, ignore_errors=True)


def _run(command: list[str]) -> None:
    nowhere = subprocess.DEVNULL
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        subprocess.run(  # noqa: S603 - the run's own command
            command, stdin=nowhere, stdout=nowhere, stderr=nowhere, timeout=COMMAND_LIMIT_S, check=False
        )


def new_folder(guardian: Guardian, purpose: str = "") -> Path:
    """Make a folder that only this user can access; the guardian knows of it before it exists."""
    with told_if_not_written("a temporary folder"):
        folder = Path(tempfile.gettempdir()) / "-".join(filter(None, ("respmark", purpose, token_hex(8))))
        guardian.protect_folder(folder)
        try:
            folder.mkdir(mode=0o700)
        except OSError:
            guardian.release_folder(folder)  # whatever is there is not ours to remove
            raise
    return folder


def remove_folder(guardian: Guardian, folder: Path) -> None:
    """Remove such a folder, with everything in it."""
    shutil.rmtree(folder, ignore_errors=True)
    if not folder.exists():
        guardian.release_folder(folder)


@contextmanager
def guarded_folder(guardian: Guardian, purpose: str = "") -> Iterator[Path]:
    """Make such a folder, and remove it at the end."""
    folder = new_folder(guardian, purpose)
    try:
        yield folder
    finally:
        remove_folder(guardian, folder)
