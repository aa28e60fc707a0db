"""Ends what a run started, even if the run itself is killed.

A guardian is a small process in its own session. It reads from a pipe what it must look after. When the pipe ends,
because the run ended it or because the run is gone, the guardian ends those process groups and removes those folders.
Process IDs are reused: `process_group` explains how the wrong process is never signalled.
"""

import contextlib
import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Final

from respmark.errors import GuardianGoneError
from respmark.target.process_group import ProcessGroup, end_groups, start_time

SOURCE: Final = Path(__file__).resolve().parents[2]
START: Final = "import sys; sys.path.insert(0, sys.argv[1]); from respmark.target.guardian import main; main()"
COMMAND_LIMIT_S: Final = 60.0
"""Time limit for a command that ends what the run started."""
REMOVE_KEYS: Final = START.replace("guardian import", "own_keys import")
REMOVAL_LIMIT_S: Final = 300.0
"""Time limit for removing the keys that the run wrote to a server that it did not start."""

OVER: Final = frozenset({"ended", "removed", "done", "keys removed"})
"""Notes to the guardian about things that are over."""


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
        self._tell("process", json.dumps([pid, start_time(pid)]))

    def release_process(self, pid: int) -> None:
        """Forget a process that was reaped: its ID may belong to another process from now on."""
        self._tell("ended", str(pid))

    def protect_folder(self, folder: Path) -> None:
        """Remove this folder when the run ends."""
        self._tell("folder", str(folder))

    def release_folder(self, folder: Path) -> None:
        """Forget a folder that was removed."""
        self._tell("removed", str(folder))

    def protect_command(self, command: list[str]) -> None:
        """Run this command when the run ends: it ends what is not a process on this machine."""
        self._tell("command", json.dumps(command))

    def release_command(self, command: list[str]) -> None:
        """Forget a command whose work is done."""
        self._tell("done", json.dumps(command))

    def protect_keys(self, keys: str) -> None:
        """Remove these keys when the run ends; they are described as `OwnKeys` in JSON, with the password."""
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
            try:
                self._process.stdin.write(json.dumps([kind, what]).encode() + b"\n")
                self._process.stdin.flush()
            except BrokenPipeError as error:
                self._gone(kind, what, error)

    def _gone(self, kind: str, what: str, error: OSError) -> None:
        """End what was just started, and stop, because nobody would end it later; what is over needs no guardian."""
        if kind in OVER:
            return
        if kind == "process" and (group := ProcessGroup.of(*json.loads(what))) is not None:
            end_groups([group])
        message = (
            f"the guardian of this run (process {self._process.pid}) is gone: nothing would end what the run starts if "
            "the run itself were killed, so it stops here; run it again"
        )
        raise GuardianGoneError(message) from error


def main() -> None:
    """Read what to look after until standard input ends, then end all of it."""
    for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(name, signal.SIG_IGN)
    groups: dict[int, ProcessGroup] = {}
    folders: set[Path] = set()
    commands: set[str] = set()
    keys: set[str] = set()
    notes = {
        "folder": lambda what: folders.add(Path(what)),
        "removed": lambda what: folders.discard(Path(what)),
        "process": lambda what: _hold(groups, *json.loads(what)),
        "ended": lambda what: groups.pop(int(what), None),
        "command": commands.add,
        "done": commands.discard,
        "keys": keys.add,
        "keys removed": keys.discard,
    }
    for line in sys.stdin:
        kind, what = json.loads(line)
        notes[kind](what)
    end_groups(groups.values())
    for command in commands:
        _run(json.loads(command))
    # The last of the slow steps: by now nothing is left that would write the keys again.
    for described in keys:
        _remove_keys(described)
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


def _hold(groups: dict[int, ProcessGroup], pid: int, started: int | None) -> None:
    """Note a group, unless its ID belongs to another process by now."""
    groups.pop(pid, None)
    if (group := ProcessGroup.of(pid, started)) is not None:
        groups[pid] = group


def _run(command: list[str]) -> None:
    """Run a command that ends something; nobody is left to read what it prints."""
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
    """Remove keys in a separate program, whose standard error is the user's terminal."""
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        subprocess.run(  # noqa: S603 - our own interpreter and module
            [sys.executable, "-I", "-c", REMOVE_KEYS, str(SOURCE)],
            # Only here: in the arguments or the environment, others could read the password.
            input=described.encode(),
            stdout=subprocess.DEVNULL,
            timeout=REMOVAL_LIMIT_S,
            check=False,
        )
