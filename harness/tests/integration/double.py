"""A runner for tests: speaks the contract and RESP with nothing but the standard library, honestly or not.

Its one library, `double`, has the option `mode`: how it behaves. Run as `python double.py describe|run`.
"""

import json
import os
import re
import socket
import struct
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

MODES = [
    *("honest", "overclaims", "underclaims", "hides-errors", "wrong-kinds", "extra-commands"),
    *("crashes", "crashes-in-window", "hangs", "hangs-in-window", "garbage", "exits-after-result", "unsupported"),
    "silent-crash",
]
DESCRIPTION = {
    "schema_version": 1,
    "runner": "double",
    "runtime": "CPython",
    "runtime_version": "3",
    "clients": [
        {
            "library": "double",
            "version": "1.0",
            "dependencies": {},
            "options": {"mode": MODES},
            "scenarios": {"sync": {}, "batching": {}, "new-connection": {}},
        }
    ],
    "missing": [],
}


class Workload:
    """The workload file, read with the standard library."""

    def __init__(self, path: str) -> None:
        content = Path(path).read_bytes()
        (length,) = struct.unpack_from("<I", content, 12)
        self.header = json.loads(content[16 : 16 + length])
        self.count = self.header["commands"]
        self._content = content

    def _number(self, column: str, row: int, code: str, width: int) -> int:
        (number,) = struct.unpack_from(code, self._content, self.header[column]["offset"] + row * width)
        return int(number)

    def words(self, row: int) -> list[bytes]:
        """Return a command as it is sent."""
        row %= self.count
        kind = self.header["mix"][self._number("kinds", row, "<B", 1)]
        key, size = self._number("keys", row, "<I", 4), self._number("sizes", row, "<I", 4)
        start = key * self.header["value_multiplier"] % 2 ** self.header["value_modulus_bits"]
        begin = self.header["block"]["offset"] + start
        words = {
            "key": f"{self.header['key_prefix']}{key:0{self.header['key_digits']}d}".encode(),
            "value": self._content[begin : begin + size],
        }
        return [kind["name"].encode(), *(words[argument["kind"]] for argument in kind["arguments"])]


class Connection:
    """A RESP2 connection."""

    def __init__(self, target: dict[str, Any]) -> None:
        if target.get("unix_socket"):
            self._socket = socket.socket(socket.AF_UNIX)
            self._socket.connect(target["unix_socket"])
        else:
            self._socket = socket.create_connection((target["host"], target["port"]))
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._file = self._socket.makefile("rb")
        if target.get("password"):
            self.command([b"AUTH", (target.get("username") or "default").encode(), target["password"].encode()])
        self.command([b"SELECT", str(target["database"]).encode()])

    def send(self, commands: list[list[bytes]]) -> None:
        """Send commands at once."""
        self._socket.sendall(
            b"".join(
                b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%b\r\n" % (len(word), word) for word in words)
                for words in commands
            )
        )

    def reply(self) -> bytes | None:
        """Return the next reply."""
        line = self._file.readline()
        if not line:
            raise ConnectionResetError("the server closed the connection")
        if line[:1] == b"$":
            size = int(line[1:])
            return None if size < 0 else self._file.read(size + 2)[:-2]
        if line[:1] == b"-":
            raise ValueError(line[1:].decode().strip())
        return line[1:].strip()

    def command(self, words: list[bytes]) -> bytes | None:
        """Send one command and return its reply."""
        self.send([words])
        return self.reply()

    def close(self) -> None:
        """Close it."""
        self._file.close()
        self._socket.close()


class Loop:
    """The measured loop and what it counts."""

    def __init__(self, trial: dict[str, Any]) -> None:
        self.trial = trial
        self.workload = Workload(trial["workload"]["path"])
        self.depth = trial["shape"].get("depth") or 1
        parts = trial["workload"]
        self.first = parts["part"] * self.workload.count // parts["parts"]
        self.connection = Connection(trial["target"])
        self.samples: Counter[int] = Counter()
        self.operations = 0

    def unit(self) -> None:
        """Perform one unit."""
        if self.trial["scenario"] == "new-connection":
            self.connection.close()
            self.connection = Connection(self.trial["target"])
        begin = self.first + self.operations
        self.connection.send([self.workload.words(begin + i) for i in range(self.depth)])
        for _ in range(self.depth):
            self.connection.reply()

    def run(self, seconds: float) -> int:
        """Run units for a time; return how long it took, in ns."""
        began = before = time.perf_counter_ns()
        while before - began < seconds * 1e9:
            self.unit()
            now = time.perf_counter_ns()
            self.samples[bucket(now - before)] += 1
            self.operations += self.depth
            before = now
        return before - began


def bucket(value: int) -> int:
    """Return the bucket of the contract."""
    shift = max(0, value.bit_length() - 11)
    return value >> shift << shift


def say(event: dict[str, Any]) -> None:
    """Print one event."""
    print(json.dumps(event), flush=True)


def run() -> int:
    """Run one trial as its mode says."""
    trial = json.loads(sys.stdin.readline())
    mode = trial["client"]["options"]["mode"]
    misbehave_early(mode)
    try:
        loop = Loop(trial)
        loop.run(trial["warmup_s"])
    except (OSError, ValueError) as error:
        print(f"double: {error}", file=sys.stderr)
        return 4
    loop.operations, loop.samples = 0, Counter()
    say(
        {
            "event": "ready",
            "schema_version": 1,
            "trial_id": trial["trial_id"],
            "startup_ns": 1,
            "verified_replies": 0,
            "warmup_operations": 0,
        }
    )
    if not re.search("go", sys.stdin.readline()):
        return 1
    misbehave_in_window(mode)
    try:
        elapsed = loop.run(trial["measure_s"])
    except (OSError, ValueError) as error:
        print(f"double: target lost: {error}", file=sys.stderr)
        return 4
    if mode == "extra-commands":
        loop.connection.command([b"ECHO", b"hello"])
    say(result(loop, elapsed, mode))
    sys.stdin.read()
    return 7 if mode == "exits-after-result" else 0


def misbehave_early(mode: str) -> None:
    """Do what a broken runner does before it is ready."""
    if mode == "unsupported":
        print("double: this client cannot do that", file=sys.stderr)
        sys.exit(3)
    if mode == "crashes":
        print("double: something broke here", file=sys.stderr)
        sys.exit(1)
    if mode == "silent-crash":
        os.abort()
    if mode == "garbage":
        print("Segmentation fault (just kidding)", flush=True)
    if mode == "hangs":
        time.sleep(3600)


def misbehave_in_window(mode: str) -> None:
    """Do what a broken runner does after `go`."""
    if mode == "crashes-in-window":
        print("double: broke in the window", file=sys.stderr)
        sys.exit(1)
    if mode == "hangs-in-window":
        time.sleep(3600)


def result(loop: Loop, elapsed: int, mode: str) -> dict[str, Any]:
    """Return the result, true or not."""
    lie = {"overclaims": 1, "underclaims": -1}.get(mode, 0)
    operations = loop.operations + lie
    samples = Counter(loop.samples)
    if lie:
        samples[1] = max(0, samples[1] + lie)
        samples += Counter()
    first = loop.first + (3 if mode == "wrong-kinds" else 0)
    units = sum(samples.values())
    return {
        "event": "result",
        "schema_version": 1,
        "trial_id": loop.trial["trial_id"],
        "operations": operations,
        "units": units,
        "segments": [{"first_command": first, "operations": operations}],
        "errors": {"ReplyError": 2} if mode == "hides-errors" else {},
        "first_error": "ReplyError: two went wrong" if mode == "hides-errors" else None,
        "elapsed_ns": elapsed,
        "first_half": None,
        "cpu_user_ns": 1000,
        "cpu_system_ns": 1000,
        "latency": {
            "sample_covers": "command" if loop.depth == 1 else "batch",
            "histogram": sorted(samples.items()),
            "max_ns": max(samples),
        },
        "peak_memory_bytes": 1,
        "decodes_to": "bytes",
        "runtime_health": {},
        "runtime_settings": {},
        "versions": {"double": "1.0"},
    }


if __name__ == "__main__":
    if sys.argv[1:] == ["describe"]:
        say(DESCRIPTION)
    else:
        sys.exit(run())
