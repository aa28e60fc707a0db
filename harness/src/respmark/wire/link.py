"""One connection through the proxy: bytes pass unchanged, and what they mean is noted."""

import asyncio
import contextlib
import socket
import struct
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from respmark.errors import WireError
from respmark.wire.faults import INJECTED, Fault, FaultKind, FaultScript, corrupt, split
from respmark.wire.hold import Gate
from respmark.wire.resp import Reply, ReplySplitter, RequestParser
from respmark.wire.trace import CommandTrace, ConnectionTrace, Recorder

CHUNK: Final = 1 << 18
NO_LINGER: Final = struct.pack("ii", 1, 0)
"""SO_LINGER with a timeout of 0: closing sends a reset."""
PAUSE_S: Final = 0.001
"""Between two writes, so that they are not read as one."""


@dataclass(frozen=True)
class Process:
    """What the connections of one runner process share."""

    number: int
    recorder: Recorder
    script: FaultScript
    gate: Gate


@dataclass(frozen=True)
class Stream:
    """One side of a connection."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def send(self, data: bytes) -> None:
        """Write, and wait while the other side reads too slowly."""
        self.writer.write(data)
        await self.writer.drain()

    def reset(self) -> None:
        """Close as a crashed peer does."""
        handle: socket.socket = self.writer.get_extra_info("socket")
        if handle.family != socket.AF_UNIX:
            handle.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, NO_LINGER)
        self.writer.transport.abort()


class Link:
    """One connection: client on one side, server on the other."""

    def __init__(self, process: Process, record: ConnectionTrace, client: Stream, server: Stream) -> None:
        self._process = process
        self._record = record
        self._client = client
        self._server = server
        self._requests = RequestParser()
        self._replies = ReplySplitter()
        self._reads = 0
        self._due: deque[CommandTrace] = deque()
        """Commands whose reply the client does not have yet."""

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
            while data := await self._client.reader.read(CHUNK):
                self._reads += 1
                self._note_commands(data)
                await self._server.send(data)

    def _note_commands(self, data: bytes) -> None:
        if self._record.unreadable is not None:
            return
        try:
            for request in self._requests.feed(data):
                command = self._process.recorder.arrived(self._record, request, self._reads)
                self._due.append(command)
                self._process.gate.arrived(command.order, command.name, self._record.number)
        except WireError as error:
            self._record.unreadable = str(error)

    async def _down(self) -> None:
        with contextlib.suppress(OSError):
            while data := await self._server.reader.read(CHUNK):
                for one in self._pieces(data):
                    if isinstance(one, bytes) or one.is_push or not self._due:
                        await self._client.send(one if isinstance(one, bytes) else one.data)
                    elif not await self._answer(one):
                        return

    def _pieces(self, data: bytes) -> Iterator[Reply | bytes]:
        """Cut what the server sends into replies; where they cannot be told apart, the bytes pass as they are."""
        if self._record.unreadable is not None:
            yield from filter(None, (self._replies.drain(), data))
            return
        try:
            yield from self._replies.feed(data)
        except WireError as error:
            self._record.unreadable = str(error)
            yield self._replies.drain()

    async def _answer(self, reply: Reply) -> bool:
        """Give the client the reply to its oldest command; return whether the connection goes on."""
        command = self._due[0]
        await self._process.gate.passage(command.order)
        fault = self._process.script.next_for(command.name, reply.data)
        if fault is not None:
            what = f"{fault.kind}: {command.name} on connection {self._record.number}"
            self._process.recorder.trace.faults.append(what)
            return await self._tamper(fault, command, reply)
        await self._deliver(command, reply, [reply.data])
        return True

    async def _tamper(self, fault: Fault, command: CommandTrace, reply: Reply) -> bool:
        kind, data = fault.kind, reply.data
        if kind in {FaultKind.CUT, FaultKind.RESET}:
            self._process.recorder.closed(self._record, "fault")
            if kind is FaultKind.CUT:
                await self._client.send(data[: len(data) // 2])
                await asyncio.sleep(PAUSE_S)
            else:
                self._client.reset()
            return False
        if kind is FaultKind.DELAY:
            await asyncio.sleep(fault.seconds)
        instead = {FaultKind.ERROR: INJECTED, FaultKind.WRONG_VALUE: corrupt(data)}.get(kind) or data
        parts = split(data) if kind is FaultKind.SPLIT else [instead]
        await self._deliver(command, Reply(instead), parts, str(kind))
        return True

    async def _deliver(
        self, command: CommandTrace, reply: Reply, parts: Iterable[bytes], fault: str | None = None
    ) -> None:
        self._due.popleft()
        self._process.recorder.delivered(command, reply, fault)
        self._process.gate.answered(command.order)
        first, *further = parts
        await self._client.send(first)
        for part in further:
            await asyncio.sleep(PAUSE_S)
            await self._client.send(part)
