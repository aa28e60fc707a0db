"""A runner for tests: speaks the contract and RESP with nothing but the standard library, honestly or not.

Its one library, `double`, has the option `mode`: how it behaves. Run as `python double.py describe|run`.
"""

import json
import os
import resource
import socket
import struct
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

MODES = [
    *("honest", "also-honest", "overclaims", "underclaims", "hides-errors", "wrong-kinds", "extra-commands"),
    *("crashes", "crashes-in-slice", "hangs", "hangs-in-slice", "garbage", "exits-after-result", "unsupported"),
    *("silent-crash", "starts-elsewhere", "too-short", "answers-twice", "answers-another", "answers-unasked"),
    *("answers-for-another-trial", "forgets-samples"),
]
DESCRIPTION = {
    "schema_version": 2,
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
        self.part_first = parts["part"] * self.workload.count // parts["parts"]
        self.samples: Counter[int] = Counter()
        self.next = 0
        self.gets_only = trial["client"]["options"]["mode"] == "wrong-kinds"

    def connect(self) -> None:
        """Open the connection."""
        self.connection: Connection = Connection(self.trial["target"])

    def words(self, row: int) -> list[bytes]:
        """Return a command, or a cheaper one in its place."""
        words = self.workload.words(row)
        return [b"GET", words[1]] if self.gets_only else words

    def unit(self) -> None:
        """Perform one unit."""
        if self.trial["scenario"] == "new-connection":
            self.connection.close()
            self.connect()
        self.connection.send([self.words(self.next + i) for i in range(self.depth)])
        for _ in range(self.depth):
            self.connection.reply()
        self.next += self.depth

    def replies(self, count: int) -> int:
        """Perform units of so many commands, with a reply to each; return how many."""
        self.next, done = self.part_first, 0
        while done < count:
            self.unit()
            done += self.depth
        return done

    def work(self, duration_ns: int, samples: Counter[int]) -> int:
        """Perform units for a time; return how many."""
        began = before = time.monotonic_ns()
        units = 0
        while before - began < duration_ns:
            self.unit()
            now = time.monotonic_ns()
            samples[bucket(now - before)] += 1
            units += 1
            before = now
        return units


def moment() -> dict[str, int]:
    """Return the moment."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    user, system = int(usage.ru_utime * 1e9), int(usage.ru_stime * 1e9)
    return {"at_ns": time.monotonic_ns(), "cpu_user_ns": user, "cpu_system_ns": system}


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
    loop = Loop(trial)
    say({"event": "loaded", "schema_version": 2, "trial_id": trial["trial_id"], "startup_ns": 1})
    for line in sys.stdin:
        order = json.loads(line)
        try:
            obey(order, loop, mode)
        except (OSError, ValueError) as error:
            print(f"double: target lost: {error}", file=sys.stderr)
            return 4
        if order["order"] == "finish":
            sys.stdin.read()
            return 7 if mode == "exits-after-result" else 0
    return 1


def obey(order: dict[str, Any], loop: Loop, mode: str) -> None:
    """Carry out one order."""
    if order["order"] == "connect":
        loop.connect()
        verified = loop.replies(loop.trial["verify_commands"])
        ready = {"event": "ready", "trial_id": loop.trial["trial_id"], "connect_ns": 1, "verified_replies": verified}
        say(ready)
        if mode == "answers-unasked":
            say(ready)
    elif order["order"] == "slice":
        if order["keep_samples"]:
            tell()
        misbehave_in_slice(mode)
        answer = work(order, loop, mode)
        say(answer)
        if mode == "answers-twice":
            say(answer)
    else:
        say(result(loop))


def work(order: dict[str, Any], loop: Loop, mode: str) -> dict[str, Any]:
    """Work for one slice and return the answer, true or not."""
    first = (order["first_command"] + loop.part_first) % loop.workload.count
    loop.next = first + (1 if mode == "starts-elsewhere" else 0)
    started = moment()
    lead_in = loop.work(order["lead_in_ns"], Counter())
    measured_from = moment()
    duration_ns = order["duration_ns"] // (2 if mode == "too-short" else 1)
    samples: Counter[int] = Counter()
    measured = loop.work(duration_ns, samples)
    ended = moment()
    if mode == "extra-commands":
        loop.connection.command([b"ECHO", b"hello"])
    lie = {"overclaims": 1, "underclaims": -1}.get(mode, 0)
    if order["keep_samples"] and mode != "forgets-samples":
        # As many samples as it claims: only the server's word differs.
        loop.samples += samples
        loop.samples[min(samples)] += lie
    operations = measured * loop.depth + lie
    return {
        "event": "slice",
        "trial_id": "another" if mode == "answers-for-another-trial" else loop.trial["trial_id"],
        "slice": order["slice"] + (1 if mode == "answers-another" else 0),
        "started": started,
        "measured_from": measured_from,
        "ended": ended,
        "lead_in": {"operations": lead_in * loop.depth, "units": lead_in},
        "measured": {"operations": operations, "units": operations // loop.depth},
        "segments": [
            {
                "first_command": first + (1 if mode == "starts-elsewhere" else 0),
                "operations": lead_in * loop.depth + operations,
            }
        ],
        "errors": {"ReplyError": 2} if mode == "hides-errors" else {},
        "first_error": "ReplyError: two went wrong" if mode == "hides-errors" else None,
    }


def tell() -> None:
    """Leave a mark where a test asks for one: from now on it hangs, or works in a slice that counts."""
    if "DOUBLE_TELLS" in os.environ:
        Path(os.environ["DOUBLE_TELLS"]).touch()


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
        tell()
        time.sleep(3600)


def misbehave_in_slice(mode: str) -> None:
    """Do what a broken runner does when it is to work."""
    if mode == "crashes-in-slice":
        print("double: broke in the slice", file=sys.stderr)
        sys.exit(1)
    if mode == "hangs-in-slice":
        time.sleep(3600)


def peak_memory_bytes() -> int:
    """Return the process's own mark; where there is none, nobody asks for it."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:")), 0)


def result(loop: Loop) -> dict[str, Any]:
    """Return the result."""
    samples = loop.samples
    return {
        "event": "result",
        "schema_version": 2,
        "trial_id": loop.trial["trial_id"],
        "latency": {
            "sample_covers": "command" if loop.depth == 1 else "batch",
            "histogram": sorted((value, count) for value, count in samples.items() if count),
            "max_ns": max(samples, default=0),
        },
        "peak_memory_bytes": peak_memory_bytes(),
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
