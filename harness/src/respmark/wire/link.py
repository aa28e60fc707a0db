"""One connection through the proxy: bytes pass unchanged, and what they mean is noted."""

import asyncio
import contextlib
import socket
import struct
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from respmark.errors import WireError
from respmark.wire.faults import INJECTED, Fault, FaultKind, FaultScript, corrupt, split
from respmark.wire.hold import Gate
from respmark.wire.resp import PUSH, CommandParser, ReplySplitter
from respmark.wire.trace import CommandTrace, ConnectionTrace, Recorder

CHUNK: Final = 1 << 18
NO_LINGER: Final = struct.pack("ii", 1, 0)
"""SO_LINGER with a timeout of 0: closing sends a reset."""
PAUSE_S: Final = 0.001
"""Between two writes, so that they are not read as one."""

Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@dataclass(frozen=True)
class Process:
    """What the connections of one runner process share."""

    number: int
    recorder: Recorder
    script: FaultScript
    gate: Gate


class Link:
    """One connection: client on one side, server on the other."""

    def __init__(self, process: Process, record: ConnectionTrace, client: Stream, server: Stream) -> None:
        self._process = process
        self._record = record
        self._from_client, self._to_client = client
        self._from_server, self._to_server = server
        self._commands = CommandParser()
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
            while data := await self._from_client.read(CHUNK):
                self._reads += 1
                self._note_commands(data)
                self._to_server.write(data)
                await self._to_server.drain()

    def _note_commands(self, data: bytes) -> None:
        if self._record.unreadable is not None:
            return
        try:
            for words in self._commands.feed(data):
                command = self._process.recorder.arrived(self._record, words, self._reads)
                self._due.append(command)
                self._process.gate.arrived(command.order, command.name, self._record.number)
        except WireError as error:
            self._record.unreadable = str(error)

    async def _down(self) -> None:
        with contextlib.suppress(OSError):
            while data := await self._from_server.read(CHUNK):
                for reply in self._pieces(data):
                    if self._record.unreadable or not self._due or reply.startswith(PUSH):
                        await self._send(reply)
                    elif not await self._answer(reply):
                        return

    def _pieces(self, data: bytes) -> Iterator[bytes]:
        """Cut what the server sends into replies; where they cannot be told apart, the bytes pass as they are."""
        try:
            if self._record.unreadable is None:
                yield from self._replies.feed(data)
                return
        except WireError as error:
            self._record.unreadable = str(error)
            data = b""
        yield self._replies.drain() + data

    async def _answer(self, reply: bytes) -> bool:
        command = self._due[0]
        await self._process.gate.passage(command.order)
        fault = self._process.script.next_for(command.name, reply)
        if fault is None:
            await self._deliver(command, reply, [reply])
            return True
        what = f"{fault.kind}: {command.name} on connection {self._record.number}"
        self._process.recorder.trace.faults.append(what)
        return await self._tamper(fault, command, reply)

    async def _tamper(self, fault: Fault, command: CommandTrace, reply: bytes) -> bool:
        kind = fault.kind
        if kind in {FaultKind.CUT, FaultKind.RESET}:
            self._process.recorder.closed(self._record, "fault")
            if kind is FaultKind.CUT:
                await self._send(reply[: len(reply) // 2])
                await asyncio.sleep(PAUSE_S)
            else:
                _reset(self._to_client)
            return False
        if kind is FaultKind.DELAY:
            await asyncio.sleep(fault.seconds)
        instead = {FaultKind.ERROR: INJECTED, FaultKind.WRONG_VALUE: corrupt(reply)}.get(kind) or reply
        await self._deliver(command, instead, split(reply) if kind is FaultKind.SPLIT else [instead], str(kind))
        return True

    async def _deliver(self, command: CommandTrace, reply: bytes, parts: list[bytes], fault: str | None = None) -> None:
        self._due.popleft()
        self._process.recorder.delivered(command, reply, fault)
        self._process.gate.answered(command.order)
        await self._send(parts[0])
        for part in parts[1:]:
            await asyncio.sleep(PAUSE_S)
            await self._send(part)

    async def _send(self, data: bytes) -> None:
        self._to_client.write(data)
        await self._to_client.drain()


def _reset(writer: asyncio.StreamWriter) -> None:
    handle: socket.socket = writer.get_extra_info("socket")
    if handle.family != socket.AF_UNIX:
        handle.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, NO_LINGER)
    writer.transport.abort()
