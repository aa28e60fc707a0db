"""A client library of the tests' own and its adapter, for the Python runner: honest, or as its option `mode` says.

Nothing but the standard library is needed: it runs in any Python, with the runner's core beside it.
"""

import asyncio
import atexit
import json
import os
import queue
import socket
import sys
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

VERIFIED = 100
"""Commands that are verified before the first slice."""
FLOOD = 40 * 2**20
RESP3 = 3
NAMES = [
    *("GET", "SET", "GETRANGE", "MGET", "MSET", "EXPIRE", "INCRBY"),
    *("LPUSH", "LTRIM", "LRANGE", "HGETALL", "SADD", "ZADD", "PING"),
]
Command = Sequence[Any]


class ReplyError(Exception):
    """The server answered with an error."""


def encoded(commands: Iterable[Command]) -> bytes:
    """Return commands as they are sent."""
    parts = []
    for command in commands:
        words = [word if isinstance(word, bytes) else str(word).encode() for word in command]
        parts += [b"*%d\r\n" % len(words), *(b"$%d\r\n%b\r\n" % (len(word), word) for word in words)]
    return b"".join(parts)


def opening(trial: SimpleNamespace) -> list[Command]:
    """Return the commands that a connection begins with, or end as the mode says."""
    target, mode = trial.target, trial.options["mode"]
    end_early(mode, target["password"] or "")
    speaks_3 = (trial.options["protocol"] == RESP3) is not (mode == "resp3")
    login = [("AUTH", target["username"] or "default", target["password"])] if target["password"] else []
    tracking = [("CLIENT", "TRACKING", "ON")] if trial.scenario == "caching" else []
    return [*login, *([("HELLO", RESP3)] if speaks_3 else []), ("SELECT", target["database"]), *tracking]


class Connection:
    """A connection that waits for its replies."""

    def __init__(self, trial: SimpleNamespace) -> None:
        target = trial.target
        if target["unix_socket"]:
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.connect(target["unix_socket"])
        else:
            self.socket = socket.create_connection((target["host"], target["port"]))
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.file = self.socket.makefile("rb")
        for command in opening(trial):
            self.call([command])

    def call(self, commands: Sequence[Command]) -> list[Any]:
        """Send commands in one write, and return their replies, or raise the first error among them."""
        self.socket.sendall(encoded(commands))
        replies = [self.reply() for _ in commands]
        for reply in replies:
            if isinstance(reply, ReplyError):
                raise reply
        return replies

    def reply(self) -> Any:
        """Return the next reply."""
        line = self.file.readline()
        if not line.endswith(b"\r\n"):
            raise ConnectionResetError("the server closed the connection")
        kind, rest = line[:1], line[1:-2]
        if kind == b"-":
            return ReplyError(rest.decode())
        if kind == b"$":
            return None if rest == b"-1" else self.bulk(int(rest))
        if kind in {b"*", b"%"}:
            return [self.reply() for _ in range(int(rest) * (2 if kind == b"%" else 1))]
        return int(rest) if kind == b":" else None if kind == b"_" else rest.decode()

    def bulk(self, size: int) -> bytes:
        """Return the bytes of a reply."""
        data = self.file.read(size + 2)
        if len(data) < size + 2:
            raise ConnectionResetError("the server closed the connection within a reply")
        return data[:-2]

    def close(self) -> None:
        """Close it."""
        self.file.close()
        self.socket.close()


class Client:
    """The library: lends connections to threads."""

    def __init__(self, adapter: "Adapter", most: int | None, idle: int | None = None, wait_s: float = 3) -> None:
        self.adapter, self.idle_most, self.wait_s = adapter, most if idle is None else idle, wait_s
        self.room = None if most is None else threading.Semaphore(most)
        self.idle: queue.LifoQueue[Connection] = queue.LifoQueue()

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """Lend a connection; one that is lost is not lent again."""
        if self.room is not None and not self.room.acquire(timeout=self.wait_s):
            raise TimeoutError("no connection of the pool came free")
        try:
            try:
                lent = self.idle.get_nowait()
            except queue.Empty:
                lent = Connection(self.adapter.trial)
            try:
                yield lent
            except OSError:
                lent.close()
                self.adapter.lost()
                raise
            except ReplyError:
                self.give_back(lent)
                raise
            self.give_back(lent)
        finally:
            if self.room is not None:
                self.room.release()

    def give_back(self, connection: Connection) -> None:
        """Keep a connection, if not enough are idle."""
        if self.idle_most is None or self.idle.qsize() < self.idle_most:
            self.idle.put(connection)
        else:
            connection.close()

    def execute(self, commands: Sequence[Command]) -> list[Any]:
        """Send commands at once, and return their replies."""
        with self.connection() as connection:
            return self.adapter.performed(connection, commands)


class Pipeline:
    """Collects what commands would send."""

    def __init__(self, commands: Iterable[Any] = ()) -> None:
        self.commands: list[Command] = []
        for key, (call, value) in commands:
            call(self, key) if value is None else call(self, key, value)

    def execute(self, commands: Sequence[Command]) -> list[None]:
        """Keep commands for later."""
        self.commands += commands
        return [None]


def method(name: str) -> Any:
    """Return the library's method for a command; lists and dicts are written out."""

    def call(client: Any, *arguments: Any) -> Any:
        words: list[Any] = [name]
        for one in arguments:
            pairs = (
                one.items()
                if isinstance(one, dict)
                else [(word,) for word in one]
                if isinstance(one, list)
                else [[one]]
            )
            words += [word for pair in pairs for word in (reversed(tuple(pair)) if name == "ZADD" else pair)]
        (reply,) = client.execute([words])
        is_map = name == "HGETALL" and isinstance(reply, list)
        return dict(zip(reply[::2], reply[1::2], strict=True)) if is_map else reply

    return call


class Adapter:
    """The adapter."""

    kind = "blocking"
    commands: ClassVar = {name: method(name) for name in NAMES}
    versions: ClassVar = {"double": "1.0"}
    settings: ClassVar[dict[str, str]] = {}

    def __init__(self, trial: SimpleNamespace) -> None:
        self.trial, self.mode = trial, trial.options["mode"]
        self.done = self.misses = 0

    def connect(self, _connections: int = 1) -> Client:
        """Return a client."""
        if self.mode == "reused" and self.trial.scenario == "new-connection":
            self.only = getattr(self, "only", None) or Client(self, None)
            return self.only
        return Client(self, None)

    def open(self, client: Client, connections: int) -> None:
        """Open connections, so that no unit has to."""
        most = connections if client.idle_most is None else min(connections, client.idle_most)
        for opened in [Connection(self.trial) for _ in range(most)]:
            client.idle.put(opened)

    def pool(self, max_total: int, max_idle: int | None, wait_s: float) -> Client:
        """Return a client with a pool."""
        if self.mode == "big-pool":
            return Client(self, None)
        return Client(self, max_total, None if self.mode == "hoarder" else max_idle, wait_s)

    def cache(self, _entries: int) -> Client:
        """Return a client whose cache never holds a thing."""
        return Client(self, None)

    def counts(self) -> dict[str, int]:
        """Return what the cache did since the last time."""
        since, self.misses = {"hits": 0, "misses": self.misses, "invalidations": 0}, 0
        return since

    def batch(self, client: Client, commands: Iterable[Any]) -> list[Any]:
        """Send commands at once."""
        return client.execute(Pipeline(commands).commands)

    def transaction(self, client: Client, commands: Iterable[Any]) -> Any:
        """Send them at once, between MULTI and EXEC."""
        return client.execute([("MULTI",), *Pipeline(commands).commands, ("EXEC",)])[-1]

    def queued_transaction(self, client: Client, commands: Iterable[Any]) -> Any:
        """Send them between MULTI and EXEC, one by one."""
        with client.connection() as connection:
            block = [("MULTI",), *Pipeline(commands).commands, ("EXEC",)]
            return [self.performed(connection, [command])[0] for command in block][-1]

    def close(self, client: Client) -> None:
        """Close a client."""
        while client is not getattr(self, "only", None) and not client.idle.empty():
            client.idle.get().close()

    def performed(self, connection: Connection, commands: Sequence[Command]) -> list[Any]:
        """Send commands and return their replies, as the mode says."""
        self.misses += sum(command[0] == "GET" for command in commands)
        self.began(len(commands))
        try:
            replies = self.sent(connection, commands)
        except ReplyError as error:
            if self.mode == "gives-up":
                os._exit(1)
            if self.mode == "swallows":
                return [error] * len(commands)
            raise
        if self.mode == "raises" and self.done > VERIFIED and self.done % 40 == 0:
            raise ReplyError("one went wrong")
        return [reply[:1] if isinstance(reply, bytes) and self.mode == "undecoded" else reply for reply in replies]

    def sent(self, connection: Connection, commands: Sequence[Command]) -> list[Any]:
        """Send commands in as many writes as the mode wants."""
        if self.mode == "talkative":
            connection.call([("ECHO", "hello")])
        if self.mode == "resends":
            connection.call(commands[:1])
        if self.mode == "halves":
            middle = len(commands) // 2
            return [reply for part in (commands[:middle], commands[middle:]) if part for reply in connection.call(part)]
        if self.mode == "atomic" and commands[0][0] != "MULTI":
            block: list[Any] = connection.call([("MULTI",), *commands, ("EXEC",)])[-1]
            return block
        return connection.call(commands)

    def began(self, commands: int) -> None:
        """Count commands; when those that are verified are done, end or wait as the mode says."""
        self.done += commands
        if self.done <= VERIFIED:
            return
        tell()
        if self.mode == "crashes-in-slice":
            os.write(2, b"double: broke in the slice\n")
            os._exit(1)
        if self.mode == "hangs-in-slice":
            time.sleep(3600)
        if self.mode == "slow":
            time.sleep(1.5)

    def lost(self) -> None:
        """Notice that a connection is lost."""
        if self.mode == "waits-for-ever":
            time.sleep(3600)


class Tasks(Adapter):
    """The library's asynchronous API: one connection, replies in order."""

    kind = "async"

    async def connect(self, _connections: int = 1) -> "TaskClient":  # type: ignore[override]
        """Return a client."""
        return TaskClient(self)

    async def open(self, client: "TaskClient", _connections: int) -> None:  # type: ignore[override]
        """Open its connection."""
        await client.connected()

    async def close(self, client: "TaskClient") -> None:  # type: ignore[override]
        """Close a client."""
        client.close()


class TaskClient:
    """Sends each command when it is issued; whoever awaits its reply gets it in its turn."""

    def __init__(self, adapter: Tasks) -> None:
        self.adapter = adapter
        self.due: deque[asyncio.Future[Any]] = deque()
        self.writer: asyncio.StreamWriter | None = None
        self.opening, self.turn = asyncio.Lock(), asyncio.Lock()

    def execute(self, commands: Sequence[Command]) -> list[Any]:
        """Return one awaitable: commands are issued one by one."""
        return [self.issued(commands[0])]

    async def issued(self, command: Command) -> Any:
        """Send a command, and return its reply."""
        if self.adapter.mode == "one-by-one":
            async with self.turn:
                return await self.sent(command)
        return await self.sent(command)

    async def sent(self, command: Command) -> Any:
        """Send a command, and return its reply."""
        writer = self.writer or await self.connected()
        reply = asyncio.get_running_loop().create_future()
        self.due.append(reply)
        writer.write(encoded([command]))
        return await reply

    async def connected(self) -> asyncio.StreamWriter:
        """Open the connection, if it is not open."""
        async with self.opening:
            if self.writer is None:
                target = self.adapter.trial.target
                if target["unix_socket"]:
                    reader, writer = await asyncio.open_unix_connection(target["unix_socket"])
                else:
                    reader, writer = await asyncio.open_connection(target["host"], target["port"])
                for command in opening(self.adapter.trial):
                    writer.write(encoded([command]))
                    await read(reader)
                self.writer, self.reading = writer, asyncio.create_task(self.read(reader))
            return self.writer

    async def read(self, reader: asyncio.StreamReader) -> None:
        """Give every reply to whoever awaits it; when the connection is lost, that error."""
        try:
            while True:
                reply = await read(reader)
                future = self.due.popleft()
                if isinstance(reply, ReplyError):
                    future.set_exception(reply)
                else:
                    future.set_result(reply)
        except (OSError, asyncio.IncompleteReadError) as error:
            self.close()
            while self.due:
                self.due.popleft().set_exception(ConnectionResetError(str(error)))

    def close(self) -> None:
        """Close the connection."""
        if self.writer is not None:
            self.writer.close()
            self.writer = None


async def read(reader: asyncio.StreamReader) -> Any:
    """Return the next reply: of GET, SET and what a connection begins with."""
    line = await reader.readuntil(b"\r\n")
    kind, rest = line[:1], line[1:-2]
    if kind == b"-":
        return ReplyError(rest.decode())
    if kind == b"$":
        return None if rest == b"-1" else (await reader.readexactly(int(rest) + 2))[:-2]
    if kind in {b"*", b"%"}:
        return [await read(reader) for _ in range(int(rest) * (2 if kind == b"%" else 1))]
    return None if kind == b"_" else rest.decode()


def load(trial: SimpleNamespace) -> Adapter:
    """Return the adapter."""
    return Tasks(trial) if trial.scenario == "pipelining" else Adapter(trial)


def end_early(mode: str, password: str) -> None:
    """Do what a broken program does when it is to connect."""
    if mode == "unsupported":
        raise NotImplementedError("this client cannot do that")
    if mode == "crashes":
        raise RuntimeError("something broke here")
    if mode == "silent-crash":
        os.abort()
    if mode == "garbage":
        print("Segmentation fault (just kidding)", flush=True)
    if mode == "exits-at-the-end":
        atexit.register(os._exit, 7)
    if mode == "hangs":
        tell()
        time.sleep(3600)
    if mode == "tells-line":
        print(f"auth {password!r} or {json.dumps(password)}", flush=True)
        sys.stdin.read()
    said = {
        "tells-stderr": f"cannot log in with {password}",
        "tells-orders": "\x1b[2J\x1b]0;title\x07[red]it broke",
        "tells-flood": "x" * FLOOD,
    }
    if mode in said:
        sys.stderr.write(said[mode])
        sys.stderr.flush()
        os._exit(1)


def tell() -> None:
    """Leave a mark where a test asks for one: from now on it hangs, or works."""
    if "DOUBLE_TELLS" in os.environ:
        Path(os.environ["DOUBLE_TELLS"]).touch()
