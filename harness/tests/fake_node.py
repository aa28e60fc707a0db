"""A server that exists only as counters and keys, and a control connection to it."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import hiredis

from respmark.contract.trial import Endpoint
from respmark.errors import ServerError, ServerLostError
from respmark.kinds.loops.expectation import Segment
from respmark.servers.control import Control
from respmark.workload.workload import Workload


@dataclass
class FakeNode:
    """Counts as a server does and keeps keys; what reaches it is told to it."""

    data: dict[bytes, bytes] = field(default_factory=dict)
    calls: Counter[str] = field(default_factory=Counter)
    counters: Counter[str] = field(default_factory=Counter)
    up: bool = True
    starts: int = 1
    """How often it was started; INFO's run_id follows from it."""
    connected: int = 1
    """Connections that are open, the harness's own among them."""
    now_ns: int = 10**9
    """The clock of the machine on which it all happens."""
    begun_ns: int = 10**9
    """When the last slice began."""
    clients: tuple[str, ...] = ("id=1 cmd=client|list resp=2",)
    """CLIENT LIST: the harness's own connection first."""
    refusal: bytes | None = None
    """Error line in place of OK for every SET."""
    listening: int = 0
    """Subscribers of every channel."""

    def perform(self, workload: Workload, segment: Segment) -> None:
        for step in range(segment.commands):
            row = (segment.first + step) % workload.header.commands
            name = workload.header.mix[int(workload.kinds[row])].name.lower()
            self.calls[name] += 1
            self.counters["total_reads_processed"] += 1
            self.counters["total_net_input_bytes"] += len(resp(*words_of(workload, row)))
            if name == "get":
                found = workload.keys[row] < workload.header.preload_keys
                self.counters["keyspace_hits" if found else "keyspace_misses"] += 1

    def restart(self) -> None:
        self.starts += 1
        for one in (self.calls, self.counters, self.data):
            one.clear()

    def info(self) -> str:
        stats = [
            f"cmdstat_{name}:calls={count},usec=1,usec_per_call=1.00,rejected_calls=0,failed_calls=0"
            for name, count in self.calls.items()
        ]
        names = (
            *("total_connections_received", "total_reads_processed", "keyspace_hits", "keyspace_misses"),
            *("evicted_keys", "expired_keys", "total_net_input_bytes", "total_net_output_bytes"),
        )
        counted = [f"{name}:{self.counters[name]}" for name in names]
        fixed = [f"connected_clients:{self.connected}", "used_cpu_user:1.000000", "used_cpu_sys:0.500000"]
        fixed += ["redis_version:7.0.15", f"run_id:{self.starts:040d}"]
        return "\r\n".join(["# Everything", *fixed, *counted, "# Commandstats", *stats]) + "\r\n"


class FakeControl(Control):
    """A control connection to a FakeNode; knows as much RESP as preloading speaks."""

    def __init__(self, node: FakeNode | None = None, endpoint: Endpoint | None = None) -> None:
        self.node = node or FakeNode()
        self.endpoint = endpoint or Endpoint(host="127.0.0.1", port=6379)
        self.sent: list[bytes] = []
        self.commands: list[tuple[str | bytes | int, ...]] = []
        self._replies = bytearray()

    def open(self, *_greeting: str) -> "FakeControl":
        return self

    def close(self) -> None:
        """Close nothing."""

    def command(self, *words: str | bytes | int) -> Any:  # noqa: ANN401 - as its base class
        """Answer as a server would."""
        self.commands.append(words)
        if not self.node.up:
            message = "the server at 127.0.0.1:6379 cannot be reached"
            raise ServerLostError(message)
        name, *rest = words
        return getattr(self, f"_{str(name).lower()}")(*map(_as_bytes, rest))

    def _ping(self) -> bytes:
        return b"PONG"

    def _dbsize(self) -> int:
        return len(self.node.data)

    def _flushdb(self) -> bytes:
        self.node.data.clear()
        return b"OK"

    def _info(self, *_sections: bytes) -> bytes:
        text = self.node.info().encode()
        self.node.calls["info"] += 1
        self.node.counters["total_reads_processed"] += 1
        self.node.counters["total_net_output_bytes"] += len(text)
        return text

    def _pubsub(self, subcommand: bytes, channel: bytes) -> list[bytes | int]:
        assert subcommand == b"NUMSUB"
        return [channel, self.node.listening]

    def _client(self, subcommand: bytes) -> bytes:
        assert subcommand == b"LIST"
        self.node.calls["client|list"] += 1
        return "\n".join(self.node.clients).encode()

    def _get(self, key: bytes) -> bytes | None:
        self.node.calls["get"] += 1
        return self.node.data.get(key)

    def _set(self, key: bytes, value: bytes, *options: bytes) -> bytes | None:
        if self.node.refusal is not None:
            raise ServerError(self.node.refusal.decode())
        if b"NX" in options and key in self.node.data:
            return None
        self.node.data[key] = value
        return b"OK"

    def _exists(self, *keys: bytes) -> int:
        return sum(key in self.node.data for key in keys)

    def _unlink(self, *keys: bytes) -> int:
        return sum(self.node.data.pop(key, None) is not None for key in keys)

    def send_all(self, several: Sequence[tuple[str | bytes | int, ...]]) -> list[Any]:
        return [self.command(*words) for words in several]

    def send_raw(self, data: bytes | memoryview) -> None:
        self.sent.append(bytes(data))
        for name, key, *rest in resp_commands(bytes(data)):
            assert name == b"SET"
            if self.node.refusal is not None:
                self._replies += self.node.refusal
            else:
                self._replies += b"$-1\r\n" if self._set(key, *rest) is None else b"+OK\r\n"

    def receive_raw(self, size: int) -> bytes:
        assert self._replies, "nothing more would ever come: a real connection would hang here"
        part = bytes(self._replies[:size])
        del self._replies[:size]
        return part

    @property
    def flushes(self) -> int:
        return self.commands.count(("FLUSHDB",))


def _as_bytes(word: str | bytes | int) -> bytes:
    return word if isinstance(word, bytes) else str(word).encode()


def words_of(workload: Workload, row: int) -> list[bytes]:
    """Return one command of the tiny workload."""
    key, size = int(workload.keys[row]), int(workload.sizes[row])
    name = workload.header.mix[int(workload.kinds[row])].name.encode()
    return [name, workload.key(key), *([workload.value(key, size)] if size else [])]


def resp(*words: bytes) -> bytes:
    """Return a command as a client sends it."""
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words)


def resp_commands(data: bytes) -> Iterator[list[bytes]]:
    """Read commands as a server does."""
    reader = hiredis.Reader()
    reader.feed(data)
    while (words := reader.gets()) is not False:
        yield words
