"""Ends what a run started, even when the run itself is killed.

A guardian is a small process of its own session. It reads what it must look after from a pipe; when the pipe ends,
because the run ended it or because the run is no more, it ends those process groups and removes those folders.
"""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Final

PATIENCE_S: Final = 3.0
"""Between asking a process to end and ending it."""
COMMAND_LIMIT_S: Final = 60.0
"""For a command that ends what the run started."""
SOURCE: Final = Path(__file__).resolve().parents[2]
REMOVE_KEYS: Final = "import sys; sys.path.insert(0, sys.argv[1]); from respmark.target.own_keys import main; main()"
REMOVAL_LIMIT_S: Final = 300.0
"""For removing the keys that the run wrote to a server that it did not start."""


class Guardian:
    """The run's side of the guardian."""

    def __init__(self) -> None:
        # Its own session: Ctrl-C in the terminal must not end it before its work is done.
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
            # Isolated and as a file: it needs nothing of respmark and must start at once.
            [sys.executable, "-I", __file__],
            stdin=subprocess.PIPE,
            start_new_session=True,
        )

    def protect_process(self, pid: int) -> None:
        """End this process, with its group, when the run ends."""
        self._tell("process", str(pid))

    def release_process(self, pid: int) -> None:
        """Forget a process that has ended."""
        self._tell("ended", str(pid))

    def protect_folder(self, folder: Path) -> None:
        """Remove this folder when the run ends."""
        self._tell("folder", str(folder))

    def protect_command(self, command: list[str]) -> None:
        """Run this command when the run ends: what is not a process of this machine is ended by it."""
        self._tell("command", json.dumps(command))

    def release_command(self, command: list[str]) -> None:
        """Forget a command whose work is done."""
        self._tell("done", json.dumps(command))

    def protect_keys(self, keys: str) -> None:
        """Remove these keys when the run ends; they are described as `OwnKeys` in JSON, password and all."""
        self._tell("keys", keys)

    def release_keys(self, keys: str) -> None:
        """Forget keys that are gone."""
        self._tell("keys removed", keys)

    def close(self) -> None:
        """End everything now and wait until that is done."""
        if self._process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()
        self._process.wait()

    def _tell(self, kind: str, what: str) -> None:
        if self._process.stdin is not None and not self._process.stdin.closed:
            self._process.stdin.write(json.dumps([kind, what]).encode() + b"\n")
            self._process.stdin.flush()


def main() -> None:
    """Read what to look after until standard input ends, then end it."""
    for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(name, signal.SIG_IGN)
    processes: set[int] = set()
    folders: set[Path] = set()
    commands: set[str] = set()
    keys: set[str] = set()
    notes = {
        "folder": lambda what: folders.add(Path(what)),
        "process": lambda what: processes.add(int(what)),
        "ended": lambda what: processes.discard(int(what)),
        "command": commands.add,
        "done": commands.discard,
        "keys": keys.add,
        "keys removed": keys.discard,
    }
    for line in sys.stdin:
        kind, what = json.loads(line)
        notes[kind](what)
    end_groups(processes)
    for command in commands:
        _run(json.loads(command))
    # Last of what takes long: by now nobody is left who would write them again.
    for described in keys:
        _remove_keys(described)
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


def _run(command: list[str]) -> None:
    """Run a command that ends something; nobody is left who could read what it says."""
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        subprocess.run(  # noqa: S603 - the run's own command
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=COMMAND_LIMIT_S,
            check=False,
        )


def _remove_keys(described: str) -> None:
    """Remove keys by a program of its own; what it says on standard error is for the user's terminal."""
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        subprocess.run(  # noqa: S603 - our own interpreter and module
            [sys.executable, "-I", "-c", REMOVE_KEYS, str(SOURCE)],
            # Here and nowhere else: among the arguments or in the environment, others could read the password.
            input=described.encode(),
            stdout=subprocess.DEVNULL,
            timeout=REMOVAL_LIMIT_S,
            check=False,
        )


def end_child(process: "subprocess.Popen[bytes]") -> None:
    """End a process of our own with its group: ask first, insist after PATIENCE_S."""
    if process.poll() is None:
        _signal(process.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=PATIENCE_S)
    # Whoever is left of its group, children that outlived it among them.
    _signal(process.pid, signal.SIGKILL)
    process.wait()


def end_groups(leaders: Iterable[int]) -> None:
    """End process groups of others: ask first, insist after PATIENCE_S."""
    left = {leader for leader in leaders if _signal(leader, signal.SIGTERM)}
    deadline = time.monotonic() + PATIENCE_S
    while left and time.monotonic() < deadline:
        time.sleep(0.02)
        left = {leader for leader in left if _signal(leader, 0)}
    for leader in left:
        _signal(leader, signal.SIGKILL)


def _signal(leader: int, number: int) -> bool:
    try:
        os.killpg(leader, number)
    except ProcessLookupError:
        return False
    return True


if __name__ == "__main__":
    main()
