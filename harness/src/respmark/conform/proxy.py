"""The recording proxy: listens for one or more runner processes, and passes everything on to the server."""

import asyncio
import contextlib
import socket
import ssl
import struct
import threading
from collections import deque
from collections.abc import Coroutine, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, Self, TypeVar

from respmark.conform.hold import NOTHING_HELD, Gate, Hold
from respmark.conform.tampering import DELAY_S, INJECTED, Tampering, TamperingKind, TamperingScript, corrupt, split
from respmark.conform.trace import CommandTrace, ConnectionTrace, Subject, TraceRecorder
from respmark.contract.trial import Endpoint, Tls
from respmark.errors import WireError
from respmark.network.relay import LOOPBACK, ListenAddress
from respmark.network.resp import RespStream, answers_nothing
from respmark.redaction import redacted

Value = TypeVar("Value")
Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]
CALL_LIMIT_S: Final = 10.0
BACKLOG: Final = 4096
BUFFER_BYTES: Final = 1 << 20
CHUNK: Final = 1 << 18
TURNS: Final = 5
"""Of the event loop, in which whatever was in a socket before is read and noted."""
NO_LINGER: Final = struct.pack("ii", 1, 0)
"""SO_LINGER with a timeout of 0: closing sends a reset."""
PAUSE_S: Final = 0.001
"""Between two writes, so that they are not read as one."""


@dataclass(frozen=True)
class Process:
    """What the connections of one runner process share."""

    number: int
    recorder: TraceRecorder
    script: TamperingScript
    gate: Gate


class Proxy:
    """A proxy in front of one server, for one trial, in its own thread; sockets are in the caller's `folder`."""

    def __init__(
        self,
        upstream: Endpoint,
        subject: Subject,
        folder: Path,
        listen_address: ListenAddress = LOOPBACK,
        *,
        hold: Hold = NOTHING_HELD,
        tampering: Tampering | None = None,
    ) -> None:
        self._upstream = upstream
        self._upstream_tls = None if upstream.tls is None else client_context(upstream.tls)
        self._address = listen_address
        self._recorder = TraceRecorder(subject)
        self.trace = self._recorder.trace
        """What has been recorded so far; it grows while connections are open."""
        self._script = TamperingScript(tampering)
        self._hold = hold
        self._folder = folder
        self._gates: dict[int, Gate] = {}
        self._servers: list[asyncio.Server] = []
        self._transports: list[asyncio.WriteTransport] = []
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="respmark-proxy", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Close every connection and end the thread."""
        self._run(self._close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def endpoint_for(self, process: int) -> Endpoint:
        """Listen for one runner process, and return where."""
        return self._run(self._listen(process))

    def mark(self, name: str, process: int) -> None:
        """Mark a moment that lies after everything that has arrived so far."""
        self._run(self._mark(name, process))

    def open_connections(self, process: int) -> int:
        """Return how many connections a runner process has open."""
        return sum(one.process == process and one.closed is None for one in self.trace.connections)

    def _run(self, work: Coroutine[Any, Any, Value]) -> Value:
        future: Future[Value] = asyncio.run_coroutine_threadsafe(work, self._loop)
        return future.result(CALL_LIMIT_S)

    async def _listen(self, number: int) -> Endpoint:
        gate = self._gates[number] = Gate(self._hold, partial(self._recorder.stalled, number))
        accept = partial(self._accept, Process(number, self._recorder, self._script, gate))
        if self._upstream.unix_socket is not None:
            path = str(self._folder / f"proxy-{number}.sock")
            server = await asyncio.start_unix_server(accept, path, limit=BUFFER_BYTES, backlog=BACKLOG)
            self._servers.append(server)
            return self._upstream.model_copy(update={"unix_socket": path})
        server = await asyncio.start_server(
            accept, self._address.bind_host, 0, limit=BUFFER_BYTES, backlog=BACKLOG, ssl=self._address.context
        )
        self._servers.append(server)
        port: int = server.sockets[0].getsockname()[1]
        return self._upstream.model_copy(
            update={"host": self._address.advertised_host, "port": port, "tls": self._address.tls}
        )

    async def _accept(self, process: Process, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        record = self._recorder.opened(process.number)
        self._transports.append(writer.transport)
        # An ending proxy cancels: then the connection ends here.
        with contextlib.suppress(OSError, asyncio.CancelledError), contextlib.closing(writer):
            server = await self._reach_server()
            self._transports.append(server[1].transport)
            with contextlib.closing(server[1]):
                await Link(process, record, (reader, writer), server).pass_on()
        self._recorder.closed(record, "server")

    async def _reach_server(self) -> Stream:
        upstream = self._upstream
        if upstream.unix_socket is not None:
            return await asyncio.open_unix_connection(upstream.unix_socket, limit=BUFFER_BYTES)
        return await asyncio.open_connection(upstream.host, upstream.port, ssl=self._upstream_tls, limit=BUFFER_BYTES)

    async def _mark(self, name: str, process: int) -> None:
        await _turns()
        self._recorder.mark(name, process)
        if name == "go":
            self._script.begin()
            self._gates[process].close()
        elif name == "end":
            self._gates[process].open()

    async def _close(self) -> None:
        # A connection that has only just been accepted leaks if its task is cancelled before it has begun: accept no
        # more, and let all of them begin.
        for listening in [one for server in self._servers for one in server.sockets]:
            self._loop.remove_reader(listening.fileno())
        await _turns()
        for server in self._servers:
            server.close()
        while tasks := asyncio.all_tasks() - {asyncio.current_task()}:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
        for transport in self._transports:
            transport.abort()
        await _turns()


async def _turns() -> None:
    for _ in range(TURNS):
        await asyncio.sleep(0)


class Link:
    """One connection: client on one side, server on the other; bytes pass unchanged, and what they mean is noted."""

    def __init__(self, process: Process, record: ConnectionTrace, client: Stream, server: Stream) -> None:
        self._process = process
        self._record = record
        self._from_client, self._to_client = client
        self._from_server, self._to_server = server
        self._commands, self._replies = RespStream(), RespStream()
        self._reads = 0
        self._due: deque[CommandTrace] = deque()
        """Commands whose reply the client does not have yet."""
        self._ready: list[bytes] = []
        """What goes to the client in the next write."""

    async def pass_on(self) -> None:
        """Pass everything on until one side closes."""
        up, down = asyncio.create_task(self._up()), asyncio.create_task(self._down())
        try:
            await asyncio.wait({up, down}, return_when=asyncio.FIRST_COMPLETED)
            self._process.recorder.closed(self._record, "client" if up.done() else "server")
        finally:
            up.cancel()
            down.cancel()
            for command in self._due:
                self._process.gate.answered(command.order)

    async def _up(self) -> None:
        with contextlib.suppress(OSError):
            while data := await self._from_client.read(CHUNK):
                self._reads += 1
                self._to_server.write(data)  # before they are noted: the server works meanwhile
                if self._record.unreadable is None:
                    self._note_commands(data)
                await self._to_server.drain()

    def _note_commands(self, data: bytes) -> None:
        try:
            for _, words in self._commands.feed(data):
                if not (isinstance(words, list) and words and all(isinstance(word, bytes) for word in words)):
                    self._record.unreadable = f"expected a command, got `{redacted(str(words))[:40]}`"
                    return
                command = self._process.recorder.arrived(self._record, words, self._reads)
                self._due.append(command)
                self._process.gate.arrived(command.order, command.name, self._record.number)
        except WireError as error:
            self._record.unreadable = str(error)

    async def _down(self) -> None:
        with contextlib.suppress(OSError):
            while data := await self._from_server.read(CHUNK):
                for reply in self._pieces(data):
                    if self._record.unreadable or not self._due or answers_nothing(reply):
                        self._ready.append(reply)
                    elif not await self._answer(self._due[0], reply):
                        return
                await self._send()

    def _pieces(self, data: bytes) -> Iterator[bytes]:
        """Cut what the server sends into replies; where they cannot be told apart, the bytes pass as they are."""
        try:
            if self._record.unreadable is None:
                yield from (reply for reply, _ in self._replies.feed(data))
                return
            self._replies.rest += data
        except WireError as error:
            self._record.unreadable = str(error)
        rest, self._replies.rest = bytes(self._replies.rest), bytearray()
        yield rest

    async def _answer(self, command: CommandTrace, reply: bytes) -> bool:
        """Send a reply, or what is made of it; return whether the connection goes on."""
        if self._process.gate.holds(command.order):
            await self._send()
            await self._process.gate.passage(command.order)
        tampering = self._process.script.next_for(command.name, reply)
        if tampering is None:
            self._deliver(command, reply)
            return True
        await self._send()
        self._process.recorder.trace.tampered.append(f"{tampering}: {command.name} on connection {self._record.number}")
        match tampering:
            case TamperingKind.CUT | TamperingKind.RESET:
                self._process.recorder.closed(self._record, "proxy")
                await self._break_off(reply[: len(reply) // 2] if tampering is TamperingKind.CUT else None)
                return False
            case TamperingKind.DELAY:
                await asyncio.sleep(DELAY_S)
                self._deliver(command, reply, tampering)
            case TamperingKind.SPLIT:
                first, *others = split(reply)
                self._deliver(command, reply, tampering, first)
                for part in others:
                    await self._send()
                    await asyncio.sleep(PAUSE_S)
                    self._ready.append(part)
            case TamperingKind.ERROR:
                self._deliver(command, INJECTED, tampering)
            case TamperingKind.WRONG_VALUE:
                self._deliver(command, corrupt(reply) or reply, tampering)
        return True

    def _deliver(
        self, command: CommandTrace, reply: bytes, tampering: str | None = None, first: bytes | None = None
    ) -> None:
        """Note a reply that goes out now; `first`: this part of it, and the caller sends the others."""
        self._due.popleft()
        self._process.recorder.delivered(command, reply, tampering)
        self._process.gate.answered(command.order)
        self._ready.append(reply if first is None else first)

    async def _break_off(self, last: bytes | None) -> None:
        """Send the last bytes before the connection is closed, or reset it."""
        if last is not None:
            await self._send(last)
            await asyncio.sleep(PAUSE_S)
            return
        handle: socket.socket = self._to_client.get_extra_info("socket")
        if handle.family != socket.AF_UNIX:
            handle.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, NO_LINGER)
        self._to_client.transport.abort()

    async def _send(self, last: bytes = b"") -> None:
        """Write what is ready, and these bytes: in one write, for one by one they would reach a client late."""
        data, self._ready = b"".join((*self._ready, last)), []
        self._to_client.write(data)
        await self._to_client.drain()


def client_context(tls: Tls) -> ssl.SSLContext:
    """Return the TLS context with which a client that has these settings connects to a server."""
    context = ssl.create_default_context(cafile=tls.ca_file)
    if tls.certificate_file is not None:
        context.load_cert_chain(tls.certificate_file, tls.key_file)
    if not tls.verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context
