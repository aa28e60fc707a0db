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
from subprocess import DEVNULL, PIPE
from typing import IO, Final, Literal, cast

from respmark.errors import RespmarkError
from respmark.files import explained_if_not_written
from respmark.machine.process_group import ProcessGroup, end_groups, start_time

SOURCE: Final = Path(__file__).resolve().parents[2]
PROGRAM: Final = "import sys; sys.path.insert(0, sys.argv[1]); from respmark.{} import main; main()"
START: Final = PROGRAM.format("machine.guardian")
REMOVE_KEYS: Final = PROGRAM.format("servers.own_keys")
"""Describes no keys itself: they come on standard input, because they include the password."""
Kind = Literal["process", "folder", "command", "keys"]
GATE: Final = ("/bin/sh", "-c", 'read -r go && exec "$@"', "respmark")
"""Put before a command, which then starts when OPEN_GATE is written to its standard input."""
OPEN_GATE: Final = b"go\n"
COMMAND_LIMIT_S: Final = 60.0
"""Time limit for a command that ends what the run started."""


class Guardian:
    """The run's side of the guardian."""

    def __init__(self) -> None:
        # Its own session: Ctrl-C in the terminal must not end it before its work is done.
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
            # Isolated: the user's environment variables for Python do not apply.
            [sys.executable, "-I", "-c", START, str(SOURCE)],
            stdin=PIPE,
            start_new_session=True,
        )

    def protect(self, kind: Kind, what: str | int | list[str]) -> None:
        """Look after this from now on; if the guardian is gone, nobody would: end what was just started, and stop.

        A `process` is a child, by its ID, which must not have been reaped: it is ended with its group. A `folder` is
        removed, a `command` is run, as it ends what is not a process on this machine, and `keys` are removed: they are
        described as `OwnKeys` in JSON, with the password.
        """
        started = start_time(what) if isinstance(what, int) else None
        try:
            self._tell("protect", kind, json.dumps(what), started)
        except BrokenPipeError as error:
            if isinstance(what, int):
                end_groups([ProcessGroup(what, started)])
            raise RespmarkError(
                f"the guardian of this run (process {self._process.pid}) is gone: if this run were killed now, "
                "nothing would stop its processes, so it stops; run again"
            ) from error

    def release(self, kind: Kind, what: str | int | list[str]) -> None:
        """Forget what is over: the ID of a process that was reaped may belong to another one from now on."""
        with contextlib.suppress(BrokenPipeError):  # what is over needs no guardian
            self._tell("release", kind, json.dumps(what), None)

    def close(self) -> None:
        """End everything now and wait until that is done."""
        if self._process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()
        self._process.wait()

    def _tell(self, *note: object) -> None:
        if self._process.stdin is not None and not self._process.stdin.closed:
            self._process.stdin.write(json.dumps(note).encode() + b"\n")
            self._process.stdin.flush()


def main() -> None:
    """Read what to look after until standard input ends, then end all of it."""
    for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(name, signal.SIG_IGN)
    held: dict[Kind, dict[str, int | None]] = {"process": {}, "folder": {}, "command": {}, "keys": {}}
    for line in sys.stdin:
        verb, kind, what, started = json.loads(line)
        held[kind].pop(what, None)
        if verb == "protect":
            held[kind][what] = started
    end_groups([ProcessGroup(int(pid), started) for pid, started in held["process"].items()])
    for command in map(json.loads, held["command"]):
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            subprocess.run(  # noqa: S603 - the run's own command
                command, stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL, timeout=COMMAND_LIMIT_S, check=False
            )
    # After all that could write them again.
    for keys in map(json.loads, held["keys"]):
        subprocess.run(  # noqa: S603 - our own interpreter and module
            [sys.executable, "-I", "-c", REMOVE_KEYS, str(SOURCE)], input=keys.encode(), stdout=DEVNULL, check=False
        )
    for folder in map(json.loads, held["folder"]):
        shutil.rmtree(folder, ignore_errors=True)


def new_folder(guardian: Guardian, purpose: str = "") -> Path:
    """Make a folder that only this user can access; the guardian knows of it before it exists."""
    with explained_if_not_written("a temporary folder"):
        folder = Path(tempfile.gettempdir()) / "-".join(filter(None, ("respmark", purpose, token_hex(8))))
        guardian.protect("folder", str(folder))
        try:
            folder.mkdir(mode=0o700)
        except OSError:
            guardian.release("folder", str(folder))  # whatever is there is not ours to remove
            raise
    return folder


def remove_folder(guardian: Guardian, folder: Path) -> None:
    """Remove such a folder, with everything in it."""
    shutil.rmtree(folder, ignore_errors=True)
    if not folder.exists():
        guardian.release("folder", str(folder))


@contextmanager
def guarded_folder(guardian: Guardian, purpose: str = "") -> Iterator[Path]:
    """Make such a folder, and remove it at the end."""
    folder = new_folder(guardian, purpose)
    try:
        yield folder
    finally:
        remove_folder(guardian, folder)


def start_guarded(
    guardian: Guardian, command: list[str], output: IO[bytes], text: str = "", env: dict[str, str] | None = None
) -> "subprocess.Popen[bytes]":
    """Start a program that nothing else would end, in its own process group, with `text` on its standard input.

    It starts when the guardian knows of it: if we are killed in between, it never does.
    """
    process = subprocess.Popen(  # noqa: S603 - a program of the run
        [*GATE, *command], stdin=PIPE, stdout=output, stderr=subprocess.STDOUT, start_new_session=True, env=env
    )
    guardian.protect("process", process.pid)
    # What has already ended says why in its output.
    with contextlib.suppress(BrokenPipeError), cast("IO[bytes]", process.stdin) as stdin:
        stdin.write(OPEN_GATE + text.encode())
    return process
